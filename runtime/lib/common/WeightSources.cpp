//===- WeightSources.cpp - where loaded weights come from -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WeightSources.h"

#include <algorithm>
#include <cstring>

using namespace prec::rt;

std::vector<Wanted> prec::rt::wantedWeights(const Session &session) {
  std::vector<Wanted> wanted;
  const std::vector<Binding> &bindings = session.manifest().bindings;
  for (size_t i = 0; i < bindings.size(); ++i) {
    if (!isWeight(bindings[i].role))
      continue;
    Wanted want{static_cast<int>(i),
                {bindings[i].name},
                !bindings[i].initial.has_value()};
    want.names.insert(want.names.end(), bindings[i].aliases.begin(),
                      bindings[i].aliases.end());
    wanted.push_back(std::move(want));
  }
  return wanted;
}

static const SafetensorsEntry *
findEntry(const std::vector<SafetensorsEntry> &entries,
          const std::string &name) {
  auto found = std::find_if(
      entries.begin(), entries.end(),
      [&](const SafetensorsEntry &entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

/// The weight of `session` that a tensor of a checkpoint is a work weight of.
static std::optional<std::string> copiedWeight(const Session &session,
                                               const SafetensorsEntry &entry) {
  if (!entry.name.starts_with(kFrozen))
    return std::nullopt;
  std::string name = entry.name.substr(strlen(kFrozen));
  name = name.substr(0, name.rfind('.'));
  int index = session.find(name);
  bool isKnown =
      index >= 0 && isWeight(session.manifest().bindings[index].role);
  return isKnown ? std::optional(name) : std::nullopt;
}

/// Whether the checkpoint has every copy of a weight that the module reads.
bool WeightSources::hasCopies(const Binding &weight) {
  if (weight.role != Role::stagedParameter)
    return false;
  const std::vector<int> &copies = stagedCopies.at(weight.name);
  return std::all_of(copies.begin(), copies.end(), [&](int copy) {
    const Binding &binding = session.manifest().bindings[copy];
    const SafetensorsEntry *entry =
        findEntry(copyEntries, kFrozen + binding.name);
    return entry && entry->dtype == session.bufferOf(binding).dtype &&
           entry->shape == session.manifest().wholeShape(binding);
  });
}

std::string WeightSources::explainMissing(const std::string &weight) const {
  std::string held;
  for (const SafetensorsEntry &entry : copyEntries)
    if (copiedWeight(session, entry) == weight)
      held += (held.empty() ? "" : ", ") +
              entry.name.substr(strlen(kFrozen) + weight.size() + 1);
  if (held.empty())
    return Wanted().missing;
  return "must be there as it is for a module that reads it in another way "
         "than the one that was saved, but only its copies are (" +
         held + "): give the file of weights that the training began with";
}

WeightSources::WeightSources(Session &session, Stored weights,
                             std::vector<SafetensorsEntry> &state,
                             const std::optional<Stored> &originals)
    : session(session), stagedCopies(session.manifest().stagedCopies()) {
  auto firstCopy = std::stable_partition(state.begin(), state.end(),
                                         [&](const SafetensorsEntry &entry) {
                                           return !copiedWeight(session, entry);
                                         });
  copyEntries.assign(firstCopy, state.end());
  state.erase(firstCopy, state.end());

  std::vector<Wanted> fromWeights, fromOriginals;
  std::set<int> changed = session.manifest().changedBuffers();
  for (Wanted &want : wantedWeights(session)) {
    const Binding &binding = session.manifest().bindings[want.binding];
    // Its start value is not what was trained.
    want.required = want.required || changed.count(want.binding);
    bool isFrozen = binding.role == Role::frozenParameter ||
                    binding.role == Role::stagedParameter;
    bool isThere = std::any_of(
        want.names.begin(), want.names.end(), [&](const std::string &name) {
          return findEntry(weights.entries, name) != nullptr;
        });
    if (!isFrozen || isThere) {
      fromWeights.push_back(std::move(want));
    } else if (hasCopies(binding)) {
      copied.push_back(want.binding);
      for (int copy : stagedCopies.at(binding.name))
        wantedCopies.push_back(
            {copy, {kFrozen + session.manifest().bindings[copy].name}, true});
    } else if (originals) {
      fromOriginals.push_back(std::move(want));
    } else {
      want.missing = explainMissing(binding.name);
      fromWeights.push_back(std::move(want));
    }
  }
  matchers.emplace_back(session, weights.name);
  matchers.back().match(weights.entries, fromWeights);
  matchers.emplace_back(session, weights.name);
  matchers.back().match(copyEntries, wantedCopies, /*optional=*/kFrozen);
  if (!originals)
    return;
  matchers.emplace_back(session, originals->name, /*mayRound=*/true);
  // What was trained is the checkpoint's.
  matchers.back().match(originals->entries, fromOriginals, /*optional=*/"");
}

std::string WeightSources::errors() const {
  std::string text;
  for (const TensorMatcher &matcher : matchers)
    if (Status status = matcher.errors(); !status.ok())
      text += (text.empty() ? "" : "\n") + status.message();
  return text;
}

Status WeightSources::upload() {
  for (const TensorMatcher &matcher : matchers)
    PREC_RT_RETURN_IF_ERROR(matcher.upload());
  for (int weight : copied)
    session.markWritten(weight);
  return {};
}
