//===- EarlyReads.h - reads ahead of what is computed -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Straight-line code that computes one row after the other would read each
// where it is computed, and wait for it there. Once it is built, reads are
// moved up, so that those of the next rows are under way while one is computed.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_EARLYREADS_H
#define PREC_LIB_CODEGEN_GPU_EARLYREADS_H

#include "prec/Support/LLVM.h"

#include "Codegen/Emitter/KernelBuilder.h"

namespace prec {

class EarlyReads {
public:
  EarlyReads(KernelBuilder &kernel) : k(kernel) {}

  /// What is built from now on, in the same block, is of another row.
  void startRow();
  /// Moves what the rows read from global memory. Only for rows that do not
  /// read what others of them write.
  void hoist();

private:
  /// Rows of one block, from a mark on to the next.
  void hoist(ArrayRef<Operation *> marks);

  KernelBuilder &k;
  SmallVector<Operation *> marks;
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_EARLYREADS_H
