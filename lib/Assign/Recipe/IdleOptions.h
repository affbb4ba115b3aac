//===- IdleOptions.h - options that change nothing --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_RECIPE_IDLEOPTIONS_H
#define PREC_LIB_ASSIGN_RECIPE_IDLEOPTIONS_H

#include "prec/Assign/Assignment.h"
#include "prec/Support/LLVM.h"

namespace prec {

/// One function of a module, decided.
struct AssignedGraph {
  llvm::StringRef name;
  const Graph &graph;
  const Classification &facts;
  const Assignment &assignment;
};

/// The scales of what contractions read.
struct ScaleUse {
  /// One a tensor; one that comes from earlier steps.
  bool hasTensor = false, hasDelayed = false;
  /// By OperandKind: whether some scale is made from an amax as `AmaxOptions`
  /// says. Those of `mx_1x32` are not: their format says how.
  std::array<bool, 3> hasAmax = {};

  bool any() const { return llvm::is_contained(hasAmax, true); }
};
ScaleUse findScales(ArrayRef<AssignedGraph> graphs);

/// What else than the recipe and its options was given.
struct GivenInputs {
  bool hasPolicy = false, hasAccumulationLimit = false;
  /// Whether tokens that experts read have one scale.
  bool hasSharedTokens = false;
};

/// What a recipe says of layers and of the head, and what the user says of
/// these, of scales and of what chooses, where it changes nothing or leaves
/// nothing: more layers are skipped than there are, no head is found, a history
/// has no delayed scale, a policy no choice. Each is a sentence for a warning.
std::vector<std::string> findIdleOptions(const Recipe &recipe,
                                         ArrayRef<AssignedGraph> graphs,
                                         const GivenInputs &given = {});

} // namespace prec

#endif // PREC_LIB_ASSIGN_RECIPE_IDLEOPTIONS_H
