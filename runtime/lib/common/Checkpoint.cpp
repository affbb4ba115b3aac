//===- Checkpoint.cpp - a session's state in files ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Saves and loads the state of a training: parameters in one safetensors file
// under the framework's names, and optimizer state, scale state and staged
// copies in another one. A Checkpoint is a list of tensors, each with a
// function that reads it from the device when it is written; `detachCheckpoint`
// copies all of it to the host first, so that the training can go on while a
// thread writes. Files are written completely under temporary names, then
// renamed, and only then named by the index (CheckpointFolder.cpp), so a crash
// leaves the checkpoint before.
//
// Loading compares all names, shapes and dtypes first and reports all errors
// before it changes anything. Then weights are uploaded, `init` makes scale
// state from them, and the saved state comes last, over it. A module that
// scales in another way takes weights and moments, and begins with the scales
// that `init` made.
//
//===----------------------------------------------------------------------===//

#include "Checkpoint.h"

#include "StartStates.h"
#include "StateValues.h"
#include "WeightSources.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

using namespace prec::rt;

static constexpr const char *kScaleState = "scale_state.";
/// A count of the training's steps, whatever its recipe.
static constexpr const char *kSkippedStepsEntry = "scale_state.skipped_steps";

/// By binding the names of what a checkpoint's second file holds.
static std::map<int, std::string> stateNames(const Manifest &manifest) {
  std::map<int, std::string> names;
  for (size_t i = 0; i < manifest.bindings.size(); ++i) {
    const Binding &binding = manifest.bindings[i];
    if (binding.role == Role::scaleState)
      names[static_cast<int>(i)] = kScaleState + binding.name;
    else if (binding.role == Role::optimizerState)
      names[static_cast<int>(i)] =
          "optimizer." + binding.slot + "." + binding.parameter;
  }
  for (const auto &[weight, copies] : manifest.stagedCopies())
    for (int copy : copies)
      names[copy] = kFrozen + manifest.bindings[copy].name;
  return names;
}

/// Whether a module scales by the same state as the one that was saved, by
/// names and shapes.
static bool hasSameScaleState(const Session &session,
                              const std::vector<SafetensorsEntry> &entries) {
  std::map<std::string, std::vector<int64_t>> saved, own;
  for (const SafetensorsEntry &entry : entries)
    if (entry.name.starts_with(kScaleState))
      saved[entry.name] = entry.shape;
  const Manifest &manifest = session.manifest();
  for (const auto &[index, name] : stateNames(manifest))
    if (name.starts_with(kScaleState))
      own[name] = manifest.wholeShape(manifest.bindings[index]);
  return saved == own;
}

static std::vector<Wanted> wantedState(const Session &session,
                                       bool withScales) {
  std::vector<Wanted> wanted;
  for (const auto &[index, name] : stateNames(session.manifest())) {
    bool required = !name.starts_with(kScaleState) || withScales;
    if (!name.starts_with(kFrozen) && (required || name == kSkippedStepsEntry))
      wanted.push_back({index, {name}, required});
  }
  return wanted;
}

static Result<int64_t> loadFile(Session &session, const std::string &path,
                                JointStatus &joint) {
  Result<SafetensorsFile> file = SafetensorsFile::open(path);
  if (!file.ok())
    return file.status();
  std::vector<SafetensorsEntry> entries = file->entries();
  StartStates states(session, path, entries);
  TensorMatcher matcher(session, path, /*mayRound=*/true);
  matcher.match(entries, wantedWeights(session));
  std::string errors;
  for (const Status &status : {matcher.errors(), states.errors()})
    if (!status.ok())
      errors += (errors.empty() ? "" : "\n") + status.message();
  PREC_RT_RETURN_IF_ERROR(
      joint.settle(errors.empty() ? Status() : Status::badFile(errors)));
  PREC_RT_RETURN_IF_ERROR(matcher.upload());
  PREC_RT_RETURN_IF_ERROR(session.restart());
  PREC_RT_RETURN_IF_ERROR(states.upload());
  return matcher.numRounded() + states.numRounded();
}

Result<int64_t> prec::rt::loadWeights(Session &session,
                                      const std::string &path) {
  JointStatus joint(session.communicator());
  Result<int64_t> rounded = loadFile(session, path, joint);
  if (rounded.ok())
    return rounded;
  return joint.settle(rounded.status());
}

