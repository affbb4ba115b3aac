//===- Inspect.h - what a step module is ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_INSPECT_H
#define PREC_RUN_INSPECT_H

#include "Status.h"

#include <string>

namespace prec::run {

/// Prints what the file says of itself, without loading its code.
rt::Status printModule(const std::string &module);

} // namespace prec::run

#endif // PREC_RUN_INSPECT_H
