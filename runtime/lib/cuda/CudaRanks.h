//===- CudaRanks.h - bytes between the GPUs of ranks ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDARANKS_H
#define PREC_RT_CUDA_CUDARANKS_H

#include "CudaPeers.h"
#include "Nccl.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace prec::rt {

/// What the ranks of a module exchange on a stream of a GPU: by copy engines
/// where all reach each other's memory, else by NCCL. Each rank puts the same
/// exchanges on its streams in the same order. One that failed has failed for
/// good. Used from one thread at a time.
class CudaRanks {
public:
  /// Of the current context; over `ranks`, which nobody else uses meanwhile.
  /// All ranks call it at the same place.
  static Result<std::unique_ptr<CudaRanks>>
  connect(const Nccl &nccl, const std::shared_ptr<Communicator> &ranks);
  /// The stream must have nothing left of the exchanges.
  ~CudaRanks();
  CudaRanks(const CudaRanks &) = delete;
  CudaRanks &operator=(const CudaRanks &) = delete;

  /// The memory that is exchanged from now on, of which nothing is in flight.
  /// All ranks call it at the same place, with as many regions, in the context
  /// of the streams.
  Status reach(const CudaDriver &driver,
               const std::vector<CudaPeers::Region> &regions);
  /// By what bytes are moved, and why; once regions were told.
  std::string describeWay() const;
  /// Exchanges that do not depend on each other, as one.
  Status exchange(const std::vector<CudaExchange> &all, CUstream stream,
                  CudaPeers::Lane lane = CudaPeers::line);

  /// No rank goes on before all have come.
  Status meet();
  /// What this thread does meanwhile may wait for other ranks, but no longer
  /// than one may wait for another.
  class Waiting {
  public:
    explicit Waiting(CudaRanks *ranks);
    ~Waiting();
    Waiting(const Waiting &) = delete;
    Waiting &operator=(const Waiting &) = delete;

  private:
    CudaRanks *ranks; ///< null inside of another one
  };

  /// Waits for a stream. Fails where its exchanges were given up: what they
  /// should have written is anything then.
  Status wait(const CudaDriver &driver, CUstream stream,
              const std::string &what);

  int rank() const { return ranks->rank(); }
  int size() const { return ranks->size(); }

private:
  using Clock = std::chrono::steady_clock;

  CudaRanks(const Nccl &nccl, std::shared_ptr<Communicator> ranks)
      : nccl(nccl), ranks(std::move(ranks)) {}
  Status open();
  ncclResult_t enqueue(const CudaExchange &one, CUstream stream);
  /// Calls NCCL, which nobody aborts meanwhile.
  template <typename Call> Status call(const char *what, Call begin);
  void watch();
  bool isClosedWithin(std::chrono::milliseconds pause);
  /// Why exchanges cannot go on; ok while they can.
  Status findFailure();
  void giveUp(const Status &reason);
  Status state();

  Nccl nccl;
  std::shared_ptr<Communicator> ranks;
  std::unique_ptr<CudaPeers> peers; ///< once regions were told
  /// Also read by a call that hangs, and is aborted.
  std::atomic<ncclComm_t> communicator = nullptr;
  std::timed_mutex calls; ///< of calls of NCCL, and of the communicator's end
  std::mutex mutex;       ///< of what follows
  std::condition_variable changed;
  Status broken;
  std::optional<Clock::time_point> waitsSince;
  bool isClosing = false;
  std::thread watcher;
};

/// Waits for a stream of a module that has ranks, or null.
Status waitFor(CudaRanks *ranks, const CudaDriver &driver, CUstream stream,
               const std::string &what);

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDARANKS_H
