//===- Session.cpp - a step module in use ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step module in use: its bindings are set and read by name, its entry points
// are run. A session keeps little state of its own: which bindings have been
// written, whether weights have changed since `init` ran, how many steps are
// done and how many micro-batches are not applied yet. Here it is opened and
// brought into a state to train from; SessionValues.cpp reads and writes its
// values, SessionSteps.cpp runs its entry points, SessionRanks.cpp compares it
// with those of other ranks.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "FloatConvert.h"
#include "HyperRange.h"
#include "NameHash.h"
#include "NormalDeviate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

using namespace prec::rt;

static bool endsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.substr(text.size() - suffix.size()) == suffix;
}

/// Where each buffer of the state segment is, what it holds, and which binding
/// it belongs to, if any: two modules with equal ones have one state. A part of
/// what a binding has, such as the rows of a table of positions that sequences
/// of one length read, is no state of its own: a module of another length reads
/// another part.
static std::map<std::string, std::string> describeState(const Manifest &all) {
  std::map<std::string, std::string> described;
  auto text = [](const Buffer &buffer) {
    return std::string(name(buffer.dtype)) + formatShape(buffer.shape) +
           " at " + std::to_string(buffer.offset);
  };
  // By where they begin, where those end that bindings have.
  std::map<int64_t, int64_t> ends;
  for (const Binding &binding : all.bindings) {
    const Buffer &buffer = all.buffers[binding.buffer];
    if (buffer.segment != Segment::state)
      continue;
    described[std::string(name(binding.role)) + " '" + binding.name + "'"] =
        text(buffer);
    int64_t &end = ends[buffer.offset];
    end = std::max(end, buffer.offset + buffer.bytes());
  }
  auto isPart = [&](const Buffer &buffer) {
    auto behind = ends.upper_bound(buffer.offset);
    return behind != ends.begin() &&
           buffer.offset + buffer.bytes() <= std::prev(behind)->second;
  };
  for (const Buffer &buffer : all.buffers)
    if (buffer.segment == Segment::state && !isPart(buffer))
      described["memory " + text(buffer)];
  return described;
}

static Status checkSameState(const Manifest &own, const Manifest &other) {
  auto refuse = [](const std::string &what, const std::string &got) {
    return Status::invalidArgument("a module must have the " + what +
                                   " of the module whose state it is to use, "
                                   "but got " +
                                   got);
  };
  if (own.target.kind != other.target.kind)
    return refuse("target " + other.target.kind, own.target.kind);
  if (own.recipe != other.recipe)
    return refuse("recipe " + other.recipe, own.recipe);
  auto mine = describeState(own), theirs = describeState(other);
  for (const auto &[key, where] : theirs) {
    auto found = mine.find(key);
    if (found == mine.end())
      return refuse(key, "none");
    if (found->second != where)
      return refuse(key + " as " + where, found->second);
  }
  for (const auto &[key, where] : mine)
    if (!theirs.count(key))
      return refuse("state alone", key);
  return {};
}

Result<std::unique_ptr<Session>> Session::open(const std::string &path,
                                               OpenOptions options) {
  Result<std::unique_ptr<ModuleFile>> file = ModuleFile::read(path);
  if (!file.ok())
    return file.status();
  return open(std::shared_ptr(std::move(*file)), std::move(options));
}

Result<std::unique_ptr<Session>> Session::open(std::shared_ptr<ModuleFile> file,
                                               OpenOptions options) {
  if (!file->manifest().bench.empty())
    return Status::unsupported(file->path() +
                               ": a module must train, but got one that is "
                               "only measured, by prec-run --bench");
  PREC_RT_RETURN_IF_ERROR(file->load());
  const std::shared_ptr<Session> other = options.stateOf;
  if (other) {
    options.stateMemory = other->device().stateMemory();
    options.arenas = other->device().sharedArenas();
    if (!options.ranks)
      options.ranks = other->ranks;
  }
  const std::shared_ptr<Communicator> ranks = options.ranks;
  file->setOptions(std::move(options));
  std::unique_ptr<Session> session(new Session(std::move(file)));
  Status status = session->joinRanks(ranks);
  if (status.ok() && other)
    status = checkSameState(session->manifest(), other->manifest());
  if (status.ok())
    status = session->prepare();
  if (status.ok() && other)
    status = session->adopt(*other);
  if (!status.ok())
    return status.prefixed(session->file->path() + ": ");
  return session;
}

