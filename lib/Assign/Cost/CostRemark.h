//===- CostRemark.h - what a cost model predicted ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_COST_COSTREMARK_H
#define PREC_LIB_ASSIGN_COST_COSTREMARK_H

#include "Assign/Decided.h"

namespace prec {

/// One remark at the function: the predicted time of what was chosen, of the
/// recipe everywhere and of each contraction deciding for itself.
void emitCostRemark(const DecidedFunction &decided);

std::string printDecibels(double decibels);

/// An error where the gradient keeps less than was asked for, or where it is
/// not known what it keeps.
LogicalResult verifyGradientSnr(FunctionOpInterface function,
                                const Assignment &assignment,
                                std::optional<double> least);

} // namespace prec

#endif // PREC_LIB_ASSIGN_COST_COSTREMARK_H