static SafetensorsOutput outputOf(Session &session, const Binding &binding,
                                  std::string name) {
  const Buffer &buffer = session.bufferOf(binding);
  // The binding lives as long as the module. What could not be loaded again is
  // not written.
  auto read = [&session, &binding, name, dtype = buffer.dtype](
                  void *target, int64_t bytes, int64_t offset) {
    PREC_RT_RETURN_IF_ERROR(
        session.device().download(binding.buffer, target, bytes, offset));
    int64_t size = byteSize(dtype);
    Status status = checkState(binding, dtype, static_cast<char *>(target),
                               bytes / size, offset / size);
    return status.ok()
               ? status
               : status.prefixed("what is saved must be a state that can "
                                 "be loaded, but '" +
                                 name + "' ");
  };
  SafetensorsOutput output{std::move(name), buffer.dtype,
                           session.manifest().wholeShape(binding),
                           std::move(read)};
  if (binding.shard)
    output.slice = session.sliceOf(binding);
  return output;
}

static std::vector<SafetensorsOutput> weightsOf(Session &session) {
  std::vector<SafetensorsOutput> tensors;
  const Manifest &manifest = session.manifest();
  std::set<int> changed = manifest.changedBuffers();
  for (size_t i = 0; i < manifest.bindings.size(); ++i) {
    const Binding &binding = manifest.bindings[i];
    if (binding.role == Role::parameter ||
        binding.role == Role::frozenParameter ||
        changed.count(static_cast<int>(i)))
      tensors.push_back(outputOf(session, binding, binding.name));
  }
  return tensors;
}

/// transformers refuses files without a format.
static std::map<std::string, std::string>
withFormat(std::map<std::string, std::string> metadata) {
  metadata["format"] = "pt";
  return metadata;
}

Status prec::rt::saveWeights(Session &session, const std::string &path) {
  PREC_RT_RETURN_IF_ERROR(session.checkWeights("they are saved"));
  for (const Binding &binding : session.manifest().bindings)
    if (binding.role == Role::stagedParameter)
      return Status::unsupported(
          "weights must be kept as they are to be saved, but "
          "the module keeps only work weights of '" +
          binding.name + "'; a checkpoint holds these");
  Communicator *ranks = session.fileCommunicator();
  Result<AtomicFile> file =
      writeSafetensors(path, weightsOf(session), withFormat({}), ranks);
  if (!file.ok())
    return file.status();
  Status committed = file->commit();
  return ranks ? agree(*ranks, committed) : committed;
}

static void addPlace(std::map<std::string, std::string> &metadata,
                     const DataPlace &data) {
  metadata["data_position"] = std::to_string(data.position);
  if (!data.order.empty())
    metadata["data_order"] = data.order;
}

Result<Checkpoint> prec::rt::makeCheckpoint(Session &session,
                                            const DataPlace &data,
                                            bool mayBeWithin) {
  PREC_RT_RETURN_IF_ERROR(checkDataPosition(data.position));
  PREC_RT_RETURN_IF_ERROR(session.checkWeights("they are saved"));
  if (!mayBeWithin)
    PREC_RT_RETURN_IF_ERROR(session.checkBetweenSteps("a checkpoint"));
  // Scale state is part of what is saved.
  PREC_RT_RETURN_IF_ERROR(session.initialize());
  Checkpoint checkpoint;
  checkpoint.ranks = session.fileCommunicator();
  checkpoint.step = session.stepsDone();
  checkpoint.metadata = {{"step", std::to_string(checkpoint.step)},
                         {"recipe", session.manifest().recipe},
                         {"graph", session.manifest().graph}};
  addPlace(checkpoint.metadata, data);
  checkpoint.weights = weightsOf(session);
  if (checkpoint.weights.empty())
    return Status::unsupported(
        "a checkpoint must have weights, but the module keeps "
        "none");
  for (const auto &[index, name] : stateNames(session.manifest()))
    checkpoint.state.push_back(
        outputOf(session, session.manifest().bindings[index], name));
  return checkpoint;
}

