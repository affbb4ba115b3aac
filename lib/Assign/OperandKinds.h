//===- OperandKinds.h - what operands of contractions are -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_OPERANDKINDS_H
#define PREC_LIB_ASSIGN_OPERANDKINDS_H

#include "prec/Assign/RecipeOptions.h"

namespace prec {

/// What an operand of a contraction is to the step.
OperandKind getOperandKind(const Graph &graph, const Classification &facts,
                           NodeId contraction, ValueId operand);

} // namespace prec

#endif // PREC_LIB_ASSIGN_OPERANDKINDS_H
