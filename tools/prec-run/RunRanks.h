//===- RunRanks.h - a run of several processes ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_RUNRANKS_H
#define PREC_RUN_RUNRANKS_H

#include "Options.h"
#include "Session.h"

namespace prec::run {

/// Finds out which rank a launcher made this process. From then on whatever
/// fails is told to the others.
rt::Status findRank(Options &options);

/// Of several ranks connects this one to the others, if the module is for as
/// many and the options are those of a training. All ranks must have one
/// command line.
rt::Status joinRanks(const rt::Manifest &manifest, Options &options);

/// What all ranks say of a step.
struct StepReport {
  int64_t step = 0;
  int64_t position = 0; ///< tokens that all have consumed
  bool isSkipped = false;
  bool isStopped = false; ///< a signal came
};

/// Whether a signal came to any rank. Fails on all ranks where they are not at
/// one step and one place of their data, or do not judge the step alike.
rt::Result<bool> agreeOnStep(rt::Communicator &ranks, const StepReport &own);

} // namespace prec::run

#endif // PREC_RUN_RUNRANKS_H
