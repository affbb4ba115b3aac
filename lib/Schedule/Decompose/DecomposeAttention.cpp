//===- DecomposeAttention.cpp - attention without a library ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Decompose/Decompose.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <limits>

using namespace mlir;
using namespace prec;
using train::ReduceKind;

namespace {

/// Shapes of attention, with the R = H / G query heads of a key/value head
/// folded into rows: [B,H,S,D] is [B,G,R*S,D] in memory, so grouped heads share
/// a product with their keys, and the gradients of keys and values are summed
/// over the group by the product itself.
struct Heads {
  Heads(Value query, Value key, PrimitiveBuilder &b) : b(b) {
    ArrayRef<int64_t> q = shapeOf(query), k = shapeOf(key);
    batch = q[0], groups = k[1], perGroup = q[1] / k[1];
    rows = q[2], columns = k[2], depth = q[3];
  }

  SmallVector<int64_t> scoreShape() const {
    return {batch, groups, perGroup, rows, columns};
  }

  /// [B,H,S,X] or [B,G,R,S,X] to [B,G,R*S,X].
  Value fold(Value value) {
    if (tensorType(value).getRank() == 4)
      value = expandHeads(value);
    SmallVector<ReassociationIndices> groupsOf = {{0}, {1}, {2, 3}, {4}};
    return b.create<tensor::CollapseShapeOp>(value, groupsOf);
  }
  /// [B,G,R*S,X] to [B,G,R,S,X].
  Value unfold(Value value) {
    ArrayRef<int64_t> shape = shapeOf(value);
    SmallVector<ReassociationIndices> groupsOf = {{0}, {1}, {2, 3}, {4}};
    return expand(value, {batch, groups, perGroup, rows, shape[3]}, groupsOf);
  }
  /// [B,H,S] or [B,H,S,X] to [B,G,R,S] or [B,G,R,S,X].
  Value expandHeads(Value value) {
    SmallVector<int64_t> shape(shapeOf(value));
    shape[1] = perGroup;
    shape.insert(shape.begin() + 1, groups);
    SmallVector<ReassociationIndices> groupsOf = {{0}, {1, 2}};
    for (int64_t dim = 3; dim < int64_t(shape.size()); ++dim)
      groupsOf.push_back({dim});
    return expand(value, shape, groupsOf);
  }
  /// [B,G,R,S] or [B,G,R,S,X] to [B,H,S] or [B,H,S,X].
  Value collapseHeads(Value value) {
    SmallVector<ReassociationIndices> groupsOf = {{0}, {1, 2}};
    for (int64_t dim = 3; dim < tensorType(value).getRank(); ++dim)
      groupsOf.push_back({dim});
    return b.create<tensor::CollapseShapeOp>(value, groupsOf);
  }

  Value matmul(Value lhs, Value rhs, bool transposeA, bool transposeB) {
    ArrayRef<int64_t> l = shapeOf(lhs), r = shapeOf(rhs);
    SmallVector<int64_t> shape = {l[0], l[1], l[transposeA ? 3 : 2],
                                  r[transposeB ? 2 : 3]};
    return b.create<train::MatmulOp>(tensorType(lhs).clone(shape), lhs, rhs,
                                     /*bias=*/Value(), transposeA, transposeB,
                                     /*result_tags=*/nullptr,
                                     /*operand_tags=*/nullptr);
  }

  /// A bias for each score: its dimensions of 1 leave, its heads become groups
  /// and heads of a group, and what then lacks is repeated.
  Value broadcastBias(Value bias) {
    SmallVector<int64_t> shape, dims;
    SmallVector<ReassociationIndices> kept, split;
    ReassociationIndices leading;
    for (auto [dim, size] : llvm::enumerate(shapeOf(bias))) {
      if (size == 1) {
        (kept.empty() ? leading : kept.back()).push_back(dim);
        continue;
      }
      kept.emplace_back(std::exchange(leading, {})).push_back(dim);
      split.emplace_back().push_back(shape.size());
      bool isHeads = dim == 1;
      shape.push_back(isHeads ? groups : size);
      dims.push_back(dim < 2 ? dim : dim + 1);
      if (!isHeads)
        continue;
      split.back().push_back(shape.size());
      shape.push_back(perGroup);
      dims.push_back(2);
    }
    Value value = b.toF32(bias);
    if (kept.size() < 4)
      value = b.create<tensor::CollapseShapeOp>(value, kept);
    if (shape.size() > kept.size())
      value = expand(value, shape, split);
    if (shape == scoreShape())
      return value;
    return b.broadcast(value, dims, scoreShape());
  }