Status Session::prepare() {
  Result<std::unique_ptr<Device>> device = file->createDevice();
  if (!device.ok())
    return device.status();
  target = std::move(*device);
  PREC_RT_RETURN_IF_ERROR(target->prepare());
  written.assign(manifest().bindings.size(), false);
  isFetchTold.assign(written.size(), false);
  for (size_t i = 0; i < written.size(); ++i) {
    const Binding &binding = manifest().bindings[i];
    bool isElsewhere = file->image().options.stateOf &&
                       bufferOf(binding).segment == Segment::state;
    if (binding.initial && !isElsewhere) {
      const Buffer &initial = manifest().buffers[*binding.initial];
      PREC_RT_RETURN_IF_ERROR(target->upload(
          binding.buffer, file->image().constants.data() + initial.offset,
          initial.bytes()));
      written[i] = true;
    }
    if (binding.role == Role::switches) {
      std::vector<float> zeros(bufferOf(binding).elements());
      PREC_RT_RETURN_IF_ERROR(target->upload(binding.buffer, zeros.data(),
                                             bufferOf(binding).bytes()));
    }
    if (binding.role == Role::hyper && binding.defaultValue) {
      PREC_RT_RETURN_IF_ERROR(uploadScalar(binding, *binding.defaultValue));
      written[i] = true;
    }
  }
  progress->weightsChanged = true;
  return {};
}

Status Session::adopt(const Session &other) {
  if (!(target->place() == other.target->place()) ||
      target->stream() != other.target->stream())
    return Status::invalidArgument(
        "a module must be opened on the device and the stream of the module "
        "whose state it is to use, but got another");
  for (size_t i = 0; i < written.size(); ++i) {
    const Binding &binding = manifest().bindings[i];
    if (bufferOf(binding).segment != Segment::state)
      continue;
    const std::vector<Binding> &theirs = other.manifest().bindings;
    for (size_t j = 0; j < theirs.size(); ++j)
      if (theirs[j].role == binding.role && theirs[j].name == binding.name)
        written[i] = other.written[j];
  }
  progress = other.progress;
  return {};
}

Status Session::uploadScalar(const Binding &binding, float value) {
  uint32_t word = 0;
  memcpy(&word, &value, sizeof word);
  hypers[binding.buffer] = value;
  return target->setWord(binding.buffer, word);
}

static bool isHyper(const Binding &binding, std::string_view name) {
  return binding.role == Role::hyper &&
         (binding.name == name || withoutGroup(binding.name) == name);
}

bool Session::hasHyper(std::string_view name) const {
  const std::vector<Binding> &bindings = manifest().bindings;
  return std::any_of(
      bindings.begin(), bindings.end(),
      [&](const Binding &binding) { return isHyper(binding, name); });
}

Status Session::setHyper(std::string_view name, double value) {
  PREC_RT_RETURN_IF_ERROR(checkHyper(withoutGroup(name), value));
  bool found = false;
  for (size_t i = 0; i < written.size(); ++i) {
    const Binding &binding = manifest().bindings[i];
    if (!isHyper(binding, name))
      continue;
    PREC_RT_RETURN_IF_ERROR(uploadScalar(binding, value));
    written[i] = found = true;
  }
  if (found)
    return {};
  std::string known;
  for (const Binding &binding : manifest().bindings)
    if (binding.role == Role::hyper)
      known += (known.empty() ? "" : ", ") + binding.name;
  return Status::invalidArgument("hyper-parameter must be one of " +
                                 (known.empty() ? "none" : known) +
                                 ", but got '" + std::string(name) + "'");
}

Status Session::fillRandom(const Binding &binding, uint64_t seed,
                           float stddev) {
  const Buffer &buffer = bufferOf(binding);
  const Slice slice = sliceOf(binding);
  bool matrix = buffer.shape.size() >= 2;
  if (matrix && buffer.dtype == DType::f32)
    return target->fillNormal(binding.buffer, slice, 0, stddev, seed);
  float constant = endsWith(binding.name, "bias") ? 0 : 1;
  std::vector<float> values(buffer.elements(), constant);
  if (matrix)
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = normalDeviate(
          seed, static_cast<uint64_t>(slice.wholeOf(static_cast<int64_t>(i))),
          0, stddev);
  std::vector<char> stored(buffer.bytes());
  if (!isFloat(buffer.dtype))
    return Status::unsupported(
        quote(binding.name) +
        " must be of a float dtype to be initialized, but "
        "got " +
        std::string(name(buffer.dtype)));
  fromFloat(buffer.dtype, values.data(), stored.data(), values.size());
  return target->upload(binding.buffer, stored.data(), stored.size());
}

