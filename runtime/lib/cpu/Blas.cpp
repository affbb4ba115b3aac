//===- Blas.cpp - OpenBLAS, opened when needed ----------------------------===//

#include "Blas.h"

#include <dlfcn.h>

using namespace prec::rt;

Result<Blas> Blas::open() {
  Blas blas;
  blas.handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!blas.handle)
    return Status::error("gemm and sdpa on the cpu need libopenblas.so.0, but "
                         "got: " +
                         std::string(dlerror()));
  blas.function = reinterpret_cast<Sgemm>(dlsym(blas.handle, "cblas_sgemm"));
  auto setThreads = reinterpret_cast<void (*)(int)>(
      dlsym(blas.handle, "openblas_set_num_threads"));
  if (!blas.function || !setThreads)
    return Status::error("libopenblas.so.0 must have cblas_sgemm and "
                         "openblas_set_num_threads, but has not");
  setThreads(1);
  return blas;
}

Blas::Blas(Blas &&other) noexcept
    : handle(std::exchange(other.handle, nullptr)),
      function(std::exchange(other.function, nullptr)) {}

Blas &Blas::operator=(Blas &&other) noexcept {
  std::swap(handle, other.handle);
  std::swap(function, other.function);
  return *this;
}

Blas::~Blas() {
  if (handle)
    dlclose(handle);
}

void Blas::sgemm(bool transposeA, bool transposeB, int64_t m, int64_t n,
                 int64_t k, float alpha, const float *a, int64_t lda,
                 const float *b, int64_t ldb, float beta, float *c,
                 int64_t ldc) const {
  constexpr int rowMajor = 101, noTrans = 111, trans = 112;
  function(rowMajor, transposeA ? trans : noTrans, transposeB ? trans : noTrans,
           m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
