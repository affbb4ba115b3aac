//===- CostRemark.h - what a cost model predicted ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_COST_COSTREMARK_H
#define PREC_LIB_ASSIGN_COST_COSTREMARK_H

#include "Assign/Decided.h"

namespace prec {

/// One remark at the function: the predicted time of what was chosen, of the
/// recipe everywhere and of each contraction deciding for itself.
void emitCostRemark(const DecidedFunction &decided);

} // namespace prec

#endif // PREC_LIB_ASSIGN_COST_COSTREMARK_H
