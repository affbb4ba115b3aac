//===- GradientNoise.h - --gradient-noise -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_GRADIENTNOISE_H
#define PREC_RUN_GRADIENTNOISE_H

#include "Options.h"
#include "Session.h"

namespace prec::run {

/// Takes a step of a module compiled with --switchable with one contraction
/// after the other in its narrow formats, and writes how far each alone is from
/// the step with all of them in FP32: the sum of squared errors over the sum of
/// squares, of all gradients together. Of several batches the mean.
rt::Status measureNoise(rt::Session &session, const Options &options);

} // namespace prec::run

#endif // PREC_RUN_GRADIENTNOISE_H
