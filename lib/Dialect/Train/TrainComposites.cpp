//===- TrainComposites.cpp - verifiers of composites ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dialect/Train/Shapes.h"

using namespace mlir;
using namespace prec::train;

/// A normalized operand has at least one dimension.
static LogicalResult checkHasRows(Operation *op, Value value) {
  if (shapeOf(value).empty())
    return op->emitOpError("input must have a last dimension, but got ")
           << value.getType();
  return success();
}

LogicalResult RmsNormOp::verify() {
  // rms_norm_c1
  if (failed(checkHasRows(*this, getInput())))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(getInput());
  // rms_norm_c2 to c4
  return failure(
      failed(checkShape(*this, "gamma", getGamma(), shape.take_back())) ||
      failed(checkShape(*this, "result", getResult(), shape)) ||
      failed(checkShape(*this, "rstd", getRstd(), shape.drop_back())));
}

LogicalResult RmsNormGradOp::verify() {
  // rms_norm_grad_c1
  if (failed(checkHasRows(*this, getInput())))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(getInput());
  // rms_norm_grad_c2 to c6
  return failure(
      failed(checkShape(*this, "grad", getGrad(), shape)) ||
      failed(checkShape(*this, "gamma", getGamma(), shape.take_back())) ||
      failed(checkShape(*this, "rstd", getRstd(), shape.drop_back())) ||
      failed(checkShape(*this, "grad_input", getGradInput(), shape)) ||
      failed(
          checkShape(*this, "grad_gamma", getGradGamma(), shape.take_back())));
}

LogicalResult LayerNormOp::verify() {
  // layer_norm_c1
  if (failed(checkHasRows(*this, getInput())))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(getInput());
  // layer_norm_c2 to c6
  return failure(
      failed(checkShape(*this, "gamma", getGamma(), shape.take_back())) ||
      failed(checkShape(*this, "beta", getBeta(), shape.take_back())) ||
      failed(checkShape(*this, "result", getResult(), shape)) ||
      failed(checkShape(*this, "mean", getMean(), shape.drop_back())) ||
      failed(checkShape(*this, "rstd", getRstd(), shape.drop_back())));
}

LogicalResult LayerNormGradOp::verify() {
  // layer_norm_grad_c1
  if (failed(checkHasRows(*this, getInput())))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(getInput());
  // layer_norm_grad_c2 to c8
  return failure(
      failed(checkShape(*this, "grad", getGrad(), shape)) ||
      failed(checkShape(*this, "gamma", getGamma(), shape.take_back())) ||
      failed(checkShape(*this, "mean", getMean(), shape.drop_back())) ||
      failed(checkShape(*this, "rstd", getRstd(), shape.drop_back())) ||
      failed(checkShape(*this, "grad_input", getGradInput(), shape)) ||
      failed(
          checkShape(*this, "grad_gamma", getGradGamma(), shape.take_back())) ||
      failed(checkShape(*this, "grad_beta", getGradBeta(), shape.take_back())));
}

LogicalResult SoftmaxOp::verify() {
  // softmax_c1
  if (failed(checkHasRows(*this, getInput())))
    return failure();
  // softmax_c2
  return checkShape(*this, "result", getResult(), shapeOf(getInput()));
}

LogicalResult SoftmaxGradOp::verify() {
  // softmax_grad_c1
  if (failed(checkHasRows(*this, getGrad())))
    return failure();
  // softmax_grad_c2 to c3
  return failure(
      failed(checkShape(*this, "output", getOutput(), shapeOf(getGrad()))) ||
      failed(
          checkShape(*this, "grad_input", getGradInput(), shapeOf(getGrad()))));
}

/// That what is divided says among how many ranks.
template <typename OpTy> static LogicalResult verifyDivided(OpTy op) {
  // divided_c1
  if (op.getAxis().has_value() != op.getRanks().has_value() ||
      (op.getRanks() && *op.getRanks() < 2))
    return op.emitOpError("what is divided must have an axis and at least two "
                          "ranks, but got axis ")
           << op.getAxisAttr() << " and ranks " << op.getRanksAttr();
  return success();
}

LogicalResult CrossEntropyOp::verify() {
  // cross_entropy_c1
  if (shapeOf(getLogits()).size() != 2)
    return emitOpError("logits must be a matrix, but got ")
           << getLogits().getType();
  ArrayRef<int64_t> rows = shapeOf(getLogits()).take_front();
  // cross_entropy_c2 to c4
  return failure(failed(verifyDivided(*this)) ||
                 failed(checkShape(*this, "labels", getLabels(), rows)) ||
                 failed(checkShape(*this, "maximum", getMaximum(), rows)) ||
                 failed(checkShape(*this, "log_sum", getLogSum(), rows)));
}

LogicalResult CrossEntropyGradOp::verify() {
  // cross_entropy_grad_c1
  if (shapeOf(getLogits()).size() != 2)
    return emitOpError("logits must be a matrix, but got ")
           << getLogits().getType();
  ArrayRef<int64_t> rows = shapeOf(getLogits()).take_front();
  // cross_entropy_grad_c2 to c5
  return failure(failed(verifyDivided(*this)) ||
                 failed(checkShape(*this, "labels", getLabels(), rows)) ||
                 failed(checkShape(*this, "maximum", getMaximum(), rows)) ||
                 failed(checkShape(*this, "log_sum", getLogSum(), rows)) ||
                 failed(checkShape(*this, "grad_logits", getGradLogits(),
                                   shapeOf(getLogits()))));
}

