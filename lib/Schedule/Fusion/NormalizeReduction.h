//===- NormalizeReduction.h - reductions that kernels compute ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_FUSION_NORMALIZEREDUCTION_H
#define PREC_LIB_SCHEDULE_FUSION_NORMALIZEREDUCTION_H

#include "prec/Target/MachineModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {

/// Makes of every reduction what a kernel family computes: its dimensions in
/// order; one over dimensions in the middle that no kernel reads side by side
/// becomes one over trailing dimensions; one over many rows becomes one over
/// groups of them and one over the groups.
void normalizeReductions(mlir::func::FuncOp function,
                         const ScheduleModel &machine);

/// Groups into which the rows of a matrix are divided, so that it falls into
/// enough pieces of whole lines of memory; 1 if it is small.
int64_t countRowGroups(const ScheduleModel &machine, int64_t rows,
                       int64_t columns);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_FUSION_NORMALIZEREDUCTION_H
