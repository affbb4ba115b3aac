//===- Ranks.cpp - connects the ranks of a run ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks meet at the server of rank 0 (RankStore.h), then connect to each other
// by Gloo (gloo/GlooTransport.h), whose library is opened now. All that ranks
// exchange is one operation: each sends every other one a part of its bytes.
//
// Where an exchange fails, the connection that broke is seldom what is to be
// said: a rank that was killed takes others along, whose connections break as
// well. So the server is asked first which rank ended, and why; all ranks then
// say the same.
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

#include "NameHash.h"
#include "RankFrame.h"

#include "../gloo/GlooTransport.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <unistd.h>

using namespace prec::rt;
using prec::rt::frame::formatSeconds;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// What the server needs to see that a connection is closed, and to say so.
static constexpr milliseconds kCausePatience{2000};
/// How long a rank that is done waits for the others.
static constexpr milliseconds kLeavePatience{10000};
/// How long ranks that are all there may take to connect to each other, and
/// what each of them adds.
static constexpr milliseconds kMeshPatience{20000}, kMeshOfRank{50};
/// How long a rank that ends before it has connected looks for the others:
/// launchers start processes one soon after the other.
static constexpr milliseconds kTellPatience{10000}, kTellStep{10};
/// Exchanges of one communicator are numbered from a multiple of this on.
static constexpr uint64_t kNumbers = uint64_t(1) << 48;

namespace {

/// One rank alone.
class Alone final : public Communicator {
public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  Status allGather(const void *in, void *out, int64_t bytes) override {
    memcpy(out, in, static_cast<size_t>(bytes));
    return {};
  }
  Status exchange(const RankGroup &, const void *in, int64_t, void *out,
                  int64_t bytes) override {
    return allGather(in, out, bytes);
  }
  std::shared_ptr<Communicator> apart() override {
    return std::make_shared<Alone>();
  }
  int ranksOfHost() const override { return 1; }
  int rankOfHost() const override { return 0; }
  milliseconds timeout() const override { return milliseconds::max(); }
  Status ended() override { return {}; }
  Status fail(const std::string &what, bool) override {
    return Status::ranksFailed(what);
  }
  void leave(const std::string &) override {}
};

/// What all communicators of a process share. Used from any thread.
class Link {
public:
  static Result<std::shared_ptr<Link>> open(const RankOptions &options);
  ~Link() { leave(""); }

  Status exchange(uint64_t number, const std::vector<prec_gloo_part> &parts,
                  int64_t bytes, const std::string &call);
  void leave(const std::string &reason);

  const RankOptions &ranks() const { return options; }
  int ranksOfHost() const { return hostRanks; }
  int rankOfHost() const { return ownOfHost; }
  Status ended();
  Status fail(const prec_gloo_failure &failure, const std::string &call = {});
  uint64_t nextChannel() { return channels++ * kNumbers; }

private:
  explicit Link(const RankOptions &options) : options(options) {}
  Status connect();
  Status countHost();

  RankOptions options;
  // The client is closed before the server, which waits for that.
  std::unique_ptr<RankServer> server;
  std::unique_ptr<RankClient> client;
  const prec_gloo_functions *gloo = nullptr;
  void *connection = nullptr;
  int hostRanks = 1, ownOfHost = 0;
  std::atomic<uint64_t> channels{0};
  std::atomic<int> silent{-1}; ///< a rank that was waited for too long
  std::mutex mutex;            ///< of what follows
  Status broken;
  bool hasLeft = false;
};

class Ranks final : public Communicator {
public:
  Ranks(std::shared_ptr<Link> link, uint64_t first)
      : link(std::move(link)), number(first) {}

  int rank() const override { return link->ranks().rank; }
  int size() const override { return link->ranks().size; }
  Status allGather(const void *in, void *out, int64_t bytes) override {
    return exchange({0, 1, size(), rank()}, in, 0, out, bytes);
  }
  Status exchange(const RankGroup &group, const void *in, int64_t stride,
                  void *out, int64_t bytes) override {
    const char *from = static_cast<const char *>(in);
    char *to = static_cast<char *>(out);
    // Nothing goes to ranks outside of the group.
    std::vector<prec_gloo_part> parts(static_cast<size_t>(size()));
    for (int64_t i = 0; i < group.size; ++i)
      parts[static_cast<size_t>(group.rankAt(i))] = {from + i * stride,
                                                     to + i * bytes};
    // Its own first: what is given may be needed no longer.
    memcpy(to + group.own * bytes, from + group.own * stride,
           static_cast<size_t>(bytes));
    return link->exchange(number++, parts, bytes, call);
  }
  std::shared_ptr<Communicator> apart() override {
    return std::make_shared<Ranks>(link, link->nextChannel());
  }
  int ranksOfHost() const override { return link->ranksOfHost(); }
  int rankOfHost() const override { return link->rankOfHost(); }
  milliseconds timeout() const override { return link->ranks().timeout; }
  Status ended() override { return link->ended(); }
  Status fail(const std::string &what, bool isLate) override {
    prec_gloo_failure failure{-1, isLate, ""};
    snprintf(failure.message, sizeof failure.message, "%s", what.c_str());
    return link->fail(failure);
  }
  void leave(const std::string &reason) override { link->leave(reason); }

private:
  std::shared_ptr<Link> link;
  uint64_t number;
};

} // namespace

