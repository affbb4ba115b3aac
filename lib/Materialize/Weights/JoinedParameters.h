//===- JoinedParameters.h - parameters that share copies --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_WEIGHTS_JOINEDPARAMETERS_H
#define PREC_LIB_MATERIALIZE_WEIGHTS_JOINEDPARAMETERS_H

#include "Materialize/Weights/SplitParameter.h"
#include "prec/Materialize/Passes.h"
#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {

/// Appends those of `step` that products read joined in fp8 or fp4: they share
/// their copies.
LogicalResult collectJoined(mlir::func::FuncOp step,
                            const SplitWeightsOptions &options,
                            SmallVectorImpl<SplitParameter> &parameters);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_WEIGHTS_JOINEDPARAMETERS_H