Status Session::initializeRandom(uint64_t seed, float stddev) {
  if (stddev < 0 || !std::isfinite(stddev))
    return Status::invalidArgument(
        "a standard deviation must be finite and not "
        "negative, but got " +
        std::to_string(stddev));
  for (size_t i = 0; i < written.size(); ++i) {
    const Binding &binding = manifest().bindings[i];
    if (!isWeight(binding.role) || binding.role == Role::buffer)
      continue;
    // By name, so that a parameter's start does not depend on its position.
    PREC_RT_RETURN_IF_ERROR(
        fillRandom(binding, splitMix64(seed, hashName(binding.name)), stddev));
    PREC_RT_RETURN_IF_ERROR(finishWrite(i));
  }
  return restart();
}

Status Session::restart() {
  constexpr int64_t chunk = 16 << 20;
  std::vector<char> zeros;
  for (size_t i = 0; i < written.size(); ++i) {
    const Binding &binding = manifest().bindings[i];
    if (binding.role != Role::optimizerState)
      continue;
    int64_t bytes = bufferOf(binding).bytes();
    zeros.resize(std::max<int64_t>(zeros.size(), std::min(bytes, chunk)));
    for (int64_t offset = 0; offset < bytes; offset += chunk)
      PREC_RT_RETURN_IF_ERROR(target->upload(binding.buffer, zeros.data(),
                                             std::min(chunk, bytes - offset),
                                             offset));
  }
  *progress = {};
  progress->weightsChanged = true;
  return {};
}

Status
Session::checkSet(const char *what, const char *before,
                  const std::function<bool(const Binding &)> &isNeeded) const {
  std::string missing;
  int count = 0;
  for (size_t i = 0; i < written.size(); ++i) {
    const Binding &binding = manifest().bindings[i];
    if (written[i] || !isNeeded(binding))
      continue;
    if (++count <= 8)
      missing += (missing.empty() ? "" : ", ") + quote(binding.name);
  }
  if (!count)
    return {};
  if (count > 8)
    missing += ", ...";
  return Status::invalidState("every " + std::string(what) +
                              " must be set before " + before + ", but " +
                              std::to_string(count) + " are not: " + missing);
}

Status Session::checkInputs(const char *entryPoint, bool exceptBatch) const {
  if (!manifest().entryPoints.count(entryPoint))
    return Status::unsupported(
        std::string("module must have the entry point '") + entryPoint +
        "', but has not");
  return checkSet("input", quote(entryPoint).c_str(), [&](const Binding &b) {
    return isWeight(b.role) || (b.role == Role::batch && !exceptBatch) ||
           (b.role == Role::hyper && !isCount(b));
  });
}

Status Session::checkWeights(const char *before) const {
  return checkSet("weight", before,
                  [](const Binding &b) { return isWeight(b.role); });
}

Status Session::initialize() {
  if (!progress->weightsChanged)
    return {};
  if (manifest().entryPoints.count("init"))
    PREC_RT_RETURN_IF_ERROR(target->run("init"));
  progress->weightsChanged = false;
  progress->isInitialized = true;
  return {};
}

Status Session::restore() {
  if (progress->weightsChanged)
    return Status::invalidState(
        "work weights must be made before they are made again from scale "
        "state, but weights have changed since");
  return manifest().entryPoints.count("restore") ? target->run("restore")
                                                 : Status();
}

Status Session::refresh() {
  PREC_RT_RETURN_IF_ERROR(checkWeights("work weights are made of them"));
  // Of a training that has not begun there is nothing to go on with.
  std::vector<std::pair<int, std::vector<char>>> kept;
  for (const Binding &binding : manifest().bindings) {
    if (binding.role != Role::scaleState || !binding.parameter.empty() ||
        !progress->isInitialized)
      continue;
    kept.emplace_back(binding.buffer,
                      std::vector<char>(bufferOf(binding).bytes()));
    PREC_RT_RETURN_IF_ERROR(target->download(
        binding.buffer, kept.back().second.data(), bufferOf(binding).bytes()));
  }
  progress->weightsChanged = true;
  progress->microBatches = 0;
  PREC_RT_RETURN_IF_ERROR(initialize());
  for (const auto &[buffer, bytes] : kept)
    PREC_RT_RETURN_IF_ERROR(target->upload(buffer, bytes.data(),
                                           static_cast<int64_t>(bytes.size())));
  return {};
}
