//===- CudaDriver.cpp - the CUDA driver API, opened when used -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaDriver.h"

#include "DynamicLibrary.h"

using namespace prec::rt;

#define PREC_RT_SYMBOL_TEXT(symbol) #symbol
#define PREC_RT_SYMBOL(function) PREC_RT_SYMBOL_TEXT(function)

static std::string versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

/// cuBLASLt 13 and cuDNN for CUDA 13 need it.
static constexpr int requiredVersion = 13000;

Result<CudaDriver> CudaDriver::open() {
  Result<DynamicLibrary> library = DynamicLibrary::open(
      "the NVIDIA driver, which a CUDA module needs,", "libcuda.so.1", {});
  if (!library.ok())
    return library.status();

  // The version first: an older driver lacks functions of the table.
  Result<void *> getVersion = library->find("cuDriverGetVersion");
  if (!getVersion.ok())
    return getVersion.status();
  int version = 0;
  auto driverGetVersion =
      reinterpret_cast<decltype(&::cuDriverGetVersion)>(*getVersion);
  if (driverGetVersion(&version) != CUDA_SUCCESS || version < requiredVersion)
    return Status::deviceError(
        "the NVIDIA driver must support CUDA " + versionText(requiredVersion) +
        " or newer, but got one for CUDA " + versionText(version));

  CudaDriver driver;
#define PREC_RT_LOAD(function)                                                 \
  {                                                                            \
    Result<void *> address = library->find(PREC_RT_SYMBOL(function));          \
    if (!address.ok())                                                         \
      return address.status();                                                 \
    driver.function = reinterpret_cast<decltype(&::function)>(*address);       \
  }
  PREC_RT_CUDA_DRIVER_FUNCTIONS(PREC_RT_LOAD)
#undef PREC_RT_LOAD

  // Without a GPU the driver does not even start.
  CUresult started = driver.cuInit(0);
  int count = 0;
  if (started != CUDA_ERROR_NO_DEVICE) {
    PREC_RT_RETURN_IF_ERROR(
        driver.check(started, "starting the NVIDIA driver"));
    PREC_RT_RETURN_IF_ERROR(
        driver.check(driver.cuDeviceGetCount(&count), "counting the GPUs"));
  }
  if (count == 0)
    return Status::deviceError(
        "a CUDA module needs an NVIDIA GPU, but got none");
  return driver;
}

Status CudaDriver::check(CUresult result, const std::string &what) const {
  if (result == CUDA_SUCCESS)
    return Status();
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS)
    name = "unknown error";
  if (cuGetErrorString(result, &text) != CUDA_SUCCESS)
    text = "no description";
  Code code =
      result == CUDA_ERROR_OUT_OF_MEMORY ? Code::outOfMemory : Code::device;
  return Status::withCode(code, what + ": must succeed, but got " + name +
                                    " (" + text + ")");
}

static Result<DeviceMemory> allocateBy(const Allocator &allocator, size_t bytes,
                                       const std::string &what) {
  void *given = allocator.allocate(bytes, kAllocationAlignment, allocator.user);
  if (!given)
    return Status::outOfMemory(what + " needs " + std::to_string(bytes) +
                               " bytes of device memory, but the caller's "
                               "allocate gave none");
  DeviceMemory memory(reinterpret_cast<CUdeviceptr>(given), bytes, allocator);
  if (memory.get() % kAllocationAlignment != 0)
    return Status::invalidArgument(
        what + " needs memory at a multiple of " +
        std::to_string(kAllocationAlignment) +
        " bytes, but the caller's allocate gave another");
  return memory;
}

Result<DeviceMemory> prec::rt::allocate(const CudaDriver &driver, int64_t bytes,
                                        const std::string &what) {
  if (driver.allocator)
    return allocateBy(driver.allocator, static_cast<size_t>(bytes), what);
  CUdeviceptr address = 0;
  CUresult result = driver.cuMemAlloc(&address, static_cast<size_t>(bytes));
  if (result != CUDA_ERROR_OUT_OF_MEMORY) {
    PREC_RT_RETURN_IF_ERROR(driver.check(result, "allocating " + what));
    return DeviceMemory(address, driver.cuMemFree);
  }
  size_t free = 0, total = 0;
  PREC_RT_RETURN_IF_ERROR(driver.check(driver.cuMemGetInfo(&free, &total),
                                       "reading the free device memory"));
  return Status::outOfMemory("device memory must hold " +
                             std::to_string(bytes) + " bytes for " + what +
                             ", but got " + std::to_string(free) + " free of " +
                             std::to_string(total));
}

Result<CudaEvent> prec::rt::createEvent(const CudaDriver &driver) {
  CUevent event = nullptr;
  PREC_RT_RETURN_IF_ERROR(driver.check(
      driver.cuEventCreate(&event, CU_EVENT_DEFAULT), "creating an event"));
  return CudaEvent(event, driver.cuEventDestroy);
}
