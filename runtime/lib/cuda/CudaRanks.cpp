//===- CudaRanks.cpp - bytes between the GPUs of ranks --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module on GPUs has a communicator of NCCL, whose exchanges are work of the
// module's streams, and parts of the CUDA graphs that are recorded from them.
// Rank 0 makes the name by which they find each other, and sends it over the
// connection of the hosts (Ranks.cpp). Where ranks reach each other's memory,
// copy engines do the same work (CudaPeers.cpp), and NCCL has none.
//
// An exchange on a GPU waits for the others without an end, and whoever waits
// for the stream waits with it. So a thread watches: whether a rank has ended,
// which the hosts' connection tells; whether NCCL has met an error; and whether
// this rank has waited for longer than one rank may wait for another.
// Then it aborts the communicator or releases what waits for other ranks'
// copies, which ends the exchanges that run, and whoever waits gets the reason.
// All ranks say the same, as the hosts' connection breaks with it.
//
// NCCL may end a communicator beside a call that hangs, but not beside one that
// has just begun. So calls hold a lock, which the watching thread takes before,
// but does not wait for long. It does not hold it on, as an abort ends what
// runs at once, but returns only when the graphs that have exchanges are
// destroyed.
//
// Buffers are not registered: NCCL does that by itself for the exchanges of
// CUDA graphs.
//
//===----------------------------------------------------------------------===//

#include "CudaRanks.h"

#include <algorithm>
#include <cstring>
#include <iterator>

using namespace prec::rt;
using std::chrono::milliseconds;

/// How often is looked.
static constexpr milliseconds kPause{50};
/// How often what waits for ranks that are gone is released: it may wait in
/// each of a step's exchanges.
static constexpr milliseconds kReleasePause{1};
/// How long a call of NCCL may take that does not hang.
static constexpr milliseconds kCallPatience{2000};

Result<std::unique_ptr<CudaRanks>>
CudaRanks::connect(const Nccl &nccl,
                   const std::shared_ptr<Communicator> &ranks) {
  std::unique_ptr<CudaRanks> result(new CudaRanks(nccl, ranks));
  PREC_RT_RETURN_IF_ERROR(result->open());
  return result;
}

Status CudaRanks::open() {
  ncclUniqueId name{};
  Status named;
  if (ranks->rank() == 0)
    named = nccl.check(nccl.ncclGetUniqueId(&name), "naming ranks for NCCL");
  // NCCL waits for all of them, so all must come.
  PREC_RT_RETURN_IF_ERROR(agree(*ranks, named));
  std::vector<ncclUniqueId> names(static_cast<size_t>(ranks->size()));
  PREC_RT_RETURN_IF_ERROR(
      ranks->allGather(&name, names.data(), sizeof(ncclUniqueId)));
  ncclComm_t opened = nullptr;
  Status connected = nccl.check(
      nccl.ncclCommInitRank(&opened, ranks->size(), names[0], ranks->rank()),
      "connecting ranks by NCCL");
  // One that failed is nobody's.
  if (connected.ok())
    communicator = opened;
  PREC_RT_RETURN_IF_ERROR(agree(*ranks, connected));
  watcher = std::thread([this] { watch(); });
  return {};
}

CudaRanks::~CudaRanks() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isClosing = true;
    changed.notify_all();
  }
  if (watcher.joinable())
    watcher.join();
  // Waits for nobody, as whoever would be waited for may have ended.
  if (communicator)
    (void)nccl.ncclCommAbort(communicator);
}

Status CudaRanks::state() {
  std::lock_guard<std::mutex> lock(mutex);
  return broken;
}

template <typename Call> Status CudaRanks::call(const char *what, Call begin) {
  Waiting waiting(this);
  PREC_RT_RETURN_IF_ERROR(state());
  std::lock_guard<std::timed_mutex> lock(calls);
  PREC_RT_RETURN_IF_ERROR(state());
  Status called = nccl.check(begin(), what, communicator);
  // However a call ends that was given up.
  PREC_RT_RETURN_IF_ERROR(state());
  return called.ok() ? called : ranks->fail(called.message(), /*isLate=*/false);
}

ncclResult_t CudaRanks::enqueue(const CudaExchange &one, CUstream stream) {
  ncclComm_t all = communicator;
  const auto bytes = static_cast<size_t>(one.bytes);
  if (one.gathers && one.group.size == ranks->size())
    return nccl.ncclAllGather(reinterpret_cast<const void *>(one.in),
                              reinterpret_cast<void *>(one.out), bytes,
                              ncclInt8, all, stream);
  for (int64_t place = 0; place < one.group.size; ++place) {
    const int peer = static_cast<int>(one.group.rankAt(place));
    const int64_t offset = place * one.bytes;
    const CUdeviceptr given =
        one.in + static_cast<CUdeviceptr>(one.gathers ? 0 : offset);
    ncclResult_t result = nccl.ncclSend(reinterpret_cast<const void *>(given),
                                        bytes, ncclInt8, peer, all, stream);
    if (result == ncclSuccess)
      result = nccl.ncclRecv(
          reinterpret_cast<void *>(one.out + static_cast<CUdeviceptr>(offset)),
          bytes, ncclInt8, peer, all, stream);
    if (result != ncclSuccess)
      return result;
  }
  return ncclSuccess;
}

