//===- ModuleMap.h - what a user says of modules ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_POLICY_MODULEMAP_H
#define PREC_POLICY_MODULEMAP_H

#include "prec/Policy/Module.h"
#include "prec/Support/Json.h"

#include <vector>

namespace prec {

/// A glob over paths of operations ("model.layers.*.self_attn.q_proj"), and
/// where it stands.
struct PathPattern {
  std::string text;
  JsonPosition position;

  bool matches(llvm::StringRef path) const;
};

/// A part of a model with sizes, and maybe a policy, of its own: a vision
/// encoder has other tokens than its language model.
struct PolicyComponent {
  PathPattern path;
  /// Relative to the map's folder; the policy in force if empty.
  std::string policyFile;
  std::optional<int64_t> numTokens, tp, etp;
};

/// A module that is called something else than the graph suggests.
struct ModuleOverride {
  PathPattern path;
  ModuleKind kind;
  /// Of dense kinds.
  std::string ubName;
  /// Of grouped kinds; the graph's if absent.
  std::optional<int64_t> numGemms;
};

/// Names and sizes that a graph does not tell. Of several patterns that match a
/// path the first counts.
struct ModuleMap {
  int64_t tp = 1, etp = 1;
  /// The model whose times a policy of version 2 is asked for.
  std::string model;
  std::vector<PolicyComponent> components;
  std::vector<ModuleOverride> modules;
};

/// Every error begins "fileName:line:column: error: ".
llvm::Expected<ModuleMap> parseModuleMap(llvm::StringRef text,
                                         llvm::StringRef fileName);

} // namespace prec

#endif // PREC_POLICY_MODULEMAP_H