/// Until as many have come, or `end`.
static void awaitAll(const RankServer &server, int count,
                     Clock::time_point end) {
  while (server.numCome() < count && Clock::now() < end)
    std::this_thread::sleep_for(kTellStep);
}

static Result<const prec_gloo_functions *> openGloo() {
  // Never closed: Gloo has threads of its own.
  void *library = dlopen(PREC_GLOO_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Status::unsupported(
        "ranks are connected by Gloo: " PREC_GLOO_LIBRARY
        " must lie beside the runtime, which a build with Gloo (Debian's "
        "libgloo-dev) makes, but got: " +
        std::string(dlerror()));
  auto query =
      reinterpret_cast<prec_gloo_query>(dlsym(library, PREC_GLOO_SYMBOL));
  if (query)
    return query();
  return Status::unsupported(PREC_GLOO_LIBRARY
                             " must be that of this runtime, but is of "
                             "another one");
}

static int setValue(void *user, const char *key, const char *bytes,
                    size_t size) {
  return static_cast<RankClient *>(user)->set(key, {bytes, size}).ok() ? 0 : 1;
}

static int getValue(void *user, const char *key, char **bytes, size_t *size) {
  Result<std::string> value = static_cast<RankClient *>(user)->get(key);
  if (!value.ok())
    return 1;
  *bytes = static_cast<char *>(malloc(value->size() + 1));
  if (!*bytes)
    return 1;
  memcpy(*bytes, value->data(), value->size());
  *size = value->size();
  return 0;
}

/// The same on all ranks of a computer, and on no others.
static std::string nameHost() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  char host[256] = "";
  (void)gethostname(host, sizeof host - 1);
  return boot + " " + host;
}

Result<std::shared_ptr<Link>> Link::open(const RankOptions &options) {
  std::shared_ptr<Link> link(new Link(options));
  Status status = link->connect();
  if (status.ok())
    status = link->countHost();
  if (status.ok()) {
    link->client->watch(
        [raw = link.get()] { raw->gloo->abort(raw->connection); });
    return link;
  }
  if (link->client)
    link->leave(status.message());
  return status;
}

Status Link::connect() {
  Result<const prec_gloo_functions *> functions = openGloo();
  if (!functions.ok()) {
    endBeforeConnecting(options, functions.status().message());
    return functions.status();
  }
  gloo = *functions;
  const Clock::time_point begin = Clock::now();
  if (options.rank == 0) {
    Result<std::unique_ptr<RankServer>> started = RankServer::start(options);
    if (!started.ok())
      return started.status();
    server = std::move(*started);
  }
  Result<std::unique_ptr<RankClient>> connected = RankClient::connect(options);
  if (!connected.ok()) {
    // Who comes a little later is told of it, too.
    if (server)
      awaitAll(*server, options.size, begin + kTellPatience);
    return connected.status();
  }
  client = std::move(*connected);
  const prec_gloo_store store{setValue, getValue, client.get()};
  prec_gloo_failure failure{};
  const milliseconds patience =
      std::min(options.timeout, kMeshPatience + options.size * kMeshOfRank);
  connection =
      gloo->connect(options.rank, options.size, client->localHost().c_str(),
                    patience.count(), &store, &failure);
  return connection ? Status() : fail(failure);
}

Status Link::countHost() {
  PREC_RT_RETURN_IF_ERROR(
      client->set("host " + std::to_string(options.rank), nameHost()));
  hostRanks = 0;
  for (int i = 0; i < options.size; ++i) {
    Result<std::string> other = client->get("host " + std::to_string(i));
    if (!other.ok())
      return other.status();
    const bool isHere = *other == nameHost();
    hostRanks += isHere;
    ownOfHost += isHere && i < options.rank;
  }
  return {};
}

static Status leftAlready() {
  return Status::invalidState(
      "ranks must be connected, but this one has left the others");
}

Status Link::ended() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!broken.ok() || hasLeft)
    return broken;
  if (std::optional<std::string> cause = client->findCause(milliseconds(0))) {
    broken = Status::ranksFailed(*cause);
    client->fail(*cause, /*isOwn=*/false);
  }
  return broken;
}

Status Link::fail(const prec_gloo_failure &failure, const std::string &call) {
  // Gloo gives up all exchanges where one has waited too long: that one knows
  // for whom.
  if (failure.timed_out && failure.rank >= 0)
    silent = failure.rank;
  std::lock_guard<std::mutex> lock(mutex);
  if (!broken.ok())
    return broken;
  if (hasLeft)
    return leftAlready();
  std::optional<std::string> cause =
      client->findCause(failure.timed_out ? milliseconds(0) : kCausePatience);
  if (cause)
    broken = Status::ranksFailed(*cause);
  else if (failure.timed_out || silent >= 0)
    broken = Status::ranksFailed(
        (silent >= 0 ? "rank " + std::to_string(silent) : "all ranks") +
        " must take part in what ranks exchange within " +
        formatSeconds(options.timeout) + " s, but " +
        (silent >= 0 ? "has" : "one has") + " sent nothing" +
        (failure.timed_out && !call.empty()
             ? " to rank " + std::to_string(options.rank) + ", which runs '" +
                   call + "'"
             : ""));
  else
    broken = Status::ranksFailed(
        (failure.rank >= 0 ? "rank " + std::to_string(failure.rank)
                           : std::string("ranks")) +
        " must stay connected, but got: " + failure.message);
  // They need not wait until they find out.
  client->fail(broken.message(), /*isOwn=*/false);
  return broken;
}

