//===- CudaSegments.cpp - the memory of a step module ---------------------===//

#include "CudaSegments.h"

using namespace prec::rt;

/// Allocates and zeroes `bytes`; nothing for none.
static CUresult allocateZero(const CudaDriver &driver, CUstream stream,
                             int64_t bytes, DeviceMemory &memory) {
  if (bytes == 0)
    return CUDA_SUCCESS;
  CUdeviceptr address = 0;
  size_t size = static_cast<size_t>(bytes);
  if (CUresult result = driver.cuMemAlloc(&address, size))
    return result;
  memory = DeviceMemory(address, driver.cuMemFree);
  return driver.cuMemsetD8Async(address, 0, size, stream);
}

static std::string needs(const Manifest &manifest, int64_t libraryWorkspace) {
  static constexpr const char *names[] = {"state", "input", "output",
                                          "workspace", "constants"};
  int64_t total = libraryWorkspace;
  std::string parts;
  for (size_t i = 0; i < manifest.segmentSize.size(); ++i) {
    total += manifest.segmentSize[i];
    parts += std::string(names[i]) + " " +
             std::to_string(manifest.segmentSize[i]) + ", ";
  }
  return std::to_string(total) + " bytes (" + parts + "cuBLASLt and cuDNN " +
         std::to_string(libraryWorkspace) + ")";
}

Result<CudaSegments> CudaSegments::create(const CudaDriver &driver,
                                          CUstream stream,
                                          const ModuleImage &module,
                                          int64_t libraryWorkspace) {
  const Manifest &manifest = *module.manifest;
  size_t free = 0, total = 0;
  PREC_RT_RETURN_IF_ERROR(driver.check(driver.cuMemGetInfo(&free, &total),
                                       "reading the free device memory"));
  CudaSegments result;
  CUresult status = CUDA_SUCCESS;
  for (size_t i = 0; i < result.segments.size() && !status; ++i)
    status = allocateZero(driver, stream, manifest.segmentSize[i],
                          result.segments[i]);
  if (!status)
    status = allocateZero(driver, stream, libraryWorkspace, result.workspace);
  if (status == CUDA_ERROR_OUT_OF_MEMORY)
    return Status::error("device memory must hold " +
                         needs(manifest, libraryWorkspace) + ", but got " +
                         std::to_string(free) + " bytes free of " +
                         std::to_string(total));
  PREC_RT_RETURN_IF_ERROR(driver.check(
      status, "allocating " + needs(manifest, libraryWorkspace)));

  constexpr auto constants = static_cast<size_t>(Segment::constants);
  auto bytes = static_cast<size_t>(manifest.segmentSize[constants]);
  if (module.constants.size() < bytes)
    return Status::error("section .prec.constants must have " +
                         std::to_string(bytes) + " bytes, but got " +
                         std::to_string(module.constants.size()));
  if (bytes != 0)
    PREC_RT_RETURN_IF_ERROR(driver.check(
        driver.cuMemcpyHtoDAsync(result.segments[constants].get(),
                                 module.constants.data(), bytes, stream),
        "uploading the constants"));
  PREC_RT_RETURN_IF_ERROR(driver.check(driver.cuStreamSynchronize(stream),
                                       "clearing the module's memory"));
  return result;
}
