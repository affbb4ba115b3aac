//===- ProfileFile.cpp - a profile as JSON --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProfileFile.h"

#include "JsonFields.h"

#include <nlohmann/json.hpp>

using namespace prec::rt;
using namespace prec::run;
using nlohmann::ordered_json;

/// What there is nothing of is null.
template <typename T>
static ordered_json orNull(const std::optional<T> &value) {
  return value ? ordered_json(*value) : ordered_json();
}

static ordered_json asJson(const std::optional<Limit> &limit) {
  if (!limit)
    return nullptr;
  return {{"bound", name(limit->bound)}, {"seconds", limit->seconds}};
}

static ordered_json asJson(const std::optional<CommandFloor> &floor) {
  if (!floor)
    return nullptr;
  return {{"seconds", floor->seconds}, {"bytes", orNull(floor->bytes)}};
}

static ordered_json asJson(const std::optional<StepFloor> &floor) {
  if (!floor)
    return nullptr;
  return {{"seconds", floor->seconds()},
          {"rounds", floor->rounds},
          {"step_seconds", floor->stepSeconds},
          {"replayed_seconds", floor->replayedSeconds()},
          {"bytes", floor->totalBytes()},
          {"bytes_per_second", floor->bytesPerSecond}};
}

static ordered_json asJson(const std::optional<ExchangeTimes> &times) {
  if (!times)
    return nullptr;
  return {{"step_seconds", times->step},
          {"seconds_without_others", times->withoutOthers},
          {"exposed_seconds", times->exposed()}};
}

static ordered_json asJson(const std::optional<MachineRates> &machine) {
  if (!machine)
    return nullptr;
  ordered_json flops = ordered_json::object();
  for (size_t unit = 0; unit < kMatrixUnitNames.size(); ++unit)
    if (machine->flopsPerSecond[unit])
      flops[std::string(kMatrixUnitNames[unit])] =
          *machine->flopsPerSecond[unit];
  return {{"name", machine->name},
          {"device", machine->device},
          {"bytes_per_second", machine->bytesPerSecond},
          {"flops_per_second", std::move(flops)}};
}

static ordered_json asJson(const std::optional<Engine> &engine) {
  if (!engine)
    return nullptr;
  ordered_json result = {{"name", engine->name}, {"algorithm", nullptr}};
  if (const std::optional<GemmAlgorithm> &algorithm = engine->algorithm)
    result["algorithm"] = {{"id", algorithm->id},
                           {"tile", algorithm->tile},
                           {"stages", algorithm->stages},
                           {"cluster", algorithm->cluster},
                           {"split_k", algorithm->splits},
                           {"swizzle", algorithm->swizzle},
                           {"milliseconds", algorithm->milliseconds},
                           {"candidates", orNull(algorithm->candidates)}};
  return result;
}

static ordered_json asJson(const CommandProfile &entry) {
  const Command &command = *entry.command;
  ordered_json unit;
  if (entry.work.flops)
    unit = kMatrixUnitNames[static_cast<size_t>(entry.work.unit)];
  return {{"command", command.name},
          {"phase", command.phase},
          {"op", name(command.kind)},
          {"graph_ops", command.graphOps},
          {"path", command.path},
          {"module", entry.module},
          {"seconds", entry.seconds},
          {"bytes", entry.work.bytes},
          {"flops", orNull(entry.work.flops)},
          {"unit", std::move(unit)},
          {"limit", asJson(entry.limit)},
          {"floor", asJson(entry.floor)},
          {"engine", asJson(entry.engine)}};
}

static ordered_json asJson(const ProfileGroup &group) {
  return {{"count", group.count},         {"seconds", group.seconds},
          {"bytes", group.bytes},         {"flops", orNull(group.flops)},
          {"limit", asJson(group.limit)}, {"floor", asJson(group.floor)}};
}

std::string prec::run::toJson(const Profile &profile) {
  const Manifest &manifest = *profile.manifest;
  ordered_json document = {
      {"version", 1},
      {"producer", "prec-run"},
      {"recipe", manifest.recipe},
      {"graph", manifest.graph},
      {"target",
       {{"kind", manifest.target.kind}, {"chip", manifest.target.chip}}},
      {"machine", asJson(profile.machine)},
      {"entry_point", "step"},
      {"rounds", profile.rounds},
      {"seconds", profile.seconds},
      {"floor", asJson(profile.floor)},
      {"exchanges", asJson(profile.exchanges)}};
  document["commands"] = ordered_json::array();
  for (const CommandProfile &command : profile.commands)
    document["commands"].push_back(asJson(command));
  document["modules"] = ordered_json::array();
  for (const ProfileGroup &group : groupByModule(profile)) {
    ordered_json entry = {{"phase", group.key.phase},
                          {"op", group.key.op},
                          {"graph_ops", group.key.graphOps},
                          {"module", group.key.module}};
    entry.update(asJson(group));
    entry["engines"] = ordered_json::array();
    for (const Engine &engine : group.engines)
      entry["engines"].push_back(describe(engine));
    document["modules"].push_back(std::move(entry));
  }
  document["ops"] = ordered_json::array();
  for (const ProfileGroup &group : groupByOp(profile)) {
    ordered_json entry = {{"op", group.key.op}};
    entry.update(asJson(group));
    document["ops"].push_back(std::move(entry));
  }
  return writeJson(document, 1) + "\n";
}
