//===- Assigner.h - decides the formats of a graph --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_ASSIGN_ASSIGNER_H
#define PREC_ASSIGN_ASSIGNER_H

#include "prec/Assign/Assignment.h"

namespace prec {

/// Decides storage and uses under a recipe and a target's legality. Linear in
/// the number of operations and uses.
Assignment assignPrecision(const Graph &graph, const Classification &facts,
                           const Recipe &recipe, const Target &target,
                           const AssignmentInputs &inputs = {});

} // namespace prec

#endif // PREC_ASSIGN_ASSIGNER_H
