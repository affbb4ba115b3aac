//===- Blas.cpp - OpenBLAS, opened when needed ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Blas.h"

#include <cerrno>
#include <cstring>

#include <dlfcn.h>
#include <sys/mman.h>

using namespace prec::rt;

/// What OpenBLAS 0.3 on x86-64 maps for each call that runs at a time, and one
/// for itself.
static constexpr size_t kBufferBytes = size_t(128) << 20;
/// The library, and what else is mapped beside the buffers.
static constexpr size_t kOtherBytes = size_t(64) << 20;

namespace {

/// A build of OpenBLAS: its file, and what names of its functions begin with.
struct Build {
  const char *soname, *prefix;
};

} // namespace

/// That of SciPy's developers, which the Python package holds a copy of beside
/// the runtime, and the system's.
static constexpr Build kBuilds[] = {{"libscipy_openblas.so", "scipy_"},
                                    {"libopenblas.so.0", ""}};

/// Where it gets no buffer, OpenBLAS tries again for ever: in a process whose
/// address space is limited it must not begin.
static Status checkAddressSpace(unsigned threads) {
  size_t bytes = kOtherBytes + kBufferBytes * (size_t(threads) + 1);
  void *probe = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (probe == MAP_FAILED) {
    int error = errno;
    return Status::outOfMemory(
        "OpenBLAS must have " + std::to_string(bytes >> 20) +
        " MiB of address space for " + std::to_string(threads) +
        " threads, but got: " + strerror(error) + " (see ulimit -v)");
  }
  munmap(probe, bytes);
  return {};
}

Result<Blas> Blas::open(unsigned threads) {
  PREC_RT_RETURN_IF_ERROR(checkAddressSpace(threads));
  Blas blas;
  const Build *build = nullptr;
  for (const Build &candidate : kBuilds) {
    blas.handle = dlopen(candidate.soname, RTLD_NOW | RTLD_LOCAL);
    build = &candidate;
    if (blas.handle)
      break;
  }
  if (!blas.handle)
    return Status::deviceError(
        "gemm and sdpa on the cpu need libopenblas.so.0, but "
        "got: " +
        std::string(dlerror()));
  auto find = [&](const char *name) {
    return dlsym(blas.handle, (std::string(build->prefix) + name).c_str());
  };
  blas.function = reinterpret_cast<Sgemm>(find("cblas_sgemm"));
  auto setThreads =
      reinterpret_cast<void (*)(int)>(find("openblas_set_num_threads"));
  if (!blas.function || !setThreads)
    return Status::deviceError(std::string(build->soname) + " must have " +
                               build->prefix + "cblas_sgemm and " +
                               build->prefix +
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
