//===- StartStates.h - optimizer state beside start weights -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_STARTSTATES_H
#define PREC_RT_COMMON_STARTSTATES_H

#include "TensorMatcher.h"

namespace prec::rt {

/// The optimizer's states that a file of weights holds, of all parameters or of
/// none, each in f32 or a float format that converts to it, under
/// `PARAMETER.SLOT`, also where the module keeps it in 8 bits.
class StartStates {
public:
  /// `entries` is left with what is no state of the module.
  StartStates(Session &session, const std::string &path,
              std::vector<SafetensorsEntry> &entries);

  Status errors() const;
  /// Writes them and the count of the steps that made them, behind
  /// Session::restart; without any nothing.
  Status upload();
  int64_t numRounded() const { return matcher.numRounded(); }

private:
  /// A state in 8 bits: bindings of its codes and of the largest magnitudes of
  /// its blocks.
  struct Coded {
    int codes, absmax;
    const SafetensorsEntry *entry;
  };
  void addCoded(int codes);
  void check(const Coded &coded);
  void findStep();
  Status upload(const Coded &coded);
  void report(const std::string &name, const std::string &message);

  Session &session;
  std::string path;
  std::vector<SafetensorsEntry> entries; ///< the states
  TensorMatcher matcher;
  std::vector<Coded> codedStates;
  std::string lines;
  int64_t stepsDone = 0;
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_STARTSTATES_H
