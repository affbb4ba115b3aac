//===- SchedRanks.cpp - verifiers of exchanges ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/Ranks.h"

using namespace mlir;
using namespace prec::sched;

LogicalResult ExchangeOp::verify() {
  if (failed(prec::train::verifyExchange(*this, getKind())))
    return failure();
  return verifyPlacements(*this, getPlacements());
}

LogicalResult AwaitOp::verify() {
  return verifyPlacements(*this, getPlacements());
}
