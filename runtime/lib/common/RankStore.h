//===- RankStore.h - where ranks meet ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rank 0 listens at an address that all ranks know. Each rank, rank 0 as well,
// keeps a connection to it as long as it lives, over which values are handed
// out that ranks need to connect to each other, and over which all learn that
// one has ended, and why: the system closes the connection of a rank that was
// killed. What ranks exchange in steps takes other ways.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_RANKSTORE_H
#define PREC_RT_COMMON_RANKSTORE_H

#include "Descriptor.h"
#include "Status.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace prec::rt {

/// How a rank finds the others.
struct RankOptions {
  int rank = 0;
  int size = 1;        ///< ranks
  std::string address; ///< "HOST:PORT" of rank 0
  /// How long one rank may be behind another.
  std::chrono::milliseconds timeout{300'000};
};

/// Runs on rank 0, on a thread of its own, until it is destroyed.
class RankServer {
public:
  /// `whyEnded`: of a rank 0 that ends before it connects, and says so to who
  /// comes.
  static Result<std::unique_ptr<RankServer>>
  start(const RankOptions &options, const std::string &whyEnded = {});
  ~RankServer();

  /// Ranks that have come, whether they were told to end or not.
  int numCome() const { return come; }

private:
  struct Client {
    Descriptor socket;
    int rank = -1;       ///< none before it has said who it is
    bool isDone = false; ///< has left, or was announced
    bool hasLeft = false;
    std::string read{}, write{};
    std::optional<std::string> awaited{}; ///< key
  };

  RankServer(const RankOptions &options, Descriptor listener, Descriptor wake);
  void run();
  void acceptClient();
  void readClient(Client &client);
  void take(Client &client, char kind, const std::string &body);
  void join(Client &client, const std::string &body);
  /// Why a rank may not join; nothing if it may.
  std::string whyRefused(const std::string &body, int &rank) const;
  void close(Client &client);
  static void send(Client &client, char kind, std::string_view body);
  static void flush(Client &client);
  /// Tells all others that a rank has ended.
  void announce(int rank, bool isCause, const std::string &text);
  void checkDeadline();
  void checkAllLeft();
  bool isStopped() const;

  RankOptions options;
  Descriptor listener, wake;
  std::chrono::steady_clock::time_point deadline;
  std::vector<std::unique_ptr<Client>> clients;
  std::map<std::string, std::string> values;
  std::vector<std::string> announced; ///< bodies
  int joined = 0, ended = 0;
  std::atomic<int> come{0};
  bool isLate = false;
  std::thread thread;
};

/// A rank's connection to the server. Used from any thread.
class RankClient {
public:
  /// Waits until all ranks are there.
  static Result<std::unique_ptr<RankClient>>
  connect(const RankOptions &options);
  /// Tells rank 0, if it answers in time, that this rank ends and why, and
  /// returns once it has heard that.
  static void tellEnd(const RankOptions &options, const std::string &reason);
  ~RankClient();

  Status set(const std::string &key, std::string_view value);
  /// Waits until somebody has set it; before `watch`.
  Result<std::string> get(const std::string &key);

  /// From here on a thread of its own reads what the server says, and calls
  /// `onEnd`, once, when a rank has ended.
  void watch(std::function<void()> onEnd);
  /// Which rank ended first, and why, if that is known within `patience`.
  std::optional<std::string> findCause(std::chrono::milliseconds patience);
  /// Tells the others that this rank ends. `isOwn`: for a reason of its own,
  /// not for that of another rank.
  void fail(const std::string &reason, bool isOwn);
  /// Tells them that it ends as all do, and waits for them.
  void leave(std::chrono::milliseconds patience);

  /// The own address of the connection, in numbers.
  const std::string &localHost() const { return host; }

private:
  using Time = std::chrono::steady_clock::time_point;
  explicit RankClient(const RankOptions &options) : options(options) {}
  Status open();
  Status hello();
  Status greet();
  Status send(char kind, std::string_view body);
  /// The next message of a kind, before `watch`; an error where a rank has
  /// ended.
  Result<std::string> receive(char kind, Time end);
  void readAll(const std::function<void()> &onEnd);
  /// Whether a message tells the end of a rank for the first time.
  bool note(char kind, const std::string &body);

  RankOptions options;
  Descriptor socket;
  std::string host, buffered;
  std::thread watcher;
  std::mutex sending, mutex; ///< the second of what follows
  std::condition_variable changed;
  std::optional<std::string> cause;
  bool isLeaving = false, haveAllLeft = false, isClosed = false;
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_RANKSTORE_H
