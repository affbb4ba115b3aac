//===- Verification.h - --verify --------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_VERIFICATION_H
#define PREC_RUN_VERIFICATION_H

#include "Options.h"
#include "Session.h"

namespace prec::run {

/// Compares the gradients that the modules of `options.verify` and the
/// reference have of one batch at the same weights, parameter by parameter:
/// their cosine and the ratio 20 log10(|g| / |g' - g|) in dB. Prints a summary
/// and the least exact parameters; --report has all.
///
/// Gradients, not clipped, are those of the second good step at a learning rate
/// of 0: by then delayed scales have seen the batch.
rt::Status verify(rt::Session &reference, const Options &options);

} // namespace prec::run

#endif // PREC_RUN_VERIFICATION_H
