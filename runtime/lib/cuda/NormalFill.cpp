//===- NormalFill.cpp - random values on the GPU --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NormalFill.h"

#include "CudaKernels.h"
#include "FillNormalPtx.h"

using namespace prec::rt;

Status NormalFill::fill(const CudaDriver &driver, CUstream stream,
                        CUdeviceptr target, const Slice &slice, float mean,
                        float stddev, uint64_t seed) {
  const std::string what = "filling a buffer with random values";
  if (!module) {
    Result<CudaModule> loaded =
        loadPtx(driver, fillNormalPtx, "the kernel of random values");
    if (!loaded.ok())
      return loaded.status();
    module = std::move(*loaded);
  }
  CUfunction function = nullptr;
  PREC_RT_RETURN_IF_ERROR(driver.check(
      driver.cuModuleGetFunction(&function, module.get(), fillNormalSymbol),
      "finding the kernel of random values"));
  constexpr unsigned block = 256;
  uint64_t begin = 0; // of a piece in its run
  for (const Slice::Piece &piece : slice.pieces) {
    auto length = static_cast<uint64_t>(piece.length);
    auto run = static_cast<uint64_t>(slice.length);
    auto stride = static_cast<uint64_t>(slice.stride);
    auto first = static_cast<uint64_t>(piece.start);
    uint64_t count = length * static_cast<uint64_t>(slice.runs);
    void *arguments[] = {&target, &count, &length, &run,  &begin,
                         &stride, &first, &seed,   &mean, &stddev};
    if (count != 0)
      PREC_RT_RETURN_IF_ERROR(driver.check(
          driver.cuLaunchKernel(
              function, static_cast<unsigned>((count + block - 1) / block), 1,
              1, block, 1, 1, 0, stream, arguments, nullptr),
          what));
    begin += length;
  }
  return driver.check(driver.cuStreamSynchronize(stream), what);
}
