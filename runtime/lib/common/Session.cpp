//===- Session.cpp - a step module in use ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step module in use: its bindings are set and read by name, its entry points
// are run. A session keeps little state of its own: which bindings have been
// written, whether weights have changed since `init` ran, how many steps are
// done and how many micro-batches are not applied yet. A step checks that all
// inputs are written, runs `init` if weights have changed (scales and work
// weights are made from them), uploads the step count, runs its commands, and
// reads loss, metrics and guards back; so nothing runs in an order that the
// module does not allow.
//
// A value is checked (shape and dtype), converted without loss, checked again
// (token ids and ranges of integers), and only then written. `stage` does all
// but the writing, so a caller can stage a whole batch first, and a wrong value
// leaves no other one changed. A tensor on the module's GPU is copied there
// directly if it needs neither conversion nor a check of its elements.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "FloatConvert.h"
#include "HyperRange.h"
#include "NameHash.h"
#include "NormalDeviate.h"
#include "Ranks.h"
#include "TensorConvert.h"

#include "prec-rt/module.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

using namespace prec::rt;

static bool endsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.substr(text.size() - suffix.size()) == suffix;
}

/// "lr" for "lr" and for "lr.1".
static std::string_view withoutGroup(std::string_view name) {
  size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size() ||
      name.find_first_not_of("0123456789", dot + 1) != std::string_view::npos)
    return name;
  return name.substr(0, dot);
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

int Session::find(std::string_view name) const {
  const std::vector<Binding> &bindings = manifest().bindings;
  // Weights first: optimizer state and work weights may carry the same name.
  for (bool weights : {true, false})
    for (size_t i = 0; i < bindings.size(); ++i)
      if (isWeight(bindings[i].role) == weights && bindings[i].name == name)
        return i;
  for (size_t i = 0; i < bindings.size(); ++i)
    if (std::count(bindings[i].aliases.begin(), bindings[i].aliases.end(),
                   name))
      return i;
  return -1;
}

template <typename Number>
static Status checkNumbers(const Binding &binding, const Number *numbers,
                           int64_t count) {
  int64_t low = binding.range ? binding.range->first
                              : std::numeric_limits<int64_t>::min();
  int64_t high = binding.range ? binding.range->second
                               : std::numeric_limits<int64_t>::max();
  for (int64_t i = 0; i < count; ++i) {
    bool ignored = binding.ignoreIndex && numbers[i] == *binding.ignoreIndex;
    auto got = [&]() {
      return ", but got " + std::to_string(numbers[i]) + " at position " +
             std::to_string(i) + " of " + quote(binding.name);
    };
    if (binding.vocabulary && !ignored &&
        (numbers[i] < 0 || numbers[i] >= *binding.vocabulary))
      return Status::badValue("token ids must lie in [0, " +
                              std::to_string(*binding.vocabulary) + ")" +
                              got());
    if (numbers[i] < low || numbers[i] > high)
      return Status::badValue(
          "a buffer of whole numbers must stay in the range "
          "that it had at import, " +
          std::to_string(low) + " to " + std::to_string(high) + got());
  }
  return {};
}

Status Session::checkNumbers(const Binding &binding, const char *data) const {
  const Buffer &buffer = bufferOf(binding);
  if (!binding.vocabulary && !binding.range)
    return {};
  if (buffer.dtype == DType::i64)
    return ::checkNumbers(binding, reinterpret_cast<const int64_t *>(data),
                          buffer.elements());
  if (buffer.dtype == DType::i32)
    return ::checkNumbers(binding, reinterpret_cast<const int32_t *>(data),
                          buffer.elements());
  return {};
}

Status Session::check(int index, DType dtype,
                      const std::vector<int64_t> &shape) const {
  const Binding &binding = manifest().bindings[index];
  const Buffer &buffer = bufferOf(binding);
  std::string problems;
  auto report = [&](const std::string &text) {
    problems += (problems.empty() ? "" : "; ") + quote(binding.name) + text;
  };
  const std::vector<int64_t> whole = manifest().wholeShape(binding);
  if (shape != buffer.shape && shape != whole)
    report(
        " must have shape " + formatShape(buffer.shape) +
        (binding.shard ? ", or " + formatShape(whole) + " of all slices" : "") +
        ", but got " + formatShape(shape));
  if (isFloat(dtype) != isFloat(buffer.dtype))
    report(" must have a dtype that converts to " +
           std::string(name(buffer.dtype)) + ", but got " +
           std::string(name(dtype)));
  return problems.empty() ? Status() : Status::invalidArgument(problems);
}

