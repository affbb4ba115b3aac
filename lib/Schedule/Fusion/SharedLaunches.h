//===- SharedLaunches.h - small units that share a launch -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_FUSION_SHAREDLAUNCHES_H
#define PREC_LIB_SCHEDULE_FUSION_SHAREDLAUNCHES_H

#include "Schedule/Fusion/FusionRoots.h"

#include "llvm/ADT/MapVector.h"

namespace prec {

/// What a unit reads of others or of sources: the value or the piece of one,
/// and the stored node that it is of.
using UnitReads = llvm::SmallMapVector<unsigned, unsigned, 4>;

/// Lets units that take as long as their launch, those of at most
/// `launchElements` elements, share one where they compute
/// the same of other operands: however many there are, they become few kernels.
/// Nothing waits for what it does not need, but for updates: these wait for the
/// norm of all gradients anyway. Nor is more than numbers kept for longer, and,
/// if `sumsWait`, sums of little that only updates read.
FusionResult shareLaunches(llvm::ArrayRef<FusionNode> nodes,
                           const FusionRoots &roots, FusionResult result,
                           llvm::ArrayRef<UnitReads> reads,
                           int64_t launchElements, bool sumsWait);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_FUSION_SHAREDLAUNCHES_H
