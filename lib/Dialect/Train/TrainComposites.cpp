//===- TrainComposites.cpp - verifiers of composites and optimizer --------===//
#include "prec/Dialect/Train/Train.h"

using namespace mlir;
using namespace mlir::train;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Reports `name` whose shape is not `expected`.
static LogicalResult checkShape(Operation *op, StringRef name, Value value,
                                ArrayRef<int64_t> expected) {
  if (shapeOf(value) == expected)
    return success();
  auto diagnostic = op->emitOpError(name) << " must have shape [";
  llvm::interleaveComma(expected, diagnostic);
  diagnostic << "], but got [";
  llvm::interleaveComma(shapeOf(value), diagnostic);
  return diagnostic << "]";
}

/// A normalized operand has at least one dimension.
static LogicalResult checkHasRows(Operation *op, Value value) {
  if (shapeOf(value).empty())
    return op->emitOpError("input must have a last dimension, but got ")
           << value.getType();
  return success();
}

LogicalResult RmsNormOp::verify() {
  if (failed(checkHasRows(*this, getInput())))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(getInput());
  return failure(
      failed(checkShape(*this, "gamma", getGamma(), shape.take_back())) ||
      failed(checkShape(*this, "result", getResult(), shape)) ||
      failed(checkShape(*this, "rstd", getRstd(), shape.drop_back())));
}

LogicalResult RmsNormGradOp::verify() {
  if (failed(checkHasRows(*this, getInput())))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(getInput());
  return failure(
      failed(checkShape(*this, "grad", getGrad(), shape)) ||
      failed(checkShape(*this, "gamma", getGamma(), shape.take_back())) ||
      failed(checkShape(*this, "rstd", getRstd(), shape.drop_back())) ||
      failed(checkShape(*this, "grad_input", getGradInput(), shape)) ||
      failed(
          checkShape(*this, "grad_gamma", getGradGamma(), shape.take_back())));
}

LogicalResult LayerNormOp::verify() {
  if (failed(checkHasRows(*this, getInput())))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(getInput());
  return failure(
      failed(checkShape(*this, "gamma", getGamma(), shape.take_back())) ||
      failed(checkShape(*this, "beta", getBeta(), shape.take_back())) ||
      failed(checkShape(*this, "result", getResult(), shape)) ||
      failed(checkShape(*this, "mean", getMean(), shape.drop_back())) ||
      failed(checkShape(*this, "rstd", getRstd(), shape.drop_back())));
}

LogicalResult LayerNormGradOp::verify() {
  if (failed(checkHasRows(*this, getInput())))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(getInput());
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
  if (failed(checkHasRows(*this, getInput())))
    return failure();
  return checkShape(*this, "result", getResult(), shapeOf(getInput()));
}

LogicalResult SoftmaxGradOp::verify() {
  if (failed(checkHasRows(*this, getGrad())))
    return failure();
  return failure(
      failed(checkShape(*this, "output", getOutput(), shapeOf(getGrad()))) ||
      failed(
          checkShape(*this, "grad_input", getGradInput(), shapeOf(getGrad()))));
}

LogicalResult CrossEntropyOp::verify() {
  if (shapeOf(getLogits()).size() != 2)
    return emitOpError("logits must be a matrix, but got ")
           << getLogits().getType();
  ArrayRef<int64_t> rows = shapeOf(getLogits()).take_front();
  return failure(failed(checkShape(*this, "labels", getLabels(), rows)) ||
                 failed(checkShape(*this, "lse", getLse(), rows)));
}

LogicalResult CrossEntropyGradOp::verify() {
  if (shapeOf(getLogits()).size() != 2)
    return emitOpError("logits must be a matrix, but got ")
           << getLogits().getType();
  ArrayRef<int64_t> rows = shapeOf(getLogits()).take_front();
  return failure(failed(checkShape(*this, "labels", getLabels(), rows)) ||
                 failed(checkShape(*this, "lse", getLse(), rows)) ||
                 failed(checkShape(*this, "grad_logits", getGradLogits(),
                                   shapeOf(getLogits()))));
}

