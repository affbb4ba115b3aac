//===- CountedLabels.h - what the loss of a step is a mean over -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_COUNTEDLABELS_H
#define PREC_LIB_MATERIALIZE_COUNTEDLABELS_H

#include "Materialize/MetricBuilder.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace prec {

/// Labels of which those other than `ignoreIndex` count.
struct CountedLabels {
  Value labels;
  int32_t ignoreIndex = 0;
};

/// The labels over which the losses of `step` are a mean: cross entropies of
/// these labels alone, times and plus what `isOfBatch` is false of. Then the
/// loss and the gradients of a batch are the means of its parts', each weighted
/// by how many of its labels count. Fails, with the reason in `why`, where they
/// are not.
FailureOr<CountedLabels>
findCountedLabels(mlir::func::FuncOp step,
                  llvm::function_ref<bool(Value)> isOfBatch, std::string &why);

/// How many count, in f32.
Value countLabels(MetricBuilder &builder, const CountedLabels &counted);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_COUNTEDLABELS_H
