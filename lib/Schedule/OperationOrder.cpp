//===- OperationOrder.cpp - which operation comes first -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/OperationOrder.h"

using namespace mlir;
using namespace prec;

/// Between neighbors: room for so many halvings.
static constexpr int64_t kStride = int64_t(1) << 32;

void OperationOrder::number() {
  int64_t place = 0;
  for (Operation &op : block)
    places[&op] = place += kStride;
}

void OperationOrder::place(Operation *op) {
  Operation *before = op->getPrevNode(), *behind = op->getNextNode();
  int64_t low = before ? places.lookup(before) : 0;
  int64_t high = behind ? places.lookup(behind) : low + 2 * kStride;
  if (high - low < 2)
    return number();
  places[op] = low + (high - low) / 2;
}
