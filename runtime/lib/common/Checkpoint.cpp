//===- Checkpoint.cpp - a session's state in files ------------------------===//

#include "Checkpoint.h"

#include "CheckpointFolder.h"
#include "TensorConvert.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <set>

using namespace prec::rt;

namespace {

/// A binding and the names under which a file may hold it.
struct Wanted {
  int binding;
  std::vector<std::string> names;
  bool required;
};

/// Pairs tensors of a file with bindings and collects what does not fit.
class Matcher {
public:
  /// `mayRound`: masters narrower than their weights hold them rounded.
  Matcher(Session &session, std::string path, bool mayRound = false)
      : session(session), path(std::move(path)), mayRound(mayRound) {}

  /// Leaves tensors out that the module does not have if their names begin with
  /// `optional`.
  void match(const std::vector<SafetensorsEntry> &entries,
             const std::vector<Wanted> &wanted, const char *optional = nullptr);
  Status errors() const {
    return lines.empty() ? Status()
                         : Status::error(lines.substr(0, lines.size() - 1));
  }
  Status upload() const;
  int64_t numRounded() const { return static_cast<int64_t>(rounded.size()); }

private:
  void report(const std::string &name, const std::string &message) {
    lines += path + ": tensor '" + name + "': " + message + "\n";
  }
  void pair(const SafetensorsEntry &entry, int binding);

  Session &session;
  std::string path;
  std::string lines;
  bool mayRound;
  std::map<int, const SafetensorsEntry *> pairs;
  std::set<int> rounded;
};

} // namespace

void Matcher::pair(const SafetensorsEntry &entry, int index) {
  const Binding &binding = session.manifest().bindings[index];
  const Buffer &buffer = session.bufferOf(binding);
  auto [it, inserted] = pairs.emplace(index, &entry);
  if (!inserted) {
    // Both names of a tied weight: fine if they agree.
    if (it->second->dtypeName != entry.dtypeName ||
        it->second->shape != entry.shape || it->second->data != entry.data)
      report(entry.name, "must equal '" + it->second->name +
                             "' that it is tied to, but differs");
    return;
  }
  if (entry.shape != buffer.shape)
    report(entry.name, "must have shape " + formatShape(buffer.shape) +
                           ", but got " + formatShape(entry.shape));
  else if (!entry.dtype || isFloat(*entry.dtype) != isFloat(buffer.dtype))
    report(entry.name, "must have a dtype that converts to " +
                           std::string(name(buffer.dtype)) + ", but got " +
                           entry.dtypeName);
  else if (!alwaysExact(*entry.dtype, buffer.dtype))
    if (Status status =
            convertExactly(*entry.dtype, entry.data.data(), buffer.dtype,
                           nullptr, buffer.elements());
        !status.ok()) {
      if (mayRound && isFloat(buffer.dtype))
        rounded.insert(index);
      else
        report(entry.name, status.message());
    }
}

void Matcher::match(const std::vector<SafetensorsEntry> &entries,
                    const std::vector<Wanted> &wanted, const char *optional) {
  std::map<std::string_view, int> byName;
  for (const Wanted &want : wanted)
    for (const std::string &name : want.names)
      byName.emplace(name, want.binding);
  for (const SafetensorsEntry &entry : entries) {
    auto it = byName.find(entry.name);
    if (it != byName.end())
      pair(entry, it->second);
    else if (!optional || !entry.name.starts_with(optional))
      report(entry.name, "must be in the module, but is not");
  }
  for (const Wanted &want : wanted)
    if (want.required && !pairs.count(want.binding))
      report(want.names.front(), "must be in the file, but is missing");
}

Status Matcher::upload() const {
  constexpr int64_t chunk = 4 << 20;
  std::vector<char> converted;
  for (auto [index, entry] : pairs) {
    const Binding &binding = session.manifest().bindings[index];
    const Buffer &buffer = session.bufferOf(binding);
    int64_t from = byteSize(*entry->dtype), to = byteSize(buffer.dtype);
    for (int64_t i = 0; i < buffer.elements(); i += chunk) {
      int64_t count = std::min(chunk, buffer.elements() - i);
      const char *source = entry->data.data() + i * from;
      if (*entry->dtype != buffer.dtype) {
        converted.resize(count * to);
        if (rounded.count(index))
          convertRounded(*entry->dtype, source, buffer.dtype, converted.data(),
                         count);
        else
          PREC_RT_RETURN_IF_ERROR(convertExactly(
              *entry->dtype, source, buffer.dtype, converted.data(), count, i));
        source = converted.data();
      }
      PREC_RT_RETURN_IF_ERROR(
          session.device().upload(binding.buffer, source, count * to, i * to));
    }
    session.markWritten(index);
  }
  return {};
}

