//===- CudaTransfers.h - copies to and from buffers -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDATRANSFERS_H
#define PREC_RT_CUDA_CUDATRANSFERS_H

#include "CudaRanks.h"
#include "CudaSegments.h"

namespace prec::rt {

/// Copies between the buffers of a module, memory of the host and other memory
/// of the GPU, behind the work of one stream. Those that touch the host wait;
/// those on the GPU do not. Enters the context by itself.
class CudaTransfers {
public:
  CudaTransfers(const CudaDriver &driver, CUcontext context, CUstream stream,
                const Manifest &manifest, const CudaSegments &segments,
                CudaRanks *ranks)
      : driver(driver), context(context), stream(stream), manifest(manifest),
        segments(segments), ranks(ranks) {}

  /// Bytes from `offset` of a buffer on, within it.
  Status upload(int buffer, const void *source, int64_t bytes,
                int64_t offset) const;
  Status download(int buffer, void *target, int64_t bytes,
                  int64_t offset) const;
  /// Sets the first 4 bytes, of which a buffer has at least as many.
  Status setWord(int buffer, uint32_t word) const;
  /// The first bytes of a buffer, from and to memory of the GPU.
  Status copyIn(int buffer, const void *source, int64_t bytes) const;
  Status copyOut(int buffer, void *target, int64_t bytes) const;
  /// Memory of the GPU that is no buffer.
  Status readMemory(void *host, const void *memory, int64_t bytes) const;
  Status writeMemory(void *memory, const void *host, int64_t bytes) const;

private:
  CUdeviceptr address(int buffer, int64_t offset) const {
    return segments.address(manifest.buffers[static_cast<size_t>(buffer)]) +
           static_cast<CUdeviceptr>(offset);
  }
  Status checkRange(int buffer, int64_t bytes, int64_t offset) const;
  enum class Wait { no, yes };
  /// A copy of so many bytes on the stream, unless there are none: `begin` is
  /// given their number.
  template <typename Copy>
  Status copy(int64_t bytes, const char *what, Wait waits, Copy begin) const;

  const CudaDriver &driver;
  CUcontext context;
  CUstream stream;
  const Manifest &manifest;
  const CudaSegments &segments;
  CudaRanks *ranks; ///< of what is on the stream, or null
};

/// Whether all bytes are memory of the GPU with this number. The driver knows
/// memory of GPUs by its address, also that of other libraries.
Status checkGpuMemory(const CudaDriver &driver, int gpu, const void *memory,
                      int64_t bytes);

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDATRANSFERS_H