/// Sizes are batch, heads, queries and keys.
static LogicalResult verifyMask(Operation *op, ArrayRef<int64_t> sizes,
                                const AttentionMask &mask) {
  // attention_c7
  if (mask.window && !mask.isCausal)
    return op->emitOpError("a window must be of causal attention, but got ")
           << *mask.window << " without causal";
  // attention_c8
  if (mask.window && *mask.window < 1)
    return op->emitOpError("a window must have at least one key, but got ")
           << *mask.window;
  // attention_c9
  if (mask.window && sizes[2] > sizes[3])
    return op->emitOpError("a window must come with a key for each query, but "
                           "got ")
           << sizes[2] << " queries and " << sizes[3] << " keys";
  if (!mask.bias)
    return success();
  ArrayRef<int64_t> shape = shapeOf(mask.bias);
  bool fits = shape.size() == 4 && shape[3] == sizes[3];
  for (size_t dim = 0; fits && dim < 3; ++dim)
    fits = shape[dim] == 1 || shape[dim] == sizes[dim];
  // attention_c10
  if (!fits)
    return op->emitOpError("bias must be [")
           << sizes[0] << "|1, " << sizes[1] << "|1, " << sizes[2] << "|1, "
           << sizes[3] << "], but got " << mask.bias;
  return success();
}

LogicalResult prec::train::verifyAttention(Operation *op, Type query, Type key,
                                           Type value, Type output, Type lse,
                                           AttentionMask mask) {
  ArrayRef<int64_t> q = shapeOf(query), k = shapeOf(key);
  // attention_c1
  if (q.size() != 4 || k.size() != 4)
    return op->emitOpError("query and key must be [B,H,S,D], but got ")
           << query << " and " << key;
  // attention_c2
  if (k[1] == 0 || q[1] % k[1] != 0)
    return op->emitOpError("key/value heads must divide query heads, but got ")
           << k[1] << " and " << q[1];
  // attention_c3 to c6
  return failure(failed(checkShape(op, "key", key, {q[0], k[1], k[2], q[3]})) ||
                 failed(checkShape(op, "value", value, k)) ||
                 failed(checkShape(op, "output", output, q)) ||
                 failed(checkShape(op, "lse", lse, q.drop_back())) ||
                 failed(verifyMask(op, {q[0], q[1], q[2], k[2]}, mask)));
}

LogicalResult AttentionOp::verify() {
  return verifyAttention(*this, getQuery().getType(), getKey().getType(),
                         getValue().getType(), getResult().getType(),
                         getLse().getType(), AttentionMask::of(*this));
}

LogicalResult prec::train::verifyAttentionGrad(Operation *op, TypeRange inputs,
                                               TypeRange grads,
                                               AttentionMask mask) {
  Type grad = inputs[0], query = inputs[1], key = inputs[2], value = inputs[3];
  if (failed(
          verifyAttention(op, query, key, value, inputs[4], inputs[5], mask)))
    return failure();
  // attention_grad_c1 to c4
  return failure(
      failed(checkShape(op, "grad", grad, shapeOf(query))) ||
      failed(checkShape(op, "grad_query", grads[0], shapeOf(query))) ||
      failed(checkShape(op, "grad_key", grads[1], shapeOf(key))) ||
      failed(checkShape(op, "grad_value", grads[2], shapeOf(value))));
}

LogicalResult AttentionGradOp::verify() {
  return verifyAttentionGrad(*this, getOperands().take_front(6).getTypes(),
                             getResultTypes(), AttentionMask::of(*this));
}

LogicalResult DropoutOp::verify() {
  double probability = getProbability().convertToFloat();
  // dropout_c1
  if (!(probability >= 0) || probability >= 1)
    return emitOpError("probability must be in [0, 1), but got ")
           << getProbabilityAttr();
  // dropout_c2
  return checkShape(*this, "result", getResult(), shapeOf(getInput()));
}

LogicalResult RopeOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getInput());
  // rope_c1
  if (shape.size() < 2 || shape.back() % 2 != 0)
    return emitOpError("input must be [...,S,D] with even D, but got ")
           << getInput().getType();
  SmallVector<int64_t> table = {shape.end()[-2], shape.back() / 2};
  // rope_c2 to c4
  return failure(failed(checkShape(*this, "cos", getCos(), table)) ||
                 failed(checkShape(*this, "sin", getSin(), table)) ||
                 failed(checkShape(*this, "result", getResult(), shape)));
}

LogicalResult EmbeddingOp::verify() {
  // embedding_c1
  if (shapeOf(getTable()).size() != 2)
    return emitOpError("table must be a matrix, but got ")
           << getTable().getType();
  SmallVector<int64_t> shape(shapeOf(getIds()));
  shape.push_back(shapeOf(getTable()).back());
  // embedding_c2
  return failure(failed(verifyDivided(*this)) ||
                 failed(checkShape(*this, "result", getResult(), shape)));
}

LogicalResult EmbeddingGradOp::verify() {
  // embedding_grad_c1
  if (shapeOf(getGradTable()).size() != 2)
    return emitOpError("grad_table must be a matrix, but got ")
           << getGradTable().getType();
  SmallVector<int64_t> shape(shapeOf(getIds()));
  shape.push_back(shapeOf(getGradTable()).back());
  // embedding_grad_c2
  return failure(failed(verifyDivided(*this)) ||
                 failed(checkShape(*this, "grad", getGrad(), shape)));
}

LogicalResult GlobalNormOp::verify() {
  // global_norm_c1
  if (getInputs().empty())
    return emitOpError("at least one input must be given, but got none");
  return success();
}

LogicalResult ClipOp::verify() { return success(); }
