//===- LinePart.h - what a block reads of a line ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors are read where they are aligned in memory. Lines whose length is no
// multiple of a vector begin at different distances from one: a few elements
// in front of the first whole vector and behind the last, the edges, are read
// one by one.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_LINEPART_H
#define PREC_LIB_CODEGEN_GPU_LINEPART_H

#include "prec/Support/LLVM.h"

#include "Codegen/Emitter/KernelBuilder.h"

namespace prec {

/// Blocks that share a line, and which of them this is.
struct LineBlocks {
  int64_t count = 1;
  Value rank; ///< null for one
};

/// Elements of a line that a block of `blocks` reads at most, in vectors.
int64_t shareOfLine(int64_t extent, int64_t lanes, int64_t blocks);

class LinePart {
public:
  /// Of the line of `extent` elements that `row` has, by vectors of `lanes`.
  /// `thread` counts those of all blocks.
  LinePart(KernelBuilder &k, const Digit &row, int64_t extent, int64_t lanes,
           const LineBlocks &blocks, Value thread);

  int64_t getLanes() const { return lanes; }
  /// Elements that are read in vectors, and what they are at least.
  Value getLength() const { return length; }
  int64_t getLeast() const { return least; }
  /// In front of them in the line.
  Value getBegin() const { return begin; }
  /// The vector at an element of the part.
  Digit vectorAt(Value element) const;
  /// Elements of the line that are in no block's part; null: there are none.
  Value getEdges() const { return edges; }
  /// Of those the thread's, or the line's last element if it has none.
  Digit getEdge() const { return {extent, edge}; }

private:
  void findEdge(Value thread);

  KernelBuilder &k;
  Digit row;
  int64_t extent, lanes;
  Value head, begin, length, edges, edge;
  int64_t least;
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_LINEPART_H
