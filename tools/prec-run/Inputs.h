//===- Inputs.h - what one step of a module reads ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_INPUTS_H
#define PREC_RUN_INPUTS_H

#include "Options.h"
#include "Session.h"

namespace prec::run {

/// Sets weights, learning rate and the first batch as the options say; without
/// --tokens a random batch.
rt::Status setInputs(rt::Session &session, const Options &options);

/// Sets the batch `number` places behind the first one, from 0.
rt::Status setBatch(rt::Session &session, const Options &options,
                    int64_t number);

} // namespace prec::run

#endif // PREC_RUN_INPUTS_H
