//===- CudaTransfers.cpp - copies to and from buffers ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaTransfers.h"

using namespace prec::rt;

Status CudaTransfers::checkRange(int buffer, int64_t bytes,
                                 int64_t offset) const {
  int64_t size = manifest.buffers[static_cast<size_t>(buffer)].bytes();
  if (bytes >= 0 && offset >= 0 && offset <= size && bytes <= size - offset)
    return Status();
  return Status::internal(
      "a copy must lie within buffer " + std::to_string(buffer) + " of " +
      std::to_string(size) + " bytes, but got " + std::to_string(bytes) +
      " bytes at " + std::to_string(offset));
}

template <typename Copy>
Status CudaTransfers::copy(int64_t bytes, const char *what, Wait waits,
                           Copy begin) const {
  if (bytes == 0)
    return Status();
  CudaContextScope scope(driver, context);
  PREC_RT_RETURN_IF_ERROR(scope.status());
  PREC_RT_RETURN_IF_ERROR(
      driver.check(begin(static_cast<size_t>(bytes)), what));
  if (waits == Wait::no)
    return Status();
  return waitFor(ranks, driver, stream, what);
}

Status CudaTransfers::upload(int buffer, const void *source, int64_t bytes,
                             int64_t offset) const {
  PREC_RT_RETURN_IF_ERROR(checkRange(buffer, bytes, offset));
  return copy(bytes, "uploading a buffer", Wait::yes, [&](size_t size) {
    return driver.cuMemcpyHtoDAsync(address(buffer, offset), source, size,
                                    stream);
  });
}

Status CudaTransfers::download(int buffer, void *target, int64_t bytes,
                               int64_t offset) const {
  PREC_RT_RETURN_IF_ERROR(checkRange(buffer, bytes, offset));
  return copy(bytes, "downloading a buffer", Wait::yes, [&](size_t size) {
    return driver.cuMemcpyDtoHAsync(target, address(buffer, offset), size,
                                    stream);
  });
}

/// A fill has no memory of the host to wait for.
Status CudaTransfers::setWord(int buffer, uint32_t word) const {
  PREC_RT_RETURN_IF_ERROR(checkRange(buffer, sizeof word, 0));
  return copy(sizeof word, "setting a number", Wait::no, [&](size_t) {
    return driver.cuMemsetD32Async(address(buffer, 0), word, 1, stream);
  });
}

Status CudaTransfers::copyIn(int buffer, const void *source,
                             int64_t bytes) const {
  PREC_RT_RETURN_IF_ERROR(checkRange(buffer, bytes, 0));
  return copy(bytes, "copying into a buffer", Wait::no, [&](size_t size) {
    return driver.cuMemcpyDtoDAsync(address(buffer, 0),
                                    reinterpret_cast<CUdeviceptr>(source), size,
                                    stream);
  });
}

Status CudaTransfers::copyOut(int buffer, void *target, int64_t bytes) const {
  PREC_RT_RETURN_IF_ERROR(checkRange(buffer, bytes, 0));
  return copy(bytes, "copying from a buffer", Wait::no, [&](size_t size) {
    return driver.cuMemcpyDtoDAsync(reinterpret_cast<CUdeviceptr>(target),
                                    address(buffer, 0), size, stream);
  });
}

Status CudaTransfers::readMemory(void *host, const void *memory,
                                 int64_t bytes) const {
  return copy(bytes, "copying a tensor to the host", Wait::yes,
              [&](size_t size) {
                return driver.cuMemcpyDtoHAsync(
                    host, reinterpret_cast<CUdeviceptr>(memory), size, stream);
              });
}

Status CudaTransfers::writeMemory(void *memory, const void *host,
                                  int64_t bytes) const {
  return copy(bytes, "copying a tensor from the host", Wait::yes,
              [&](size_t size) {
                return driver.cuMemcpyHtoDAsync(
                    reinterpret_cast<CUdeviceptr>(memory), host, size, stream);
              });
}

Status prec::rt::checkGpuMemory(const CudaDriver &driver, int gpu,
                                const void *memory, int64_t bytes) {
  if (bytes == 0)
    return Status();
  auto address = reinterpret_cast<CUdeviceptr>(memory);
  for (CUdeviceptr byte :
       {address, address + static_cast<CUdeviceptr>(bytes) - 1}) {
    int index = -1;
    if (driver.cuPointerGetAttribute(&index,
                                     CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                     byte) != CUDA_SUCCESS ||
        index != gpu)
      return Status::invalidArgument("a tensor must be memory of GPU " +
                                     std::to_string(gpu) + ", but is not");
  }
  return Status();
}
