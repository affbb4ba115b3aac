//===- GpuChip.h - what a GPU gives a kernel --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of each architecture: GpuChips.h.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_GPUCHIP_H
#define PREC_LIB_CODEGEN_GPU_GPUCHIP_H

#include "prec/Support/LLVM.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

namespace prec {

struct GpuChip {
  /// Bytes of shared memory of a block, static and dynamic, when asked for;
  /// unasked it has 48 KB.
  int64_t blockShared = 48 << 10;
  /// Of a multiprocessor, whose blocks take `reservedShared` more each than
  /// they ask for.
  int64_t multiprocessorShared = 49 << 10;
  int64_t reservedShared = 1 << 10;
  /// Most blocks that start together and reach each other's shared memory.
  int64_t clusterBlocks = 1;
  /// Rows, of which every multiprocessor gets several.
  int64_t manyRows = 1024;
};

/// What kernels for `chip` may count on, the least where that is not known.
GpuChip findGpuChip(StringRef chip);

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_GPUCHIP_H
