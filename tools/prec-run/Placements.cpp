//===- Placements.cpp - who holds and sends what --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Placements.h"

#include "Options.h"
#include "Pages.h"
#include "ProfileModel.h"

#include "AtomicFile.h"
#include "ModuleFile.h"
#include "Ranks.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <map>
#include <tuple>

using namespace prec::rt;
using namespace prec::run;
using nlohmann::ordered_json;

/// Of the tensor that a binding is a slice of.
static int64_t countWholeBytes(const Manifest &manifest,
                               const Binding &binding) {
  const int64_t held =
      manifest.buffers[static_cast<size_t>(binding.buffer)].bytes();
  return binding.shard ? held * manifest.groupOf(binding.shard->axis, 0).size
                       : held;
}

/// What a rank gets of the others by a command; none if it exchanges nothing.
static std::optional<int64_t> countReceived(const Manifest &manifest,
                                            const Command &command) {
  if (command.kind != CommandKind::allGather &&
      command.kind != CommandKind::allToAll)
    return std::nullopt;
  const Collective &collective = command.collective;
  const int64_t ranks = manifest.groupOf(collective.axis, 0).size;
  const int64_t bytes =
      manifest.buffers[static_cast<size_t>(collective.d)].bytes();
  return bytes / ranks * (ranks - 1);
}

static std::vector<Placement> findParameters(const Manifest &manifest) {
  std::map<std::string, std::pair<int64_t, int64_t>> states;
  for (const Binding &binding : manifest.bindings)
    if (binding.role == Role::optimizerState) {
      auto &[bytes, held] = states[binding.parameter];
      bytes += countWholeBytes(manifest, binding);
      held += manifest.buffers[static_cast<size_t>(binding.buffer)].bytes();
    }
  std::vector<Placement> found;
  using Key = std::tuple<std::string, std::vector<int64_t>, std::string,
                         int64_t, std::string>;
  std::map<Key, size_t> places;
  for (const Binding &binding : manifest.bindings) {
    if (binding.role != Role::parameter)
      continue;
    const Buffer &buffer =
        manifest.buffers[static_cast<size_t>(binding.buffer)];
    std::string name = foldLayers(binding.name);
    std::vector<int64_t> shape = manifest.wholeShape(binding);
    auto [place, isNew] = places.try_emplace(
        Key{name, shape, binding.shard ? binding.shard->axis : "",
            binding.shard ? binding.shard->dim : 0, binding.placement},
        found.size());
    if (isNew)
      found.push_back({name, std::string(prec::rt::name(buffer.dtype)), shape,
                       binding.shard, binding.placement});
    Placement &placement = found[place->second];
    auto [stateBytes, stateHeld] = states[binding.name];
    ++placement.count;
    placement.bytes += countWholeBytes(manifest, binding);
    placement.held += buffer.bytes();
    placement.stateBytes += stateBytes;
    placement.stateHeld += stateHeld;
  }
  return found;
}

static std::vector<Exchange> findExchanges(const Manifest &manifest) {
  std::vector<Exchange> found;
  using Key = std::tuple<std::string, std::string, std::string, std::string,
                         std::string, std::string, std::string>;
  std::map<Key, size_t> places;
  for (const auto &[entryPoint, commands] : manifest.entryPoints)
    for (const Command &command : commands) {
      std::optional<int64_t> bytes = countReceived(manifest, command);
      if (!bytes)
        continue;
      const Collective &collective = command.collective;
      std::string op(name(command.kind)),
          dtype(
              name(manifest.buffers[static_cast<size_t>(collective.a)].dtype)),
          path = foldLayers(command.path);
      auto [place, isNew] =
          places.try_emplace(Key{entryPoint, command.phase, op, collective.axis,
                                 dtype, path, collective.reason},
                             found.size());
      if (isNew)
        found.push_back({entryPoint, command.phase, op, collective.axis, dtype,
                         path, collective.reason});
      ++found[place->second].count;
      found[place->second].bytes += *bytes;
    }
  return found;
}

Placements prec::run::findPlacements(const Manifest &manifest) {
  return {&manifest, findParameters(manifest), findExchanges(manifest)};
}

/// Of an axis that parameters or exchanges name: the place along it of each
/// rank, in their order.
static std::vector<int64_t> findPlaces(const Manifest &manifest,
                                       const std::string &axis) {
  std::vector<int64_t> own;
  for (int64_t rank = 0; rank < manifest.numRanks(); ++rank)
    own.push_back(manifest.groupOf(axis, rank).own);
  return own;
}

