//===- Precision.h - the vocabulary of PrecisionOpInterface -----*- C++ -*-===//
#ifndef PREC_DIALECT_PREC_PRECISION_H
#define PREC_DIALECT_PREC_PRECISION_H

#include <cstdint>

namespace mlir::prec {

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

} // namespace mlir::prec

#endif // PREC_DIALECT_PREC_PRECISION_H