Status prec::rt::detachCheckpoint(Checkpoint &checkpoint) {
  for (auto *tensors : {&checkpoint.weights, &checkpoint.state})
    for (SafetensorsOutput &tensor : *tensors) {
      auto bytes = std::make_shared<std::vector<char>>(tensor.ownBytes());
      PREC_RT_RETURN_IF_ERROR(tensor.read(bytes->data(), tensor.ownBytes(), 0));
      tensor.read = [bytes](void *target, int64_t count, int64_t offset) {
        memcpy(target, bytes->data() + offset, count);
        return Status();
      };
    }
  return {};
}

/// Whether this process writes what is there once.
static bool isFirst(const Checkpoint &checkpoint) {
  return !checkpoint.ranks || checkpoint.ranks->rank() == 0;
}

Result<WrittenCheckpoint>
prec::rt::writeCheckpointFiles(const Checkpoint &checkpoint,
                               const CheckpointLock &place) {
  const std::string &folder = place.folder();
  Communicator *ranks = checkpoint.ranks;
  Status made;
  if (isFirst(checkpoint))
    if (Result<bool> folderMade = makeCheckpointFolder(folder);
        !folderMade.ok())
      made = folderMade.status();
  PREC_RT_RETURN_IF_ERROR(ranks ? agree(*ranks, made) : made);
  // Rank 0 tells the others where its files are.
  CheckpointFiles files = nameCheckpointFiles(folder, checkpoint.step);
  Result<AtomicFile> state = writeSafetensors(
      folder + "/" + files.state, checkpoint.state, checkpoint.metadata, ranks);
  if (!state.ok())
    return state.status();
  Result<AtomicFile> weights =
      writeSafetensors(folder + "/" + files.weights, checkpoint.weights,
                       withFormat(checkpoint.metadata), ranks);
  if (!weights.ok())
    return weights.status();
  return WrittenCheckpoint{std::move(files), std::move(*weights),
                           std::move(*state)};
}

Status prec::rt::commitCheckpoint(const Checkpoint &checkpoint,
                                  WrittenCheckpoint &written,
                                  const CheckpointLock &place,
                                  const KeepRule &keep) {
  if (!isFirst(checkpoint))
    return {};
  PREC_RT_RETURN_IF_ERROR(written.state.commit());
  PREC_RT_RETURN_IF_ERROR(written.weights.commit());
  return commitCheckpoint(place, checkpoint.step, written.names,
                          checkpoint.weights, keep);
}

Status prec::rt::writeCheckpoint(const Checkpoint &checkpoint,
                                 const CheckpointLock &place,
                                 const KeepRule &keep) {
  Result<WrittenCheckpoint> written = writeCheckpointFiles(checkpoint, place);
  if (!written.ok())
    return written.status();
  Status committed = commitCheckpoint(checkpoint, *written, place, keep);
  return checkpoint.ranks ? agree(*checkpoint.ranks, committed) : committed;
}

static Result<CheckpointLock> makeAndTake(const std::string &folder) {
  if (Result<bool> made = makeCheckpointFolder(folder); !made.ok())
    return made.status();
  return CheckpointLock::take(folder, /*wait=*/true);
}

Status prec::rt::saveCheckpoint(Session &session, const std::string &folder,
                                const DataPlace &data) {
  Result<Checkpoint> checkpoint = makeCheckpoint(session, data);
  if (!checkpoint.ok())
    return checkpoint.status();
  Result<CheckpointLock> place = isFirst(*checkpoint)
                                     ? makeAndTake(folder)
                                     : CheckpointLock::ofFirstRank(folder);
  Status taken = place.ok() ? Status() : place.status();
  PREC_RT_RETURN_IF_ERROR(checkpoint->ranks ? agree(*checkpoint->ranks, taken)
                                            : taken);
  return writeCheckpoint(*checkpoint, *place);
}

static Status readCount(const SafetensorsFile &file, const std::string &path,
                        const char *key, int64_t &value) {
  auto it = file.metadata().find(key);
  std::string text = it == file.metadata().end() ? "nothing" : it->second;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc() && end == text.data() + text.size() && value >= 0)
    return {};
  return Status::badFile(path + ": metadata '" + key +
                         "' must be a count, but got " + text.substr(0, 40));
}

