//===- HeldRow.h - rows in shared memory ------------------------*- C++ -*-===//
//
// Rows that are too long for the registers of their threads, but needed in
// several passes, are held in shared memory: the first pass puts there what it
// reads, the later ones take it from there. A thread takes only what it has put
// itself, so nobody waits. What does not fit is read again, and with the least
// between the two: it is last in the first pass and first in those that follow,
// when the cache still has it.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_HELDROW_H
#define PREC_LIB_CODEGEN_HELDROW_H

#include "GpuKernels.h"

namespace mlir::prec {

class HeldRow {
public:
  /// Of `rows` rows of `extent` elements, of which a thread reads `lanes` at
  /// once. `passes` says what each pass over a row computes at its elements:
  /// held are inputs that several of them read. A block has `otherShared` bytes
  /// of shared memory for other uses.
  HeldRow(GpuKernel &gpu, int64_t rows, int64_t extent, int64_t lanes,
          ArrayRef<SmallVector<Value>> passes, int64_t otherShared);

  int64_t getExtent() const { return extent; }
  /// Elements that are held, those that a row begins with; 0: it does not pay.
  int64_t getElements() const { return elements; }
  /// Threads of a row, and rows that a multiprocessor has room for.
  int64_t getThreads() const { return threads; }
  int64_t getResident() const { return resident; }

  void allocate();
  /// Begins the next of `passes`; whether it finds what an earlier one put.
  bool startPass();
  /// What the pass reads at `columns` of a row, which are held, is put or
  /// taken.
  LogicalResult meet(const Digit &row, ArrayRef<Digit> columns);

private:
  struct Input {
    BlockArgument argument;
    SmallVector<bool> passes; ///< those that read it
    int64_t base = 0;         ///< of its memory, in elements
    int64_t bytes() const;    ///< of an element
  };
  void findInputs(ArrayRef<SmallVector<Value>> passes);
  /// Chooses the rows of a multiprocessor.
  void share(int64_t otherShared);
  void share(int64_t rowsHeld, int64_t rowBytes, int64_t otherShared);
  bool isHeldBefore(const Input &input) const;
  /// Accesses of 16 bytes that an element's lanes take: neighbours in a warp
  /// are neighbours in each of them.
  int64_t piecesOf(const Input &input) const;
  Value slot(const Input &input, const Digit &column, int64_t piece);
  void put(const Input &input, const Digit &column, Value value);
  Value take(const Input &input, const Digit &column);

  GpuKernel &gpu;
  int64_t rows, extent, lanes;
  SmallVector<Input> inputs;
  int64_t elements = 0, threads = 0, resident = 1;
  int64_t pass = -1;
  Value memory;
};

} // namespace mlir::prec

#endif // PREC_LIB_CODEGEN_HELDROW_H
