//===- NormalizeReduction.h - reductions that kernels compute ---*- C++ -*-===//
#ifndef PREC_LIB_SCHEDULE_NORMALIZEREDUCTION_H
#define PREC_LIB_SCHEDULE_NORMALIZEREDUCTION_H

#include "prec/Dialect/Train/Train.h"

namespace mlir::prec {

/// Makes of `reduce` what a kernel family computes: its dimensions in order;
/// one over dimensions in the middle that no kernel reads side by side becomes
/// one over trailing dimensions; one over many rows becomes one over groups of
/// them and one over the groups.
void normalizeReduction(train::ReduceOp reduce);

} // namespace mlir::prec

#endif // PREC_LIB_SCHEDULE_NORMALIZEREDUCTION_H