/// What an exchange is found by: its number, and what it is of.
static uint64_t identify(uint64_t number, const std::string &call) {
  return call.empty() ? number : number + hashName(call);
}

Status Link::exchange(uint64_t number, const std::vector<prec_gloo_part> &parts,
                      int64_t bytes, const std::string &call) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!broken.ok())
      return broken;
    if (hasLeft)
      return leftAlready();
  }
  prec_gloo_failure failure{};
  if (gloo->exchange(connection, identify(number, call), parts.data(),
                     static_cast<size_t>(bytes), options.timeout.count(),
                     &failure) == 0)
    return {};
  return fail(failure, call);
}

void Link::leave(const std::string &reason) {
  bool isWhole = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (std::exchange(hasLeft, true))
      return;
    isWhole = broken.ok();
  }
  // What broke the connection was told when it broke.
  if (client && isWhole && reason.empty())
    client->leave(kLeavePatience);
  else if (client && isWhole)
    client->fail(reason, /*isOwn=*/true);
  // Who watches may abort what is waited for.
  client.reset();
  if (connection)
    gloo->close(std::exchange(connection, nullptr));
  server.reset();
}

// Rank 0 listens, and says so to who comes; any other one tells rank 0, which
// tells the rest. Nobody is waited for who does not come soon.
void prec::rt::endBeforeConnecting(const RankOptions &given,
                                   const std::string &reason) {
  RankOptions options = given;
  options.timeout = std::min(given.timeout, kTellPatience);
  if (options.rank != 0)
    return RankClient::tellEnd(options, reason);
  Result<std::unique_ptr<RankServer>> server =
      RankServer::start(options, reason);
  if (!server.ok())
    return;
  awaitAll(**server, options.size - 1, Clock::now() + options.timeout);
}

Result<std::shared_ptr<Communicator>>
prec::rt::connectRanks(const RankOptions &options) {
  if (options.size < 1 || options.size > kMaxRanks)
    return Status::invalidArgument("a number of ranks must be in [1, " +
                                   std::to_string(kMaxRanks) + "], but got " +
                                   std::to_string(options.size));
  if (options.rank < 0 || options.rank >= options.size)
    return Status::invalidArgument(
        "a rank must be in [0, " + std::to_string(options.size) +
        "), but got " + std::to_string(options.rank));
  if (options.timeout.count() < 1)
    return Status::invalidArgument("ranks must have time to answer, but got " +
                                   formatSeconds(options.timeout) + " s");
  if (options.size == 1)
    return std::shared_ptr<Communicator>(std::make_shared<Alone>());
  Result<std::shared_ptr<Link>> link = Link::open(options);
  if (!link.ok())
    return link.status();
  uint64_t channel = (*link)->nextChannel();
  return std::shared_ptr<Communicator>(
      std::make_shared<Ranks>(std::move(*link), channel));
}

std::string prec::rt::formatMesh(const Manifest &manifest) {
  std::string mesh;
  for (const MeshAxis &axis : manifest.mesh)
    mesh +=
        (mesh.empty() ? "" : ",") + axis.axis + "=" + std::to_string(axis.size);
  return mesh;
}

Status prec::rt::checkRanks(const Manifest &manifest,
                            const Communicator *ranks) {
  const int64_t wanted = manifest.numRanks(), given = ranks ? ranks->size() : 1;
  if (given == wanted && (ranks || manifest.mesh.empty() || wanted == 1))
    return {};
  const std::string mesh = formatMesh(manifest);
  if (wanted == 1)
    return Status::invalidArgument(
        "a module must be compiled for as many ranks as run it, but got one "
        "for a process alone and " +
        std::to_string(given) +
        " ranks: compile it with --mesh=dp=" + std::to_string(given));
  if (!ranks)
    return Status::invalidArgument(
        "a module for " + std::to_string(wanted) + " ranks (--mesh=" + mesh +
        ") must be run by as many processes that are connected, but this one "
        "is alone: start them with torchrun --nproc-per-node=" +
        std::to_string(wanted) + ", mpirun -n " + std::to_string(wanted) +
        " or srun -n " + std::to_string(wanted) +
        ", and in a program connect them by prec_rt_connect or prec.connect");
  return Status::invalidArgument("a module must be compiled for as many ranks "
                                 "as run it, but got one for " +
                                 std::to_string(wanted) + " (--mesh=" + mesh +
                                 ") and " + std::to_string(given) + " ranks");
}
