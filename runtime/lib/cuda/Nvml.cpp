//===- Nvml.cpp - clock and power of a GPU, as its driver tells -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's order of GPUs may be another than the management library's, so
// the GPU is found by the place on its bus, which the driver says.
//
//===----------------------------------------------------------------------===//

#include "Nvml.h"

#include "DynamicLibrary.h"

#include <array>

using namespace prec::rt;

static constexpr int kSuccess = 0;
/// NVML_CLOCK_SM
static constexpr int kClockSm = 1;

template <typename Function>
static bool find(const DynamicLibrary &library, const char *name,
                 Function &function) {
  Result<void *> found = library.find(name);
  if (!found.ok())
    return false;
  function = reinterpret_cast<Function>(*found);
  return true;
}

std::optional<Nvml> Nvml::open(int index) {
  Result<DynamicLibrary> driver =
      DynamicLibrary::open("the NVIDIA driver", "libcuda.so.1", {});
  Result<DynamicLibrary> library = DynamicLibrary::open(
      "NVIDIA's management library", "libnvidia-ml.so.1", {});
  if (!driver.ok() || !library.ok())
    return std::nullopt;
  int (*getBusId)(char *, int, int) = nullptr;
  int (*initialize)() = nullptr;
  int (*getHandle)(const char *, Handle *) = nullptr;
  Nvml nvml;
  std::array<char, 32> busId{};
  if (!find(*driver, "cuDeviceGetPCIBusId", getBusId) ||
      !find(*library, "nvmlInit_v2", initialize) ||
      !find(*library, "nvmlDeviceGetHandleByPciBusId_v2", getHandle) ||
      !find(*library, "nvmlSystemGetDriverVersion", nvml.getVersion) ||
      !find(*library, "nvmlDeviceGetClockInfo", nvml.getClock) ||
      !find(*library, "nvmlDeviceGetPowerUsage", nvml.getPower))
    return std::nullopt;
  // A device's handle of the driver is its number.
  if (getBusId(busId.data(), static_cast<int>(busId.size()), index) !=
          CUDA_SUCCESS ||
      initialize() != kSuccess ||
      getHandle(busId.data(), &nvml.device) != kSuccess)
    return std::nullopt;
  return nvml;
}

std::string Nvml::driverVersion() const {
  std::array<char, 80> version{};
  if (getVersion(version.data(), static_cast<unsigned>(version.size())) !=
      kSuccess)
    return {};
  return version.data();
}

std::optional<ClockSample> Nvml::sample() const {
  unsigned megahertz = 0, milliwatts = 0;
  if (getClock(device, kClockSm, &megahertz) != kSuccess ||
      getPower(device, &milliwatts) != kSuccess)
    return std::nullopt;
  return ClockSample{static_cast<double>(megahertz),
                     static_cast<double>(milliwatts) * 1e-3};
}
