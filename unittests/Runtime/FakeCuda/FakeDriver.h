//===- FakeDriver.h - a stand-in for libcuda.so.1 ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test double: device memory is host memory, work runs at once or is kept
// in a recorded graph, and time is counted by the work itself. It lets the
// device's tests run, and fail, where there is no GPU.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_UNITTESTS_RUNTIME_FAKEDRIVER_H
#define PREC_UNITTESTS_RUNTIME_FAKEDRIVER_H

#include <cuda.h>

#include <cstdint>
#include <functional>

/// What tests ask of a driver that was opened by its name.
struct FakeCounts {
  int64_t work = 0;      ///< launched or copied
  int64_t hostBytes = 0; ///< copied to and from the host
};
extern "C" {
void fakeCudaCounts(FakeCounts *counts);
int64_t fakeCudaWorkOf(CUstream stream);
int64_t fakeCudaAllocations(int gpu);
/// As many are counted from then on.
void fakeCudaShow(int gpus);
}

namespace fake {
/// Puts work on a stream; it takes `milliseconds` of the fake clock.
void enqueue(CUstream stream, std::function<void()> work, double milliseconds);
/// Whether what was put on a stream last clears memory.
bool clearsLast();
/// Whether [address, address + bytes) lies in one living allocation.
bool isAllocated(CUdeviceptr address, size_t bytes);
} // namespace fake

#endif // PREC_UNITTESTS_RUNTIME_FAKEDRIVER_H
