//===- CudaKernels.h - the kernels of a step module -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDAKERNELS_H
#define PREC_RT_CUDA_CUDAKERNELS_H

#include "CudaDriver.h"
#include "Device.h"

#include <map>

namespace prec::rt {

/// The GPU that runs the module.
struct CudaDeviceInfo {
  std::string name;
  int major = 0, minor = 0; ///< compute capability
  int cacheBytes = 0;       ///< of L2
  std::string chip() const {
    return "sm_" + std::to_string(major) + std::to_string(minor);
  }
};

/// Whether a GPU runs a module for `chip` ("sm_90a": this architecture and no
/// other; "sm_90": this one or newer, by its PTX).
Status checkChip(const std::string &chip, const CudaDeviceInfo &device);

/// Loads PTX text; `what` names it in errors.
Result<CudaModule> loadPtx(const CudaDriver &driver, const std::string &ptx,
                           const std::string &what);

/// The module's own kernels, by symbol.
class CudaKernels {
public:
  /// Loads the images that fit, and finds the functions of all commands.
  static Result<CudaKernels> load(const CudaDriver &driver,
                                  const ModuleImage &module,
                                  const CudaDeviceInfo &device);

  /// `arguments` point to what a kernel takes.
  Status launch(const CudaDriver &driver, CUstream stream, const Kernel &kernel,
                std::vector<void *> arguments) const;

private:
  std::vector<CudaModule> images;
  std::map<std::string, CUfunction> functions;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDAKERNELS_H
