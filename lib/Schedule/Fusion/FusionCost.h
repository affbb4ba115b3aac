//===- FusionCost.h - what kernels cost -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs are counted in bytes: what a machine's memory moves in as much time.
// They decide what is stored, what is computed again and in how many groups
// columns are summed, so they are whole numbers and the same everywhere.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_SCHEDULE_FUSION_FUSIONCOST_H
#define PREC_LIB_SCHEDULE_FUSION_FUSIONCOST_H

#include "prec/Target/MachineModel.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace prec {

/// What a kernel reads and writes, its arithmetic operations and the blocks
/// that share them evenly; 0: so many that their number does not matter.
struct KernelWork {
  int64_t bytes = 0;
  int64_t operations = 0;
  int64_t blocks = 0;
};

/// A kernel moves and computes at once, whichever takes longer, behind its
/// launch, and ends with the last of its blocks.
int64_t estimateCost(const ScheduleModel &machine, KernelWork work);

/// A matrix of `bytes` bytes whose rows are reduced, a group of them by a
/// block, and its columns to `bytesOfGroup` bytes for each group, which another
/// kernel reduces.
int64_t estimateGroupedColumns(const ScheduleModel &machine, int64_t bytes,
                               int64_t groups, int64_t bytesOfGroup);

/// A value that is stored by a kernel and read by others, or computed again by
/// each of these.
struct RecomputeChoice {
  KernelWork stores;                ///< of the kernel that stores it
  bool hasOwnKernel = true;         ///< or another one computes it on the way
  llvm::ArrayRef<KernelWork> reads; ///< of each reader, if it is stored
  llvm::ArrayRef<KernelWork> again; ///< of each reader, if it is not
};

/// Whether computing it again costs clearly less: estimates are rough.
bool isCheaperAgain(const ScheduleModel &machine,
                    const RecomputeChoice &choice);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_FUSION_FUSIONCOST_H