/// Ranks that go on from different checkpoints would train no one model.
static Status checkSamePlace(Session &session, int64_t steps,
                             const DataPlace &data) {
  Communicator *ranks = session.communicator();
  if (!ranks)
    return {};
  Result<std::vector<std::string>> said =
      gatherTexts(*ranks, "step " + std::to_string(steps) + " at token " +
                              std::to_string(data.position));
  if (!said.ok())
    return said.status();
  for (size_t i = 1; i < said->size(); ++i)
    if ((*said)[i] != said->front())
      return Status::ranksFailed(
          "ranks must go on from one checkpoint, but rank 0 has that of " +
          said->front() + " and rank " + std::to_string(i) + " that of " +
          (*said)[i]);
  return {};
}

static Result<LoadedCheckpoint> load(Session &session, Stored weights,
                                     Stored state,
                                     const std::optional<Stored> &originals,
                                     int64_t steps, DataPlace data,
                                     JointStatus &joint) {
  std::vector<SafetensorsEntry> stateEntries = state.entries;
  WeightSources sources(session, weights, stateEntries, originals);
  // Another recipe scales in another way: its state begins as `init` makes it.
  bool withScales = hasSameScaleState(session, stateEntries);
  TensorMatcher stateMatcher(session, state.name);
  stateMatcher.match(stateEntries, wantedState(session, withScales),
                     withScales ? nullptr : kScaleState);
  std::string errors = sources.errors();
  if (Status status = stateMatcher.errors(); !status.ok())
    errors += (errors.empty() ? "" : "\n") + status.message();
  PREC_RT_RETURN_IF_ERROR(
      joint.settle(errors.empty() ? Status() : Status::badFile(errors)));
  PREC_RT_RETURN_IF_ERROR(checkSamePlace(session, steps, data));
  PREC_RT_RETURN_IF_ERROR(sources.upload());
  PREC_RT_RETURN_IF_ERROR(session.restart());
  // `init` writes scale state, so the saved one must come after it.
  PREC_RT_RETURN_IF_ERROR(session.initialize());
  PREC_RT_RETURN_IF_ERROR(stateMatcher.upload());
  PREC_RT_RETURN_IF_ERROR(session.restore());
  session.setStepsDone(steps);
  return LoadedCheckpoint{std::move(data), withScales, {}};
}

std::vector<std::string>
LoadedCheckpoint::notes(const std::string &path) const {
  std::vector<std::string> lines;
  if (!hasScales)
    lines.push_back(path + " was saved by a module that scales in another way: "
                           "weights and moments go on, scales begin anew");
  if (!otherGraph.empty())
    lines.push_back(path + " was saved by a module of another graph (" +
                    otherGraph.substr(0, 12) +
                    "), whose weights have the same names and shapes: the "
                    "model or its import has changed since");
  return lines;
}

static Result<std::optional<SafetensorsFile>>
openOriginals(const std::string &path) {
  std::optional<SafetensorsFile> file;
  if (path.empty())
    return file;
  Result<SafetensorsFile> opened = SafetensorsFile::open(path);
  if (!opened.ok())
    return opened.status();
  file.emplace(std::move(*opened));
  return file;
}

static std::optional<Stored>
storedOf(const std::string &path, const std::optional<SafetensorsFile> &file) {
  if (!file)
    return std::nullopt;
  return Stored{path, file->entries()};
}

static Result<LoadedCheckpoint> loadFolder(Session &session,
                                           const std::string &folder,
                                           const std::string &originals,
                                           JointStatus &joint) {
  Result<CheckpointFiles> files = readCheckpointIndex(folder);
  if (!files.ok())
    return files.status();
  std::string weightsPath = files->folder + "/" + files->weights;
  std::string statePath = files->folder + "/" + files->state;
  Result<SafetensorsFile> weights = SafetensorsFile::open(weightsPath);
  if (!weights.ok())
    return weights.status();
  Result<SafetensorsFile> state = SafetensorsFile::open(statePath);
  if (!state.ok())
    return state.status();
  Result<std::optional<SafetensorsFile>> first = openOriginals(originals);
  if (!first.ok())
    return first.status();
  int64_t weightsStep = 0, steps = 0;
  DataPlace data;
  PREC_RT_RETURN_IF_ERROR(
      readCount(*weights, weightsPath, "step", weightsStep));
  PREC_RT_RETURN_IF_ERROR(readCount(*state, statePath, "step", steps));
  PREC_RT_RETURN_IF_ERROR(
      readCount(*state, statePath, "data_position", data.position));
  if (Status status = checkDataPosition(data.position); !status.ok())
    return status.prefixed(statePath + ": ");
  if (auto order = state->metadata().find("data_order");
      order != state->metadata().end())
    data.order = order->second;
  if (weightsStep != steps)
    return Status::badFile(
        folder + ": both files must be of one step, but got " +
        std::to_string(weightsStep) + " and " + std::to_string(steps));
  Result<LoadedCheckpoint> loaded = load(
      session, {weightsPath, weights->entries()}, {statePath, state->entries()},
      storedOf(originals, *first), steps, std::move(data), joint);
  auto graph = state->metadata().find("graph");
  if (loaded.ok() && graph != state->metadata().end() &&
      graph->second != session.manifest().graph)
    loaded->otherGraph = graph->second;
  return loaded;
}

