//===- TrainingOptions.h - which options a training can have ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_TRAININGOPTIONS_H
#define PREC_RUN_TRAININGOPTIONS_H

#include "Options.h"
#include "Session.h"

namespace prec::run {

/// Whether the options go together.
rt::Status checkOptions(const Options &options);

/// Whether the module takes as many batches a step.
rt::Status checkMicroBatches(const rt::Session &session,
                             const Options &options);

/// Whether there is something to sample in the steps to come.
rt::Status checkNumerics(const rt::Session &session, const Options &options);

} // namespace prec::run

#endif // PREC_RUN_TRAININGOPTIONS_H