std::string prec::run::toJson(const Placements &placements) {
  const Manifest &manifest = *placements.manifest;
  ordered_json mesh = ordered_json::object(), axes = ordered_json::object(),
               parameters = ordered_json::array(),
               exchanges = ordered_json::array();
  for (const MeshAxis &axis : manifest.mesh)
    mesh[axis.axis] = axis.size;
  for (const Placement &placement : placements.parameters) {
    ordered_json shard;
    if (placement.shard) {
      const std::string &axis = placement.shard->axis;
      shard = {{"dim", placement.shard->dim},
               {"axis", axis},
               {"parts", placement.shard->parts}};
      axes[axis] = findPlaces(manifest, axis);
    }
    parameters.push_back({{"name", placement.name},
                          {"count", placement.count},
                          {"dtype", placement.dtype},
                          {"shape", placement.shape},
                          {"shard", shard},
                          {"reason", placement.reason},
                          {"bytes", placement.bytes},
                          {"held_bytes", placement.held},
                          {"state_bytes", placement.stateBytes},
                          {"held_state_bytes", placement.stateHeld}});
  }
  for (const Exchange &exchange : placements.exchanges) {
    axes[exchange.axis] = findPlaces(manifest, exchange.axis);
    exchanges.push_back({{"entry_point", exchange.entryPoint},
                         {"phase", exchange.phase},
                         {"op", exchange.op},
                         {"axis", exchange.axis},
                         {"dtype", exchange.dtype},
                         {"reason", exchange.reason},
                         {"module", exchange.path},
                         {"count", exchange.count},
                         {"received_bytes", exchange.bytes}});
  }
  return ordered_json{{"recipe", manifest.recipe},
                      {"ranks", manifest.numRanks()},
                      {"mesh", mesh},
                      {"places", axes},
                      {"parameters", parameters},
                      {"exchanges", exchanges}}
             .dump(2) +
         "\n";
}

static double asMiB(int64_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

static std::string describeSlice(const Manifest &manifest,
                                 const Placement &placement) {
  if (!placement.shard)
    return "whole";
  const Shard &shard = *placement.shard;
  const int64_t ranks = manifest.groupOf(shard.axis, 0).size,
                size = placement.shape[static_cast<size_t>(shard.dim)];
  std::string text = std::to_string(size / ranks) + " of " +
                     std::to_string(size) + " along dimension " +
                     std::to_string(shard.dim) + ", by " + shard.axis;
  return shard.parts.size() < 2
             ? text
             : text + ", of each of " + std::to_string(shard.parts.size()) +
                   " parts";
}

static void print(const Placements &placements) {
  const Manifest &manifest = *placements.manifest;
  int64_t bytes = 0, held = 0, stateBytes = 0, stateHeld = 0;
  for (const Placement &placement : placements.parameters) {
    bytes += placement.bytes;
    held += placement.held;
    stateBytes += placement.stateBytes;
    stateHeld += placement.stateHeld;
  }
  printf("%lld ranks (%s); each holds %.3f of %.3f MiB of parameters and %.3f "
         "of %.3f MiB of optimizer states\n",
         static_cast<long long>(manifest.numRanks()),
         formatMesh(manifest).c_str(), asMiB(held), asMiB(bytes),
         asMiB(stateHeld), asMiB(stateBytes));
  printf("%6s %12s %12s  %s\n", "count", "MiB", "of a rank",
         "parameter, its shape; what a rank has of it; why");
  for (const Placement &placement : placements.parameters)
    printf("%6lld %12.3f %12.3f  %s %s%s; %s; %s\n",
           static_cast<long long>(placement.count), asMiB(placement.bytes),
           asMiB(placement.held), placement.name.c_str(),
           placement.dtype.c_str(), formatShape(placement.shape).c_str(),
           describeSlice(manifest, placement).c_str(),
           placement.reason.c_str());
  printf("%6s %12s  %s\n", "count", "MiB",
         "exchanges, what a rank gets of the others: entry point, phase, op, "
         "axis, format, module; why in this format");
  for (const Exchange &exchange : placements.exchanges)
    printf("%6lld %12.3f  %s  %s  %s  %s  %s  %s%s%s\n",
           static_cast<long long>(exchange.count), asMiB(exchange.bytes),
           exchange.entryPoint.c_str(), exchange.phase.c_str(),
           exchange.op.c_str(), exchange.axis.c_str(), exchange.dtype.c_str(),
           exchange.path.c_str(), exchange.reason.empty() ? "" : "; ",
           exchange.reason.c_str());
}

Status prec::run::showPlacements(const Options &options) {
  Result<std::unique_ptr<ModuleFile>> file = ModuleFile::read(options.module);
  if (!file.ok())
    return file.status();
  const Manifest &manifest = (*file)->manifest();
  if (manifest.mesh.empty())
    return Status::invalidArgument(
        "--placements is of a module for several ranks, but '" +
        options.module + "' was compiled without --mesh");
  Placements placements = findPlacements(manifest);
  print(placements);
  return options.placementsHtml.empty()
             ? Status()
             : writeAtomically(options.placementsHtml,
                               makePlacementsPage(toJson(placements)));
}
