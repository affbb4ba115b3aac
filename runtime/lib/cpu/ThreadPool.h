//===- ThreadPool.h - parallel loops over an iteration range ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CPU_THREADPOOL_H
#define PREC_RT_CPU_THREADPOOL_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace prec::rt {

/// Threads that wait between loops. One loop at a time, from one caller, which
/// works along as worker 0.
class ThreadPool {
public:
  using Body = std::function<void(int64_t begin, int64_t end, unsigned worker)>;

  /// As many threads as this process may run on.
  static unsigned hardwareThreads();

  /// Throws std::runtime_error if the system starts fewer.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned size() const { return workers.size() + 1; }

  /// Calls `body` on disjoint ranges of at most `grain` that cover
  /// [0, extent), in any order, and returns when all have ended.
  void parallelFor(int64_t extent, int64_t grain, const Body &body);

private:
  /// Ends the workers.
  void stop();
  void serve(unsigned worker);
  void takeRanges(unsigned worker);

  std::vector<std::thread> workers;
  // The current loop; a worker reads it only while it is inside.
  const Body *body = nullptr;
  int64_t extent = 0, grain = 1;
  std::atomic<int64_t> next{0};
  /// Whether workers may enter the loop (top bit), and how many are inside. The
  /// caller waits for those inside only: a thread that wakes late, on a busy
  /// machine, holds up nobody.
  std::atomic<uint32_t> gate{0};
  std::atomic<uint32_t> generation{
      0}; ///< counts loops; what idle workers watch
  std::atomic<bool> stopping{false};
};

} // namespace prec::rt

#endif // PREC_RT_CPU_THREADPOOL_H
