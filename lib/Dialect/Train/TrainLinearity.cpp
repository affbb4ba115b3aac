//===- TrainLinearity.cpp - what train operations are linear in -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dialect/Train/TrainLinearity.h"

#include "prec/Dialect/Prec/LinearOpInterface.h"
#include "prec/Dialect/Train/Train.h"

using namespace mlir;
using namespace prec;
using namespace prec::train;

namespace {

/// A bias that has not the factor adds what has not.
struct MatmulModel : LinearOpInterface::ExternalModel<MatmulModel, MatmulOp> {
  Linearity getLinearity(Operation *op) const {
    if (cast<MatmulOp>(op).getBias())
      return {Linearity::Kind::Product, {}};
    return {Linearity::Kind::Product, {0, 1}};
  }
};

/// Its author says, and importing tries it.
struct CustomModel : LinearOpInterface::ExternalModel<CustomModel, CustomOp> {
  Linearity getLinearity(Operation *op) const {
    ArrayRef<int64_t> gradients = cast<CustomOp>(op).getGradients();
    return {Linearity::Kind::Sum, {gradients.begin(), gradients.end()}};
  }
};

} // namespace

void train::attachTrainLinearity(MLIRContext *context) {
  LinearInSum<>::attach<BroadcastOp, TransposeOp, ReduceOp>(context);
  LinearInSum<0>::attach<AllReduceOp, ExchangeOp, GatherOp, EmbeddingOp, RopeOp,
                         DropoutOp, RmsNormGradOp, LayerNormGradOp,
                         SoftmaxGradOp, CrossEntropyGradOp, AttentionGradOp,
                         EmbeddingGradOp>(context);
  LinearInSum<0, 2>::attach<ScatterAddOp>(context);
  LinearInProduct<0, 1>::attach<ConvOp, ConvGradInputOp, ConvGradWeightOp,
                                GroupedMatmulOp, GroupedMatmulGradOp>(context);
  MatmulOp::attachInterface<MatmulModel>(*context);
  CustomOp::attachInterface<CustomModel>(*context);
}
