//===- CudaDriver.h - the CUDA driver API, opened when used -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API, not the CUDA runtime: it comes with the driver, so that a
// module needs no toolkit to run.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_CUDA_CUDADRIVER_H
#define PREC_RT_CUDA_CUDADRIVER_H

#include "OpenOptions.h"
#include "Status.h"

#include <cuda.h>

#include <utility>

// cuda.h maps many of these names to a versioned symbol (cuMemAlloc_v2): every
// use goes through that mapping, so that table, symbol and prototype agree.
#define PREC_RT_CUDA_DRIVER_FUNCTIONS(X)                                       \
  X(cuInit)                                                                    \
  X(cuGetErrorName)                                                            \
  X(cuGetErrorString)                                                          \
  X(cuDeviceGetCount)                                                          \
  X(cuDeviceGet)                                                               \
  X(cuDeviceGetName)                                                           \
  X(cuDeviceGetAttribute)                                                      \
  X(cuDevicePrimaryCtxRetain)                                                  \
  X(cuDevicePrimaryCtxRelease)                                                 \
  X(cuCtxGetCurrent)                                                           \
  X(cuCtxGetDevice)                                                            \
  X(cuCtxPushCurrent)                                                          \
  X(cuCtxPopCurrent)                                                           \
  X(cuMemGetInfo)                                                              \
  X(cuMemAlloc)                                                                \
  X(cuMemFree)                                                                 \
  X(cuMemGetAddressRange)                                                      \
  X(cuIpcGetMemHandle)                                                         \
  X(cuIpcOpenMemHandle)                                                        \
  X(cuIpcCloseMemHandle)                                                       \
  X(cuMemsetD8Async)                                                           \
  X(cuMemsetD32Async)                                                          \
  X(cuMemcpyHtoDAsync)                                                         \
  X(cuMemcpyDtoHAsync)                                                         \
  X(cuMemcpyDtoDAsync)                                                         \
  X(cuPointerGetAttribute)                                                     \
  X(cuModuleLoadDataEx)                                                        \
  X(cuModuleUnload)                                                            \
  X(cuModuleGetFunction)                                                       \
  X(cuFuncSetAttribute)                                                        \
  X(cuLaunchKernel)                                                            \
  X(cuTensorMapEncodeTiled)                                                    \
  X(cuStreamCreate)                                                            \
  X(cuStreamDestroy)                                                           \
  X(cuStreamGetCtx)                                                            \
  X(cuStreamSynchronize)                                                       \
  X(cuStreamWaitEvent)                                                         \
  X(cuStreamBatchMemOp)                                                        \
  X(cuStreamBeginCapture)                                                      \
  X(cuStreamEndCapture)                                                        \
  X(cuEventCreate)                                                             \
  X(cuEventDestroy)                                                            \
  X(cuEventRecord)                                                             \
  X(cuEventSynchronize)                                                        \
  X(cuEventElapsedTime)                                                        \
  X(cuGraphDestroy)                                                            \
  X(cuGraphInstantiate)                                                        \
  X(cuGraphExecDestroy)                                                        \
  X(cuGraphLaunch)

namespace prec::rt {

/// The functions of libcuda.so.1. Copyable; valid for the process's life.
struct CudaDriver {
#define PREC_RT_MEMBER(function) decltype(&::function) function = nullptr;
  PREC_RT_CUDA_DRIVER_FUNCTIONS(PREC_RT_MEMBER)
#undef PREC_RT_MEMBER
  /// Who gives memory, if not the driver.
  Allocator allocator{};

  /// Opens the driver, checks its version and initializes it. Errors: no
  /// driver, too old a driver, no GPU.
  static Result<CudaDriver> open();

  /// Ok, or an error that begins with `what` and quotes the driver.
  Status check(CUresult result, const std::string &what) const;
};

/// Owner of a driver object; destroys it with the driver's own function.
template <typename Handle> class CudaOwned {
public:
  CudaOwned() = default;
  CudaOwned(Handle handle, CUresult (*destroy)(Handle))
      : handle(handle), destroy(destroy) {}
  CudaOwned(CudaOwned &&other) noexcept { swap(other); }
  CudaOwned &operator=(CudaOwned &&other) noexcept {
    CudaOwned taken(std::move(other));
    swap(taken);
    return *this;
  }
  // A destructor has nobody to tell: after a sticky error every destruction
  // fails, and that error was reported where it arose.
  ~CudaOwned() {
    if (handle)
      (void)destroy(handle);
  }
  Handle get() const { return handle; }
  explicit operator bool() const { return handle != Handle(); }

private:
  void swap(CudaOwned &other) noexcept {
    std::swap(handle, other.handle);
    std::swap(destroy, other.destroy);
  }
  Handle handle = Handle();
  CUresult (*destroy)(Handle) = nullptr;
};

/// Memory of the driver or of the caller's allocator, given back inside the
/// context.
class DeviceMemory {
public:
  DeviceMemory() = default;
  DeviceMemory(CUdeviceptr address, CUresult (*release)(CUdeviceptr))
      : address(address), release(release) {}
  DeviceMemory(CUdeviceptr address, size_t bytes, const Allocator &owner)
      : address(address), bytes(bytes), owner(owner) {}
  DeviceMemory(DeviceMemory &&other) noexcept { swap(other); }
  DeviceMemory &operator=(DeviceMemory &&other) noexcept {
    DeviceMemory taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~DeviceMemory() {
    if (address && owner)
      owner.deallocate(reinterpret_cast<void *>(address), bytes, owner.user);
    else if (address)
      (void)release(address);
  }
  CUdeviceptr get() const { return address; }
  explicit operator bool() const { return address != 0; }

private:
  void swap(DeviceMemory &other) noexcept {
    std::swap(address, other.address);
    std::swap(bytes, other.bytes);
    std::swap(release, other.release);
    std::swap(owner, other.owner);
  }
  CUdeviceptr address = 0;
  size_t bytes = 0;
  CUresult (*release)(CUdeviceptr) = nullptr;
  Allocator owner;
};

using CudaStream = CudaOwned<CUstream>;
using CudaEvent = CudaOwned<CUevent>;
using CudaModule = CudaOwned<CUmodule>;
using CudaGraphHandle = CudaOwned<CUgraph>;
using CudaGraphExec = CudaOwned<CUgraphExec>;

/// `bytes` > 0.
Result<DeviceMemory> allocate(const CudaDriver &driver, int64_t bytes,
                              const std::string &what);
Result<CudaEvent> createEvent(const CudaDriver &driver);

/// Makes a context current for a scope: callers may come from any thread and
/// may have a context of their own.
class CudaContextScope {
public:
  CudaContextScope(const CudaDriver &driver, CUcontext context)
      : driver(driver),
        entered(driver.check(driver.cuCtxPushCurrent(context),
                             "making the CUDA context current")) {}
  ~CudaContextScope() {
    CUcontext popped = nullptr;
    if (entered.ok())
      (void)driver.cuCtxPopCurrent(&popped);
  }
  CudaContextScope(const CudaContextScope &) = delete;
  CudaContextScope &operator=(const CudaContextScope &) = delete;
  const Status &status() const { return entered; }

private:
  const CudaDriver &driver;
  Status entered;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDADRIVER_H
