//===- Bisection.h - --bisect -----------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_BISECTION_H
#define PREC_RUN_BISECTION_H

#include "Options.h"
#include "Session.h"

namespace prec::run {

/// Takes one step of a module compiled with --switchable again and again, from
/// the same state and batch, with different operands raised: finds a set of
/// them, none of which can be left out, that makes the step good, and prints
/// it, what matters most first; --report has it as JSON.
///
/// A step is good if it is finite, and its loss and each of its gradients, not
/// clipped, are as near to those with every operand raised as `--least-snr`
/// says, 20 log10(|x| / |x' - x|) in dB.
rt::Status bisect(rt::Session &session, const Options &options);

} // namespace prec::run

#endif // PREC_RUN_BISECTION_H