Result<LoadedCheckpoint>
prec::rt::loadCheckpoint(Session &session, const std::string &folder,
                         const std::string &originals) {
  JointStatus joint(session.communicator());
  Result<LoadedCheckpoint> loaded =
      loadFolder(session, folder, originals, joint);
  if (loaded.ok())
    return loaded;
  return joint.settle(loaded.status());
}

Result<int64_t> prec::rt::readCheckpointStep(const std::string &folder) {
  Result<CheckpointFiles> files = readCheckpointIndex(folder);
  if (!files.ok())
    return files.status();
  std::string path = files->folder + "/" + files->state;
  Result<SafetensorsFile> state = SafetensorsFile::open(path);
  if (!state.ok())
    return state.status();
  int64_t steps = 0;
  PREC_RT_RETURN_IF_ERROR(readCount(*state, path, "step", steps));
  return steps;
}

static Status hold(const std::vector<SafetensorsOutput> &tensors,
                   std::vector<std::vector<char>> &bytes,
                   std::vector<SafetensorsEntry> &entries) {
  for (const SafetensorsOutput &tensor : tensors) {
    std::vector<char> &data = bytes.emplace_back(tensor.bytes());
    PREC_RT_RETURN_IF_ERROR(tensor.read(data.data(), tensor.bytes(), 0));
    entries.push_back({tensor.name,
                       std::string(safetensorsName(tensor.dtype)),
                       tensor.dtype,
                       tensor.shape,
                       {data.data(), data.size()}});
  }
  return {};
}

Result<HeldCheckpoint> prec::rt::holdCheckpoint(Session &session) {
  Result<Checkpoint> made = makeCheckpoint(session, DataPlace());
  if (!made.ok())
    return made.status();
  if (made->ranks)
    return Status::unsupported("a checkpoint in memory must be of a module for "
                               "a process alone, but got one for " +
                               std::to_string(made->ranks->size()) + " ranks");
  HeldCheckpoint held;
  held.step = made->step;
  held.metadata = made->metadata;
  PREC_RT_RETURN_IF_ERROR(hold(made->weights, held.bytes, held.weights));
  PREC_RT_RETURN_IF_ERROR(hold(made->state, held.bytes, held.state));
  return held;
}

Checkpoint prec::rt::toCheckpoint(const HeldCheckpoint &held,
                                  const DataPlace &data) {
  auto show = [](const std::vector<SafetensorsEntry> &entries) {
    std::vector<SafetensorsOutput> tensors;
    for (const SafetensorsEntry &entry : entries)
      tensors.push_back(
          {entry.name, *entry.dtype, entry.shape,
           [data = entry.data](void *target, int64_t bytes, int64_t offset) {
             memcpy(target, data.data() + offset, bytes);
             return Status();
           }});
    return tensors;
  };
  Checkpoint checkpoint{held.step, held.metadata, show(held.weights),
                        show(held.state), nullptr};
  addPlace(checkpoint.metadata, data);
  return checkpoint;
}

Result<LoadedCheckpoint>
prec::rt::loadCheckpoint(Session &session, const HeldCheckpoint &checkpoint,
                         const std::string &name,
                         const std::string &originals) {
  Result<std::optional<SafetensorsFile>> first = openOriginals(originals);
  if (!first.ok())
    return first.status();
  // Of a module for a process alone.
  JointStatus joint(nullptr);
  return load(session, {name, checkpoint.weights}, {name, checkpoint.state},
              storedOf(originals, *first), checkpoint.step, DataPlace(), joint);
}