static std::vector<Wanted> wantedWeights(const Session &session) {
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

static constexpr const char *kScaleState = "scale_state.";
/// A count of the training's steps, whatever its recipe.
static constexpr const char *kSkippedSteps = "scale_state.skipped_steps";

static std::string stateName(const Binding &binding) {
  return binding.role == Role::scaleState
             ? kScaleState + binding.name
             : "optimizer." + binding.slot + "." + binding.parameter;
}

/// Whether a module scales by the same state as the one that was saved, by
/// names and shapes.
static bool hasSameScaleState(const Session &session,
                              const std::vector<SafetensorsEntry> &entries) {
  std::map<std::string, std::vector<int64_t>> saved, own;
  for (const SafetensorsEntry &entry : entries)
    if (entry.name.starts_with(kScaleState))
      saved[entry.name] = entry.shape;
  for (const Binding &binding : session.manifest().bindings)
    if (binding.role == Role::scaleState)
      own[stateName(binding)] = session.bufferOf(binding).shape;
  return saved == own;
}

static std::vector<Wanted> wantedState(const Session &session,
                                       bool withScales) {
  std::vector<Wanted> wanted;
  const std::vector<Binding> &bindings = session.manifest().bindings;
  for (size_t i = 0; i < bindings.size(); ++i) {
    bool isScale = bindings[i].role == Role::scaleState;
    if (bindings[i].role != Role::optimizerState && !isScale)
      continue;
    std::string name = stateName(bindings[i]);
    bool required = !isScale || withScales;
    if (required || name == kSkippedSteps)
      wanted.push_back({static_cast<int>(i), {name}, required});
  }
  return wanted;
}

Result<int64_t> prec::rt::loadWeights(Session &session,
                                      const std::string &path) {
  Result<SafetensorsFile> file = SafetensorsFile::open(path);
  if (!file.ok())
    return file.status();
  Matcher matcher(session, path, /*mayRound=*/true);
  matcher.match(file->entries(), wantedWeights(session));
  PREC_RT_RETURN_IF_ERROR(matcher.errors());
  PREC_RT_RETURN_IF_ERROR(matcher.upload());
  PREC_RT_RETURN_IF_ERROR(session.restart());
  return matcher.numRounded();
}

static SafetensorsOutput outputOf(Session &session, const Binding &binding,
                                  std::string name) {
  const Buffer &buffer = session.bufferOf(binding);
  int index = binding.buffer;
  return {std::move(name), buffer.dtype, buffer.shape,
          [&session, index](void *target, int64_t bytes, int64_t offset) {
            return session.device().download(index, target, bytes, offset);
          }};
}

static std::vector<SafetensorsOutput> weightsOf(Session &session) {
  std::vector<SafetensorsOutput> tensors;
  for (const Binding &binding : session.manifest().bindings)
    if (binding.role == Role::parameter ||
        binding.role == Role::frozenParameter)
      tensors.push_back(outputOf(session, binding, binding.name));
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
  Result<AtomicFile> file =
      writeSafetensors(path, weightsOf(session), withFormat({}));
  if (!file.ok())
    return file.status();
  return file->commit();
}

Result<Checkpoint> prec::rt::makeCheckpoint(Session &session,
                                            int64_t dataPosition) {
  PREC_RT_RETURN_IF_ERROR(session.checkWeights("they are saved"));
  PREC_RT_RETURN_IF_ERROR(session.checkBetweenSteps("a checkpoint"));
  Checkpoint checkpoint;
  checkpoint.step = session.stepsDone();
  checkpoint.metadata = {{"step", std::to_string(checkpoint.step)},
                         {"data_position", std::to_string(dataPosition)},
                         {"recipe", session.manifest().recipe},
                         {"graph", session.manifest().graph}};
  checkpoint.weights = weightsOf(session);
  for (const Binding &binding : session.manifest().bindings)
    if (binding.role == Role::optimizerState ||
        binding.role == Role::scaleState)
      checkpoint.state.push_back(
          outputOf(session, binding, stateName(binding)));
  return checkpoint;
}

Status prec::rt::detachCheckpoint(Checkpoint &checkpoint) {
  for (auto *tensors : {&checkpoint.weights, &checkpoint.state})
    for (SafetensorsOutput &tensor : *tensors) {
      auto bytes = std::make_shared<std::vector<char>>(tensor.bytes());
      PREC_RT_RETURN_IF_ERROR(tensor.read(bytes->data(), tensor.bytes(), 0));
      tensor.read = [bytes](void *target, int64_t count, int64_t offset) {
        memcpy(target, bytes->data() + offset, count);
        return Status();
      };
    }
  return {};
}

Status prec::rt::writeCheckpoint(const Checkpoint &checkpoint,
                                 const std::string &folder) {
  if (Result<bool> made = makeCheckpointFolder(folder); !made.ok())
    return made.status();
  CheckpointFiles files = nameCheckpointFiles(folder, checkpoint.step);
  Result<AtomicFile> state = writeSafetensors(
      folder + "/" + files.state, checkpoint.state, checkpoint.metadata);
  if (!state.ok())
    return state.status();
  Result<AtomicFile> weights =
      writeSafetensors(folder + "/" + files.weights, checkpoint.weights,
                       withFormat(checkpoint.metadata));
  if (!weights.ok())
    return weights.status();
  PREC_RT_RETURN_IF_ERROR(state->commit());
  PREC_RT_RETURN_IF_ERROR(weights->commit());
  return commitCheckpoint(folder, files, checkpoint.weights);
}

Status prec::rt::saveCheckpoint(Session &session, const std::string &folder,
                                int64_t dataPosition) {
  Result<Checkpoint> checkpoint = makeCheckpoint(session, dataPosition);
  if (!checkpoint.ok())
    return checkpoint.status();
  return writeCheckpoint(*checkpoint, folder);
}

static Status readCount(const SafetensorsFile &file, const std::string &path,
                        const char *key, int64_t &value) {
  auto it = file.metadata().find(key);
  std::string text = it == file.metadata().end() ? "nothing" : it->second;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc() && end == text.data() + text.size() && value >= 0)
    return {};
  return Status::error(path + ": metadata '" + key +
                       "' must be a count, but got " + text.substr(0, 40));
}

