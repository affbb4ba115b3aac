//===- Match.h - small questions about graphs -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_IMPORT_MATCH_H
#define PREC_LIB_IMPORT_MATCH_H

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace prec {

/// The value behind reshapes and broadcasts.
Value skipLayout(Value value);

/// The value, and what is behind each of its reshapes and broadcasts.
llvm::SmallVector<Value> getLayoutChain(Value value);

/// The number that all elements of a constant have, seen through layout.
std::optional<double> getSplat(Value value);

/// `x` where `value` is `x * x` or `x ^ 2`, possibly times constants.
Value getSquared(Value value);

/// Whether all of the last dimension and nothing else is reduced.
bool reducesLastDim(train::ReduceOp op);

/// `value` in another shape of the same element order; `value` itself where
/// the shape is already that.
Value reshape(OpBuilder &builder, Location loc, Value value,
              ArrayRef<int64_t> shape);

/// Whether both halves of the last dimension are the same by construction:
/// an elementwise function of a concatenation of one value with itself.
bool hasEqualHalves(Value value);

/// The first half of the last dimension of a value, made right behind it and
/// kept for the next caller. Goes through what `hasEqualHalves` sees, so that
/// the doubled table dies.
class Halves {
public:
  Value get(Value value);

private:
  llvm::DenseMap<Value, Value> known;
};

/// Numbers what a builder inserts at once. Left without a number, two new
/// neighbors would have the whole block numbered anew at the next question
/// about order, which makes a pass quadratic.
class KeepOrder : public OpBuilder::Listener {
public:
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (Operation *next = op->getNextNode())
      (void)op->isBeforeInBlock(next);
  }
};

/// Erases operations of which nothing reads a result, in one sweep.
void eraseDead(Block &block);
/// Erases `op` if nothing reads it, then what only it read.
void eraseDeadFrom(Operation *op);

} // namespace prec

#endif // PREC_LIB_IMPORT_MATCH_H
