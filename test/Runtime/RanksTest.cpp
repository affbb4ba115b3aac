//===- RanksTest.cpp - launchers, the store of ranks, slices, shared files ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AtomicFile.h"
#include "Launcher.h"
#include "RankFrame.h"
#include "RankStore.h"
#include "Ranks.h"
#include "RunRanks.h"
#include "Slice.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

using namespace prec::rt;
using namespace std::chrono_literals;

using Variables = std::map<std::string, std::string>;

static Result<Launch> launchOf(const Variables &variables,
                               const std::string &rendezvous = "") {
  return findLaunch(rendezvous, [&](const char *name) -> const char * {
    auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

static std::string errorOf(const Variables &variables,
                           const std::string &rendezvous = "") {
  Result<Launch> launch = launchOf(variables, rendezvous);
  return launch.ok() ? "" : launch.status().message();
}

TEST(LauncherTest, aProcessAlone) {
  Result<Launch> launch = launchOf({});
  ASSERT_TRUE(launch.ok());
  EXPECT_EQ(launch->rank, 0);
  EXPECT_EQ(launch->size, 1);
  EXPECT_EQ(launch->launcher, "");
  EXPECT_EQ(launch->address, "");
  // Of a variable of that name that no launcher has set.
  EXPECT_EQ(launchOf({{"RANK", "colonel"}})->launcher, "");
  EXPECT_EQ(launchOf({{"WORLD_SIZE", "8"}})->size, 1);
}

TEST(LauncherTest, torchrun) {
  Variables variables = {{"RANK", "3"},
                         {"WORLD_SIZE", "4"},
                         {"LOCAL_RANK", "1"},
                         {"MASTER_ADDR", "node7"},
                         {"MASTER_PORT", "29500"},
                         {"SLURM_PROCID", "0"},
                         {"SLURM_NTASKS", "2"}};
  Result<Launch> launch = launchOf(variables);
  ASSERT_TRUE(launch.ok());
  EXPECT_EQ(launch->launcher, "torchrun");
  EXPECT_EQ(launch->rank, 3);
  EXPECT_EQ(launch->size, 4);
  EXPECT_EQ(launch->localRank, 1);
  EXPECT_EQ(launch->address, "node7:29501");
  EXPECT_EQ(launchOf(variables, "other:7")->address, "other:7");
  variables["MASTER_ADDR"] = "fe80::1";
  EXPECT_EQ(launchOf(variables)->address, "[fe80::1]:29501");
}

TEST(LauncherTest, mpirunAndSrunDoNotSayWhereRank0Is) {
  Variables mpi = {{"OMPI_COMM_WORLD_RANK", "1"},
                   {"OMPI_COMM_WORLD_SIZE", "2"},
                   {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}};
  EXPECT_EQ(launchOf(mpi, "a:1")->launcher, "Open MPI");
  EXPECT_EQ(launchOf(mpi, "a:1")->localRank, 1);
  EXPECT_NE(errorOf(mpi).find("ranks must know where rank 0 is, which Open MPI "
                              "does not say"),
            std::string::npos);
  Variables slurm = {{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}};
  EXPECT_EQ(launchOf(slurm, "a:1")->launcher, "Slurm");
  EXPECT_NE(errorOf(slurm).find("Slurm"), std::string::npos);
  // As scripts for other programs set them.
  slurm["MASTER_ADDR"] = "head";
  slurm["MASTER_PORT"] = "1000";
  EXPECT_EQ(launchOf(slurm)->address, "head:1001");
}

TEST(LauncherTest, refusals) {
  EXPECT_EQ(errorOf({{"RANK", "x"}, {"WORLD_SIZE", "2"}}),
            "variable RANK of a launcher must be a number, but got 'x'");
  EXPECT_EQ(errorOf({{"RANK", "2"}, {"WORLD_SIZE", "2"}}),
            "variable RANK must be below WORLD_SIZE, but got 2 and 2");
  EXPECT_EQ(errorOf({{"RANK", "0"}, {"WORLD_SIZE", "-2"}}),
            "variable WORLD_SIZE of a launcher must be a number, but got "
            "'-2'");
  EXPECT_EQ(errorOf({{"RANK", "0"},
                     {"WORLD_SIZE", "2"},
                     {"MASTER_ADDR", "a"},
                     {"MASTER_PORT", "65535"}}),
            "variable MASTER_PORT must be in [1, 65534], as ranks meet at the "
            "port behind it, but got 65535");
  for (const char *bad :
       {"host", ":1", "host:", "host:0", "host:65536", "host:x", "host:-1"})
    EXPECT_EQ(errorOf({}, bad),
              "the address of rank 0 must be HOST:PORT, but got '" +
                  std::string(bad) + "'");
}

/// A port of this computer that is free.
static int freePort() {
  Descriptor file(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(file.get(), reinterpret_cast<sockaddr *>(&address), size), 0);
  EXPECT_EQ(
      getsockname(file.get(), reinterpret_cast<sockaddr *>(&address), &size),
      0);
  return ntohs(address.sin_port);
}

static RankOptions optionsOf(int rank, int size, int port,
                             std::chrono::milliseconds timeout = 5s) {
  return {rank, size, "127.0.0.1:" + std::to_string(port), timeout};
}

using Client = std::unique_ptr<RankClient>;

/// All ranks of a store, each connected by a thread.
struct Store {
  explicit Store(int size) {
    int port = freePort();
    Result<std::unique_ptr<RankServer>> started =
        RankServer::start(optionsOf(0, size, port));
    EXPECT_TRUE(started.ok());
    server = std::move(*started);
    clients.resize(static_cast<size_t>(size));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank)
      threads.emplace_back([&, rank] {
        Result<Client> client =
            RankClient::connect(optionsOf(rank, size, port));
        if (client.ok())
          clients[static_cast<size_t>(rank)] = std::move(*client);
        else
          ADD_FAILURE() << client.status().message();
      });
    for (std::thread &thread : threads)
      thread.join();
  }

  std::unique_ptr<RankServer> server;
  std::vector<Client> clients;
};

TEST(RankStoreTest, valuesAreWaitedFor) {
  Store store(3);
  std::thread late([&] {
    std::this_thread::sleep_for(50ms);
    EXPECT_TRUE(store.clients[2]->set("key", std::string("a\n\0b", 4)).ok());
  });
  EXPECT_EQ(*store.clients[1]->get("key"), std::string("a\n\0b", 4));
  EXPECT_EQ(*store.clients[0]->get("key"), std::string("a\n\0b", 4));
  late.join();
  EXPECT_EQ(store.clients[0]->localHost(), "127.0.0.1");
  EXPECT_FALSE(store.clients[0]->findCause(10ms));
}

TEST(RankStoreTest, theEndOfARankIsToldToAll) {
  Store store(3);
  store.clients[2].reset();
  for (int rank : {0, 1})
    EXPECT_EQ(*store.clients[rank]->findCause(5s),
              "rank 2 ended: it was killed or crashed, or its connection was "
              "cut");
}

TEST(RankStoreTest, theFirstCauseIsKept) {
  Store store(3);
  store.clients[1]->fail("no weights", /*isOwn=*/true);
  EXPECT_EQ(*store.clients[2]->findCause(5s), "rank 1 ended: no weights");
  store.clients[2]->fail("rank 1 ended: no weights", /*isOwn=*/false);
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(*store.clients[0]->findCause(5s), "rank 1 ended: no weights");
  // Whoever waits for a value waits no longer.
  Result<std::string> value = store.clients[2]->get("never");
  EXPECT_FALSE(value.ok());
}

TEST(RankStoreTest, allLeaveTogether) {
  Store store(2);
  std::atomic<bool> isLeft = false;
  std::thread first([&] {
    store.clients[0]->leave(5s);
    EXPECT_TRUE(isLeft);
  });
  std::this_thread::sleep_for(50ms);
  isLeft = true;
  store.clients[1]->leave(5s);
  first.join();
  EXPECT_FALSE(store.clients[0]->findCause(10ms));
}

TEST(RankStoreTest, rank0EndsEarly) {
  Store store(2);
  store.clients[0].reset();
  store.server.reset();
  std::optional<std::string> cause = store.clients[1]->findCause(5s);
  ASSERT_TRUE(cause);
  EXPECT_NE(cause->find("rank 0 ended"), std::string::npos);
}

TEST(RankStoreTest, refusals) {
  int port = freePort();
  Result<std::unique_ptr<RankServer>> server =
      RankServer::start(optionsOf(0, 2, port, 300ms));
  ASSERT_TRUE(server.ok());
  auto messageOf = [&](int rank, int size) {
    Result<Client> client =
        RankClient::connect(optionsOf(rank, size, port, 2s));
    return client.ok() ? "" : client.status().message();
  };
  EXPECT_EQ(messageOf(1, 4), "ranks must be started as one of as many, but "
                             "rank 0 is of 2 and rank 1 of 4");
  EXPECT_EQ(messageOf(7, 2), "a rank must be below 2, but got 7");
  // The run cannot begin any longer.
  EXPECT_EQ(messageOf(1, 2), "ranks must be started as one of as many, but "
                             "rank 0 is of 2 and rank 1 of 4");
}

TEST(RankStoreTest, aRankEndsBeforeItConnects) {
  for (int ending : {0, 1}) {
    int port = freePort();
    std::unique_ptr<RankServer> server;
    if (ending != 0)
      server = std::move(*RankServer::start(optionsOf(0, 3, port)));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < 3; ++rank)
      threads.emplace_back([=] {
        // One that comes late is told, too.
        std::this_thread::sleep_for(rank * 50ms);
        if (rank == ending)
          return endBeforeConnecting(optionsOf(rank, 3, port), "no module");
        Result<Client> client = RankClient::connect(optionsOf(rank, 3, port));
        ASSERT_FALSE(client.ok());
        EXPECT_EQ(client.status().message(),
                  "rank " + std::to_string(ending) + " ended: no module");
      });
    auto begin = std::chrono::steady_clock::now();
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 4s);
  }
  // Where nobody comes it is not waited for long.
  endBeforeConnecting(optionsOf(0, 2, freePort(), 50ms), "no module");
  endBeforeConnecting(optionsOf(1, 2, freePort(), 50ms), "no module");
}

