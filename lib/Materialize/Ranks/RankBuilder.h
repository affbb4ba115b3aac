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
};

/// Builds exchanges along one axis, in the optimizer's phase. A *whole* value
/// is the same on all ranks; a *shard* is a rank's slice of the first dimension
/// of one, as many rows for each.
class RankBuilder : public MetricBuilder {
public:
  RankBuilder(Operation *before, MeshAxis axis)
      : MetricBuilder(before, train::Phase::Optimizer), axis(axis) {}

  /// Whether a tensor of this type has shards of one size.
  bool isDivisible(Type type) const;
  RankedTensorType getShardType(Type whole) const;
  RankedTensorType getWholeType(Type shard) const;

  /// [S] of each rank as [N, S].
  Value gather(Value value);
  /// Of a shard.
  Value getWhole(Value shard);
  /// Of a whole value.
  Value getShard(Value whole);
  /// [N, ...]: what the ranks have in place of this rank's shard, each a value
  /// of its own of one type.
  Value scatter(Value own);
  /// Elements of `value` from `offsets` on.
  Value slice(RankedTensorType type, Value value, ArrayRef<int64_t> offsets);
  /// Slice `rank` of [N, S].
  Value getSlice(Value slices, int64_t rank);

  MeshAxis axis;

private:
  Value exchange(train::ExchangeKind kind, Type result, Value input);
  Value split(Value value);
};

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_RANKS_RANKBUILDER_H
