//===- Prediction.h - how long a step will take -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_PREDICTION_H
#define PREC_RUN_PREDICTION_H

#include "Options.h"

namespace prec::run {

/// Predicts the time of a step from the times of commands in
/// `options.predict`, a report of --bench, and prints it; the module's manifest
/// is all that is read. `options.report` gets every command as JSON.
rt::Status predictStep(const Options &options);

} // namespace prec::run

#endif // PREC_RUN_PREDICTION_H