  /// scale * Q K^T [B,G,R,S,T] and the bias, minus infinity where a row does
  /// not see.
  template <typename OpTy> Value scores(OpTy op, Value foldedQuery, Value key) {
    Value products = unfold(matmul(foldedQuery, key, false, true));
    Value scaled =
        b.mul(products, b.splatLike(op.getScale().convertToFloat(), products));
    if (op.getBias())
      scaled = b.add(scaled, broadcastBias(op.getBias()));
    if (!op.getCausal())
      return scaled;
    SmallVector<int64_t> shape = scoreShape();
    Value row = b.iota(3, shape), column = b.iota(4, shape);
    Value seen =
        b.create<arith::CmpIOp>(arith::CmpIPredicate::sge, row, column);
    if (op.getWindow()) {
      Value distance = b.create<arith::SubIOp>(row, column);
      Value isNear = b.create<arith::CmpIOp>(
          arith::CmpIPredicate::slt, distance,
          b.splatInt(std::min<int64_t>(*op.getWindow(), columns), shape));
      seen = b.create<arith::AndIOp>(seen, isNear);
    }
    return b.select(seen, scaled,
                    b.splat(-std::numeric_limits<double>::infinity(), shape));
  }

  PrimitiveBuilder &b;
  int64_t batch, groups, perGroup, rows, columns, depth;

private:
  Value expand(Value value, ArrayRef<int64_t> shape,
               ArrayRef<ReassociationIndices> groupsOf) {
    return b.create<tensor::ExpandShapeOp>(tensorType(value).clone(shape),
                                           value, groupsOf);
  }
};

} // namespace

int64_t prec::getLargestHead(AttentionLibrary library) {
  switch (library) {
  case AttentionLibrary::CuDnn:
    return 128;
  case AttentionLibrary::CuDnnLargeHeads:
    return 256;
  case AttentionLibrary::Any:
  case AttentionLibrary::None:
    return 0;
  }
  llvm_unreachable("a library has a largest head or none");
}

bool prec::hasAttention(AttentionLibrary library, RankedTensorType query) {
  if (library == AttentionLibrary::Any)
    return true;
  int64_t dim = query.getShape().back();
  Type element = query.getElementType();
  return (element.isBF16() || element.isF16()) && dim % 8 == 0 &&
         dim <= getLargestHead(library);
}

Values prec::decompose(train::AttentionOp op, PrimitiveBuilder &b) {
  Heads heads(op.getQuery(), op.getKey(), b);
  Value query = heads.fold(b.toF32(op.getQuery()));
  Value key = b.toF32(op.getKey()), value = b.toF32(op.getValue());
  Value scores = heads.scores(op, query, key);
  ArrayRef<int64_t> shape = shapeOf(scores);
  Value maximum = b.reduceRows(ReduceKind::Max, scores);
  Value weights = b.exp(b.sub(scores, b.broadcastRows(maximum, shape)));
  Value sum = b.reduceRows(ReduceKind::Sum, weights);
  Value lse = b.add(b.create<math::LogOp>(sum), maximum);
  Value probability = b.div(weights, b.broadcastRows(sum, shape));
  Value result =
      heads.unfold(heads.matmul(heads.fold(probability), value, false, false));
  return {b.roundTo(heads.collapseHeads(result), op.getResult()),
          b.roundTo(heads.collapseHeads(lse), op.getLse())};
}

Values prec::decompose(train::AttentionGradOp op, PrimitiveBuilder &b) {
  Heads heads(op.getQuery(), op.getKey(), b);
  double scale = op.getScale().convertToFloat();
  Value query = heads.fold(b.toF32(op.getQuery()));
  Value key = b.toF32(op.getKey()), value = b.toF32(op.getValue());
  Value grad = b.toF32(op.getGrad());
  Value delta = b.mul(grad, b.toF32(op.getOutput()));
  delta = heads.expandHeads(b.reduceRows(ReduceKind::Sum, delta));
  Value lse = heads.expandHeads(b.toF32(op.getLse()));
  Value foldedGrad = heads.fold(grad);

  Value scores = heads.scores(op, query, key);
  ArrayRef<int64_t> shape = shapeOf(scores);
  Value probability = b.exp(b.sub(scores, b.broadcastRows(lse, shape)));
  Value gradValue =
      heads.matmul(heads.fold(probability), foldedGrad, true, false);
  Value gradProbability =
      heads.unfold(heads.matmul(foldedGrad, value, false, true));
  Value centered = b.sub(gradProbability, b.broadcastRows(delta, shape));
  Value gradScores = b.mul(probability, centered);
  gradScores = heads.fold(b.mul(gradScores, b.splat(scale, shape)));
  Value gradQuery = heads.unfold(heads.matmul(gradScores, key, false, false));
  Value gradKey = heads.matmul(gradScores, query, true, false);
  return {b.roundTo(heads.collapseHeads(gradQuery), op.getGradQuery()),
          b.roundTo(gradKey, op.getGradKey()),
          b.roundTo(gradValue, op.getGradValue())};
}
