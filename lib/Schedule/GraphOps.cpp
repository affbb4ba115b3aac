//===- GraphOps.cpp - which operations of the graph they were -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Schedule/GraphOps.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace prec;

/// Whether an operation moves or widens and narrows values, or makes them of
/// nothing.
static bool computesNothing(Operation *op) {
  return movesElements(op) || isCast(op) || op->getNumOperands() == 0;
}

SmallVector<StringRef> prec::getGraphOps(ArrayRef<Operation *> operations) {
  llvm::SetVector<StringRef> computing, all;
  for (Operation *op : operations)
    if (op->hasAttr(train::kGraphOp) || !computesNothing(op))
      computing.insert(train::getGraphOp(op));
    else if (isCast(op) || isa<tensor::ConcatOp, train::TransposeOp>(op))
      all.insert(train::getGraphOp(op));
  return computing.empty() ? all.takeVector() : computing.takeVector();
}
