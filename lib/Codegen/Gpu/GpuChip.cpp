//===- GpuChip.cpp - what a GPU gives a kernel ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Gpu/GpuChip.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

unsigned prec::architectureOf(StringRef chip) {
  unsigned architecture = 0;
  if (!chip.consume_front("sm_") || chip.consumeInteger(10, architecture))
    return 0;
  return architecture;
}

prec::GpuChip prec::findGpuChip(StringRef chip) {
  constexpr std::pair small{99 << 10, 100 << 10}, medium{163 << 10, 164 << 10},
      large{227 << 10, 228 << 10};
  unsigned architecture = architectureOf(chip);
  GpuChip found;
  if (architecture < 80)
    return found;
  auto setShared = [&](std::pair<int64_t, int64_t> bytes) {
    std::tie(found.blockShared, found.multiprocessorShared) = bytes;
  };
  // What every chip with clusters has.
  if (architecture >= 90)
    found.clusterBlocks = 8;
  setShared(small);
  // PTX that is not for one architecture alone runs on later chips, too.
  if (llvm::isDigit(chip.back()))
    return found;
  switch (architecture) {
  case 80:
  case 87:
    setShared(medium);
    break;
  case 90:
  case 100:
  case 103:
    setShared(large);
    break;
  default:
    break;
  }
  return found;
}
