//===- Nvml.h - clock and power of a GPU, as its driver tells ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_NVML_H
#define PREC_RT_CUDA_NVML_H

#include "CudaDriver.h"
#include "Device.h"

#include <optional>
#include <string>

namespace prec::rt {

/// NVIDIA's management library, which comes with the driver. It is opened when
/// used, by functions that it has had since 2014 and whose types its header
/// need not tell: handles, numbers and texts.
class Nvml {
public:
  /// Of the GPU of this number in the driver's order. None where the library is
  /// missing, as in some containers, or does not know the GPU: what it tells is
  /// recorded where it is there, and nothing depends on it.
  static std::optional<Nvml> open(int index);

  /// "580.65.06"; empty if it does not say.
  std::string driverVersion() const;
  /// Of the SMs, now.
  std::optional<ClockSample> sample() const;

private:
  using Handle = void *;
  Handle device = nullptr;
  int (*getVersion)(char *, unsigned) = nullptr;
  int (*getClock)(Handle, int, unsigned *) = nullptr;
  int (*getPower)(Handle, unsigned *) = nullptr;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_NVML_H
