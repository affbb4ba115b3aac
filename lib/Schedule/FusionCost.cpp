//===- FusionCost.cpp - what kernels cost ---------------------------------===//
#include "FusionCost.h"

#include <algorithm>

using namespace mlir::prec;
using llvm::ArrayRef;

/// Of a launch behind another one: a microsecond of a GPU that moves 4 TB/s.
static constexpr int64_t kLaunchBytes = 4 << 20;
/// Of a GPU's threads while its memory moves a byte: an H200's issue 30e12 a
/// second, and it moves 4.8 TB.
static constexpr int64_t kOperationsPerByte = 6;
/// Parts of the cost that computing again must save: a quarter.
static constexpr int64_t kMargin = 4;

int64_t mlir::prec::estimateCost(KernelWork work) {
  return kLaunchBytes +
         std::max(work.bytes, work.operations / kOperationsPerByte);
}

static int64_t sumCosts(ArrayRef<KernelWork> kernels) {
  int64_t sum = 0;
  for (KernelWork kernel : kernels)
    sum += estimateCost(kernel);
  return sum;
}

bool mlir::prec::isCheaperAgain(const RecomputeChoice &choice) {
  int64_t stored = sumCosts(choice.reads) + choice.stores.bytes;
  if (choice.hasOwnKernel)
    stored += estimateCost(choice.stores) - choice.stores.bytes;
  int64_t again = sumCosts(choice.again);
  return again <= stored - stored / kMargin;
}
