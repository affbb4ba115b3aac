//===- CudaRanksTest.cpp - what ranks exchange on GPUs, and how that fails ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks are threads of this process, and NCCL is a table of functions that copy
// between their memories at once: whoever comes first waits for the others
// until it is aborted, as a kernel of NCCL does.
//
//===----------------------------------------------------------------------===//

#include "CudaRanks.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <future>
#include <vector>

using namespace prec::rt;
using namespace std::chrono_literals;

/// A communicator of NCCL.
struct ncclComm {
  int rank = 0;
  std::atomic<bool> isAborted = false;
};

namespace {

/// All come, or nobody goes on.
class Meeting {
public:
  explicit Meeting(int size) : size(size) {}

  /// False where it is given up.
  bool meet(const std::function<bool()> &isGivenUp) {
    std::unique_lock<std::mutex> lock(mutex);
    const int own = turn;
    if (++come == size) {
      come = 0, ++turn;
      changed.notify_all();
    }
    while (turn == own) {
      if (isGivenUp())
        return false;
      changed.wait_for(lock, 1ms);
    }
    return true;
  }

private:
  int size, come = 0, turn = 0;
  std::mutex mutex;
  std::condition_variable changed;
};

/// What the hosts of ranks share.
struct Hosts {
  explicit Hosts(int size, std::chrono::milliseconds timeout)
      : size(size), timeout(timeout), meeting(size), given(size) {}

  Status broken() {
    std::lock_guard<std::mutex> lock(mutex);
    return cause;
  }
  Status breakWith(const std::string &why) {
    std::lock_guard<std::mutex> lock(mutex);
    if (cause.ok())
      cause = Status::ranksFailed(why);
    return cause;
  }

