//===- Profile.h - where a step spends its time -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_PROFILE_H
#define PREC_RUN_PROFILE_H

#include "MachineRates.h"
#include "MetricsFile.h"
#include "Options.h"

namespace prec::run {

/// Times the commands of some steps, prints what they do in that time, writes
/// all to the metrics and to the files that are asked for. Percentages of
/// limits need a machine. The batch must be set; the state of the session is
/// lost.
rt::Status profileStep(rt::Session &session, const Options &options,
                       const std::optional<MachineRates> &machine,
                       MetricsFile &metrics);

/// The same of times of a step's commands in a file. Of the module its manifest
/// is all that is read.
rt::Status describeProfile(const Options &options);

} // namespace prec::run

#endif // PREC_RUN_PROFILE_H
