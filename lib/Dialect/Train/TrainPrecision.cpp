//===- TrainPrecision.cpp - numeric structure of prec_train operations ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Train/Train.h"

#include "prec-rt/flops.h"

using namespace mlir;
using namespace prec::train;
using prec::Structure;

static int64_t elements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}
static int64_t lastDim(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().back();
}
static int64_t rows(Value value) {
  return elements(value) / std::max<int64_t>(1, lastDim(value));
}
static int64_t attentionLength(Value key) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(key.getType()).getShape();
  return std::max(shape[2], shape[3]);
}
template <typename OpTy> static double flopsOf(OpTy op, bool isBackward) {
  auto query = cast<RankedTensorType>(op.getQuery().getType());
  auto key = cast<RankedTensorType>(op.getKey().getType());
  ArrayRef<int64_t> q = query.getShape();
  return prec::attentionFlops(q[0], q[1], q[2], key.getDimSize(2), q[3],
                              op.getCausal(), op.getWindow(), isBackward);
}
static int64_t largest(ValueRange values) {
  int64_t result = 1;
  for (Value value : values)
    result = std::max(result, elements(value));
  return result;
}
static double total(ValueRange values) {
  double result = 0;
  for (Value value : values)
    result += elements(value);
  return result;
}

Structure MatmulOp::getStructure() { return Structure::Contraction; }
int64_t MatmulOp::getAccumulationLength() { return getK(); }
double MatmulOp::getFlops() {
  return 2.0 * getBatch() * getM() * getN() * getK();
}

Structure ReduceOp::getStructure() { return Structure::Reduction; }
int64_t ReduceOp::getAccumulationLength() {
  return elements(getInput()) / std::max<int64_t>(1, elements(getResult()));
}
double ReduceOp::getFlops() { return elements(getInput()); }
uint32_t ReduceOp::getArithmetic() {
  if (getKind() == ReduceKind::Sum)
    return prec::ArithAdd;
  return getKind() == ReduceKind::Max ? prec::ArithMax : prec::ArithOther;
}

Structure BroadcastOp::getStructure() { return Structure::Layout; }
int64_t BroadcastOp::getAccumulationLength() { return 1; }
double BroadcastOp::getFlops() { return 0; }

Structure TransposeOp::getStructure() { return Structure::Layout; }
int64_t TransposeOp::getAccumulationLength() { return 1; }
double TransposeOp::getFlops() { return 0; }

Structure IotaOp::getStructure() { return Structure::Index; }
int64_t IotaOp::getAccumulationLength() { return 1; }
double IotaOp::getFlops() { return 0; }

Structure GatherOp::getStructure() { return Structure::Gather; }
int64_t GatherOp::getAccumulationLength() { return 1; }
double GatherOp::getFlops() { return 0; }

Structure SortIdsOp::getStructure() { return Structure::Index; }
int64_t SortIdsOp::getAccumulationLength() { return 1; }
double SortIdsOp::getFlops() { return 0; }

Structure ScatterAddOp::getStructure() { return Structure::ScatterAdd; }
int64_t ScatterAddOp::getAccumulationLength() { return elements(getIds()); }
double ScatterAddOp::getFlops() { return elements(getUpdates()); }

Structure RmsNormOp::getStructure() { return Structure::Norm; }
int64_t RmsNormOp::getAccumulationLength() { return lastDim(getInput()); }
double RmsNormOp::getFlops() { return 5.0 * elements(getInput()); }

Structure RmsNormGradOp::getStructure() { return Structure::Norm; }
int64_t RmsNormGradOp::getAccumulationLength() {
  return std::max(lastDim(getInput()), rows(getInput()));
}
double RmsNormGradOp::getFlops() { return 10.0 * elements(getInput()); }

Structure LayerNormOp::getStructure() { return Structure::Norm; }
int64_t LayerNormOp::getAccumulationLength() { return lastDim(getInput()); }
double LayerNormOp::getFlops() { return 8.0 * elements(getInput()); }

Structure LayerNormGradOp::getStructure() { return Structure::Norm; }
int64_t LayerNormGradOp::getAccumulationLength() {
  return std::max(lastDim(getInput()), rows(getInput()));
}
double LayerNormGradOp::getFlops() { return 14.0 * elements(getInput()); }

Structure SoftmaxOp::getStructure() { return Structure::Softmax; }
int64_t SoftmaxOp::getAccumulationLength() { return lastDim(getInput()); }
double SoftmaxOp::getFlops() { return 5.0 * elements(getInput()); }

Structure SoftmaxGradOp::getStructure() { return Structure::Softmax; }
int64_t SoftmaxGradOp::getAccumulationLength() { return lastDim(getGrad()); }
double SoftmaxGradOp::getFlops() { return 4.0 * elements(getGrad()); }

Structure CrossEntropyOp::getStructure() { return Structure::Loss; }
int64_t CrossEntropyOp::getAccumulationLength() {
  return std::max(lastDim(getLogits()), rows(getLogits()));
}
double CrossEntropyOp::getFlops() { return 5.0 * elements(getLogits()); }

Structure CrossEntropyGradOp::getStructure() { return Structure::Loss; }
int64_t CrossEntropyGradOp::getAccumulationLength() { return 1; }
double CrossEntropyGradOp::getFlops() { return 4.0 * elements(getLogits()); }

Structure AttentionOp::getStructure() { return Structure::Attention; }
int64_t AttentionOp::getAccumulationLength() {
  return attentionLength(getKey());
}
double AttentionOp::getFlops() { return flopsOf(*this, /*isBackward=*/false); }

Structure AttentionGradOp::getStructure() { return Structure::Attention; }
int64_t AttentionGradOp::getAccumulationLength() {
  return attentionLength(getKey());
}
double AttentionGradOp::getFlops() {
  return flopsOf(*this, /*isBackward=*/true);
}

Structure RopeOp::getStructure() { return Structure::Rotary; }
int64_t RopeOp::getAccumulationLength() { return 1; }
double RopeOp::getFlops() { return 3.0 * elements(getInput()); }

Structure DropoutOp::getStructure() { return Structure::Elementwise; }
int64_t DropoutOp::getAccumulationLength() { return 1; }
double DropoutOp::getFlops() { return elements(getInput()); }

Structure EmbeddingOp::getStructure() { return Structure::Embedding; }
int64_t EmbeddingOp::getAccumulationLength() { return 1; }
double EmbeddingOp::getFlops() { return 0; }

Structure EmbeddingGradOp::getStructure() { return Structure::Embedding; }
int64_t EmbeddingGradOp::getAccumulationLength() { return elements(getIds()); }
double EmbeddingGradOp::getFlops() { return elements(getGrad()); }

Structure GlobalNormOp::getStructure() { return Structure::Clipping; }
int64_t GlobalNormOp::getAccumulationLength() { return largest(getInputs()); }
double GlobalNormOp::getFlops() { return 2.0 * total(getInputs()); }

Structure ClipOp::getStructure() { return Structure::Clipping; }
int64_t ClipOp::getAccumulationLength() { return 1; }
double ClipOp::getFlops() { return 0; }

prec::ContractionShape MatmulOp::getContractionShape() {
  return {getM(), getN(), getK(), getBatch()};
}
