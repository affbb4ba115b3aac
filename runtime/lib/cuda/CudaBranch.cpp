//===- CudaBranch.cpp - a second stream beside a module's -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two streams are ordered by events: one records an event, the other waits for
// it. Recorded, the second stream becomes a branch of the CUDA graph of the
// first, which ends where the first waits for it.
//
//===----------------------------------------------------------------------===//

#include "CudaBranch.h"

using namespace prec::rt;

/// As createEvent, but for order alone, which is cheaper than times.
static Result<CudaEvent> createOrderEvent(const CudaDriver &driver) {
  CUevent event = nullptr;
  PREC_RT_RETURN_IF_ERROR(
      driver.check(driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING),
                   "creating an event"));
  return CudaEvent(event, driver.cuEventDestroy);
}

Result<CudaBranch> CudaBranch::open(const CudaDriver &driver) {
  CudaBranch branch;
  CUstream stream = nullptr;
  PREC_RT_RETURN_IF_ERROR(
      driver.check(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
                   "creating a stream for exchanges"));
  branch.own = CudaStream(stream, driver.cuStreamDestroy);
  Result<CudaEvent> forked = createOrderEvent(driver);
  if (!forked.ok())
    return forked.status();
  branch.forked = std::move(*forked);
  return branch;
}

Status CudaBranch::fork(const CudaDriver &driver, CUstream line) {
  PREC_RT_RETURN_IF_ERROR(driver.check(driver.cuEventRecord(forked.get(), line),
                                       "beginning exchanges"));
  return driver.check(driver.cuStreamWaitEvent(own.get(), forked.get(), 0),
                      "beginning exchanges");
}

Status CudaBranch::mark(const CudaDriver &driver, int64_t number) {
  const auto index = static_cast<size_t>(number);
  while (ends.size() <= index) {
    Result<CudaEvent> event = createOrderEvent(driver);
    if (!event.ok())
      return event.status();
    ends.push_back(std::move(*event));
  }
  return driver.check(driver.cuEventRecord(ends[index].get(), own.get()),
                      "ending exchanges");
}

Status CudaBranch::await(const CudaDriver &driver, CUstream line,
                         int64_t number) {
  return driver.check(driver.cuStreamWaitEvent(
                          line, ends[static_cast<size_t>(number)].get(), 0),
                      "waiting for exchanges");
}