  int size;
  std::chrono::milliseconds timeout;
  Meeting meeting;
  std::vector<const void *> given;
  std::mutex mutex;
  Status cause;
};

class Host final : public Communicator {
public:
  Host(Hosts &hosts, int number) : hosts(hosts), number(number) {}
  int rank() const override { return number; }
  int size() const override { return hosts.size; }
  Status allGather(const void *in, void *out, int64_t bytes) override {
    auto isBroken = [this] { return !hosts.broken().ok(); };
    hosts.given[number] = in;
    if (!hosts.meeting.meet(isBroken))
      return hosts.broken();
    for (int i = 0; i < hosts.size; ++i)
      memcpy(static_cast<char *>(out) + i * bytes, hosts.given[i],
             static_cast<size_t>(bytes));
    return hosts.meeting.meet(isBroken) ? Status() : hosts.broken();
  }
  Status exchange(const RankGroup &, const void *, int64_t, void *,
                  int64_t) override {
    return Status::internal("nobody asks for it");
  }
  std::shared_ptr<Communicator> apart() override { return nullptr; }
  int ranksOfHost() const override { return hosts.size; }
  int rankOfHost() const override { return number; }
  std::chrono::milliseconds timeout() const override { return hosts.timeout; }
  Status ended() override { return hosts.broken(); }
  Status fail(const std::string &what, bool isLate) override {
    return hosts.breakWith(isLate ? "one is late" : what);
  }
  void leave(const std::string &) override {}

private:
  Hosts &hosts;
  int number;
};

struct Part {
  int peer;
  const void *send;
  void *receive;
  size_t bytes;
};

/// What the functions of the table work on, and what of them fails.
struct World {
  explicit World(int size) : size(size), meeting(size), parts(size) {}
  int size;
  Meeting meeting;
  std::vector<std::vector<Part>> parts; ///< by rank
  bool noName = false;
  int noStart = -1, noGather = -1; ///< ranks
  std::atomic<int> asyncError = -1;
  std::atomic<int> opened = 0, aborted = 0;
  std::atomic<bool> hasGraphs = false;          ///< for which an abort waits
  std::array<std::atomic<bool>, 4> isAborted{}; ///< by rank
};
World *world = nullptr;
thread_local std::vector<Part> grouped;
thread_local ncclComm_t groupOf = nullptr;

ncclResult_t trade(ncclComm_t own, const std::vector<Part> &parts) {
  auto isAborted = [own] { return own->isAborted.load(); };
  world->parts[own->rank] = parts;
  if (!world->meeting.meet(isAborted))
    return ncclSystemError;
  // What two ranks send each other comes in the order in which it is sent.
  std::vector<size_t> next(world->parts.size());
  for (const Part &part : parts) {
    if (!part.receive)
      continue;
    const std::vector<Part> &others = world->parts[part.peer];
    size_t &at = next[part.peer];
    while (!others[at].send || others[at].peer != own->rank)
      ++at;
    memcpy(part.receive, others[at++].send, part.bytes);
  }
  return world->meeting.meet(isAborted) ? ncclSuccess : ncclSystemError;
}

Nccl table() {
  Nccl nccl;
  nccl.ncclGetVersion = [](int *version) {
    *version = 22809;
    return ncclSuccess;
  };
  nccl.ncclGetErrorString = [](ncclResult_t) { return "no luck"; };
  nccl.ncclGetLastError = [](ncclComm_t) { return "a\nreason"; };
  nccl.ncclGetUniqueId = [](ncclUniqueId *name) {
    strcpy(name->internal, "the name");
    return world->noName ? ncclSystemError : ncclSuccess;
  };
  nccl.ncclCommInitRank = [](ncclComm_t *made, int size, ncclUniqueId name,
                             int rank) {
    EXPECT_EQ(size, world->size);
    EXPECT_STREQ(name.internal, "the name");
    if (rank == world->noStart)
      return ncclInvalidUsage;
    *made = new ncclComm();
    (*made)->rank = rank;
    ++world->opened;
    return ncclSuccess;
  };
  // Freed by nobody, as a call may still read it.
  nccl.ncclCommAbort = [](ncclComm_t own) {
    EXPECT_FALSE(own->isAborted.exchange(true));
    world->isAborted[own->rank] = true;
    while (world->hasGraphs)
      std::this_thread::sleep_for(1ms);
    ++world->aborted;
    return ncclSuccess;
  };
  nccl.ncclCommGetAsyncError = [](ncclComm_t own, ncclResult_t *error) {
    *error = own->rank == world->asyncError ? ncclRemoteError : ncclSuccess;
    return ncclSuccess;
  };
  nccl.ncclAllGather = [](const void *in, void *out, size_t bytes,
                          ncclDataType_t, ncclComm_t own, cudaStream_t) {
    if (own->rank == world->noGather)
      return ncclInvalidArgument;
    groupOf = own;
    for (int i = 0; i < world->size; ++i)
      grouped.push_back(
          {i, in, static_cast<char *>(out) + static_cast<size_t>(i) * bytes,
           bytes});
    return ncclSuccess;
  };
  nccl.ncclSend = [](const void *in, size_t bytes, ncclDataType_t, int peer,
                     ncclComm_t own, cudaStream_t) {
    grouped.push_back({peer, in, nullptr, bytes});
    groupOf = own;
    return ncclSuccess;
  };
  nccl.ncclRecv = [](void *out, size_t bytes, ncclDataType_t, int peer,
                     ncclComm_t own, cudaStream_t) {
    grouped.push_back({peer, nullptr, out, bytes});
    groupOf = own;
    return ncclSuccess;
  };
  nccl.ncclGroupStart = [] {
    grouped.clear();
    return ncclSuccess;
  };
  nccl.ncclGroupEnd = [] {
    return grouped.empty() ? ncclSuccess : trade(groupOf, grouped);
  };
  return nccl;
}

class CudaRanksTest : public ::testing::Test {
protected:
  void TearDown() override {
    if (world) {
      EXPECT_EQ(world->opened, world->aborted);
    }
    world = nullptr;
  }

  /// What each rank says of what it does with its connection: errors, or "".
  std::vector<std::string> run(World &given,
                               const std::function<Status(CudaRanks &)> &act,
                               std::chrono::milliseconds timeout = 10s) {
    world = &given;
    hosts.emplace(given.size, timeout);
    std::vector<std::future<std::string>> ranks;
    for (int i = 0; i < given.size; ++i)
      ranks.push_back(std::async(std::launch::async, [this, i, &act] {
        Result<std::unique_ptr<CudaRanks>> ranks =
            CudaRanks::connect(table(), std::make_shared<Host>(*hosts, i));
        Status status = ranks.ok() ? act(**ranks) : ranks.status();
        return status.message();
      }));
    std::vector<std::string> said;
    for (std::future<std::string> &rank : ranks)
      said.push_back(rank.get());
    return said;
  }

