//===- SchedExperts.cpp - verifier of grouped products --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/Grouped.h"

using namespace mlir;
using namespace prec::sched;

LogicalResult GroupedGemmOp::verify() {
  auto type = [](Value value) {
    return cast<RankedTensorType>(value.getType());
  };
  RankedTensorType lhs = type(getLhs()), rhs = type(getRhs()),
                   result = type(getResult()), ends = type(getEnds());
  const bool isGradient = rhs.getRank() == 2;
  // sched_grouped_c1
  if (isGradient && getTransposeB())
    return emitOpError("transpose_b must be of matrices, but got ") << rhs;
  prec::train::Grouped of =
      isGradient
          ? prec::train::Grouped{lhs, result, rhs, ends, false}
          : prec::train::Grouped{lhs, rhs, result, ends, getTransposeB()};
  if (failed(prec::train::verifyGrouped(*this, of)))
    return failure();
  // sched_grouped_c2
  if (lhs.getElementType() != rhs.getElementType())
    return emitOpError("operands must have one format, but got ")
           << lhs << " and " << rhs;
  return verifyPlacements(*this, getPlacements());
}
