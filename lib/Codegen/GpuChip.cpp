//===- GpuChip.cpp - what a GPU gives a kernel ----------------------------===//
#include "GpuChip.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

unsigned prec::architectureOf(StringRef chip) {
  unsigned architecture = 0;
  if (!chip.consume_front("sm_") || chip.consumeInteger(10, architecture))
    return 0;
  return architecture;
}

prec::GpuChip prec::findGpuChip(StringRef chip) {
  constexpr GpuChip small{99 << 10, 100 << 10}, medium{163 << 10, 164 << 10},
      large{227 << 10, 228 << 10};
  unsigned architecture = architectureOf(chip);
  if (architecture < 80)
    return {};
  // PTX that is not for one architecture alone runs on later chips, too.
  if (llvm::isDigit(chip.back()))
    return small;
  switch (architecture) {
  case 80:
  case 87:
    return medium;
  case 90:
  case 100:
  case 103:
    return large;
  default:
    return small;
  }
}
