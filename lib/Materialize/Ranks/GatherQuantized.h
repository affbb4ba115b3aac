//===- GatherQuantized.h - rows are gathered in FP8 -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_RANKS_GATHERQUANTIZED_H
#define PREC_LIB_MATERIALIZE_RANKS_GATHERQUANTIZED_H

#include "Materialize/Ranks/RankBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {

/// Quantizes what ranks along `axis` gather in forward and backward before it
/// is sent, where nothing else reads it and that is fewer bytes.
void gatherQuantized(mlir::func::FuncOp function, MeshAxis axis);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_RANKS_GATHERQUANTIZED_H
