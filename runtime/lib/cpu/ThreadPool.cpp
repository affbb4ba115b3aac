//===- ThreadPool.cpp - parallel loops over an iteration range ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ThreadPool.h"

#include <algorithm>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <system_error>

using namespace prec::rt;

static constexpr uint32_t kOpen = uint32_t(1) << 31;

/// Waits until `value` differs from `old`: a while by looking, as the commands
/// of a step follow one another within microseconds, then in the kernel.
static void waitForChange(std::atomic<uint32_t> &value, uint32_t old) {
  for (int i = 0; i < 4000; ++i) {
    if (value.load(std::memory_order_acquire) != old)
      return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  value.wait(old, std::memory_order_acquire);
}

unsigned ThreadPool::hardwareThreads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

ThreadPool::ThreadPool(unsigned threads) {
  try {
    for (unsigned worker = 1; worker < threads; ++worker)
      workers.emplace_back([this, worker] { serve(worker); });
  } catch (const std::system_error &error) {
    size_t started = workers.size();
    stop();
    throw std::runtime_error(
        "a step on the CPU must have " + std::to_string(threads) +
        " threads, one a processor, but got " + std::to_string(started + 1) +
        " (" + error.code().message() +
        "): allow more memory and processes (ulimit -v, -u), or run on fewer "
        "processors (taskset)");
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  stopping.store(true, std::memory_order_relaxed);
  generation.fetch_add(1, std::memory_order_release);
  generation.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::takeRanges(unsigned worker) {
  for (;;) {
    int64_t begin = next.fetch_add(grain, std::memory_order_relaxed);
    if (begin >= extent)
      return;
    (*body)(begin, std::min(extent, begin + grain), worker);
  }
}

void ThreadPool::serve(unsigned worker) {
  uint32_t seen = 0;
  for (;;) {
    waitForChange(generation, seen);
    seen = generation.load(std::memory_order_acquire);
    if (stopping.load(std::memory_order_relaxed))
      return;
    uint32_t state = gate.load(std::memory_order_relaxed);
    while (state & kOpen)
      if (gate.compare_exchange_weak(state, state + 1,
                                     std::memory_order_acquire)) {
        takeRanges(worker);
        // The last one out of a closed loop wakes the caller.
        if (gate.fetch_sub(1, std::memory_order_release) == 1)
          gate.notify_one();
        break;
      }
  }
}

void ThreadPool::parallelFor(int64_t loopExtent, int64_t loopGrain,
                             const Body &loopBody) {
  if (loopExtent <= 0)
    return;
  loopGrain = std::max<int64_t>(1, loopGrain);
  if (workers.empty() || loopExtent <= loopGrain) {
    for (int64_t begin = 0; begin < loopExtent; begin += loopGrain)
      loopBody(begin, std::min(loopExtent, begin + loopGrain), 0);
    return;
  }
  body = &loopBody;
  extent = loopExtent;
  grain = loopGrain;
  next.store(0, std::memory_order_relaxed);
  gate.store(kOpen, std::memory_order_release);
  generation.fetch_add(1, std::memory_order_release);
  generation.notify_all();
  takeRanges(0);
  gate.fetch_and(~kOpen, std::memory_order_relaxed);
  for (uint32_t inside = gate.load(std::memory_order_acquire); inside != 0;
       inside = gate.load(std::memory_order_acquire))
    waitForChange(gate, inside);
}
