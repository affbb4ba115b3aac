//===- RankSums.h - sums over what ranks compute ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_RANKS_RANKSUMS_H
#define PREC_LIB_MATERIALIZE_RANKS_RANKSUMS_H

#include "Materialize/Ranks/RankBuilder.h"

namespace prec {

/// Sums over ranks of values that each computes of its part of the batch, in
/// f32 and in the order of ranks, by the same operations by which one process
/// adds up micro-batches in their order (--prec-split-accumulation), so both
/// have the same bits. A rank weighs as much as it has labels that count, by
/// those of the first rank that has any; up to that one nothing is worth being
/// kept, so one without labels adds nothing, and where all are such the last
/// one's value is left.
class RankSums {
public:
  /// Builds the weights before `before`: of this rank the labels of a
  /// micro-batch of weight 1, and the sum of its micro-batches' weights. All
  /// ranks weigh the same where `unit` is null.
  RankSums(Operation *before, MeshAxis axis, Value unit, Value weight);

  /// The sum, built behind `own` and the weights: a shard of it, along
  /// getShardDim, where the type has shards, else the whole.
  Value add(Value own);

  /// The sum of all weights; null where all ranks weigh the same.
  Value getWeight() const { return sumOfWeights; }

private:
  MeshAxis axis;
  Operation *before;
  /// Of each rank but the first: whether none before it had labels, and what
  /// its value is multiplied by.
  SmallVector<Value> isFirst, factors;
  Value sumOfWeights;
};

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_RANKS_RANKSUMS_H
