//===- Training.h - trains a session on token files -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_TRAINING_H
#define PREC_RUN_TRAINING_H

#include "Options.h"
#include "Session.h"

namespace prec::run {

/// Weights, training, held-out losses, profile and checkpoint, as asked.
rt::Status train(std::unique_ptr<rt::Session> session, const Options &options);

} // namespace prec::run

#endif // PREC_RUN_TRAINING_H
