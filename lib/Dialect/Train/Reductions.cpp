//===- Reductions.cpp - what reductions compute ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Train/Reductions.h"

#include <limits>

using namespace mlir;
using namespace prec::train;

TypedAttr prec::train::getNeutral(ReduceKind kind, Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    double infinity = std::numeric_limits<double>::infinity();
    return FloatAttr::get(type, kind == ReduceKind::Sum   ? 0.0
                                : kind == ReduceKind::Max ? -infinity
                                                          : infinity);
  }
  unsigned width = element.getIntOrFloatBitWidth();
  return IntegerAttr::get(
      element, kind == ReduceKind::Sum   ? APInt::getZero(width)
               : kind == ReduceKind::Max ? APInt::getSignedMinValue(width)
                                         : APInt::getSignedMaxValue(width));
}
