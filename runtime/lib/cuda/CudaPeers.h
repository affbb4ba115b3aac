//===- CudaPeers.h - copies into other ranks' GPUs --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDAPEERS_H
#define PREC_RT_CUDA_CUDAPEERS_H

#include "Communicator.h"
#include "CudaDriver.h"

#include <array>
#include <map>
#include <memory>
#include <vector>

namespace prec::rt {

/// What ranks exchange on a stream, in memory of their GPUs: as those of a
/// Communicator, `bytes` of each block.
struct CudaExchange {
  bool gathers; ///< or each rank has a block for each
  RankGroup group;
  CUdeviceptr in, out;
  int64_t bytes;
};

/// The memory of the other ranks of a computer, into which copy engines write
/// (CudaPeers.cpp). Needs the context in which it was opened, where it does not
/// say otherwise. Used from one thread at a time.
class CudaPeers {
public:
  /// Of the current context.
  static Result<std::unique_ptr<CudaPeers>> open(const CudaDriver &driver,
                                                 Communicator &ranks);
  ~CudaPeers();
  CudaPeers(const CudaPeers &) = delete;
  CudaPeers &operator=(const CudaPeers &) = delete;

  /// A place of exchanges. All ranks have as many, in one order.
  struct Region {
    CUdeviceptr address;
    int64_t bytes;
  };
  /// Makes these regions those of exchanges, in place of earlier ones, of which
  /// nothing is in flight. All ranks call it at the same place, and all get the
  /// same answer: whether each reaches the memory of all.
  Result<bool> reach(const std::vector<Region> &regions);
  /// What `reach` said last.
  bool reachesAll() const { return areReached; }
  /// Why it said no, the same on all ranks.
  const std::string &whyNot() const { return reason; }

  /// Puts exchanges of regions on a stream. What is on `line` and what is
  /// beside it are in no order.
  enum Lane { line, beside };
  Status exchange(const std::vector<CudaExchange> &all, CUstream stream,
                  Lane lane);

  /// Once one has failed: nobody waits for the others. To be called again until
  /// what is in flight has ended. From any thread, in no context.
  Status release();

private:
  CudaPeers(const CudaDriver &driver, Communicator &ranks)
      : driver(driver), ranks(ranks) {}
  Status prepare();

  /// What a rank says of a region.
  struct Exported {
    CUipcMemHandle handle;
    uint64_t allocation; ///< its number in the process, never given again
    int64_t offset;
    int64_t isExported;
  };
  Exported exported(CUdeviceptr address) const;
  bool mapAll(const std::vector<Exported> &all, size_t regionCount);
  void unmapAllBut(const std::map<std::string, CUdeviceptr> &kept);

  /// Where `address` of this rank is on another one.
  Result<CUdeviceptr> placeOf(CUdeviceptr address, int64_t bytes,
                              int64_t rank) const;
  enum Flag { ready, done };
  CUdeviceptr flagAt(CUdeviceptr base, Lane lane, Flag flag,
                     int64_t rank) const;
  Status meet(const std::vector<int64_t> &peers, Lane lane, Flag flag,
              CUstream stream);
  Status copy(CUdeviceptr to, CUdeviceptr from, int64_t bytes, CUstream stream);

  CudaDriver driver;
  Communicator &ranks;
  CUcontext context = nullptr;
  CudaStream rescue; ///< of `release`
  DeviceMemory flags;
  std::vector<Region> regions; ///< the flags are the last one
  /// By rank, then region; of this rank none.
  std::vector<std::vector<CUdeviceptr>> places;
  /// What is mapped, by rank and allocation.
  std::map<std::string, CUdeviceptr> mapped;
  bool areReached = false;
  std::string reason;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDAPEERS_H
