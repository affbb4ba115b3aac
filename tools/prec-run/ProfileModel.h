//===- ProfileModel.h - what commands do in their time ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_PROFILEMODEL_H
#define PREC_RUN_PROFILEMODEL_H

#include "MachineRates.h"
#include "StepFloor.h"

#include "Engine.h"

namespace prec::run {

/// What a command has to do, whoever does it.
struct Work {
  /// Of the buffers that it reads and of those that it writes, each in full and
  /// once. A command that picks rows of a table moves less.
  int64_t bytes = 0;
  /// Of products and attention alone: 2 M N K a product, attention as
  /// FlashAttention counts (arXiv:2307.08691, 4.1): 4 B H S T D forward, two
  /// and a half times that backward, and half of either with a causal mask.
  std::optional<double> flops;
  MatrixUnit unit = MatrixUnit::f32; ///< of `flops`
};

enum class Bound { bytes, flops };
std::string_view name(Bound bound);

/// The least time that a machine's rates allow.
struct Limit {
  Bound bound;
  double seconds;
};

/// What the floor of its step has for a command.
struct CommandFloor {
  double seconds;
  /// Unavoidable ones; none of what is replayed.
  std::optional<int64_t> bytes;
};

struct CommandProfile {
  const rt::Command *command;
  /// Path, or the command's name where that is empty, with `*` for numbers of
  /// layers.
  std::string module;
  double seconds;
  Work work;
  std::optional<Limit> limit;        ///< none without a machine
  std::optional<CommandFloor> floor; ///< none unless measured
  std::optional<rt::Engine> engine;  ///< none where there is no choice
};

/// Seconds of a whole step of several ranks, and of one in which each copies
/// what it gives to where it would get that of the others: commands that wait
/// for the others wait no longer.
struct ExchangeTimes {
  double step = 0, withoutOthers = 0;
  double exposed() const { return step - withoutOthers; }
};

struct Profile {
  const rt::Manifest *manifest;
  int rounds;
  std::optional<MachineRates> machine;
  double seconds = 0; ///< of all commands
  std::vector<CommandProfile> commands;
  std::optional<StepFloor> floor;         ///< none unless measured
  std::optional<ExchangeTimes> exchanges; ///< none of a process alone
};

/// Commands taken together. What they are not told apart by is empty.
struct ProfileKey {
  std::string phase, op, module;
  std::vector<std::string> graphOps;
  auto operator<=>(const ProfileKey &) const = default;
};
struct ProfileGroup {
  ProfileKey key;
  int64_t count = 0, bytes = 0;
  double seconds = 0;
  std::optional<double> flops; ///< of those commands that have some
  /// By the larger part of the limits' sum; none without a machine.
  std::optional<Limit> limit;
  std::optional<CommandFloor> floor; ///< sums
  std::vector<rt::Engine> engines;   ///< different ones, in order
};

/// What of a buffer a command needs; null: all of it.
const rt::Part *findPart(const rt::Command &command, int buffer);

Work computeWork(const rt::Manifest &manifest, const rt::Command &command);
Limit computeLimit(const Work &work, const MachineRates &machine);

/// In a few words: "cuBLASLt 13.0.2: 66, tile 128x256, stages 64x4, cluster
/// 2x1x1, 1 of 12".
std::string describe(const rt::Engine &engine);

/// "model.layers.3.mlp" -> "model.layers.*.mlp"
std::string foldLayers(std::string_view path);

/// `seconds` has an entry for each command of entry point "step", and so has
/// `engines` where it is not empty. The manifest must outlive the profile.
Profile makeProfile(const rt::Manifest &manifest,
                    const std::vector<double> &seconds, int rounds,
                    std::optional<MachineRates> machine,
                    std::optional<StepFloor> floor = std::nullopt,
                    std::vector<std::optional<rt::Engine>> engines = {});

/// Commands of the same phase, op, module and operations of the graph, by time,
/// the longest first.
std::vector<ProfileGroup> groupByModule(const Profile &profile);
/// Commands of the same op, in the same order.
std::vector<ProfileGroup> groupByOp(const Profile &profile);

} // namespace prec::run

#endif // PREC_RUN_PROFILEMODEL_H
