//===- CollectParameters.h - which parameters have work weights -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_WEIGHTS_COLLECTPARAMETERS_H
#define PREC_LIB_MATERIALIZE_WEIGHTS_COLLECTPARAMETERS_H

#include "Materialize/Weights/SplitParameter.h"
#include "prec/Materialize/Passes.h"
#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {

/// The parameters of a tagged `step` that something reads in a work format, in
/// the order of its arguments, and then those that share copies. A frozen one
/// that needs no master gets the type it is read in and is none of them.
LogicalResult collectParameters(mlir::func::FuncOp step,
                                const SplitWeightsOptions &options,
                                SmallVectorImpl<SplitParameter> &parameters);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_WEIGHTS_COLLECTPARAMETERS_H
