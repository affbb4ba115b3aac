//===- Ranks.h - connects the ranks of a run --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_RANKS_H
#define PREC_RT_COMMON_RANKS_H

#include "Communicator.h"
#include "Manifest.h"
#include "RankStore.h"

namespace prec::rt {

/// Waits until all ranks are there. One rank alone needs no address, and
/// exchanges with itself.
Result<std::shared_ptr<Communicator>> connectRanks(const RankOptions &options);

/// Of a rank that ends before it connects: tells those that wait for it, or
/// come within some seconds, why it does.
void endBeforeConnecting(const RankOptions &options, const std::string &reason);

/// "dp=2,tp=2", as --mesh has it.
std::string formatMesh(const Manifest &manifest);

/// Whether a module can run with these ranks, or with none.
Status checkRanks(const Manifest &manifest, const Communicator *ranks);

} // namespace prec::rt

#endif // PREC_RT_COMMON_RANKS_H
