//===- Blas.h - OpenBLAS, opened when needed --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CPU_BLAS_H
#define PREC_RT_CPU_BLAS_H

#include "Status.h"

#include <cstdint>

namespace prec::rt {

/// Row-major C = alpha * op(A) op(B) + beta * C on one thread; callable from
/// any thread. The pool splits large products: OpenBLAS's own threads would
/// contend with it for the cores.
class Blas {
public:
  /// Opens libopenblas and sets it to one thread. Fails if the process cannot
  /// map, now, what calls from `threads` threads at once work in.
  static Result<Blas> open(unsigned threads);

  Blas() = default;
  Blas(Blas &&other) noexcept;
  Blas &operator=(Blas &&other) noexcept;
  ~Blas();

  void sgemm(bool transposeA, bool transposeB, int64_t m, int64_t n, int64_t k,
             float alpha, const float *a, int64_t lda, const float *b,
             int64_t ldb, float beta, float *c, int64_t ldc) const;

private:
  using Sgemm = void (*)(int order, int transA, int transB, int m, int n, int k,
                         float alpha, const float *a, int lda, const float *b,
                         int ldb, float beta, float *c, int ldc);
  void *handle = nullptr;
  Sgemm function = nullptr;
};

} // namespace prec::rt

#endif // PREC_RT_CPU_BLAS_H
