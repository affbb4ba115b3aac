//===- Precision.h - the vocabulary of PrecisionOpInterface -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_PREC_PRECISION_H
#define PREC_DIALECT_PREC_PRECISION_H

#include <cstdint>

namespace prec {

/// What an operation does to numbers, known from the operation alone.
enum class Structure {
  Contraction,
  Reduction,
  Elementwise,
  Layout,
  Index,
  Gather,
  ScatterAdd,
  Norm,
  Softmax,
  Loss,
  Attention,
  Rotary,
  Embedding,
  Optimizer,
  Clipping
};

/// `batch` products of an M x K with a K x N matrix.
struct ContractionShape {
  int64_t m = 0, n = 0, k = 0, batch = 0;
};

/// Arithmetic of an operation's payload, a set of bits: one of them for a
/// single addition, several for a fused linalg.generic.
enum Arithmetic : uint32_t {
  ArithNone = 0,
  ArithAdd = 1 << 0,
  ArithSub = 1 << 1,
  ArithMul = 1 << 2,
  ArithDiv = 1 << 3,
  ArithMax = 1 << 4,
  ArithExp = 1 << 5,
  ArithSqrt = 1 << 6,
  ArithRsqrt = 1 << 7,
  ArithPow = 1 << 8,
  ArithSinCos = 1 << 9,
  ArithOther = 1 << 10,
};

} // namespace prec

#endif // PREC_DIALECT_PREC_PRECISION_H
