//===- FusionCost.cpp - what kernels cost ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Fusion/FusionCost.h"

#include <algorithm>

using namespace prec;
using llvm::ArrayRef;

/// Of a launch behind another one: a microsecond of a GPU that moves 4 TB/s.
constexpr int64_t kLaunchBytes = 4 << 20;
/// Of a GPU's threads while its memory moves a byte: an H200's issue 30e12 a
/// second, and it moves 4.8 TB.
constexpr int64_t kOperationsPerByte = 6;
/// Blocks end one after the other: as if the last so many were alone. Of
/// gradients of norms on an H200, 128 to 1,024 groups of rows, 768 to 4,096
/// columns.
constexpr int64_t kLastBlocks = 12;
/// Parts of the cost that computing again must save: a quarter.
constexpr int64_t kMargin = 4;

int64_t prec::estimateCost(KernelWork work) {
  int64_t cost = std::max(work.bytes, work.operations / kOperationsPerByte);
  int64_t waited = work.blocks ? cost / work.blocks * kLastBlocks : 0;
  return kLaunchBytes + cost + waited;
}

int64_t prec::estimateGroupedColumns(int64_t bytes, int64_t groups,
                                     int64_t bytesOfGroup) {
  int64_t partial = groups * bytesOfGroup;
  return estimateCost({bytes + partial, 0, groups}) + estimateCost({partial});
}

static int64_t sumCosts(ArrayRef<KernelWork> kernels) {
  int64_t sum = 0;
  for (KernelWork kernel : kernels)
    sum += estimateCost(kernel);
  return sum;
}

bool prec::isCheaperAgain(const RecomputeChoice &choice) {
  int64_t stored = sumCosts(choice.reads) + choice.stores.bytes;
  if (choice.hasOwnKernel)
    stored += estimateCost(choice.stores) - choice.stores.bytes;
  int64_t again = sumCosts(choice.again);
  return again <= stored - stored / kMargin;
}
