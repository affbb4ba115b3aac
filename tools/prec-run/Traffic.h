//===- Traffic.h - what a step moves, without running it --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_TRAFFIC_H
#define PREC_RUN_TRAFFIC_H

#include "Status.h"

#include <string>

namespace prec::run {

/// Prints what the commands of a step move and what an ideal fusion would (see
/// StepFloor.h), those first that move most above that. The module's target
/// need not be there: its manifest is all that is read.
rt::Status printTraffic(const std::string &module);

} // namespace prec::run

#endif // PREC_RUN_TRAFFIC_H
