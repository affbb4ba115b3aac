//===- Checkpoint.cpp - a session's state in files ------------------------===//

#include "Checkpoint.h"

#include "Safetensors.h"
#include "TensorConvert.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

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
  Matcher(Session &session, std::string path)
      : session(session), path(std::move(path)) {}

  void match(const SafetensorsFile &file, const std::vector<Wanted> &wanted);
  Status errors() const {
    return lines.empty() ? Status()
                         : Status::error(lines.substr(0, lines.size() - 1));
  }
  Status upload() const;

private:
  void report(const std::string &name, const std::string &message) {
    lines += path + ": tensor '" + name + "': " + message + "\n";
  }
  void pair(const SafetensorsEntry &entry, int binding);

  Session &session;
  std::string path;
  std::string lines;
  std::map<int, const SafetensorsEntry *> pairs;
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
        !status.ok())
      report(entry.name, status.message());
}

void Matcher::match(const SafetensorsFile &file,
                    const std::vector<Wanted> &wanted) {
  std::map<std::string_view, int> byName;
  for (const Wanted &want : wanted)
    for (const std::string &name : want.names)
      byName.emplace(name, want.binding);
  for (const SafetensorsEntry &entry : file.entries()) {
    auto it = byName.find(entry.name);
    if (it == byName.end())
      report(entry.name, "must be in the module, but is not");
    else
      pair(entry, it->second);
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

static std::string stateName(const Binding &binding) {
  return binding.role == Role::scaleState
             ? "scale_state." + binding.name
             : "optimizer." + binding.slot + "." + binding.parameter;
}

static std::vector<Wanted> wantedState(const Session &session) {
  std::vector<Wanted> wanted;
  const std::vector<Binding> &bindings = session.manifest().bindings;
  for (size_t i = 0; i < bindings.size(); ++i)
    if (bindings[i].role == Role::optimizerState ||
        bindings[i].role == Role::scaleState)
      wanted.push_back({static_cast<int>(i), {stateName(bindings[i])}, true});
  return wanted;
}

Status prec::rt::loadWeights(Session &session, const std::string &path) {
  Result<SafetensorsFile> file = SafetensorsFile::open(path);
  if (!file.ok())
    return file.status();
  Matcher matcher(session, path);
  matcher.match(*file, wantedWeights(session));
  PREC_RT_RETURN_IF_ERROR(matcher.errors());
  PREC_RT_RETURN_IF_ERROR(matcher.upload());
  return session.restart();
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

static Result<SafetensorsWriter>
writeWeights(Session &session, const std::string &path,
             std::map<std::string, std::string> metadata) {
  std::vector<SafetensorsOutput> tensors;
  for (const Binding &binding : session.manifest().bindings)
    if (binding.role == Role::parameter ||
        binding.role == Role::frozenParameter)
      tensors.push_back(outputOf(session, binding, binding.name));
  metadata["format"] = "pt"; // transformers refuses files without it
  return SafetensorsWriter::write(path, std::move(tensors), metadata);
}

Status prec::rt::saveWeights(Session &session, const std::string &path) {
  PREC_RT_RETURN_IF_ERROR(session.checkWeights("they are saved"));
  Result<SafetensorsWriter> file = writeWeights(session, path, {});
  if (!file.ok())
    return file.status();
  return file->commit();
}

Result<bool> prec::rt::makeCheckpointFolder(const std::string &folder) {
  bool isNew = mkdir(folder.c_str(), 0755) == 0;
  // With the slash nothing but a folder is found.
  if ((isNew || errno == EEXIST) &&
      access((folder + "/").c_str(), W_OK | X_OK) == 0)
    return isNew;
  return Status::error(
      folder + ": must be a folder to save in, but got: " + strerror(errno));
}

Status prec::rt::saveCheckpoint(Session &session, const std::string &folder,
                                int64_t dataPosition) {
  PREC_RT_RETURN_IF_ERROR(session.checkWeights("they are saved"));
  if (Result<bool> made = makeCheckpointFolder(folder); !made.ok())
    return made.status();
  std::map<std::string, std::string> metadata = {
      {"step", std::to_string(session.stepsDone())},
      {"data_position", std::to_string(dataPosition)},
      {"recipe", session.manifest().recipe},
      {"graph", session.manifest().graph}};
  std::vector<SafetensorsOutput> tensors;
  for (const Binding &binding : session.manifest().bindings)
    if (binding.role == Role::optimizerState ||
        binding.role == Role::scaleState)
      tensors.push_back(outputOf(session, binding, stateName(binding)));
  // Both in full before either takes its place.
  Result<SafetensorsWriter> state = SafetensorsWriter::write(
      folder + "/optimizer.safetensors", std::move(tensors), metadata);
  if (!state.ok())
    return state.status();
  Result<SafetensorsWriter> weights =
      writeWeights(session, folder + "/model.safetensors", metadata);
  if (!weights.ok())
    return weights.status();
  PREC_RT_RETURN_IF_ERROR(state->commit());
  return weights->commit();
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

Status prec::rt::loadCheckpoint(Session &session, const std::string &folder,
                                int64_t &dataPosition) {
  std::string weightsPath = folder + "/model.safetensors";
  std::string statePath = folder + "/optimizer.safetensors";
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
  Matcher weightsMatcher(session, weightsPath),
      stateMatcher(session, statePath);
  weightsMatcher.match(*weights, wantedWeights(session));
  stateMatcher.match(*state, wantedState(session));
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
  dataPosition = position;
  return {};
}