TEST(RankStoreTest, strangersAreIgnored) {
  int port = freePort();
  Result<std::unique_ptr<RankServer>> server =
      RankServer::start(optionsOf(0, 1, port));
  ASSERT_TRUE(server.ok());
  for (const std::string &bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(100000, '\xff'),
        frame::make(frame::kHello, "other"), frame::make(frame::kSet, "a\nb"),
        std::string("\1\0", 2)}) {
    Descriptor file(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(file.get(), reinterpret_cast<sockaddr *>(&address),
                      sizeof address),
              0);
    (void)!send(file.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  Result<Client> client = RankClient::connect(optionsOf(0, 1, port));
  EXPECT_TRUE(client.ok());
}

TEST(RankStoreTest, nobodyListens) {
  int port = freePort();
  Result<Client> client = RankClient::connect(optionsOf(1, 2, port, 200ms));
  ASSERT_FALSE(client.ok());
  EXPECT_EQ(client.status().message(),
            "rank 0 must answer at 127.0.0.1:" + std::to_string(port) +
                " within 0.2 s, but got: Connection refused");
  EXPECT_EQ(client.status().code(), Code::ranks);
  Result<Client> nowhere =
      RankClient::connect({1, 2, "no.such.host.invalid:1", 200ms});
  ASSERT_FALSE(nowhere.ok());
  EXPECT_NE(nowhere.status().message().find(
                "the host of rank 0 must be known, but got "
                "'no.such.host.invalid'"),
            std::string::npos);
}

TEST(RanksTest, refusals) {
  auto messageOf = [](int rank, int size, std::chrono::milliseconds timeout) {
    return connectRanks({rank, size, "127.0.0.1:1", timeout})
        .status()
        .message();
  };
  EXPECT_EQ(messageOf(0, 0, 1s),
            "a number of ranks must be in [1, 65536], but got 0");
  EXPECT_EQ(messageOf(2, 2, 1s), "a rank must be in [0, 2), but got 2");
  EXPECT_EQ(messageOf(-1, 2, 1s), "a rank must be in [0, 2), but got -1");
  EXPECT_EQ(messageOf(0, 2, 0s), "ranks must have time to answer, but got 0 s");
}

TEST(RanksTest, oneRankAlone) {
  Result<std::shared_ptr<Communicator>> ranks = connectRanks({});
  ASSERT_TRUE(ranks.ok());
  EXPECT_EQ((*ranks)->size(), 1);
  EXPECT_EQ(*gatherTexts(**ranks, "text"), std::vector<std::string>{"text"});
  // Cut in front of a character of two bytes.
  EXPECT_EQ(gatherTexts(**ranks, "ab\xc3\xa4", 4)->front(), "ab");
  EXPECT_TRUE(agree(**ranks, {}).ok());
  EXPECT_EQ(agree(**ranks, Status::badValue("why")).message(), "why");
}

/// One of two ranks, of which the other says what it is told to say.
class Told final : public Communicator {
public:
  explicit Told(std::vector<int64_t> other) : other(std::move(other)) {}
  int rank() const override { return 0; }
  int size() const override { return 2; }
  Status allGather(const void *in, void *out, int64_t bytes) override {
    EXPECT_EQ(static_cast<size_t>(bytes), other.size() * sizeof(int64_t));
    memcpy(out, in, static_cast<size_t>(bytes));
    memcpy(static_cast<char *>(out) + bytes, other.data(),
           static_cast<size_t>(bytes));
    return {};
  }
  Status exchange(const RankGroup &, const void *, int64_t, void *,
                  int64_t) override {
    return Status::internal("nobody asks for it");
  }
  std::shared_ptr<Communicator> apart() override { return nullptr; }
  int ranksOfHost() const override { return 2; }
  int rankOfHost() const override { return 0; }
  std::chrono::milliseconds timeout() const override { return 1s; }
  Status ended() override { return {}; }
  Status fail(const std::string &what, bool) override {
    return Status::ranksFailed(what);
  }
  void leave(const std::string &) override {}

private:
  std::vector<int64_t> other;
};

TEST(RunRanksTest, whatRanksMustAgreeOn) {
  using prec::run::agreeOnStep;
  auto messageOf = [](std::vector<int64_t> other) {
    Told ranks(std::move(other));
    Result<bool> stopped = agreeOnStep(ranks, {5, 80, false, false});
    return stopped.ok() ? std::string(*stopped ? "stopped" : "goes on")
                        : stopped.status().message();
  };
  EXPECT_EQ(messageOf({5, 80, 0, 0}), "goes on");
  EXPECT_EQ(messageOf({5, 80, 0, 1}), "stopped");
  EXPECT_EQ(messageOf({6, 80, 0, 0}), "ranks must be at one step, but got 5 of "
                                      "rank 0 and 6 of rank 1");
  EXPECT_EQ(messageOf({5, 88, 0, 0}),
            "ranks must be at one place of their data, but got 80 of rank 0 "
            "and 88 of rank 1");
  EXPECT_EQ(messageOf({5, 80, 1, 0}),
            "ranks must all skip a step or none (1 where it is skipped), but "
            "got 0 of rank 0 and 1 of rank 1");
}

TEST(ManifestTest, joinsNeighboringAxes) {
  Manifest manifest;
  manifest.mesh = {{"dp", 2}, {"ep", 3}, {"tp", 2}};
  auto membersOf = [&](const char *axes, int64_t rank) {
    std::vector<int64_t> members;
    const RankGroup group = manifest.groupOf(axes, rank);
    for (int64_t place = 0; place < group.size; ++place)
      members.push_back(group.rankAt(place));
    EXPECT_EQ(group.rankAt(group.own), rank);
    return members;
  };
  using Ranks = std::vector<int64_t>;
  EXPECT_EQ(membersOf("dp", 9), (Ranks{3, 9}));
  EXPECT_EQ(membersOf("ep", 9), (Ranks{7, 9, 11}));
  EXPECT_EQ(membersOf("tp", 9), (Ranks{8, 9}));
  EXPECT_EQ(membersOf("dp,ep", 9), (Ranks{1, 3, 5, 7, 9, 11}));
  EXPECT_EQ(manifest.dataRanks(), 6);
  EXPECT_EQ(manifest.dataGroup(9).own, 4);
  // In the order of the mesh, and of neighbors alone.
  EXPECT_FALSE(manifest.findGroup("ep,dp", 0));
  EXPECT_FALSE(manifest.findGroup("dp,tp", 0));
  EXPECT_FALSE(manifest.findGroup("", 0));
}

TEST(SliceTest, visitsRuns) {
  // [2, 6, 3] divided along dimension 1 among 3 ranks: rank 1.
  Manifest manifest;
  manifest.mesh = {{"dp", 3}};
  Buffer buffer;
  buffer.shape = {2, 2, 3};
  manifest.buffers = {buffer};
  Binding binding;
  binding.shard = Shard{1, "dp"};
  EXPECT_EQ(manifest.wholeShape(binding), (std::vector<int64_t>{2, 6, 3}));
  Slice slice = sliceOf(manifest, binding, 1);
  std::vector<int64_t> seen;
  ASSERT_TRUE(slice
                  .visit(4, 6,
                         [&](int64_t element, int64_t whole, int64_t count) {
                           seen.insert(seen.end(), {element, whole, count});
                           return Status();
                         })
                  .ok());
  EXPECT_EQ(seen, (std::vector<int64_t>{4, 10, 2, 6, 24, 4}));
  for (int64_t i = 0; i < 12; ++i)
    EXPECT_EQ(slice.wholeOf(i), i / 6 * 18 + 6 + i % 6);
}

TEST(SliceTest, visitsPiecesOfParts) {
  // [2, 12] of parts of 8 and 4 among 2 ranks: rank 1 has 4 to 7 and 10 to 11.
  Manifest manifest;
  manifest.mesh = {{"tp", 2}};
  Buffer buffer;
  buffer.shape = {2, 6};
  manifest.buffers = {buffer};
  Binding binding;
  binding.shard = Shard{1, "tp", {8, 4}};
  EXPECT_EQ(manifest.wholeShape(binding), (std::vector<int64_t>{2, 12}));
  Slice slice = sliceOf(manifest, binding, 1);
  EXPECT_EQ(slice.elements(), 12);
  std::vector<int64_t> places, seen;
  for (int64_t i = 0; i < 12; ++i)
    places.push_back(slice.wholeOf(i));
  EXPECT_EQ(places,
            (std::vector<int64_t>{4, 5, 6, 7, 10, 11, 16, 17, 18, 19, 22, 23}));
  ASSERT_TRUE(slice
                  .visit(2, 9,
                         [&](int64_t element, int64_t whole, int64_t count) {
                           seen.insert(seen.end(), {element, whole, count});
                           return Status();
                         })
                  .ok());
  EXPECT_EQ(seen,
            (std::vector<int64_t>{2, 6, 2, 4, 10, 2, 6, 16, 4, 10, 22, 1}));
}

TEST(AtomicFileTest, severalWriteOne) {
  std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                 ("prec-ranks-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::string path = (folder / "file").string();
  {
    Result<AtomicFile> first = AtomicFile::create(path);
    ASSERT_TRUE(first.ok());
    Result<AtomicFile> second = AtomicFile::join(path, first->temporaryPath());
    ASSERT_TRUE(second.ok());
    EXPECT_TRUE(second->writeAt(3, "def", 3).ok());
    EXPECT_TRUE(first->writeAt(0, "abc", 3).ok());
    EXPECT_TRUE(second->finish().ok());
    EXPECT_TRUE(second->commit().ok());
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_TRUE(first->finish().ok());
    EXPECT_TRUE(first->commit().ok());
  }
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), "abcdef");
  Result<AtomicFile> none = AtomicFile::join(path, path + ".none");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.status().message().find(
                "must be on a file system that all ranks share"),
            std::string::npos);
  std::filesystem::remove_all(folder);
}