/// Shapes that attention and its gradient share.
static LogicalResult verifyAttention(Operation *op, Value query, Value key,
                                     Value value, Value output, Value lse) {
  ArrayRef<int64_t> q = shapeOf(query), k = shapeOf(key);
  if (q.size() != 4 || k.size() != 4)
    return op->emitOpError("query and key must be [B,H,S,D], but got ")
           << query.getType() << " and " << key.getType();
  if (k[1] == 0 || q[1] % k[1] != 0)
    return op->emitOpError("key/value heads must divide query heads, but got ")
           << k[1] << " and " << q[1];
  return failure(failed(checkShape(op, "key", key, {q[0], k[1], k[2], q[3]})) ||
                 failed(checkShape(op, "value", value, k)) ||
                 failed(checkShape(op, "output", output, q)) ||
                 failed(checkShape(op, "lse", lse, q.drop_back())));
}

LogicalResult AttentionOp::verify() {
  return verifyAttention(*this, getQuery(), getKey(), getValue(), getResult(),
                         getLse());
}

LogicalResult AttentionGradOp::verify() {
  return failure(
      failed(verifyAttention(*this, getQuery(), getKey(), getValue(),
                             getOutput(), getLse())) ||
      failed(checkShape(*this, "grad", getGrad(), shapeOf(getQuery()))) ||
      failed(checkShape(*this, "grad_query", getGradQuery(),
                        shapeOf(getQuery()))) ||
      failed(checkShape(*this, "grad_key", getGradKey(), shapeOf(getKey()))) ||
      failed(checkShape(*this, "grad_value", getGradValue(),
                        shapeOf(getValue()))));
}

LogicalResult RopeOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getInput());
  if (shape.size() < 2 || shape.back() % 2 != 0)
    return emitOpError("input must be [...,S,D] with even D, but got ")
           << getInput().getType();
  SmallVector<int64_t> table = {shape.end()[-2], shape.back() / 2};
  return failure(failed(checkShape(*this, "cos", getCos(), table)) ||
                 failed(checkShape(*this, "sin", getSin(), table)) ||
                 failed(checkShape(*this, "result", getResult(), shape)));
}

LogicalResult EmbeddingOp::verify() {
  if (shapeOf(getTable()).size() != 2)
    return emitOpError("table must be a matrix, but got ")
           << getTable().getType();
  SmallVector<int64_t> shape(shapeOf(getIds()));
  shape.push_back(shapeOf(getTable()).back());
  return checkShape(*this, "result", getResult(), shape);
}

LogicalResult EmbeddingGradOp::verify() {
  if (shapeOf(getGradTable()).size() != 2)
    return emitOpError("grad_table must be a matrix, but got ")
           << getGradTable().getType();
  SmallVector<int64_t> shape(shapeOf(getIds()));
  shape.push_back(shapeOf(getGradTable()).back());
  return checkShape(*this, "grad", getGrad(), shape);
}

LogicalResult GlobalNormOp::verify() {
  if (getInputs().empty())
    return emitOpError("at least one input must be given");
  return success();
}

LogicalResult ClipOp::verify() { return success(); }

LogicalResult AdamwOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getParameter());
  return failure(
      failed(checkShape(*this, "gradient", getGradient(), shape)) ||
      failed(checkShape(*this, "exp_avg", getExpAvg(), shape)) ||
      failed(checkShape(*this, "exp_avg_sq", getExpAvgSq(), shape)) ||
      failed(checkShape(*this, "new_parameter", getNewParameter(), shape)) ||
      failed(checkShape(*this, "new_exp_avg", getNewExpAvg(), shape)) ||
      failed(checkShape(*this, "new_exp_avg_sq", getNewExpAvgSq(), shape)));
}
