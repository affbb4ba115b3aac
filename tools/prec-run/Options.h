//===- Options.h - the command line of prec-run -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_OPTIONS_H
#define PREC_RUN_OPTIONS_H

#include "Communicator.h"
#include "OpenOptions.h"
#include "RankStore.h"
#include "TokenFile.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace prec::run {

/// wsd: warmup, stable, decay.
enum class Schedule { constant, cosine, wsd };

/// Base rates that are given instead of the module's.
struct BaseRates {
  std::optional<double> all;             ///< of every parameter group
  std::map<std::string, double> ofGroup; ///< goes before `all`
};

struct Options {
  std::string module;
  std::string weights; ///< safetensors file
  bool random = false; ///< --init random
  uint64_t seed = 0;
  double stddev = 0.02;
  std::vector<std::string> tokens, evalTokens; ///< files or patterns
  std::optional<uint64_t> shuffle; ///< seed of the order of `tokens`
  bool wideTokens = false;         ///< uint32 instead of uint16
  LabelShifts labelShifts;
  int64_t steps = 0;        ///< in total, those before a resume included
  int64_t microBatches = 1; ///< batches of a step
  int64_t evalEvery = 0;    ///< 0: only before and after training
  int64_t evalBatches = 8;
  int64_t saveEvery = 0; ///< 0: only after the last step
  int64_t keep = 1;      ///< checkpoints, the newest
  bool keepBest = false; ///< by held-out loss
  BaseRates rates;
  Schedule schedule = Schedule::constant;
  int64_t warmup = 0;
  int64_t decay = 0; ///< last steps of wsd
  std::string metrics, save, resume, compare;
  /// Modules by the first step that they train, in order of these.
  std::map<int64_t, std::string> switches;
  std::string fallback;            ///< module
  int64_t fallbackAfter = 3;       ///< skipped steps in a row
  std::string badBatches;          ///< folder
  std::vector<std::string> verify; ///< modules
  bool bisect = false;
  double leastSnr = 10;      ///< of bisect, in dB
  std::string gradientNoise; ///< file
  int64_t noiseBatches = 1;
  std::string report;                 ///< of verify and bisect
  std::string numerics;               ///< file
  int64_t sampleEvery = 100;          ///< steps
  int64_t generate = 0;               ///< tokens; 0: none
  std::vector<std::string> prompts;   ///< "17,4,32"
  double temperature = 0;             ///< 0: the likeliest token
  int64_t topK = 0;                   ///< of drawn tokens; 0: all
  int64_t stop = -1;                  ///< token that ends a text; -1: none
  std::vector<std::string> functions; ///< libraries of functions for calls
  bool inspect = false, traffic = false, placements = false;
  bool profile = false, profileFloor = false;
  std::string bench;             ///< report of a module that is measured
  bool benchResume = false;      ///< go on with the report
  double benchBudget = 60;       ///< seconds of measuring
  double benchInterval = 0.01;   ///< of medians, as a share of these
  std::string predict;           ///< report of --bench
  std::vector<std::string> race; ///< modules that take turns with `module`
  std::string profileOf, profileMachine, profileJson, profileHtml; ///< files
  std::string placementsHtml;
  rt::OpenOptions open;     ///< of every module
  std::string rendezvous;   ///< "HOST:PORT" of rank 0
  double rankTimeout = 300; ///< seconds
  int rank = -1;            ///< of several; none of a process alone
  std::string launcher;     ///< of several ranks
  /// Of several ranks, until this one connects to the others.
  std::optional<rt::RankOptions> apart;
  std::string commandLine; ///< what all ranks must have

  /// Ranks that have batches of their own; the others, which have parts of the
  /// same layers, take the batch of one of them.
  int64_t dataRanks = 1;
  /// Of this rank: which of these batches it takes.
  int64_t dataRank = 0;
  /// Of ranks one reports what all do.
  bool speaks() const { return rank <= 0; }

  TokenSource trainingTokens() const {
    return {tokens, wideTokens, labelShifts, shuffle};
  }
  TokenSource heldOutTokens() const {
    return {evalTokens, wideTokens, labelShifts, std::nullopt};
  }
};

/// Parses the command line. Returns an exit code if the program is to end now
/// (help, version or an error, which is already printed).
std::optional<int> parseOptions(int argc, char **argv, Options &options);

} // namespace prec::run

#endif // PREC_RUN_OPTIONS_H
