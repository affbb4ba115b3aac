//===- CudaUnavailable.cpp - a runtime built without CUDA -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Device.h"

using namespace prec::rt;

Result<std::unique_ptr<Device>>
prec::rt::createCudaDevice(const ModuleImage &module) {
  return Status::unsupported(
      module.path +
      ": modules for target cuda need a runtime built with CUDA, but this one "
      "is not: build it with 'cmake --preset cuda && cmake --build --preset "
      "cuda'");
}
