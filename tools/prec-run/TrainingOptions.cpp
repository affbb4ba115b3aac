//===- TrainingOptions.cpp - which options a training can have ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TrainingOptions.h"

using namespace prec::rt;
using namespace prec::run;

Status prec::run::checkOptions(const Options &options) {
  if (options.tokens.empty() && (options.steps > 0 || options.profile))
    return Status::invalidArgument(
        "--steps and --profile need --tokens, but got none");
  if (options.shuffle && !options.badBatches.empty())
    return Status::invalidArgument(
        "--keep-bad-batches must be without --shuffle, whose batches are no "
        "part of a file, but got both");
  if (options.evalEvery > 0 && options.evalTokens.empty())
    return Status::invalidArgument(
        "--eval-every needs --eval-tokens, but got none");
  bool isWsd = options.schedule == Schedule::wsd;
  if (isWsd != (options.decay > 0) ||
      (isWsd && options.decay > options.steps - options.warmup))
    return Status::invalidArgument(
        "--decay must be given with --lr-schedule wsd, and be at most --steps "
        "less --warmup, but got " +
        std::to_string(options.decay));
  if (options.saveEvery > 0 && options.save.empty())
    return Status::invalidArgument("--save-every needs --save, but got none");
  if (options.keepBest && options.evalTokens.empty())
    return Status::invalidArgument(
        "--keep-best needs --eval-tokens, but got none");
  return {};
}

Status prec::run::checkMicroBatches(const Session &session,
                                    const Options &options) {
  if (options.microBatches == 1 ||
      session.manifest().entryPoints.count("accumulate"))
    return {};
  return Status::invalidArgument(
      "--micro-batches must be 1 for a module compiled "
      "without --accumulate, but got " +
      std::to_string(options.microBatches));
}

Status prec::run::checkNumerics(const Session &session,
                                const Options &options) {
  if (options.numerics.empty())
    return {};
  if (!session.manifest().entryPoints.count("sample"))
    return Status::invalidArgument(
        "--collect-numerics must be given for a module "
        "compiled with --collect-numerics, but is not");
  if (options.microBatches > 1)
    return Status::invalidArgument(
        "--collect-numerics must have steps of one batch, but "
        "got --micro-batches " +
        std::to_string(options.microBatches));
  int64_t every = options.sampleEvery;
  int64_t next = (session.stepsDone() / every + 1) * every;
  if (next > options.steps)
    return Status::invalidArgument(
        "--every must leave a step to sample, but got " +
        std::to_string(every) + " for the steps from " +
        std::to_string(session.stepsDone() + 1) + " to " +
        std::to_string(options.steps));
  return {};
}
