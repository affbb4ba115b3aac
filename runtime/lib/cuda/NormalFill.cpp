//===- NormalFill.cpp - random values on the GPU --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NormalFill.h"

#include "CudaKernels.h"
#include "FillNormalPtx.h"

using namespace prec::rt;

Status NormalFill::fill(const CudaDriver &driver, CUstream stream,
                        CUdeviceptr target, uint64_t count, float mean,
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
  void *arguments[] = {&target, &count, &seed, &mean, &stddev};
  constexpr unsigned block = 256;
  PREC_RT_RETURN_IF_ERROR(driver.check(
      driver.cuLaunchKernel(function,
                            static_cast<unsigned>((count + block - 1) / block),
                            1, 1, block, 1, 1, 0, stream, arguments, nullptr),
      what));
  return driver.check(driver.cuStreamSynchronize(stream), what);
}
