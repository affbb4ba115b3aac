//===- ShareTables.cpp - equal tables are one -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes values that are computed alike of constants alone one value, the first
// of them: angles of a rotary embedding, masks, positions. A framework that
// traces each layer by itself writes them once for each layer, and often once
// for each reader in it. Then none is computed twice, and kernels of readers of
// one table can become one. Values that depend on an argument stay apart, as do
// those of different phases: what a framework computes twice on purpose, to
// keep no activation, depends on one. One pass over the block, with a hash
// table of the operations seen.
//
// Example: two layers, each with an iota [4096], a product with a constant and
// a cosine, have one of each behind it.
//
//===----------------------------------------------------------------------===//
#include "Import/Raise.h"

#include "prec/Dialect/Train/Train.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace prec;

/// Names and places may differ.
static constexpr auto kFlags =
    OperationEquivalence::Flags(OperationEquivalence::IgnoreLocations |
                                OperationEquivalence::IgnoreDiscardableAttrs);

void prec::shareTables(Block &block) {
  llvm::DenseSet<Value> tables;
  llvm::DenseMap<size_t, SmallVector<Operation *, 1>> seen;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.getNumResults() != 1 || op.getNumRegions() != 0 || !isPure(&op) ||
        !llvm::all_of(op.getOperands(),
                      [&](Value value) { return tables.contains(value); }))
      continue;
    SmallVector<Operation *, 1> &alike = seen[OperationEquivalence::computeHash(
        &op, OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue, kFlags)];
    auto *first = llvm::find_if(alike, [&](Operation *other) {
      return train::getPhase(other) == train::getPhase(&op) &&
             OperationEquivalence::isEquivalentTo(
                 other, &op, OperationEquivalence::exactValueMatch,
                 /*markEquivalent=*/nullptr, kFlags);
    });
    if (first == alike.end()) {
      alike.push_back(&op);
      tables.insert(op.getResult(0));
      continue;
    }
    op.getResult(0).replaceAllUsesWith((*first)->getResult(0));
    op.erase();
  }
}
