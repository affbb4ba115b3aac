//===- Comparison.h - --compare ---------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_COMPARISON_H
#define PREC_RUN_COMPARISON_H

#include "Options.h"
#include "Session.h"

namespace prec::run {

/// Runs `init`, `step` and `eval` command by command on both modules, prints a
/// table, and fails naming the first command that disagrees. Weights come from
/// the options; tokens from --tokens, or random ones if there are none.
rt::Status compare(rt::Session &session, const Options &options);

} // namespace prec::run

#endif // PREC_RUN_COMPARISON_H
