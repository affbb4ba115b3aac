//===- RowsAhead.h - rows on their way to a thread --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that walks over rows asks for the next ones while it computes one.
// What it reads of them is copied to slots of shared memory without taking
// registers; a thread takes only what it asked for itself, so nobody waits for
// others. What such copies cannot carry is read one row ahead, to registers.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_ROWSAHEAD_H
#define PREC_LIB_CODEGEN_GPU_ROWSAHEAD_H

#include "prec/Support/LLVM.h"

#include "Codegen/Gpu/GpuKernels.h"
#include "Codegen/Emitter/Loops.h"

namespace prec {

class RowsAhead {
public:
  /// The rows `first`, `first + step` and so on, in front of `first + count`,
  /// of `rows`; `step` divides `count`.
  RowsAhead(GpuKernel &gpu, int64_t rows, Value first, int64_t step,
            int64_t count)
      : gpu(gpu), k(gpu.kernel()), rows(rows), step(step), count(count),
        first(first) {}

  /// Of each row, `input` is read at `column`, or at the row alone.
  void add(BlockArgument input, std::optional<Digit> column = std::nullopt) {
    reads.push_back({input, column});
  }
  /// For a block of so many threads, which asks for about `ahead` bytes of rows
  /// behind the computed one, and whose slots may take `room` bytes.
  void allocate(int64_t threads, int64_t ahead, int64_t room);

  /// Asks for the first rows. Returns what has to be carried.
  FailureOr<Carried> start();
  /// Says what is read of the row `index` behind the first one, and asks for
  /// later ones. Returns what the next row has to be given.
  FailureOr<Carried> advance(Value index, ValueRange carried);

private:
  struct Read {
    BlockArgument input;
    std::optional<Digit> column;
    int64_t base = -1; ///< in the slots, in bytes; -1: to registers
    int64_t lanes() const { return column ? column->lanes : 1; }
    int64_t bytes() const; ///< of all lanes
    Type type() const;
    bool isCopied() const { return base >= 0; }
  };
  Digit rowAt(Value index) { return {rows, k.add(first, index)}; }
  SmallVector<Digit> positionOf(const Read &read, const Digit &row) const;
  /// Where a piece of a row's lanes is kept, in elements.
  Value slot(const Read &read, Value index, int64_t piece);
  void copy(Value index);
  Value take(const Read &read, Value index);
  /// What is read to registers, in words.
  FailureOr<Carried> readWords(Value index);

  GpuKernel &gpu;
  KernelBuilder &k;
  int64_t rows, step, count;
  Value first;
  SmallVector<Read> reads;
  int64_t threads = 0;
  int64_t slots = 0; ///< rows that a thread has room for, computed one included
  Value memory, thread;
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_ROWSAHEAD_H
