//===- Compare.h - one graph on two targets ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_COMPARE_H
#define PREC_RT_COMMON_COMPARE_H

#include "ErrorBound.h"
#include "Session.h"

#include <functional>

namespace prec::rt {

/// One written buffer of one dispatch.
struct Comparison {
  const Command *command; ///< the reference's
  int buffer;             ///< the reference's
  bool isFp4;             ///< e2m1 in i8, two to a byte
  Agreement agreement;
};

/// Runs the commands of an entry point on both sessions, each from identical
/// inputs: the reference's, which are copied to the other before each command.
/// Commands are paired by dispatch id; several commands of one id are one
/// dispatch. The reference must be ready to run the entry point (weights,
/// batch, hyper-parameters; for `step` also `init` done and beginStep called).
/// Fails if the modules do not hold the same dispatches.
Status compareEntryPoint(Session &reference, Session &other,
                         const std::string &entryPoint,
                         const std::function<void(const Comparison &)> &report);

} // namespace prec::rt

#endif // PREC_RT_COMMON_COMPARE_H
