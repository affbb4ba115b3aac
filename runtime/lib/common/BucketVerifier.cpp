//===- BucketVerifier.cpp - exchanges that run beside others --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges of a bucket stand one behind the other and may run while later
// commands do, up to the first that awaits the bucket. One walk over an entry
// point keeps those that may be running, and checks each other command against
// them: it must not write what one reads, nor touch what one makes.
//
//===----------------------------------------------------------------------===//

#include "BucketVerifier.h"

#include "CommandRules.h"

#include <algorithm>

using namespace prec::rt;

namespace {

/// An exchange that may be running.
struct Running {
  int64_t bucket;
  const Command *exchange;
};

class BucketWalk {
public:
  explicit BucketWalk(const Manifest &manifest) : manifest(manifest) {}

  /// What is wrong with the next command; empty if nothing is.
  std::string step(const Command &command);

private:
  std::string await(const Command &command);
  std::string begin(const Command &command);
  bool sharesBytes(const std::vector<int> &list, int with) const {
    return std::any_of(list.begin(), list.end(), [&](int index) {
      return overlap(manifest.buffers[static_cast<size_t>(index)],
                     manifest.buffers[static_cast<size_t>(with)]);
    });
  }

  const Manifest &manifest;
  std::vector<Running> running;
  int64_t begun = 0; ///< buckets
  bool lastWasOfBucket = false;
};

} // namespace

std::string BucketWalk::await(const Command &command) {
  for (int64_t bucket : command.awaits) {
    auto ended =
        std::remove_if(running.begin(), running.end(), [&](const Running &one) {
          return one.bucket == bucket;
        });
    if (ended == running.end())
      return "awaits must name buckets that have begun, each once, but got " +
             std::to_string(bucket);
    running.erase(ended, running.end());
  }
  return "";
}

std::string BucketWalk::begin(const Command &command) {
  const int64_t bucket = *command.collective.bucket;
  const bool continues = lastWasOfBucket && command.awaits.empty() &&
                         bucket == begun - 1 &&
                         running.back().exchange->kind == command.kind;
  if (!continues && bucket != begun)
    return "exchanges of a bucket must be of one kind and stand one behind the "
           "other, and buckets count from 0 on, but got " +
           std::to_string(bucket) + " where " + std::to_string(begun) +
           " is next";
  begun = bucket + 1;
  running.push_back({bucket, &command});
  return "";
}

std::string BucketWalk::step(const Command &command) {
  if (std::string wrong = await(command); !wrong.empty())
    return wrong;
  for (const Running &one : running) {
    const int given = one.exchange->collective.a,
              got = one.exchange->collective.d;
    if (sharesBytes(command.writes, given) ||
        sharesBytes(command.writes, got) || sharesBytes(command.reads, got))
      return "bytes of exchange '" + one.exchange->name +
             "' must be left alone until bucket " + std::to_string(one.bucket) +
             " is awaited, but are not";
  }
  const bool isOfBucket = command.kind != CommandKind::ownSlice &&
                          command.collective.bucket.has_value();
  if (command.kind == CommandKind::ownSlice && command.collective.bucket)
    return "bucket must be of what ranks send each other, but got one of an "
           "own slice";
  std::string wrong = isOfBucket ? begin(command) : "";
  lastWasOfBucket = isOfBucket;
  return wrong;
}

Status prec::rt::verifyBuckets(
    const Manifest &manifest, const std::vector<Command> &commands,
    const std::function<Status(size_t, const std::string &)> &fail) {
  BucketWalk walk(manifest);
  for (size_t i = 0; i < commands.size(); ++i)
    if (std::string wrong = walk.step(commands[i]); !wrong.empty())
      return fail(i, wrong);
  return {};
}
