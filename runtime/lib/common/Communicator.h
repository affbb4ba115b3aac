//===- Communicator.h - the ranks that run a module together ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank is one of several processes that run one module together. What they
// exchange are bytes; nothing is computed on the way. The ranks of the host
// are connected by Ranks.cpp, over which a device may set up its own way
// between its memories, and implement the same interface for its buffers.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_COMMUNICATOR_H
#define PREC_RT_COMMON_COMMUNICATOR_H

#include "RankGroup.h"
#include "Status.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace prec::rt {

/// Every rank calls the same exchanges in the same order, with as many bytes.
/// One that failed has failed for good: so do all that follow, with the same
/// error. Used from one thread at a time.
class Communicator {
public:
  virtual ~Communicator() = default;

  /// What the exchanges that follow are of, such as an entry point: ranks whose
  /// calls are others wait for each other, and take nothing for what it is not.
  void setCall(std::string_view name) { call = name; }

  virtual int rank() const = 0;
  /// Ranks, this one included.
  virtual int size() const = 0;

  /// `out` gets a block of `bytes` bytes of each rank, in their order.
  virtual Status allGather(const void *in, void *out, int64_t bytes) = 0;
  /// Among the ranks of a group, in its order: `in` and `out` have a block of
  /// `bytes` bytes for each of them, and block j of its i-th rank's `in`
  /// becomes block i of its j-th rank's `out`. Blocks of `in` are `stride`
  /// bytes apart: 0 gives all of them the same one. All ranks call it at the
  /// same place, each with its own group of one axis.
  virtual Status exchange(const RankGroup &group, const void *in,
                          int64_t stride, void *out, int64_t bytes) = 0;

  /// Another one of the same ranks for another thread, whose exchanges are
  /// apart from those of this one. Made on all ranks in the same order.
  virtual std::shared_ptr<Communicator> apart() = 0;

  /// Ranks of this computer, this one included.
  virtual int ranksOfHost() const = 0;
  /// This one's number among them, in the order of ranks.
  virtual int rankOfHost() const = 0;
  /// How long one rank may wait for another.
  virtual std::chrono::milliseconds timeout() const = 0;
  /// Without an exchange, from any thread: an error once a rank has ended or an
  /// exchange has failed, that of all later exchanges.
  virtual Status ended() = 0;
  /// An exchange that goes another way has failed, so all of these do. Returns
  /// what all ranks say: the cause, where a rank ended, else that ranks did not
  /// come in time (`isLate`), else `what`. From any thread.
  virtual Status fail(const std::string &what, bool isLate) = 0;
  /// Tells the others that this rank ends, and why: what they wait for fails
  /// with that. Without a reason it ends as all do, and waits for a while for
  /// the others to do so. Later calls do nothing.
  virtual void leave(const std::string &reason) = 0;

protected:
  std::string call;
};

/// Names the exchanges of a call, as long as it is.
class NamedCall {
public:
  /// Null: of a process alone.
  NamedCall(Communicator *ranks, std::string_view name) : ranks(ranks) {
    if (ranks)
      ranks->setCall(name);
  }
  NamedCall(const NamedCall &) = delete;
  NamedCall &operator=(const NamedCall &) = delete;
  ~NamedCall() {
    if (ranks)
      ranks->setCall({});
  }

private:
  Communicator *ranks;
};

/// What each rank says, in their order; texts are cut to so many bytes, the
/// same number on all ranks.
Result<std::vector<std::string>>
gatherTexts(Communicator &ranks, std::string_view own, int64_t most = 1024);

/// What rank 0 says, on all ranks, as long as it is.
Result<std::string> shareText(Communicator &ranks, std::string_view own);

/// Succeeds on all ranks or fails on all: with the own error, or with that of
/// the first rank that has one, in its words.
Status agree(Communicator &ranks, const Status &own);

/// What ranks agree on once, at one of several places: the first that is
/// reached.
class JointStatus {
public:
  /// Null: of a process alone, whose own word counts.
  explicit JointStatus(Communicator *ranks) : ranks(ranks) {}

  /// As agree; the own error where ranks have agreed before.
  Status settle(const Status &own) {
    if (!ranks || isSettled)
      return own;
    isSettled = true;
    return agree(*ranks, own);
  }

private:
  Communicator *ranks;
  bool isSettled = false;
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_COMMUNICATOR_H
