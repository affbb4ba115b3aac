//===- LinePart.cpp - what a block reads of a line ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds which elements of a line a block reads in vectors. If the length of a
// line is no multiple of the lanes, rows begin at different offsets from an
// aligned address, so each row has a head of a few elements in front of its
// first aligned vector, and a tail. Head and tail are the edges, one element
// for each of the first threads. The rest is divided evenly among the blocks
// that share the row. Example: lines of 11 elements, 4 lanes. Row 1 begins at
// element 11, one below an aligned address, so it has a head of 1, two vectors
// and a tail of 2.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/LinePart.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace prec;

int64_t prec::shareOfLine(int64_t extent, int64_t lanes, int64_t blocks) {
  return llvm::alignTo(llvm::divideCeil(extent, blocks), lanes);
}

LinePart::LinePart(KernelBuilder &k, const Digit &row, int64_t extent,
                   int64_t lanes, const LineBlocks &blocks, Value thread)
    : k(k), row(row), extent(extent), lanes(lanes), head(k.constant(0)) {
  Value whole = k.constant(extent);
  int64_t leastWhole = extent;
  if (extent % lanes) {
    if (row.extent > 1) {
      Value past = k.rem(k.mul(row.value, extent % lanes), lanes);
      head = k.rem(k.subtract(k.constant(lanes), past), lanes);
    }
    whole = k.mul(k.div(k.subtract(whole, head), lanes), lanes);
    edges = k.subtract(k.constant(extent), whole);
    findEdge(thread);
    leastWhole = llvm::alignTo(extent - 2 * (lanes - 1), lanes);
  }
  int64_t share = shareOfLine(extent, lanes, blocks.count);
  least = std::max<int64_t>(0, leastWhole - (blocks.count - 1) * share);
  begin = head;
  length = whole;
  if (blocks.count == 1)
    return;
  Value before = k.mul(blocks.rank, share);
  begin = k.add(head, before);
  if (least == share) {
    length = k.constant(share);
    return;
  }
  Value bounded = arith::MaxSIOp::create(k.here(), k.loc(), whole, before);
  length = k.min(k.subtract(bounded, before), share);
}

Digit LinePart::vectorAt(Value element) const {
  bool isAligned = extent % lanes == 0 || row.extent == 1;
  Digit column{extent, k.add(begin, element), lanes, isAligned ? lanes : 1};
  if (!isAligned)
    k.join(row, column, lanes);
  return column;
}

void LinePart::findEdge(Value thread) {
  Value behind = k.add(k.subtract(k.constant(extent), edges), thread);
  Value isFront = arith::CmpIOp::create(
      k.here(), k.loc(), arith::CmpIPredicate::slt, thread, head);
  Value column =
      arith::SelectOp::create(k.here(), k.loc(), isFront, thread, behind);
  edge = k.min(column, extent - 1);
}
