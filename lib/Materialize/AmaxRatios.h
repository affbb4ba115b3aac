//===- AmaxRatios.h - whether delayed scales have room ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_AMAXRATIOS_H
#define PREC_LIB_MATERIALIZE_AMAXRATIOS_H

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {

/// A history of a step: what made its scales, what records its amaxes, and the
/// names of its rows.
struct ScaledHistory {
  HistoryScaleOp scales;
  RecordAmaxOp record;
  ArrayAttr tensors;
};

/// Returns from `step` for every history a vector of role amax_ratios, this
/// step's amaxes by the largest values that their scales have room for, and two
/// metrics of all of them: `fp8_saturated`, how many saturate, and
/// `fp8_amax_ratio`, the largest.
LogicalResult returnAmaxRatios(mlir::func::FuncOp step,
                               ArrayRef<ScaledHistory> histories);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_AMAXRATIOS_H