  std::optional<Hosts> hosts;
};

CUdeviceptr deviceOf(const void *memory) {
  return reinterpret_cast<CUdeviceptr>(memory);
}

/// All ranks.
RankGroup wholeOf(const CudaRanks &ranks) {
  return {0, 1, ranks.size(), ranks.rank()};
}

Status gatherNumber(CudaRanks &ranks) {
  std::vector<int> all(static_cast<size_t>(ranks.size()));
  int own = ranks.rank();
  return ranks.exchange({{true, wholeOf(ranks), deviceOf(&own),
                          deviceOf(all.data()), sizeof own}},
                        nullptr);
}

/// A driver whose streams, each of a rank, end when exchanges are aborted.
std::atomic<bool> isStreamDone;
CUstream streamOf(const CudaRanks &ranks) {
  return reinterpret_cast<CUstream>(&world->isAborted[ranks.rank()]);
}
CudaDriver driverOfStreams() {
  CudaDriver driver;
  driver.cuStreamSynchronize = [](CUstream stream) {
    auto &isAborted = *reinterpret_cast<std::atomic<bool> *>(stream);
    while (!isStreamDone && !isAborted)
      std::this_thread::sleep_for(1ms);
    return CUDA_SUCCESS;
  };
  return driver;
}

} // namespace

TEST_F(CudaRanksTest, movesBytes) {
  World three(3);
  auto act = [](CudaRanks &ranks) -> Status {
    const int rank = ranks.rank();
    const RankGroup whole = wholeOf(ranks);
    std::vector<int> own = {rank, 10 * rank}, all(6);
    PREC_RT_RETURN_IF_ERROR(ranks.exchange(
        {{true, whole, deviceOf(own.data()), deviceOf(all.data()), 8}},
        nullptr));
    EXPECT_EQ(all, (std::vector<int>{0, 0, 1, 10, 2, 20}));
    std::vector<int> in = {100 * rank, 100 * rank + 1, 100 * rank + 2}, out(3);
    std::vector<char> bytes = {char(rank), char(10 + rank), char(20 + rank)},
                      turned(3);
    // Several at once; one of nothing among them.
    PREC_RT_RETURN_IF_ERROR(ranks.exchange(
        {{false, whole, deviceOf(in.data()), deviceOf(out.data()), 4},
         {false, whole, 0, 0, 0},
         {false, whole, deviceOf(bytes.data()), deviceOf(turned.data()), 1}},
        nullptr));
    EXPECT_EQ(out, (std::vector<int>{rank, 100 + rank, 200 + rank}));
    EXPECT_EQ(turned, (std::vector<char>{char(10 * rank), char(10 * rank + 1),
                                         char(10 * rank + 2)}));
    PREC_RT_RETURN_IF_ERROR(ranks.exchange({{true, whole, 0, 0, 0}}, nullptr));
    PREC_RT_RETURN_IF_ERROR(ranks.exchange({}, nullptr));
    return ranks.meet();
  };
  EXPECT_EQ(run(three, act), std::vector<std::string>(3));
}

TEST_F(CudaRanksTest, movesBytesAlongAxes) {
  World four(4);
  auto act = [](CudaRanks &ranks) -> Status {
    const int rank = ranks.rank();
    // Of a mesh of 2 x 2: ranks 0, 1 and 2, 3; then 0, 2 and 1, 3.
    const RankGroup row = {rank - rank % 2, 1, 2, rank % 2};
    const RankGroup column = {rank % 2, 2, 2, rank / 2};
    std::vector<int> ofRow(2), ofColumn(2), turned(2);
    std::vector<int> in = {10 * rank, 10 * rank + 1};
    PREC_RT_RETURN_IF_ERROR(ranks.exchange(
        {{true, row, deviceOf(&rank), deviceOf(ofRow.data()), 4},
         {true, column, deviceOf(&rank), deviceOf(ofColumn.data()), 4}},
        nullptr));
    EXPECT_EQ(ofRow, (std::vector<int>{rank - rank % 2, rank - rank % 2 + 1}));
    EXPECT_EQ(ofColumn, (std::vector<int>{rank % 2, rank % 2 + 2}));
    PREC_RT_RETURN_IF_ERROR(ranks.exchange(
        {{false, column, deviceOf(in.data()), deviceOf(turned.data()), 4}},
        nullptr));
    EXPECT_EQ(turned, (std::vector<int>{10 * (rank % 2) + rank / 2,
                                        10 * (rank % 2 + 2) + rank / 2}));
    return ranks.meet();
  };
  EXPECT_EQ(run(four, act), std::vector<std::string>(4));
}

