//===- Precision.h - the vocabulary of PrecisionOpInterface -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_PREC_PRECISION_H
#define PREC_DIALECT_PREC_PRECISION_H

#include <cstdint>
#include <optional>

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
  Clipping,
  /// What it computes only its author knows.
  Custom,
  /// Elements of other ranks.
  Exchange
};

/// How the elements of a result come from an operand, for operations of which
/// every result element is one of an operand's, as it is.
enum class Movement {
  /// It computes something, or makes elements of nothing.
  None,
  /// The same elements in the same order: no byte moves.
  Reshape,
  Slice,
  Concat,
  Broadcast,
  Transpose,
  /// Where elements come from is computed: another operand tells it.
  Gather
};

/// What an operation takes from an operand: its elements; those of a
/// mask, which say what counts and are no activation; only its sizes, or sizes
/// and offsets that it holds; nothing, where it merely gives a result a place.
/// Neither of the last two carries numbers from there to the result.
enum class OperandRead : uint8_t { Elements, Mask, Sizes, Nothing };

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
