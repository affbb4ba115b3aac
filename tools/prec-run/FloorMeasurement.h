//===- FloorMeasurement.h - the floor of a step, measured -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_FLOORMEASUREMENT_H
#define PREC_RUN_FLOORMEASUREMENT_H

#include "Session.h"
#include "StepFloor.h"

namespace prec::run {

/// Replays the products and attention of some steps and measures copies. The
/// batch must be set; the state of the session is lost.
rt::Result<StepFloor> measureFloor(rt::Session &session);

} // namespace prec::run

#endif // PREC_RUN_FLOORMEASUREMENT_H
