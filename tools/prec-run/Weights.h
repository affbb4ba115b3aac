//===- Weights.h - the start weights of a run -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_WEIGHTS_H
#define PREC_RUN_WEIGHTS_H

#include "Checkpoint.h"
#include "Options.h"
#include "Session.h"

namespace prec::run {

/// Sets weights as --weights, --init random or --resume say; `data` is where in
/// its data a resumed run goes on.
rt::Status setWeights(rt::Session &session, const Options &options,
                      rt::DataPlace &data);

} // namespace prec::run

#endif // PREC_RUN_WEIGHTS_H
