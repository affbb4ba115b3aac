//===- TrainLinearity.h - what train operations are linear in ----*- C++
//-*-===//
#ifndef PREC_LIB_DIALECT_TRAIN_TRAINLINEARITY_H
#define PREC_LIB_DIALECT_TRAIN_TRAINLINEARITY_H

namespace mlir {
class MLIRContext;
}

namespace mlir::train {

/// Attaches the LinearOpInterface to operations that are linear in something.
void attachTrainLinearity(MLIRContext *context);

} // namespace mlir::train

#endif // PREC_LIB_DIALECT_TRAIN_TRAINLINEARITY_H
