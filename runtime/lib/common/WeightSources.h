//===- WeightSources.h - where loaded weights come from ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_WEIGHTSOURCES_H
#define PREC_RT_COMMON_WEIGHTSOURCES_H

#include "TensorMatcher.h"

namespace prec::rt {

/// Begins the names of work weights and scales of staged weights in
/// checkpoints.
constexpr const char *kFrozen = "frozen.";

/// Tensors and the name under which messages know them.
struct Stored {
  const std::string &name;
  const std::vector<SafetensorsEntry> &entries;
};

/// Every weight of a module, by the framework's names.
std::vector<Wanted> wantedWeights(const Session &session);

/// Where a session's weights come from: frozen ones may be in a checkpoint as
/// they are, as the work weights that the module reads, or only in the file
/// that the training began with.
class WeightSources {
public:
  /// `state` is left with what is no work weight.
  WeightSources(Session &session, Stored weights,
                std::vector<SafetensorsEntry> &state,
                const std::optional<Stored> &originals);

  std::string errors() const;
  Status upload();

private:
  bool hasCopies(const Binding &weight);
  std::string explainMissing(const std::string &weight) const;

  Session &session;
  std::map<std::string, std::vector<int>, std::less<>> stagedCopies;
  std::vector<SafetensorsEntry> copyEntries;
  std::vector<Wanted> wantedCopies;
  std::vector<int> copied; ///< weights
  std::vector<TensorMatcher> matchers;
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_WEIGHTSOURCES_H
