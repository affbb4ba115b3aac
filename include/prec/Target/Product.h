//===- Product.h - a matrix product that a target has -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_TARGET_PRODUCT_H
#define PREC_TARGET_PRODUCT_H

#include "prec/Dialect/Prec/Prec.h"
#include "prec/Support/LLVM.h"

#include <array>

namespace prec {

/// How the operands of a product lie in memory.
enum class OperandLayout : uint8_t {
  /// Either dimension may be contiguous.
  Any,
  /// The contracted dimension is contiguous in both (TN): an operand that lies
  /// the other way needs a transposed copy.
  ContractedLast
};

/// Scalings of lhs and rhs.
using ScalingPair = std::array<Scaling, 2>;

/// One row of a target's table of matrix products. The order of the operands
/// does not matter.
struct Product {
  Format lhs, rhs;
  ArrayRef<Format> results;
  ArrayRef<ScalingPair> scalings;
  ArrayRef<Accumulator> accumulators;
  OperandLayout layout = OperandLayout::Any;
  /// M and N, and K, are multiples of these.
  int64_t multipleOfMN = 1, multipleOfK = 1;
  bool hasBatch = true;
};

/// Formats of one contraction.
struct Dispatch {
  Format lhs, rhs, result;
  Accumulator accumulator = Accumulator::Full;
  /// {None, None} for a product without scales, or where the scaling is not
  /// asked about.
  ScalingPair scalings = {Scaling::None, Scaling::None};
};

} // namespace prec

#endif // PREC_TARGET_PRODUCT_H
