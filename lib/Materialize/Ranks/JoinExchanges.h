//===- JoinExchanges.h - few exchanges instead of many ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_RANKS_JOINEXCHANGES_H
#define PREC_LIB_MATERIALIZE_RANKS_JOINEXCHANGES_H

#include "Materialize/Ranks/RankBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {

/// Makes one all-gather of all those of little in `function` that have as many
/// others before them and one element type: what takes time is that ranks wait
/// for each other, not what they send.
void joinExchanges(mlir::func::FuncOp function, MeshAxis axis);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_RANKS_JOINEXCHANGES_H
