//===- ProfileModel.cpp - what commands do in their time ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProfileModel.h"

#include "CommandRules.h"

#include <algorithm>
#include <map>
#include <set>

using namespace prec::rt;
using namespace prec::run;

std::string_view prec::run::name(Bound bound) {
  return bound == Bound::bytes ? "bytes" : "flops";
}

const Part *prec::run::findPart(const Command &command, int buffer) {
  for (const Part &part : command.parts)
    if (part.buffer == buffer)
      return &part;
  return nullptr;
}

static int64_t sumBytes(const Manifest &manifest, const Command &command,
                        const std::vector<int> &buffers) {
  int64_t bytes = 0;
  for (int buffer : std::set<int>(buffers.begin(), buffers.end())) {
    const Part *part = findPart(command, buffer);
    bytes +=
        part ? part->bytes * part->count : manifest.buffers[buffer].bytes();
  }
  return bytes;
}

static MatrixUnit unitOf(DType dtype) {
  switch (dtype) {
  case DType::bf16:
    return MatrixUnit::bf16;
  case DType::f16:
    return MatrixUnit::f16;
  case DType::f8E4M3FN:
  case DType::f8E5M2:
    return MatrixUnit::fp8;
  case DType::i8: // Two e2m1.
    return MatrixUnit::fp4;
  case DType::f32:
  case DType::i1:
  case DType::i32:
  case DType::i64:
  case DType::f8E8M0FNU:
    return MatrixUnit::f32;
  }
  return MatrixUnit::f32;
}

Work prec::run::computeWork(const Manifest &manifest, const Command &command) {
  Work work;
  work.bytes = sumBytes(manifest, command, command.reads) +
               sumBytes(manifest, command, command.writes);
  if (std::optional<Products> products = productsOf(manifest, command)) {
    work.flops = products->flops;
    // The narrower operand is widened.
    auto unit = [&](int buffer) {
      return unitOf(manifest.buffers[buffer].dtype);
    };
    work.unit = unit(products->operands.front());
    for (int operand : products->operands)
      work.unit = std::min(work.unit, unit(operand));
  }
  return work;
}

Limit prec::run::computeLimit(const Work &work, const MachineRates &machine) {
  double moving = work.bytes / machine.bytesPerSecond;
  double computing = work.flops.value_or(0) / machine.flops(work.unit);
  return computing > moving ? Limit{Bound::flops, computing}
                            : Limit{Bound::bytes, moving};
}

std::string prec::run::describe(const Engine &engine) {
  if (!engine.algorithm)
    return engine.name;
  const GemmAlgorithm &algorithm = *engine.algorithm;
  std::string text = engine.name + ": " + std::to_string(algorithm.id) +
                     ", tile " + algorithm.tile + ", stages " +
                     algorithm.stages + ", cluster " + algorithm.cluster;
  if (algorithm.splits > 1)
    text += ", split-k " + std::to_string(algorithm.splits);
  if (algorithm.swizzle > 0)
    text += ", swizzle " + std::to_string(algorithm.swizzle);
  if (algorithm.candidates)
    text += ", 1 of " + std::to_string(*algorithm.candidates);
  return text;
}

std::string prec::run::foldLayers(std::string_view path) {
  std::string result;
  while (true) {
    size_t dot = path.find('.');
    std::string_view part = path.substr(0, dot);
    bool isNumber = !part.empty() && part.find_first_not_of("0123456789") ==
                                         std::string_view::npos;
    result += isNumber ? "*" : part;
    if (dot == std::string_view::npos)
      return result;
    result += '.';
    path.remove_prefix(dot + 1);
  }
}

static CommandFloor floorOf(const StepFloor &floor, size_t command) {
  if (const std::optional<double> &seconds = floor.replayed[command])
    return {*seconds, std::nullopt};
  int64_t bytes = floor.bytes[command];
  return {bytes / floor.bytesPerSecond, bytes};
}

static void add(const CommandFloor &part, std::optional<CommandFloor> &sum) {
  if (!sum)
    sum = CommandFloor{0, std::nullopt};
  sum->seconds += part.seconds;
  if (part.bytes)
    sum->bytes = sum->bytes.value_or(0) + *part.bytes;
}

Profile prec::run::makeProfile(const Manifest &manifest,
                               const std::vector<double> &seconds, int rounds,
                               std::optional<MachineRates> machine,
                               std::optional<StepFloor> floor,
                               std::vector<std::optional<Engine>> engines) {
  Profile profile{&manifest, rounds,           std::move(machine), 0,
                  {},        std::move(floor), std::nullopt};
  const std::vector<Command> &commands = manifest.commands("step");
  for (size_t i = 0; i < commands.size(); ++i) {
    const Command &command = commands[i];
    CommandProfile entry{
        &command,
        foldLayers(command.path.empty() ? command.name : command.path),
        seconds[i],
        computeWork(manifest, command),
        std::nullopt,
        std::nullopt,
        engines.empty() ? std::nullopt : std::move(engines[i])};
    if (profile.machine)
      entry.limit = computeLimit(entry.work, *profile.machine);
    if (profile.floor)
      entry.floor = floorOf(*profile.floor, i);
    profile.seconds += seconds[i];
    profile.commands.push_back(std::move(entry));
  }
  return profile;
}

template <typename GetKey>
static std::vector<ProfileGroup> groupCommands(const Profile &profile,
                                               GetKey getKey) {
  struct Sum {
    ProfileGroup group;
    std::array<double, 2> limits{}; ///< seconds, by Bound
  };
  std::map<ProfileKey, Sum> sums;
  for (const CommandProfile &command : profile.commands) {
    auto &[group, limits] = sums[getKey(command)];
    ++group.count;
    group.seconds += command.seconds;
    group.bytes += command.work.bytes;
    if (command.work.flops)
      group.flops = group.flops.value_or(0) + *command.work.flops;
    if (command.limit)
      limits[static_cast<size_t>(command.limit->bound)] +=
          command.limit->seconds;
    if (command.floor)
      add(*command.floor, group.floor);
    if (command.engine && std::find(group.engines.begin(), group.engines.end(),
                                    *command.engine) == group.engines.end())
      group.engines.push_back(*command.engine);
  }
  std::vector<ProfileGroup> groups;
  for (auto &[key, sum] : sums) {
    sum.group.key = key;
    auto [moving, computing] = sum.limits;
    if (profile.machine)
      sum.group.limit = {computing > moving ? Bound::flops : Bound::bytes,
                         moving + computing};
    groups.push_back(std::move(sum.group));
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const ProfileGroup &a, const ProfileGroup &b) {
                     return a.seconds > b.seconds;
                   });
  return groups;
}

std::vector<ProfileGroup> prec::run::groupByModule(const Profile &profile) {
  return groupCommands(profile, [](const CommandProfile &entry) -> ProfileKey {
    const Command &command = *entry.command;
    return {command.phase, std::string(name(command.kind)), entry.module,
            command.graphOps};
  });
}

std::vector<ProfileGroup> prec::run::groupByOp(const Profile &profile) {
  return groupCommands(profile, [](const CommandProfile &entry) -> ProfileKey {
    return {"", std::string(name(entry.command->kind)), "", {}};
  });
}
