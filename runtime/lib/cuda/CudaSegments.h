//===- CudaSegments.h - the memory of a step module -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDASEGMENTS_H
#define PREC_RT_CUDA_CUDASEGMENTS_H

#include "CudaDriver.h"
#include "Device.h"

#include <array>

namespace prec::rt {

/// Allocates and zeroes `bytes`, on the stream; nothing for none.
Status allocateZero(const CudaDriver &driver, CUstream stream, int64_t bytes,
                    const std::string &what, DeviceMemory &memory);

/// One allocation a segment, made once, and one workspace that the libraries'
/// calls share: everything runs on one stream, one call after the other.
class CudaSegments {
public:
  /// Whether the segments and a workspace fit into what is free now; the error
  /// says what all of it together needs.
  static Status checkFits(const CudaDriver &driver, const ModuleImage &module,
                          int64_t libraryWorkspace);

  /// Zero filled, with the constants uploaded.
  static Result<CudaSegments> create(const CudaDriver &driver, CUstream stream,
                                     const ModuleImage &module,
                                     int64_t libraryWorkspace);

  CUdeviceptr address(const Buffer &buffer) const {
    return address(buffer.segment) + static_cast<CUdeviceptr>(buffer.offset);
  }
  CUdeviceptr address(Segment segment) const {
    if (segment == Segment::state && otherState)
      return otherState;
    if (segment == Segment::workspace && isShared)
      return sharedWorkspace;
    return segments[static_cast<size_t>(segment)].get();
  }
  CUdeviceptr libraryWorkspace() const {
    return isShared ? sharedScratch : workspace.get();
  }

  /// Hands workspace and libraries' workspace over to who shares them: from
  /// then on they are where `place...` says.
  void share(DeviceMemory &ofSegment, DeviceMemory &ofLibraries) {
    ofSegment = std::move(segments[static_cast<size_t>(Segment::workspace)]);
    ofLibraries = std::move(workspace);
    isShared = true;
  }
  void placeWorkspace(CUdeviceptr place) { sharedWorkspace = place; }
  void placeLibraryWorkspace(CUdeviceptr place) { sharedScratch = place; }

private:
  std::array<DeviceMemory, 5> segments; ///< by Segment
  CUdeviceptr otherState = 0;           ///< if it is another module's
  DeviceMemory workspace;
  bool isShared = false;
  CUdeviceptr sharedWorkspace = 0, sharedScratch = 0;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDASEGMENTS_H