Result<std::vector<char>> Session::encode(int index, DType dtype,
                                          const std::vector<int64_t> &shape,
                                          const void *data) const {
  PREC_RT_RETURN_IF_ERROR(check(index, dtype, shape));
  const Binding &binding = manifest().bindings[index];
  const Buffer &buffer = bufferOf(binding);
  const int64_t elements = countElements(shape), size = byteSize(buffer.dtype);
  std::vector<char> converted(static_cast<size_t>(elements * size));
  if (Status status =
          convertExactly(dtype, data, buffer.dtype, converted.data(), elements);
      !status.ok())
    return status.prefixed(quote(binding.name) + ": ");
  if (shape != buffer.shape) {
    // The tensor that this rank has a slice of.
    std::vector<char> own(static_cast<size_t>(buffer.bytes()));
    copySlice(sliceOf(binding), converted.data(), size, 0, buffer.elements(),
              own.data());
    converted = std::move(own);
  }
  PREC_RT_RETURN_IF_ERROR(checkNumbers(binding, converted.data()));
  if (binding.role == Role::hyper) {
    float value = 0;
    memcpy(&value, converted.data(), sizeof value);
    PREC_RT_RETURN_IF_ERROR(checkHyper(withoutGroup(binding.name), value));
  }
  return converted;
}

Status Session::write(int index, const std::vector<char> &bytes) {
  const Binding &binding = manifest().bindings[index];
  if (binding.role == Role::hyper)
    memcpy(&hypers[binding.buffer], bytes.data(), sizeof(float));
  PREC_RT_RETURN_IF_ERROR(
      target->upload(binding.buffer, bytes.data(), bytes.size()));
  return finishWrite(index);
}

Status Session::finishWrite(int index) {
  const Binding &binding = manifest().bindings[index];
  if (binding.role == Role::stagedParameter)
    PREC_RT_RETURN_IF_ERROR(target->run(binding.entryPoint));
  markWritten(index);
  return {};
}

Status Session::set(int index, DType dtype, const std::vector<int64_t> &shape,
                    const void *data) {
  Result<std::vector<char>> bytes = encode(index, dtype, shape, data);
  return bytes.ok() ? write(index, *bytes) : bytes.status();
}

Status Session::get(int index, DType dtype, void *data, int64_t bytes) {
  const Binding &binding = manifest().bindings[index];
  const Buffer &buffer = bufferOf(binding);
  if (binding.role == Role::stagedParameter)
    return Status::unsupported(
        quote(binding.name) +
        " must be kept as it is to be read, but the module "
        "keeps only work weights of it");
  if (bytes != buffer.elements() * byteSize(dtype))
    return Status::invalidArgument(
        quote(binding.name) + " needs " +
        std::to_string(buffer.elements() * byteSize(dtype)) + " bytes as " +
        std::string(name(dtype)) + ", but got room for " +
        std::to_string(bytes));
  if (dtype == buffer.dtype)
    return target->download(binding.buffer, data, bytes);
  std::vector<char> stored(buffer.bytes());
  PREC_RT_RETURN_IF_ERROR(
      target->download(binding.buffer, stored.data(), buffer.bytes()));
  if (Status status = convertExactly(buffer.dtype, stored.data(), dtype, data,
                                     buffer.elements());
      !status.ok())
    return status.prefixed(quote(binding.name) + ": ");
  return {};
}

Status Session::checkPlace(int index, const Place &place) const {
  Place own = target->place();
  if (place.isHost() || place == own)
    return {};
  return Status::invalidArgument(
      quote(manifest().bindings[index].name) + " must be on the host" +
      (own.isHost() ? ", as the module is for the CPU"
                    : " or on the module's " + formatPlace(own)) +
      ", but is on " + formatPlace(place));
}

