//===- GpuChips.cpp - chips that kernels are compiled for -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Gpu/GpuChips.h"

#include "llvm/ADT/STLExtras.h"

using namespace prec;
using llvm::StringRef;

static constexpr int64_t kKiB = 1 << 10;

/// Shared memory: CUDA C++ Programming Guide, chapter "Compute Capabilities".
static constexpr GpuArchitecture kArchitectures[] = {
    {80, 70, 163 * kKiB, 164 * kKiB},  {86, 71, 99 * kKiB, 100 * kKiB},
    {87, 74, 163 * kKiB, 164 * kKiB},  {89, 81, 99 * kKiB, 100 * kKiB},
    {90, 81, 227 * kKiB, 228 * kKiB},  {100, 86, 227 * kKiB, 228 * kKiB},
    {103, 88, 227 * kKiB, 228 * kKiB}, {120, 87, 99 * kKiB, 100 * kKiB},
    {121, 88, 99 * kKiB, 100 * kKiB}};

/// The first architecture that converts FP8.
static constexpr unsigned kFirstFp8 = 89;

unsigned prec::architectureOf(StringRef chip) {
  unsigned architecture = 0;
  if (!chip.consume_front("sm_") || chip.consumeInteger(10, architecture))
    return 0;
  return architecture;
}

const GpuArchitecture *prec::findArchitecture(StringRef chip) {
  unsigned number = architectureOf(chip);
  const auto *found = llvm::find_if(
      kArchitectures, [&](const auto &row) { return row.number == number; });
  return found == std::end(kArchitectures) ? nullptr : found;
}

std::string prec::getArchitectureNames() {
  std::string names;
  for (const GpuArchitecture &row : kArchitectures) {
    bool isLast = &row == std::end(kArchitectures) - 1;
    names += (names.empty() ? ""
              : isLast      ? " or "
                            : ", ") +
             ("sm_" + std::to_string(row.number));
  }
  return names;
}

bool prec::convertsFp8(StringRef chip) {
  return architectureOf(chip) >= kFirstFp8;
}

std::string prec::getFirstWithFp8() {
  return "sm_" + std::to_string(kFirstFp8);
}

// Instructions of this one chip: later ones have others.
bool prec::hasWarpgroups(StringRef chip) { return chip == "sm_90a"; }