Status CudaRanks::reach(const CudaDriver &driver,
                        const std::vector<CudaPeers::Region> &regions) {
  PREC_RT_RETURN_IF_ERROR(state());
  if (!peers) {
    Result<std::unique_ptr<CudaPeers>> opened = CudaPeers::open(driver, *ranks);
    PREC_RT_RETURN_IF_ERROR(
        agree(*ranks, opened.ok() ? Status() : opened.status()));
    std::lock_guard<std::mutex> lock(mutex);
    peers = std::move(*opened);
  }
  Result<bool> reached = peers->reach(regions);
  return reached.ok() ? Status() : reached.status();
}

std::string CudaRanks::describeWay() const {
  if (peers && peers->reachesAll())
    return "copies of their GPUs, each of which reaches the memory of all";
  return "NCCL, as " + (peers ? peers->whyNot() : std::string("asked for"));
}

Status CudaRanks::exchange(const std::vector<CudaExchange> &all,
                           CUstream stream, CudaPeers::Lane lane) {
  std::vector<CudaExchange> sent;
  std::copy_if(all.begin(), all.end(), std::back_inserter(sent),
               [](const CudaExchange &one) { return one.bytes != 0; });
  if (sent.empty())
    return {};
  if (peers && peers->reachesAll()) {
    PREC_RT_RETURN_IF_ERROR(state());
    // A full queue makes whoever launches wait.
    Waiting waiting(this);
    return peers->exchange(sent, stream, lane);
  }
  return call("exchanging with ranks", [&] {
    ncclResult_t result = nccl.ncclGroupStart();
    for (const CudaExchange &one : sent)
      if (result == ncclSuccess)
        result = enqueue(one, stream);
    // A group that was begun is ended, or later calls would be of it.
    ncclResult_t ended = nccl.ncclGroupEnd();
    return result == ncclSuccess ? ended : result;
  });
}

Status CudaRanks::meet() {
  PREC_RT_RETURN_IF_ERROR(state());
  std::vector<char> all(static_cast<size_t>(ranks->size()));
  const char own = 0;
  return ranks->allGather(&own, all.data(), 1);
}

CudaRanks::Waiting::Waiting(CudaRanks *given) : ranks(given) {
  if (!ranks)
    return;
  std::lock_guard<std::mutex> lock(ranks->mutex);
  if (ranks->waitsSince)
    ranks = nullptr;
  else
    ranks->waitsSince = Clock::now();
}

CudaRanks::Waiting::~Waiting() {
  if (!ranks)
    return;
  std::lock_guard<std::mutex> lock(ranks->mutex);
  ranks->waitsSince.reset();
}

Status CudaRanks::wait(const CudaDriver &driver, CUstream stream,
                       const std::string &what) {
  Waiting waiting(this);
  Status waited = driver.check(driver.cuStreamSynchronize(stream), what);
  // What was given up ends as if it had been done.
  PREC_RT_RETURN_IF_ERROR(state());
  return waited;
}

Status prec::rt::waitFor(CudaRanks *ranks, const CudaDriver &driver,
                         CUstream stream, const std::string &what) {
  if (ranks)
    return ranks->wait(driver, stream, what);
  return driver.check(driver.cuStreamSynchronize(stream), what);
}

Status CudaRanks::findFailure() {
  PREC_RT_RETURN_IF_ERROR(ranks->ended());
  ncclResult_t result = ncclSuccess;
  if (calls.try_lock()) {
    Status asked = nccl.check(nccl.ncclCommGetAsyncError(communicator, &result),
                              "asking NCCL for errors", communicator);
    if (asked.ok() && result != ncclInProgress)
      asked = nccl.check(result, "exchanging with ranks", communicator);
    calls.unlock();
    if (!asked.ok())
      return ranks->fail(asked.message(), /*isLate=*/false);
  }
  std::optional<Clock::time_point> since;
  {
    std::lock_guard<std::mutex> lock(mutex);
    since = waitsSince;
  }
  if (since && Clock::now() - *since > ranks->timeout())
    return ranks->fail("", /*isLate=*/true);
  return {};
}

void CudaRanks::giveUp(const Status &reason) {
  bool isReleasing = false;
  // Whoever waits is told before it is woken.
  {
    std::lock_guard<std::mutex> lock(mutex);
    broken = reason;
    isReleasing = peers && peers->reachesAll();
  }
  // What waits for copies of others goes on, until nobody asks any more.
  if (isReleasing) {
    // What it says is of no use: where it fails, nothing else works either.
    while (!isClosedWithin(kReleasePause))
      (void)peers->release();
    return;
  }
  // Later calls begin nothing; one that hangs ends by being aborted.
  if (calls.try_lock_for(kCallPatience))
    calls.unlock();
  // What it says is of no use: the communicator is gone in any case.
  (void)nccl.ncclCommAbort(communicator.exchange(nullptr));
}

bool CudaRanks::isClosedWithin(milliseconds pause) {
  std::unique_lock<std::mutex> lock(mutex);
  return changed.wait_for(lock, pause, [this] { return isClosing; });
}

void CudaRanks::watch() {
  while (!isClosedWithin(kPause))
    if (Status failure = findFailure(); !failure.ok())
      return giveUp(failure);
}