Result<std::vector<char>> Session::fetch(int index, const TensorRef &value,
                                         const char *why) {
  const Binding &binding = manifest().bindings[index];
  PREC_RT_RETURN_IF_ERROR(checkPlace(index, value.place));
  if (Status status = target->checkMemory(value.data, value.bytes());
      !status.ok())
    return status.prefixed(quote(binding.name) + ": ");
  std::vector<char> bytes(value.bytes());
  PREC_RT_RETURN_IF_ERROR(
      target->readMemory(bytes.data(), value.data, value.bytes()));
  ++copies.throughHostCopies;
  copies.throughHostBytes += value.bytes();
  if (!isFetchTold[index])
    file->image().options.log(PREC_RT_LOG_DEBUG,
                              quote(binding.name) + " goes from " +
                                  formatPlace(value.place) +
                                  " through the host, as it is " + why);
  isFetchTold[index] = true;
  return bytes;
}

Result<StagedValue> Session::stage(int index, const TensorRef &value) {
  const Binding &binding = manifest().bindings[index];
  PREC_RT_RETURN_IF_ERROR(check(index, value.dtype, value.shape));
  PREC_RT_RETURN_IF_ERROR(checkPlace(index, value.place));
  const void *data = value.data;
  std::vector<char> fetched;
  if (!value.place.isHost()) {
    bool isStored = value.dtype == bufferOf(binding).dtype &&
                    value.shape == bufferOf(binding).shape;
    bool isTrusted = areBatchesTrusted && binding.role == Role::batch;
    if (isStored && (isTrusted || isUnchecked(binding))) {
      if (Status status = target->checkMemory(data, value.bytes());
          !status.ok())
        return status.prefixed(quote(binding.name) + ": ");
      return StagedValue{{}, data};
    }
    Result<std::vector<char>> bytes =
        fetch(index, value, isStored ? "checked" : "converted");
    if (!bytes.ok())
      return bytes.status();
    fetched = std::move(*bytes);
    data = fetched.data();
  }
  Result<std::vector<char>> bytes =
      encode(index, value.dtype, value.shape, data);
  if (!bytes.ok())
    return bytes.status();
  return StagedValue{std::move(*bytes), nullptr};
}

Status Session::write(int index, const StagedValue &value) {
  if (!value.memory)
    return write(index, value.bytes);
  const Binding &binding = manifest().bindings[index];
  int64_t bytes = bufferOf(binding).bytes();
  PREC_RT_RETURN_IF_ERROR(target->copyIn(binding.buffer, value.memory, bytes));
  ++copies.deviceCopies;
  copies.deviceBytes += bytes;
  return finishWrite(index);
}

Status Session::set(int index, const TensorRef &value) {
  Result<StagedValue> staged = stage(index, value);
  if (!staged.ok())
    return staged.status();
  PREC_RT_RETURN_IF_ERROR(write(index, *staged));
  return staged->memory ? target->synchronize() : Status();
}

Status Session::get(int index, const TensorRef &to) {
  const Binding &binding = manifest().bindings[index];
  const Buffer &buffer = bufferOf(binding);
  PREC_RT_RETURN_IF_ERROR(check(index, to.dtype, to.shape));
  if (to.shape != buffer.shape)
    return Status::invalidArgument(
        quote(binding.name) + " must be read as this rank's slice " +
        formatShape(buffer.shape) + ", but got " + formatShape(to.shape));
  PREC_RT_RETURN_IF_ERROR(checkPlace(index, to.place));
  if (to.place.isHost())
    return get(index, to.dtype, to.data, to.bytes());
  if (Status status = target->checkMemory(to.data, to.bytes()); !status.ok())
    return status.prefixed(quote(binding.name) + ": ");
  if (to.dtype == buffer.dtype && binding.role != Role::stagedParameter) {
    PREC_RT_RETURN_IF_ERROR(
        target->copyOut(binding.buffer, to.data, buffer.bytes()));
    ++copies.deviceCopies;
    copies.deviceBytes += buffer.bytes();
    return target->synchronize();
  }
  std::vector<char> bytes(to.bytes());
  PREC_RT_RETURN_IF_ERROR(get(index, to.dtype, bytes.data(), to.bytes()));
  ++copies.throughHostCopies;
  copies.throughHostBytes += to.bytes();
  return target->writeMemory(to.data, bytes.data(), to.bytes());
}

