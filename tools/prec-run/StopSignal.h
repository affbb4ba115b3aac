//===- StopSignal.h - SIGTERM and SIGINT end a run in order -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_STOPSIGNAL_H
#define PREC_RUN_STOPSIGNAL_H

namespace prec::run {

/// From here on the first SIGTERM or SIGINT is only noted, and a second one
/// ends the process at once. One that is ignored stays so.
void catchStopSignals();

/// The signal that was noted, or 0.
int stopSignal();

/// Ends the process by a signal, as if it had not been caught.
void dieBySignal(int signal);

} // namespace prec::run

#endif // PREC_RUN_STOPSIGNAL_H
