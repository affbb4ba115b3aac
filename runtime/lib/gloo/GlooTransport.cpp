//===- GlooTransport.cpp - bytes between ranks, by Gloo -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks are connected by TCP, each to each. An exchange sends every rank its
// part and receives that of every rank, directly, so that whoever is waited for
// is known by its number; Gloo's own collectives do not say it. Parts are sent
// in pieces: a deadline is that of a piece, so a slow transfer that goes on is
// no silence.
//
// Of a rank that ended Gloo does not always tell whoever waits for it. So the
// runtime, which learns of it from rank 0, aborts what is waited for.
//
// Gloo writes to sockets whose other end may be gone. The signal of that is
// kept off the calling thread and off Gloo's own, and the program's handling of
// it is left as it is.
//
//===----------------------------------------------------------------------===//

#include "GlooTransport.h"

#include <gloo/common/error.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// What is sent to a rank at a time.
static constexpr size_t kPiece = size_t(8) << 20;

namespace {

/// Blocks signals of this thread, and takes up a SIGPIPE that came meanwhile.
class BlockedSignals {
public:
  explicit BlockedSignals(bool all) {
    sigset_t blocked;
    if (all) {
      sigfillset(&blocked);
    } else {
      sigemptyset(&blocked);
      sigaddset(&blocked, SIGPIPE);
    }
    sigset_t pending;
    sigpending(&pending);
    wasPending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
  }
  BlockedSignals(const BlockedSignals &) = delete;
  BlockedSignals &operator=(const BlockedSignals &) = delete;
  ~BlockedSignals() {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    const timespec now{};
    if (!wasPending)
      while (sigtimedwait(&pipe, nullptr, &now) == SIGPIPE) {
      }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

private:
  sigset_t before{};
  bool wasPending = false;
};

class Store final : public gloo::rendezvous::Store {
public:
  explicit Store(const prec_gloo_store &given) : given(given) {}

