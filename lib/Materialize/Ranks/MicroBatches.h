//===- MicroBatches.h - sums over all ranks' micro-batches ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_RANKS_MICROBATCHES_H
#define PREC_LIB_MATERIALIZE_RANKS_MICROBATCHES_H

#include "Materialize/Ranks/Shards.h"

namespace prec {

/// Moves what a value is computed by to the front of its block; returns the
/// operation behind.
Operation *moveToFront(Value value);

/// Makes `accumulate` (--prec-split-accumulation) add up the micro-batches of
/// all ranks, each time one of every rank, in the order of ranks, as one
/// process adds up as many, in the same bits. Each rank keeps its shard of a
/// sum (ZeRO stage 2), whose name is added to `sharded`; what has no shards is
/// whole on all. Weights and counts are those of all ranks, too.
void shareMicroBatches(mlir::func::FuncOp accumulate, MeshAxis axis,
                       std::set<StateName> &sharded);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_RANKS_MICROBATCHES_H
