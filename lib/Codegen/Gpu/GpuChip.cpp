//===- GpuChip.cpp - what a GPU gives a kernel ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Gpu/GpuChip.h"

#include "Codegen/Gpu/GpuChips.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

prec::GpuChip prec::findGpuChip(StringRef chip) {
  unsigned architecture = architectureOf(chip);
  GpuChip found;
  if (architecture < 80)
    return found;
  // What every chip with clusters has.
  if (architecture >= 90)
    found.clusterBlocks = 8;
  // PTX that is not for one architecture alone runs on later chips, too: what
  // the least of them has.
  const GpuArchitecture *least = findArchitecture("sm_86");
  const GpuArchitecture *row =
      llvm::isDigit(chip.back()) ? least : findArchitecture(chip);
  if (!row)
    row = least;
  found.blockShared = row->blockShared;
  found.multiprocessorShared = row->multiprocessorShared;
  return found;
}
