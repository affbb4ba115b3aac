//===- Shards.h - a function of which each rank holds shards ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_RANKS_SHARDS_H
#define PREC_LIB_MATERIALIZE_RANKS_SHARDS_H

#include "Materialize/Ranks/RankBuilder.h"
#include "Materialize/Ranks/StateNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <set>

namespace prec {

/// The states of a step that ranks hold shards of: trained parameters, and what
/// optimizers keep of them in their shape, where the update of an element needs
/// no other element (ZeRO stage 1).
std::set<StateName> findSharded(mlir::func::FuncOp step, MeshAxis axis);

/// Whether the moments of a parameter are in 8 bits where those of its shards
/// would be, and in the same blocks.
bool hasWholeMoments(mlir::func::FuncOp step, RankedTensorType parameter,
                     MeshAxis axis);

/// A value that is known by its shard, until `partition` has passed.
Value asWhole(RankBuilder &builder, Value shard, int64_t dim);

/// Sums over micro-batches of which ranks have others: each its own, or those
/// that have other experts.
struct OwnSums {
  std::set<StateName> ofRanks, ofExperts;
};

/// Makes a function take and return shards of these states. What is computed of
/// shards alone, element by element, is computed of shards; sums, norms, amaxes
/// and guards of shards get what the other ranks have of them; and whatever
/// else reads a shard gets the whole, gathered where it is narrowest: behind
/// casts and quantizations. No sum depends on how many ranks there are.
void partition(mlir::func::FuncOp function, const std::set<StateName> &sharded,
               MeshAxis axis, const OwnSums &ownSums);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_RANKS_SHARDS_H
