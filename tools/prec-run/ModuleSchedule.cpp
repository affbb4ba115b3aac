//===- ModuleSchedule.cpp - the modules of a run --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModuleSchedule.h"

#include "ModuleFile.h"
#include "OpenModule.h"

#include <algorithm>
#include <iterator>
#include <set>

using namespace prec::rt;
using namespace prec::run;

/// What every module of a run must have alike, a line each.
static std::set<std::string> describe(const Manifest &manifest) {
  static const std::map<Role, const char *> kRoles = {
      {Role::parameter, "weight"},
      {Role::frozenParameter, "weight"},
      {Role::stagedParameter, "weight"},
      {Role::optimizerState, "optimizer state"},
      {Role::batch, "input"},
      {Role::hyper, "hyper-parameter"}};
  std::set<std::string> lines;
  for (const Binding &binding : manifest.bindings)
    if (auto role = kRoles.find(binding.role); role != kRoles.end())
      lines.insert(std::string(role->second) + " '" + binding.name + "' " +
                   binding.slot + " of shape " +
                   formatShape(manifest.buffers[binding.buffer].shape));
  return lines;
}

/// The work weights that a module does not keep as they are, a line
/// each.
static std::set<std::string> describeCopies(const Manifest &manifest) {
  std::set<std::string> lines;
  for (const auto &[weight, copies] : manifest.stagedCopies())
    for (int copy : copies) {
      const Binding &binding = manifest.bindings[copy];
      const Buffer &buffer = manifest.buffers[binding.buffer];
      lines.insert("'" + weight + "' as " + binding.slot + " of " +
                   std::string(name(buffer.dtype)) + formatShape(buffer.shape));
    }
  return lines;
}

static Status check(const Manifest &firstModule, const Options &options,
                    const std::string &path, const Manifest &manifest) {
  std::set<std::string> first = describe(firstModule);
  std::set<std::string> other = describe(manifest);
  std::string differences;
  auto list = [&](const std::set<std::string> &some,
                  const std::set<std::string> &others, const char *what) {
    for (const std::string &line : some)
      if (!others.count(line))
        differences += "\n" + path + ": " + line + " " + what;
  };
  list(first, other, "must be there as in the first module, but is missing");
  list(other, first, "must be in the first module, but is not");
  if (!differences.empty())
    return Status::invalidArgument(differences.substr(1));
  std::set<std::string> copies = describeCopies(firstModule),
                        others = describeCopies(manifest);
  if (copies != others && options.weights.empty()) {
    std::vector<std::string> apart;
    std::set_symmetric_difference(copies.begin(), copies.end(), others.begin(),
                                  others.end(), std::back_inserter(apart));
    return Status::invalidArgument(
        path +
        ": modules of a run without --weights must keep the same copies of "
        "frozen weights, but only one of this and the first has " +
        apart.front());
  }
  if (options.microBatches > 1 && !manifest.entryPoints.count("accumulate"))
    return Status::invalidArgument(path +
                                   ": --micro-batches must be 1 for a module "
                                   "compiled without --accumulate, but got " +
                                   std::to_string(options.microBatches));
  return {};
}

Result<ModuleSchedule> ModuleSchedule::open(std::unique_ptr<Session> first,
                                            const Options &options) {
  Files files = {{options.module, first->sharedModule()}};
  std::string errors;
  auto add = [&](const std::string &path) {
    if (path.empty() || files.count(path))
      return;
    Result<std::unique_ptr<ModuleFile>> file = ModuleFile::read(path);
    Status status =
        file.ok() ? check(first->manifest(), options, path, (*file)->manifest())
                  : file.status();
    files[path] = file.ok() ? std::move(*file) : nullptr;
    if (!status.ok())
      errors += (errors.empty() ? "" : "\n") + status.message();
  };
  for (const auto &[step, path] : options.switches)
    add(path);
  add(options.fallback);
  if (!errors.empty())
    return Status::invalidArgument(errors);
  return ModuleSchedule(std::move(first), std::move(files), options);
}

const std::string &ModuleSchedule::findDue(int64_t step) const {
  if (hasFallenBack)
    return options->fallback;
  auto later = options->switches.upper_bound(step);
  return later == options->switches.begin() ? options->module
                                            : std::prev(later)->second;
}

/// The device has room for one module.
Status ModuleSchedule::open(const std::string &path) {
  current.reset();
  Result<std::unique_ptr<Session>> next = openModule(files.at(path), *options);
  if (!next.ok())
    return next.status();
  current = std::move(*next);
  module = path;
  return {};
}

Status ModuleSchedule::beginAfter(int64_t steps) {
  const std::string &due = findDue(steps + 1);
  return due == module ? Status() : open(due);
}

Result<std::string> ModuleSchedule::switchTo(const std::string &path) {
  Result<HeldCheckpoint> state = holdCheckpoint(*current);
  if (!state.ok())
    return state.status();
  held = std::make_unique<HeldCheckpoint>(std::move(*state));
  std::string before = module;
  PREC_RT_RETURN_IF_ERROR(open(path));
  Result<LoadedCheckpoint> loaded =
      loadCheckpoint(*current, *held, before, options->weights);
  if (!loaded.ok()) {
    current.reset();
    return loaded.status();
  }
  held.reset();
  return "step " + std::to_string(current->stepsDone() + 1) + " goes on in " +
         path + " (" + current->manifest().recipe + ")" +
         (loaded->hasScales ? "" : ", whose scales begin anew");
}

Result<std::string> ModuleSchedule::advance(int64_t skipped) {
  hasFallenBack |=
      !options->fallback.empty() && skipped >= options->fallbackAfter;
  const std::string &due = findDue(current->stepsDone() + 1);
  if (due == module)
    return std::string();
  return switchTo(due);
}
