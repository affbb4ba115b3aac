//===- GatherLate.h - weights that are whole while they are read -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_RANKS_GATHERLATE_H
#define PREC_LIB_MATERIALIZE_RANKS_GATHERLATE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {

/// Gathers what is read of shards of parameters in front of its first reader in
/// each phase, for that phase alone: nothing of a whole weight is kept from
/// forward to backward (ZeRO stage 3).
void gatherLate(mlir::func::FuncOp function);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_RANKS_GATHERLATE_H
