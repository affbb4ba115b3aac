//===- Generation.h - --generate --------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_GENERATION_H
#define PREC_RUN_GENERATION_H

#include "Options.h"
#include "Session.h"

namespace prec::run {

/// Continues the prompts of the options by token ids of a causal model that has
/// logits as an output, and prints each text as a line of ids.
rt::Status generate(rt::Session &session, const Options &options);

} // namespace prec::run

#endif // PREC_RUN_GENERATION_H
