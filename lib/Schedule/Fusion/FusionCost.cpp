//===- FusionCost.cpp - what kernels cost ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model of fusion. A kernel moves bytes and computes at the same time,
// so it costs the greater of the two, in bytes. Its launch is added, and the
// wait for its last blocks: the cost of one block times `last_blocks` of the
// machine file. With the numbers of sm_90a, a kernel that moves 8 MiB in 128
// blocks costs 4 MiB (launch) + 8 MiB + 12 * 64 KiB. All numbers are integers,
// so the same graph is fused alike on every host. A value is computed again by
// its readers only if that saves a fifth of what all kernels concerned cost.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Fusion/FusionCost.h"

#include <algorithm>

using namespace prec;
using llvm::ArrayRef;

/// Parts of the cost that computing again must save: a fifth.
constexpr int64_t kMargin = 5;

int64_t prec::estimateCost(const ScheduleModel &machine, KernelWork work) {
  int64_t cost =
      std::max(work.bytes, work.operations / machine.operationsPerByte);
  int64_t waited = work.blocks ? cost / work.blocks * machine.lastBlocks : 0;
  return machine.launchBytes + cost + waited;
}

int64_t prec::estimateGroupedColumns(const ScheduleModel &machine,
                                     int64_t bytes, int64_t groups,
                                     int64_t bytesOfGroup) {
  int64_t partial = groups * bytesOfGroup;
  return estimateCost(machine, {bytes + partial, 0, groups}) +
         estimateCost(machine, {partial});
}

static int64_t sumCosts(const ScheduleModel &machine,
                        ArrayRef<KernelWork> kernels) {
  int64_t sum = 0;
  for (KernelWork kernel : kernels)
    sum += estimateCost(machine, kernel);
  return sum;
}

bool prec::isCheaperAgain(const ScheduleModel &machine,
                          const RecomputeChoice &choice) {
  int64_t stored = sumCosts(machine, choice.reads) + choice.stores.bytes;
  if (choice.hasOwnKernel)
    stored += estimateCost(machine, choice.stores) - choice.stores.bytes;
  int64_t again = sumCosts(machine, choice.again);
  return again <= stored - stored / kMargin;
}