TEST_F(CudaRanksTest, noName) {
  World two(2);
  two.noName = true;
  const std::string why = "naming ranks for NCCL: must succeed, but got no "
                          "luck (a reason) from NCCL 2.28.9";
  EXPECT_EQ(run(two, gatherNumber),
            (std::vector<std::string>{why, "rank 0: " + why}));
}

TEST_F(CudaRanksTest, oneDoesNotStart) {
  World two(2);
  two.noStart = 1;
  const std::string why = "connecting ranks by NCCL: must succeed, but got no "
                          "luck (a reason) from NCCL 2.28.9";
  // Rank 0 has a communicator, which it gives up.
  EXPECT_EQ(run(two, gatherNumber),
            (std::vector<std::string>{"rank 1: " + why, why}));
}

TEST_F(CudaRanksTest, aCallFails) {
  World two(2);
  two.noGather = 1;
  const std::string why =
      "exchanging with ranks: must succeed, but got no luck "
      "(a reason) from NCCL 2.28.9";
  EXPECT_EQ(run(two, gatherNumber), std::vector<std::string>(2, why));
}

TEST_F(CudaRanksTest, ncclFindsAnErrorWhileOneWaits) {
  World two(2);
  two.asyncError = 1;
  const std::string why = "exchanging with ranks: must succeed, but got no "
                          "luck (a reason) from NCCL 2.28.9";
  isStreamDone = false;
  auto act = [](CudaRanks &ranks) {
    Status waited = ranks.wait(driverOfStreams(), streamOf(ranks), "waiting");
    // For good.
    EXPECT_EQ(gatherNumber(ranks).message(), waited.message());
    EXPECT_EQ(ranks.meet().message(), waited.message());
    return waited;
  };
  EXPECT_EQ(run(two, act), std::vector<std::string>(2, why));
}

TEST_F(CudaRanksTest, oneEndsWhileAnotherWaits) {
  World two(2);
  isStreamDone = false;
  auto act = [this](CudaRanks &ranks) {
    if (ranks.rank() == 1)
      return hosts->breakWith("rank 1 ended: it was killed");
    return ranks.wait(driverOfStreams(), streamOf(ranks), "waiting");
  };
  EXPECT_EQ(run(two, act),
            std::vector<std::string>(2, "rank 1 ended: it was killed"));
}

TEST_F(CudaRanksTest, anAbortWaitsForGraphs) {
  World one(1);
  one.hasGraphs = true;
  isStreamDone = false;
  auto act = [&](CudaRanks &ranks) {
    (void)hosts->breakWith("it was killed");
    Status waited = ranks.wait(driverOfStreams(), streamOf(ranks), "waiting");
    // It waits for nobody.
    EXPECT_EQ(gatherNumber(ranks).message(), "it was killed");
    one.hasGraphs = false;
    return waited;
  };
  EXPECT_EQ(run(one, act), std::vector<std::string>{"it was killed"});
}

TEST_F(CudaRanksTest, oneEndsWhileACallHangs) {
  World two(2);
  auto act = [this](CudaRanks &ranks) {
    if (ranks.rank() == 1)
      return hosts->breakWith("rank 1 ended: it was killed");
    return gatherNumber(ranks);
  };
  EXPECT_EQ(run(two, act),
            std::vector<std::string>(2, "rank 1 ended: it was killed"));
}

TEST_F(CudaRanksTest, oneIsSilent) {
  World two(2);
  isStreamDone = false;
  auto act = [this](CudaRanks &ranks) -> Status {
    if (ranks.rank() == 0)
      return ranks.wait(driverOfStreams(), streamOf(ranks), "waiting");
    while (hosts->broken().ok())
      std::this_thread::sleep_for(1ms);
    return {};
  };
  EXPECT_EQ(run(two, act, 200ms),
            (std::vector<std::string>{"one is late", ""}));
}

TEST_F(CudaRanksTest, waitsForAsLongAsItIsNotOver) {
  World one(1);
  isStreamDone = true;
  auto act = [](CudaRanks &ranks) -> Status {
    {
      CudaRanks::Waiting outer(&ranks);
      PREC_RT_RETURN_IF_ERROR(
          ranks.wait(driverOfStreams(), streamOf(ranks), "waiting"));
    }
    // Nobody waits, however long that takes.
    std::this_thread::sleep_for(400ms);
    return ranks.wait(driverOfStreams(), streamOf(ranks), "waiting");
  };
  EXPECT_EQ(run(one, act, 200ms), std::vector<std::string>{""});
}
