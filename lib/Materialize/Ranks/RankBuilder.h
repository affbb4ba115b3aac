//===- RankBuilder.h - exchanges between ranks ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_RANKS_RANKBUILDER_H
#define PREC_LIB_MATERIALIZE_RANKS_RANKBUILDER_H

#include "Materialize/MetricBuilder.h"

namespace prec {

/// One axis of a mesh.
struct MeshAxis {
  StringRef name;
  int64_t ranks = 1;
  /// Slices that are added up over ranks are sent in this format: bf16, those
  /// in f32; FP8, those of whole blocks. Null: as they are.
  Type wire = {};
};

/// The dimension along which a tensor is divided: that with the most factors of
/// two, up to 64, the first of several. By the shape alone, so that sums over
/// shards do not depend on the number of ranks. 0 of a scalar.
int64_t getShardDim(Type type);

/// Builds exchanges along one axis, in the optimizer's phase. A *whole* value
/// is the same on all ranks; a *shard* is a rank's slice of one dimension of
/// one, as long for each.
class RankBuilder : public MetricBuilder {
public:
  RankBuilder(Operation *before, MeshAxis axis)
      : MetricBuilder(before, train::Phase::Optimizer), axis(axis) {}
  /// Builds behind `value`, or in front of `head` where that stands later.
  static RankBuilder behind(Value value, Operation *head, MeshAxis axis);

  /// Whether a tensor of this type has shards of one size along `dim`.
  bool isDivisible(Type type, int64_t dim) const;
  RankedTensorType getShardType(Type whole, int64_t dim) const;
  RankedTensorType getWholeType(Type shard, int64_t dim) const;

  /// [S] of each rank as [N, S].
  Value gather(Value value);
  /// The largest of all ranks, element by element.
  Value getLargest(Value own);
  /// Of a shard.
  Value getWhole(Value shard, int64_t dim);
  /// Of a whole value.
  Value getShard(Value whole, int64_t dim);
  /// [N, shard]: what the ranks have in place of this rank's shard, each a
  /// value of its own of one type; in the format of the wire.
  Value scatter(Value own, int64_t dim);
  /// Elements of `value` from `offsets` on.
  Value slice(RankedTensorType type, Value value, ArrayRef<int64_t> offsets);
  /// The elements as a vector.
  Value flatten(Value value);
  /// Slice `rank` of [N, S].
  Value getSlice(Value slices, int64_t rank);
  /// With dimension `from` in place `to`, and the others in their order.
  Value moveDim(Value value, int64_t from, int64_t to);

  MeshAxis axis;

private:
  Value exchange(train::ExchangeKind kind, Type result, Value input);
  Value split(Value value, int64_t dim);
  bool hasWireBlocks(RankedTensorType type, int64_t dim) const;
  Value tradeBlocks(Value slices);
};

/// What is recorded of these amaxes is the largest of all ranks.
void recordLargest(RecordAmaxOp record, ArrayRef<Value> amaxes, MeshAxis axis);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_RANKS_RANKBUILDER_H
