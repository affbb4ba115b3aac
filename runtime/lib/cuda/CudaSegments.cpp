//===- CudaSegments.cpp - the memory of a step module ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaSegments.h"

#include <algorithm>

using namespace prec::rt;

Status prec::rt::allocateZero(const CudaDriver &driver, CUstream stream,
                              int64_t bytes, const std::string &what,
                              DeviceMemory &memory) {
  if (bytes == 0)
    return Status();
  Result<DeviceMemory> allocated = allocate(driver, bytes, what);
  if (!allocated.ok())
    return allocated.status();
  memory = std::move(*allocated);
  return driver.check(driver.cuMemsetD8Async(
                          memory.get(), 0, static_cast<size_t>(bytes), stream),
                      "clearing " + what);
}

/// Of the segments that the module has to itself.
static std::array<int64_t, 5> sizesOf(const ModuleImage &module) {
  std::array<int64_t, 5> sizes = module.manifest->segmentSize;
  if (module.options.stateMemory)
    sizes[static_cast<size_t>(Segment::state)] = 0;
  if (!module.options.arenas.expired())
    sizes[static_cast<size_t>(Segment::workspace)] = 0;
  return sizes;
}

static Status outOfMemory(const std::array<int64_t, 5> &sizes,
                          int64_t libraryWorkspace, size_t free, size_t total) {
  uint64_t needed = static_cast<uint64_t>(libraryWorkspace);
  std::string parts;
  for (size_t i = 0; i < sizes.size(); ++i) {
    needed += static_cast<uint64_t>(sizes[i]);
    parts += std::string(name(static_cast<Segment>(i))) + " " +
             std::to_string(sizes[i]) + ", ";
  }
  return Status::outOfMemory(
      "device memory must hold " + std::to_string(needed) + " bytes (" + parts +
      "cuBLASLt and cuDNN " + std::to_string(libraryWorkspace) + "), but got " +
      std::to_string(free) + " bytes free of " + std::to_string(total));
}

Status CudaSegments::checkFits(const CudaDriver &driver,
                               const ModuleImage &module,
                               int64_t libraryWorkspace) {
  // What the caller's allocator has left is not known.
  if (driver.allocator)
    return Status();
  size_t free = 0, total = 0;
  PREC_RT_RETURN_IF_ERROR(driver.check(driver.cuMemGetInfo(&free, &total),
                                       "reading the free device memory"));
  // Taken off one by one: a sum could overflow.
  size_t left = free;
  std::array<int64_t, 5> sizes = sizesOf(module);
  std::array<int64_t, 6> parts{libraryWorkspace};
  std::copy(sizes.begin(), sizes.end(), parts.begin() + 1);
  for (int64_t part : parts) {
    if (static_cast<size_t>(part) > left)
      return outOfMemory(sizes, libraryWorkspace, free, total);
    left -= static_cast<size_t>(part);
  }
  return Status();
}

Result<CudaSegments> CudaSegments::create(const CudaDriver &driver,
                                          CUstream stream,
                                          const ModuleImage &module,
                                          int64_t libraryWorkspace) {
  const std::array<int64_t, 5> sizes = sizesOf(module);
  size_t free = 0, total = 0;
  PREC_RT_RETURN_IF_ERROR(driver.check(driver.cuMemGetInfo(&free, &total),
                                       "reading the free device memory"));
  CudaSegments result;
  result.otherState = reinterpret_cast<CUdeviceptr>(module.options.stateMemory);
  Status status;
  for (size_t i = 0; i < result.segments.size() && status.ok(); ++i)
    status =
        allocateZero(driver, stream, sizes[i],
                     "segment " + std::string(name(static_cast<Segment>(i))),
                     result.segments[i]);
  if (status.ok())
    status = allocateZero(driver, stream, libraryWorkspace,
                          "the libraries' workspace", result.workspace);
  // Of the GPU's memory, what all of it together needs is of use.
  if (!status.ok() && status.code() == Code::outOfMemory && !driver.allocator)
    return outOfMemory(sizes, libraryWorkspace, free, total);
  PREC_RT_RETURN_IF_ERROR(status);

  constexpr auto constants = static_cast<size_t>(Segment::constants);
  auto bytes = static_cast<size_t>(sizes[constants]);
  if (module.constants.size() < bytes)
    return Status::badFile("section .prec.constants must have " +
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
