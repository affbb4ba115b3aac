//===- RankSums.cpp - sums over what ranks compute ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Ranks/RankSums.h"

using namespace mlir;
using namespace prec;

RankSums::RankSums(Operation *before, MeshAxis axis, Value unit, Value weight)
    : axis(axis), before(before) {
  if (!unit)
    return;
  RankBuilder b(before, axis);
  Value units = b.gather(unit), weights = b.gather(weight);
  Value zero = b.splat(unit.getType(), 0);
  unit = b.getSlice(units, 0);
  sumOfWeights = b.getSlice(weights, 0);
  for (int64_t rank = 1; rank < axis.ranks; ++rank) {
    Value own = b.getSlice(units, rank),
          weightOfOwn = b.getSlice(weights, rank);
    Value none =
        b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, sumOfWeights, zero);
    Value factor = b.create<arith::DivFOp>(own, unit);
    Value more = b.create<arith::AddFOp>(
        sumOfWeights, b.create<arith::MulFOp>(weightOfOwn, factor));
    sumOfWeights = b.create<arith::SelectOp>(none, weightOfOwn, more);
    unit = b.create<arith::SelectOp>(none, own, unit);
    isFirst.push_back(none);
    factors.push_back(factor);
  }
}

Value RankSums::add(Value own) {
  // The weights end in front of `before`.
  RankBuilder b = RankBuilder::behind(own, before, axis);
  int64_t dim = getShardDim(own.getType());
  Value slices =
      b.isDivisible(own.getType(), dim) ? b.scatter(own, dim) : b.gather(own);
  Value sum = b.widen(b.getSlice(slices, 0));
  Type type = sum.getType();
  for (int64_t rank = 1; rank < axis.ranks; ++rank) {
    Value part = b.widen(b.getSlice(slices, rank));
    if (!sumOfWeights) {
      sum = b.create<arith::AddFOp>(sum, part);
      continue;
    }
    Value more = b.create<arith::AddFOp>(
        sum,
        b.create<arith::MulFOp>(part, b.broadcast(factors[rank - 1], type)));
    sum = b.create<arith::SelectOp>(b.broadcast(isFirst[rank - 1], type), part,
                                    more);
  }
  return sum;
}
