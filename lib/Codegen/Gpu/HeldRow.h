//===- HeldRow.h - rows in shared memory ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that are too long for the registers of their threads, but needed in
// several passes, are held in shared memory: the first pass puts there what it
// reads, the later ones take it from there. A thread takes only what it has put
// itself, so nobody waits. Vectors are copied there without a detour over
// registers, so that all of a row is on its way at once. Blocks share a row
// that one alone could not hold beside a second row. What does not fit is read
// again, and with the least between the two: it is last in the first pass and
// first in those that follow, when the cache still has it.
//
// Sums of the columns of rows that a block walks over lie beside what it holds,
// one of each element of its share: a thread adds to those of the elements that
// it takes.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_HELDROW_H
#define PREC_LIB_CODEGEN_GPU_HELDROW_H

#include "prec/Support/LLVM.h"

#include "Codegen/Gpu/GpuKernels.h"
#include "Codegen/Gpu/LinePart.h"

namespace prec {

class HeldRow {
public:
  /// Of `rows` rows of `extent` elements, of which a thread reads `lanes` at
  /// once. `passes` says what each pass over a row computes at its elements:
  /// held are inputs that several of them read. Each warp of a row has
  /// `warpShared` bytes in every block; at most `mostBlocks` may share a row.
  /// Each column has `sums` in FP32.
  HeldRow(GpuKernel &gpu, int64_t rows, int64_t extent, int64_t lanes,
          ArrayRef<SmallVector<Value>> passes, int64_t warpShared,
          int64_t mostBlocks, int64_t sums);

  int64_t getExtent() const { return extent; }
  /// Elements that a block holds, those that its share of a row begins with; 0:
  /// it does not pay.
  int64_t getElements() const { return elements; }
  bool isWhole() const { return elements == shareOf(blocks); }
  /// Blocks of a row.
  int64_t getBlocks() const { return blocks; }
  /// Threads of a block, and blocks that a multiprocessor has room for.
  int64_t getThreads() const { return threads; }
  int64_t getResident() const { return resident; }
  /// Whether it has room for the sums, and holds whole rows beside them.
  bool hasSums() const { return sums > 0; }

  void allocate();
  /// Begins the next of `passes`; whether it finds what an earlier one put.
  bool startPass();
  bool isFirstPass() const { return pass == 0; }
  bool isLastPass() const { return pass + 1 == passes; }
  /// Whether what is held is copied, before it is met, and not put.
  bool isCopied() const;
  /// Whether the pass is the first to read some of it.
  bool readsNew() const;
  /// Starts copies at `columns` of a row, of all inputs or of what is new in
  /// the pass. The block's share begins at column `begin`.
  void copy(const Digit &row, ArrayRef<Digit> columns, Value begin, bool all);
  /// What the pass reads at `columns` of a row, which are held, is put or
  /// taken.
  LogicalResult meet(const Digit &row, ArrayRef<Digit> columns, Value begin);
  /// Reads what the pass needs at a column that is not held.
  LogicalResult read(const Digit &row, const Digit &column);

  /// A sum of each lane, of the columns at `element` of the block's share.
  Value loadSum(int64_t sum, Value element);
  void storeSum(int64_t sum, Value element, Value value);

private:
  /// Where the elements of an input, or of one of the sums, lie.
  struct Line {
    int64_t base = 0; ///< in elements
    int64_t bytes = 0;
  };
  struct Input {
    BlockArgument argument;
    SmallVector<bool> passes; ///< those that read it
    Line line = {};
  };
  void findInputs(ArrayRef<SmallVector<Value>> passes);
  /// Elements of a row that each of so many blocks has.
  int64_t shareOf(int64_t blocks) const {
    return shareOfLine(extent, lanes, blocks);
  }
  /// Chooses the blocks of a row and of a multiprocessor.
  void share(int64_t mostBlocks);
  void fit(int64_t resident);
  /// Threads of each of so many blocks of a multiprocessor, and what it has
  /// beside what it holds.
  int64_t threadsOf(int64_t resident) const;
  int64_t otherShared(int64_t resident) const;
  int64_t elementBytes() const;
  bool isHeldBefore(const Input &input) const;
  /// Whether the pass is the first that reads it.
  bool isNew(const Input &input) const {
    return input.passes[pass] && !isHeldBefore(input);
  }
  /// Accesses of 16 bytes that an element's lanes take: neighbors in a warp
  /// are neighbors in each of them.
  int64_t piecesOf(const Line &line) const;
  /// `element` counts those of the block's share.
  Value slot(const Line &line, Value element, int64_t piece);
  void put(const Line &line, Value element, Value value);
  Value take(const Line &line, Type type, Value element);
  Line lineOfSum(int64_t sum) const;

  GpuKernel &gpu;
  int64_t rows, extent, lanes, warpShared;
  SmallVector<Input> inputs;
  int64_t elements = 0, threads = 0, resident = 1, blocks = 1;
  int64_t passes, pass = -1;
  int64_t sums, firstSum = 0; ///< where they begin, in FP32
  Value memory;
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_HELDROW_H
