//===- SessionValues.cpp - values of a session's bindings ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value is checked (shape and dtype), converted without loss, checked again
// (token ids and ranges of integers), and only then written. `stage` does all
// but the writing, so a caller can stage a whole batch first, and a wrong value
// leaves no other one changed. A tensor on the module's GPU is copied there
// directly if it needs neither conversion nor a check of its elements.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "HyperRange.h"
#include "TensorConvert.h"

#include <algorithm>
#include <limits>
#include <utility>

using namespace prec::rt;

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
