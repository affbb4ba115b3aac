//===- SchedConvolutions.cpp - verifier of convolutions -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/Convolution.h"

using namespace mlir;
using namespace prec::sched;

LogicalResult ConvOp::verify() {
  auto type = [](Value value) {
    return cast<RankedTensorType>(value.getType());
  };
  RankedTensorType lhs = type(getLhs()), rhs = type(getRhs()),
                   result = type(getResult());
  prec::train::Convolution of;
  switch (getDirection()) {
  case ConvDirection::Fprop:
    of = {lhs, rhs, result};
    break;
  case ConvDirection::Dgrad:
    of = {result, rhs, lhs};
    break;
  case ConvDirection::Wgrad:
    of = {rhs, result, lhs};
    break;
  }
  of.strides = getStrides();
  of.low = getLow();
  of.high = getHigh();
  of.dilations = getDilations();
  of.groups = getGroups();
  if (failed(prec::train::verifyConvolution(*this, of)))
    return failure();
  // sched_conv_c1
  if (lhs.getElementType() != rhs.getElementType())
    return emitOpError("operands must have one format, but got ")
           << lhs << " and " << rhs;
  return verifyPlacements(*this, getPlacements());
}
