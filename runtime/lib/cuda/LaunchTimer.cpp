//===- LaunchTimer.cpp - times by the GPU's own clock ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaunchTimer.h"

#include "CudaDriver.h"

#include <algorithm>

using namespace prec::rt;

Result<std::vector<double>>
prec::rt::timeLaunches(const CudaDriver &driver, CUstream stream, size_t count,
                       const std::string &what,
                       const std::function<Status(size_t)> &launch) {
  std::vector<CudaEvent> events;
  for (size_t i = 0; i <= count; ++i) {
    Result<CudaEvent> created = createEvent(driver);
    if (!created.ok())
      return created.status();
    events.push_back(std::move(*created));
  }
  auto record = [&](const CudaEvent &event) {
    return driver.check(driver.cuEventRecord(event.get(), stream), what);
  };
  PREC_RT_RETURN_IF_ERROR(record(events[0]));
  for (size_t i = 0; i < count; ++i) {
    PREC_RT_RETURN_IF_ERROR(launch(i));
    PREC_RT_RETURN_IF_ERROR(record(events[i + 1]));
  }
  PREC_RT_RETURN_IF_ERROR(
      driver.check(driver.cuStreamSynchronize(stream), what));
  std::vector<double> times;
  for (size_t i = 0; i < count; ++i) {
    float milliseconds = 0;
    PREC_RT_RETURN_IF_ERROR(
        driver.check(driver.cuEventElapsedTime(&milliseconds, events[i].get(),
                                               events[i + 1].get()),
                     what));
    times.push_back(static_cast<double>(milliseconds));
  }
  return times;
}

Result<double> prec::rt::measureCopyRate(const CudaDriver &driver,
                                         CUstream stream, int64_t cacheBytes) {
  constexpr int64_t most = int64_t(1) << 30, page = 2 << 20;
  constexpr size_t copies = 10;
  // Of so many times the cache little is still in it when its turn comes.
  const int64_t least = std::max<int64_t>(64 << 20, 4 * cacheBytes);
  size_t free = 0, total = 0;
  PREC_RT_RETURN_IF_ERROR(driver.check(driver.cuMemGetInfo(&free, &total),
                                       "reading the free device memory"));
  // Two of them, and a fifth for what is free but in no one piece.
  int64_t bytes =
      std::min(most, static_cast<int64_t>(free / 5 * 2) / page * page);
  if (bytes < least)
    return Status::outOfMemory(
        "measuring copies needs " + std::to_string(least / 2 * 5) +
        " bytes of free device memory, but got " + std::to_string(free));
  Result<DeviceMemory> source = allocate(driver, bytes, "the source of copies");
  if (!source.ok())
    return source.status();
  Result<DeviceMemory> target = allocate(driver, bytes, "the target of copies");
  if (!target.ok())
    return target.status();
  const std::string what = "measuring copies";
  Result<std::vector<double>> milliseconds =
      timeLaunches(driver, stream, copies, what, [&](size_t) {
        return driver.check(
            driver.cuMemcpyDtoDAsync(target->get(), source->get(),
                                     static_cast<size_t>(bytes), stream),
            what);
      });
  if (!milliseconds.ok())
    return milliseconds.status();
  double fastest =
      *std::min_element(milliseconds->begin(), milliseconds->end());
  return 2e3 * static_cast<double>(bytes) / fastest;
}