namespace {

/// Tensors and the name under which messages know them.
struct Stored {
  const std::string &name;
  const std::vector<SafetensorsEntry> &entries;
};

} // namespace

static Result<LoadedCheckpoint> load(Session &session, Stored weights,
                                     Stored state, int64_t steps,
                                     int64_t position) {
  // Another recipe scales in another way: its state begins as `init` makes it.
  bool withScales = hasSameScaleState(session, state.entries);
  Matcher weightsMatcher(session, weights.name),
      stateMatcher(session, state.name);
  weightsMatcher.match(weights.entries, wantedWeights(session));
  stateMatcher.match(state.entries, wantedState(session, withScales),
                     withScales ? nullptr : kScaleState);
  std::string errors;
  for (const Matcher *matcher : {&weightsMatcher, &stateMatcher})
    if (Status status = matcher->errors(); !status.ok())
      errors += (errors.empty() ? "" : "\n") + status.message();
  if (!errors.empty())
    return Status::error(errors);
  PREC_RT_RETURN_IF_ERROR(weightsMatcher.upload());
  PREC_RT_RETURN_IF_ERROR(session.restart());
  // `init` writes scale state, so the saved one must come after it.
  PREC_RT_RETURN_IF_ERROR(session.initialize());
  PREC_RT_RETURN_IF_ERROR(stateMatcher.upload());
  PREC_RT_RETURN_IF_ERROR(session.restore());
  session.setStepsDone(steps);
  return LoadedCheckpoint{position, withScales};
}

Result<LoadedCheckpoint> prec::rt::loadCheckpoint(Session &session,
                                                  const std::string &folder) {
  Result<CheckpointFiles> files = readCheckpointIndex(folder);
  if (!files.ok())
    return files.status();
  std::string weightsPath = folder + "/" + files->weights;
  std::string statePath = folder + "/" + files->state;
  Result<SafetensorsFile> weights = SafetensorsFile::open(weightsPath);
  if (!weights.ok())
    return weights.status();
  Result<SafetensorsFile> state = SafetensorsFile::open(statePath);
  if (!state.ok())
    return state.status();
  int64_t weightsStep = 0, steps = 0, position = 0;
  PREC_RT_RETURN_IF_ERROR(
      readCount(*weights, weightsPath, "step", weightsStep));
  PREC_RT_RETURN_IF_ERROR(readCount(*state, statePath, "step", steps));
  PREC_RT_RETURN_IF_ERROR(
      readCount(*state, statePath, "data_position", position));
  if (weightsStep != steps)
    return Status::error(folder + ": both files must be of one step, but got " +
                         std::to_string(weightsStep) + " and " +
                         std::to_string(steps));
  return load(session, {weightsPath, weights->entries()},
              {statePath, state->entries()}, steps, position);
}

Result<int64_t> prec::rt::readCheckpointStep(const std::string &folder) {
  Result<CheckpointFiles> files = readCheckpointIndex(folder);
  if (!files.ok())
    return files.status();
  std::string path = folder + "/" + files->state;
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
  Result<Checkpoint> made = makeCheckpoint(session, /*dataPosition=*/0);
  if (!made.ok())
    return made.status();
  HeldCheckpoint held;
  held.step = made->step;
  PREC_RT_RETURN_IF_ERROR(hold(made->weights, held.bytes, held.weights));
  PREC_RT_RETURN_IF_ERROR(hold(made->state, held.bytes, held.state));
  return held;
}

Result<LoadedCheckpoint>
prec::rt::loadCheckpoint(Session &session, const HeldCheckpoint &checkpoint,
                         const std::string &name) {
  return load(session, {name, checkpoint.weights}, {name, checkpoint.state},
              checkpoint.step, /*position=*/0);
}