void Session::markWritten(int index) {
  written[index] = true;
  if (!isWeight(manifest().bindings[index].role))
    return;
  progress->weightsChanged = true;
  progress->microBatches = 0;
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

static bool isStepCount(const Binding &binding) {
  return binding.role == Role::hyper && withoutGroup(binding.name) == "step";
}

/// Of a step that draws random numbers: other ones in every micro-batch.
static bool isMicroBatchCount(const Binding &binding) {
  return binding.role == Role::hyper && binding.name == "micro_batch";
}

bool Session::isCount(const Binding &binding) {
  return isStepCount(binding) || isMicroBatchCount(binding);
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

Status Session::checkBetweenSteps(const char *what) const {
  if (!isWithinStep())
    return {};
  return Status::invalidState(std::string(what) +
                              " must come between steps, but got " +
                              std::to_string(progress->microBatches) +
                              " micro-batches that are not applied");
}

Status Session::uploadCounts(int64_t microBatch) {
  // That of every rank with batches of its own is another one; none is below 0.
  if (ranks && microBatch >= 0)
    microBatch = microBatch * manifest().dataRanks() +
                 manifest().dataGroup(ranks->rank()).own;
  for (const Binding &binding : manifest().bindings)
    if (isStepCount(binding))
      PREC_RT_RETURN_IF_ERROR(
          uploadScalar(binding, static_cast<float>(progress->steps + 1)));
    else if (isMicroBatchCount(binding))
      PREC_RT_RETURN_IF_ERROR(
          uploadScalar(binding, static_cast<float>(microBatch)));
  return {};
}

Status Session::beginStep(const char *entryPoint) {
  PREC_RT_RETURN_IF_ERROR(checkInputs(entryPoint));
  PREC_RT_RETURN_IF_ERROR(checkBetweenSteps("a whole step"));
  PREC_RT_RETURN_IF_ERROR(initialize());
  progress->crowded = 0;
  return uploadCounts(0);
}

Result<StepResult> Session::readResult() {
  StepResult result{0, true, progress->steps, nullptr};
  for (const Binding &binding : manifest().bindings) {
    if ((binding.role != Role::loss && binding.role != Role::metric) ||
        !manifest().buffers[binding.buffer].shape.empty())
      continue;
    float value = 0;
    PREC_RT_RETURN_IF_ERROR(
        target->download(binding.buffer, &value, sizeof value));
    result.finite &= std::isfinite(value);
    if (binding.role == Role::loss)
      result.loss = value;
  }
  return result;
}

/// Whether it says of indices whether they are rows of a table.
static bool isIndexCheck(const Binding &binding) {
  return binding.role == Role::guard &&
         std::string_view(binding.name).substr(0, kIndexCheck.size()) ==
             kIndexCheck;
}

Status Session::runAgainIfCrowded(const std::string &entryPoint) {
  const std::string crowded = std::string(kCrowded) + entryPoint;
  if (!manifest().entryPoints.count(crowded))
    return {};
  for (const Binding &binding : manifest().bindings) {
    if (binding.role != Role::guard || binding.name != kExpertRoom)
      continue;
    // What all ranks have agreed on, so that all of them do it, or none.
    float hasRoom = 0;
    PREC_RT_RETURN_IF_ERROR(
        target->download(binding.buffer, &hasRoom, sizeof hasRoom));
    if (hasRoom == 1)
      continue;
    file->image().options.log(PREC_RT_LOG_DEBUG,
                              "rows of experts had no room: '" + crowded +
                                  "' runs in place of '" + entryPoint + "'");
    ++progress->crowded;
    return target->run(crowded);
  }
  return {};
}

Result<const std::string *> Session::readGuard(const Binding &binding) {
  float first = 0;
  PREC_RT_RETURN_IF_ERROR(
      target->download(binding.buffer, &first, sizeof first));
  if (first >= 0 && first < binding.tensors.size())
    return &binding.tensors[static_cast<size_t>(first)];
  return nullptr;
}

Status Session::readGuards(StepResult &result, bool indicesOnly) {
  // What an index beside its table makes of the loss is no other fault.
  for (bool ofIndices : {true, false})
    for (const Binding &binding : manifest().bindings) {
      if (binding.role != Role::guard || isIndexCheck(binding) != ofIndices ||
          (indicesOnly && !ofIndices) || result.notFinite)
        continue;
      Result<const std::string *> bad = readGuard(binding);
      if (!bad.ok())
        return bad.status();
      result.notFinite = *bad;
      result.isIndex = *bad && ofIndices;
    }
  result.finite &= !result.notFinite;
  return {};
}

Result<StepResult> Session::readLoss() {
  Result<StepResult> result = readResult();
  if (!result.ok())
    return result;
  // Metrics such as the gradient norm are the step's, so only the loss counts.
  result->finite = std::isfinite(result->loss);
  PREC_RT_RETURN_IF_ERROR(readGuards(*result, /*indicesOnly=*/true));
  return result;
}

Result<StepResult> Session::endStep() {
  ++progress->steps;
  Result<StepResult> result = readResult();
  if (!result.ok())
    return result;
  result->crowded = std::exchange(progress->crowded, 0);
  PREC_RT_RETURN_IF_ERROR(readGuards(*result, /*indicesOnly=*/false));
  badTensor = result->notFinite;
  const std::vector<Binding> &bindings = manifest().bindings;
  bool isGuarded =
      std::any_of(bindings.begin(), bindings.end(), [](const Binding &binding) {
        return binding.role == Role::guard && !isIndexCheck(binding);
      });
  if (result->isIndex && !isGuarded)
    return Status::badValue(result->fault() + " in step " +
                            std::to_string(progress->steps) +
                            ", and no guard kept it from changing weights");
  return result;
}

Status Session::run(const char *entryPoint,
                    const std::function<void()> &meanwhile) {
  PREC_RT_RETURN_IF_ERROR(target->run(entryPoint));
  if (meanwhile)
    meanwhile();
  return {};
}

Result<StepResult> Session::step(const std::function<void()> &meanwhile) {
  PREC_RT_RETURN_IF_ERROR(beginStep());
  PREC_RT_RETURN_IF_ERROR(run("step", meanwhile));
  PREC_RT_RETURN_IF_ERROR(runAgainIfCrowded("step"));
  return endStep();
}

Status Session::startStep() {
  PREC_RT_RETURN_IF_ERROR(beginStep());
  PREC_RT_RETURN_IF_ERROR(target->run("step"));
  isStarted = true;
  return {};
}

Result<StepResult> Session::finishStep() {
  if (!isStarted)
    return Status::invalidState(
        "a step must be begun before it is waited for, but got none");
  isStarted = false;
  PREC_RT_RETURN_IF_ERROR(runAgainIfCrowded("step"));
  return endStep();
}

Status Session::checkOutput(int index, const TensorRef &to) const {
  const Binding &binding = manifest().bindings[index];
  const Buffer &buffer = bufferOf(binding);
  if (buffer.segment != Segment::output)
    return Status::invalidArgument("an output must be a loss, a metric or a "
                                   "guard, but got " +
                                   std::string(name(binding.role)) + " " +
                                   quote(binding.name));
  PREC_RT_RETURN_IF_ERROR(check(index, to.dtype, to.shape));
  if (to.dtype != buffer.dtype)
    return Status::invalidArgument(quote(binding.name) + " must be read as " +
                                   std::string(name(buffer.dtype)) +
                                   ", but got " + std::string(name(to.dtype)));
  PREC_RT_RETURN_IF_ERROR(checkPlace(index, to.place));
  if (to.place == target->place())
    return to.place.isHost() ? Status()
                             : target->checkMemory(to.data, to.bytes());
  return Status::invalidArgument(
      quote(binding.name) +
      " must be read into memory of the GPU, as nothing waits for it, but is "
      "on " +
      formatPlace(to.place));
}

Status Session::enqueue(const std::string &entryPoint,
                        const std::vector<std::pair<int, TensorRef>> &outputs,
                        const std::function<Status()> &setInputs) {
  const bool isStep = entryPoint == "step", isApply = entryPoint == "apply";
  const bool isPart = entryPoint == "accumulate";
  if (!isStep && !isApply && !isPart && entryPoint != "eval")
    return Status::invalidArgument(
        "an entry point must be step, accumulate, apply or eval, but got '" +
        entryPoint + "'");
  for (const auto &[index, to] : outputs)
    PREC_RT_RETURN_IF_ERROR(checkOutput(index, to));
  PREC_RT_RETURN_IF_ERROR(setInputs());
  if (isStep) {
    PREC_RT_RETURN_IF_ERROR(beginStep());
  } else {
    PREC_RT_RETURN_IF_ERROR(checkInputs(entryPoint.c_str()));
    PREC_RT_RETURN_IF_ERROR(isApply ? checkApply() : initialize());
    int64_t part = isPart ? progress->microBatches : isApply ? 0 : -1;
    PREC_RT_RETURN_IF_ERROR(uploadCounts(part));
  }
  PREC_RT_RETURN_IF_ERROR(target->run(entryPoint));
  PREC_RT_RETURN_IF_ERROR(runAgainIfCrowded(entryPoint));
  progress->microBatches = isPart    ? progress->microBatches + 1
                           : isApply ? 0
                                     : progress->microBatches;
  progress->steps += isStep || isApply;
  for (const auto &[index, to] : outputs) {
    int buffer = manifest().bindings[index].buffer;
    PREC_RT_RETURN_IF_ERROR(to.place.isHost()
                                ? target->download(buffer, to.data, to.bytes())
                                : target->copyOut(buffer, to.data, to.bytes()));
  }
  return {};
}

Result<StepResult> Session::sample() {
  PREC_RT_RETURN_IF_ERROR(beginStep("sample"));
  PREC_RT_RETURN_IF_ERROR(target->run("sample"));
  return endStep();
}

Result<StepResult> Session::profileStep(std::vector<double> &seconds) {
  using Clock = std::chrono::steady_clock;
  PREC_RT_RETURN_IF_ERROR(beginStep());
  PREC_RT_RETURN_IF_ERROR(target->synchronize());
  seconds.clear();
  for (const Command &command : manifest().commands("step")) {
    Clock::time_point start = Clock::now();
    PREC_RT_RETURN_IF_ERROR(target->runCommand(command));
    seconds.push_back(
        std::chrono::duration<double>(Clock::now() - start).count());
  }
  PREC_RT_RETURN_IF_ERROR(runAgainIfCrowded("step"));
  return endStep();
}

Status Session::timeStep(int rounds, std::vector<double> &seconds) {
  const std::vector<Command> &commands = manifest().commands("step");
  PREC_RT_RETURN_IF_ERROR(beginStep());
  seconds.assign(commands.size(), 0);
  for (int round = 0; round < rounds; ++round)
    for (size_t i = 0; i < commands.size(); ++i) {
      // Once before, so that loading it is not measured.
      Result<std::vector<double>> milliseconds =
          target->timeCommands({&commands[i], &commands[i]});
      if (!milliseconds.ok())
        return milliseconds.status();
      seconds[i] += milliseconds->back() * 1e-3 / rounds;
    }
  return {};
}

Result<StepResult> Session::eval() {
  PREC_RT_RETURN_IF_ERROR(checkInputs("eval"));
  PREC_RT_RETURN_IF_ERROR(initialize());
  // Nothing is dropped.
  PREC_RT_RETURN_IF_ERROR(uploadCounts(-1));
  PREC_RT_RETURN_IF_ERROR(target->run("eval"));
  // A step that was begun by micro-batches counts its own.
  const int64_t ofStep = progress->crowded;
  PREC_RT_RETURN_IF_ERROR(runAgainIfCrowded("eval"));
  Result<StepResult> result = readLoss();
  if (result.ok())
    result->crowded = progress->crowded - ofStep;
  progress->crowded = ofStep;
  if (result.ok() && result->isIndex)
    return Status::badValue(result->fault());
  return result;
}

Result<StepResult> Session::accumulate(const std::function<void()> &meanwhile) {
  PREC_RT_RETURN_IF_ERROR(checkInputs("accumulate"));
  PREC_RT_RETURN_IF_ERROR(initialize());
  PREC_RT_RETURN_IF_ERROR(uploadCounts(progress->microBatches));
  PREC_RT_RETURN_IF_ERROR(run("accumulate", meanwhile));
  const int64_t before = isWithinStep() ? progress->crowded : 0;
  progress->crowded = before;
  PREC_RT_RETURN_IF_ERROR(runAgainIfCrowded("accumulate"));
  ++progress->microBatches;
  Result<StepResult> result = readLoss();
  if (result.ok())
    result->crowded = progress->crowded - before;
  return result;
}

Status Session::checkApply() const {
  if (isWithinStep())
    return {};
  return Status::invalidState(
      "a step must have a micro-batch before it is applied, "
      "but got none");
}

Result<StepResult> Session::apply() {
  PREC_RT_RETURN_IF_ERROR(checkInputs("apply"));
  PREC_RT_RETURN_IF_ERROR(checkApply());
  PREC_RT_RETURN_IF_ERROR(uploadCounts(0));
  PREC_RT_RETURN_IF_ERROR(target->run("apply"));
  progress->microBatches = 0;
  return endStep();
}