  void set(const std::string &key, const std::vector<char> &data) override {
    if (given.set(given.user, key.c_str(), data.data(), data.size()) != 0)
      throw gloo::IoException("a value could not be set");
  }
  std::vector<char> get(const std::string &key) override {
    char *bytes = nullptr;
    size_t size = 0;
    if (given.get(given.user, key.c_str(), &bytes, &size) != 0)
      throw gloo::IoException("a value could not be read");
    std::unique_ptr<char, void (*)(void *)> owned(bytes, free);
    return {bytes, bytes + size};
  }
  /// Reading waits.
  void wait(const std::vector<std::string> &keys) override {
    for (const std::string &key : keys)
      (void)get(key);
  }
  void wait(const std::vector<std::string> &keys,
            const milliseconds &) override {
    wait(keys);
  }

private:
  const prec_gloo_store &given;
};

struct Connection {
  std::shared_ptr<gloo::transport::Device> device;
  std::unique_ptr<gloo::rendezvous::Context> context;
  std::mutex mutex; ///< of what follows
  bool isAborted = false;
  std::set<gloo::transport::UnboundBuffer *> waited; ///< of running exchanges
};

/// A buffer that an abort finds.
class WaitedBuffer {
public:
  WaitedBuffer(Connection &connection, void *start, size_t bytes)
      : connection(connection),
        buffer(connection.context->createUnboundBuffer(start, bytes)) {
    std::lock_guard<std::mutex> lock(connection.mutex);
    if (connection.isAborted)
      throw gloo::IoException("a rank has ended");
    connection.waited.insert(buffer.get());
  }
  WaitedBuffer(const WaitedBuffer &) = delete;
  WaitedBuffer &operator=(const WaitedBuffer &) = delete;
  ~WaitedBuffer() {
    std::lock_guard<std::mutex> lock(connection.mutex);
    connection.waited.erase(buffer.get());
  }
  gloo::transport::UnboundBuffer *operator->() const { return buffer.get(); }

private:
  Connection &connection;
  std::unique_ptr<gloo::transport::UnboundBuffer> buffer;
};

} // namespace

static void describe(prec_gloo_failure &failure, int rank, bool timedOut,
                     const char *text) {
  failure.rank = rank;
  failure.timed_out = timedOut;
  std::string line = text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  // Where in Gloo's sources, which says nothing to a user.
  if (size_t end = line.find("] "); line.front() == '[' && end < line.size())
    line = line.substr(end + 2);
  snprintf(failure.message, sizeof failure.message, "%s", line.c_str());
}

static void *connectRanks(int32_t rank, int32_t size, const char *host,
                          int64_t timeout, const prec_gloo_store *given,
                          prec_gloo_failure *failure) {
  // Gloo's thread begins with what is blocked here.
  BlockedSignals blocked(/*all=*/true);
  try {
    Store store(*given);
    auto connection = std::make_unique<Connection>();
    gloo::transport::tcp::attr attributes(host);
    connection->device = gloo::transport::tcp::CreateDevice(attributes);
    connection->context =
        std::make_unique<gloo::rendezvous::Context>(rank, size);
    connection->context->setTimeout(milliseconds(timeout));
    connection->context->connectFullMesh(store, connection->device);
    return connection.release();
  } catch (const std::exception &exception) {
    describe(*failure, -1, false, exception.what());
    return nullptr;
  }
}

/// One piece of every part.
static int exchangePiece(Connection &connection, uint64_t slot,
                         const prec_gloo_part *parts, size_t offset,
                         size_t bytes, milliseconds timeout,
                         prec_gloo_failure &failure) {
  const Clock::time_point end = Clock::now() + timeout;
  const int rank = connection.context->rank, size = connection.context->size;
  std::vector<std::unique_ptr<WaitedBuffer>> received(size), sent(size);
  int peer = rank;
  try {
    // Each rank begins with the one behind it, so that not all send to one.
    for (int i = 1; i < size; ++i) {
      peer = (rank + i) % size;
      if (!parts[peer].receive)
        continue;
      received[peer] = std::make_unique<WaitedBuffer>(
          connection, static_cast<char *>(parts[peer].receive) + offset, bytes);
      (*received[peer])->recv(peer, slot);
      // Gloo reads through pointers that are not const.
      sent[peer] = std::make_unique<WaitedBuffer>(
          connection,
          const_cast<char *>(static_cast<const char *>(parts[peer].send)) +
              offset,
          bytes);
      (*sent[peer])->send(peer, slot);
    }
    auto left = [&] {
      return std::max(milliseconds(1),
                      std::chrono::ceil<milliseconds>(end - Clock::now()));
    };
    for (int i = 1; i < 2 * size - 1; ++i) {
      const bool isReceived = i < size;
      peer = (rank + (isReceived ? i : i - size + 1)) % size;
      if (!parts[peer].receive)
        continue;
      const bool isDone = isReceived ? (*received[peer])->waitRecv(left())
                                     : (*sent[peer])->waitSend(left());
      if (!isDone)
        throw gloo::IoException("a rank has ended");
    }
    return 0;
  } catch (const std::exception &exception) {
    describe(failure, peer, Clock::now() >= end, exception.what());
    return 1;
  }
}

/// What Gloo finds the other end's bytes by. An exchange of another size is
/// another one: with the same Gloo would end the process.
static uint64_t slotOf(uint64_t number, size_t bytes) {
  return number * 0x9e3779b97f4a7c15u + bytes * 0xc2b2ae3d27d4eb4fu;
}

static int exchange(void *given, uint64_t number, const prec_gloo_part *parts,
                    size_t bytes, int64_t timeout, prec_gloo_failure *failure) {
  BlockedSignals blocked(/*all=*/false);
  auto &connection = *static_cast<Connection *>(given);
  for (size_t offset = 0; offset < bytes; offset += kPiece) {
    size_t piece = std::min(kPiece, bytes - offset);
    if (exchangePiece(connection, slotOf(number, bytes), parts, offset, piece,
                      milliseconds(timeout), *failure) != 0)
      return 1;
  }
  return 0;
}

static void abortExchanges(void *given) {
  auto &connection = *static_cast<Connection *>(given);
  std::lock_guard<std::mutex> lock(connection.mutex);
  connection.isAborted = true;
  for (gloo::transport::UnboundBuffer *buffer : connection.waited) {
    buffer->abortWaitRecv();
    buffer->abortWaitSend();
  }
}

static void closeConnection(void *given) {
  BlockedSignals blocked(/*all=*/false);
  // A connection that failed may throw while it is closed.
  try {
    std::unique_ptr<Connection> owned(static_cast<Connection *>(given));
    owned->context->closeConnections();
  } catch (const std::exception &) {
    return;
  }
}

extern "C" __attribute__((visibility("default"))) const prec_gloo_functions *
prec_gloo_v1(void) {
  static const prec_gloo_functions functions = {
      connectRanks, exchange, abortExchanges, closeConnection};
  return &functions;
}
