//===- HeadProduct.h - products of one head's matrices ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CPU_HEADPRODUCT_H
#define PREC_RT_CPU_HEADPRODUCT_H

#include "Bf16Pairs.h"
#include "Blas.h"

namespace prec::rt {

/// Products on one thread, by sgemm or by pairs (Bf16Pairs.h).
class HeadProduct {
public:
  /// A, or B, as the product reads it.
  struct Left {
    PairRows pairs;
    MatrixSource floats;
  };
  struct Right {
    const Bf16Pair *pairs;
    MatrixSource floats; ///< of pairs: their source
  };

  HeadProduct(const Blas &blas, bool usesPairs)
      : blas(blas), usesPairs(usesPairs) {}

  /// Floats of scratch that an operand takes.
  static int64_t scratch(int64_t extent, int64_t k);

  /// In `scratch` unless it is in memory as the product reads it.
  Left left(const MatrixSource &source, float *scratch) const;
  Right right(const MatrixSource &source, float *scratch) const;

  /// sum [rows, columns] = A B, or += where `adds`; the sum is dense. `k` is
  /// all of A's, and may be less than B's: behind an odd one, B's next elements
  /// must be finite.
  void multiply(const Left &a, const Right &b, int64_t rows, int64_t columns,
                int64_t k, bool adds, float *sum) const;

private:
  const Blas &blas;
  bool usesPairs;
};

} // namespace prec::rt

#endif // PREC_RT_CPU_HEADPRODUCT_H
