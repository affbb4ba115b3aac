//===- Race.h - whole steps of several modules in turns ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_RACE_H
#define PREC_RUN_RACE_H

#include "Options.h"

namespace prec::run {

/// Times whole steps of the module and of those of `options.race`, in turns,
/// and says which is the fastest; `options.report` gets all times as JSON.
/// Inputs are set as --tokens, --weights and --init say.
rt::Status race(const Options &options);

} // namespace prec::run

#endif // PREC_RUN_RACE_H
