//===- TensorMatcher.cpp - tensors of a file and a session's bindings -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TensorMatcher.h"

#include "StateValues.h"
#include "TensorConvert.h"

#include <algorithm>

using namespace prec::rt;

void TensorMatcher::pair(const SafetensorsEntry &entry, int index) {
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
  const std::vector<int64_t> shape = session.manifest().wholeShape(binding);
  const int64_t elements = countElements(shape);
  if (entry.shape != shape)
    report(entry.name, "must have shape " + formatShape(shape) + ", but got " +
                           formatShape(entry.shape));
  else if (!entry.dtype || isFloat(*entry.dtype) != isFloat(buffer.dtype))
    report(entry.name, "must have a dtype that converts to " +
                           std::string(name(buffer.dtype)) + ", but got " +
                           entry.dtypeName);
  else if (!alwaysExact(*entry.dtype, buffer.dtype))
    if (Status status = convertExactly(*entry.dtype, entry.data.data(),
                                       buffer.dtype, nullptr, elements);
        !status.ok()) {
      if (mayRound && isFloat(buffer.dtype))
        rounded.insert(index);
      else
        report(entry.name, status.message());
    }
  if (binding.vocabulary || binding.range)
    checkNumbers(entry, index);
  if (entry.dtype && entry.shape == shape)
    if (Status status =
            checkState(binding, *entry.dtype, entry.data.data(), elements, 0);
        !status.ok())
      report(entry.name, status.message());
}

void TensorMatcher::checkNumbers(const SafetensorsEntry &entry, int index) {
  const Binding &binding = session.manifest().bindings[index];
  const Buffer &buffer = session.bufferOf(binding);
  const std::vector<int64_t> shape = session.manifest().wholeShape(binding);
  if (entry.shape != shape || !entry.dtype)
    return;
  const int64_t elements = countElements(shape), size = byteSize(buffer.dtype);
  std::vector<char> whole(static_cast<size_t>(elements * size));
  // What does not convert was reported.
  if (!convertExactly(*entry.dtype, entry.data.data(), buffer.dtype,
                      whole.data(), elements)
           .ok())
    return;
  std::vector<char> stored(buffer.bytes());
  copySlice(session.sliceOf(binding), whole.data(), size, 0, buffer.elements(),
            stored.data());
  if (Status status = session.checkNumbers(binding, stored.data());
      !status.ok())
    report(entry.name, status.message());
}

void TensorMatcher::match(const std::vector<SafetensorsEntry> &entries,
                          const std::vector<Wanted> &wanted,
                          const char *optional) {
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
      report(want.names.front(), want.missing);
}

Status TensorMatcher::upload() const {
  constexpr int64_t chunk = 4 << 20;
  std::vector<char> converted, gathered;
  for (auto [index, entry] : pairs) {
    const Binding &binding = session.manifest().bindings[index];
    const Buffer &buffer = session.bufferOf(binding);
    int64_t from = byteSize(*entry->dtype), to = byteSize(buffer.dtype);
    const Slice slice = session.sliceOf(binding);
    for (int64_t i = 0; i < buffer.elements(); i += chunk) {
      int64_t count = std::min(chunk, buffer.elements() - i);
      const char *whole = entry->data.data();
      const char *source = whole + i * from;
      if (binding.shard) {
        gathered.resize(count * from);
        copySlice(slice, whole, from, i, count, gathered.data());
        source = gathered.data();
      }
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
    PREC_RT_RETURN_IF_ERROR(session.finishWrite(index));
  }
  return {};
}
