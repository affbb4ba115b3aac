//===- TrainLinearity.h - what train operations are linear in ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_DIALECT_TRAIN_TRAINLINEARITY_H
#define PREC_LIB_DIALECT_TRAIN_TRAINLINEARITY_H

#include "prec/Support/LLVM.h"

namespace prec::train {

/// Attaches the LinearOpInterface to operations that are linear in something.
void attachTrainLinearity(MLIRContext *context);

} // namespace prec::train

#endif // PREC_LIB_DIALECT_TRAIN_TRAINLINEARITY_H
