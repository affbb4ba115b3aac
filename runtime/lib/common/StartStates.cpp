//===- StartStates.cpp - optimizer state beside start weights -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StartStates.h"

#include "prec-rt/format.h"

#include "TensorConvert.h"

#include <algorithm>
#include <cmath>

using namespace prec::rt;

static constexpr std::string_view kCodesSuffix = PREC_CODES_SUFFIX;
static constexpr std::string_view kAbsmaxSuffix = PREC_ABSMAX_SUFFIX;
static constexpr const char *kMissing =
    "must be there as the states of other parameters are, but is missing";

static std::string withoutSuffix(std::string_view text,
                                 std::string_view suffix) {
  return std::string(text.substr(0, text.size() - suffix.size()));
}

static bool isCodes(const Session &session, const Binding &binding) {
  return binding.role == Role::optimizerState &&
         session.bufferOf(binding).dtype == DType::i8 &&
         binding.slot.ends_with(kCodesSuffix);
}

/// The binding of the largest magnitudes of blocks, or -1.
static int findAbsmax(const Manifest &manifest, const Binding &codes) {
  std::string slot = withoutSuffix(codes.slot, kCodesSuffix) +=
      std::string(kAbsmaxSuffix);
  for (size_t i = 0; i < manifest.bindings.size(); ++i) {
    const Binding &binding = manifest.bindings[i];
    if (binding.role == Role::optimizerState &&
        binding.parameter == codes.parameter && binding.slot == slot)
      return static_cast<int>(i);
  }
  return -1;
}

void StartStates::report(const std::string &name, const std::string &message) {
  lines += path + ": tensor '" + name + "': " + message + "\n";
}

StartStates::StartStates(Session &session, const std::string &path,
                         std::vector<SafetensorsEntry> &all)
    : session(session), path(path), matcher(session, path, /*mayRound=*/true) {
  const Manifest &manifest = session.manifest();
  std::vector<Wanted> wanted;
  std::vector<int> coded;
  std::set<int> magnitudes;
  std::set<std::string> names;
  for (size_t i = 0; i < manifest.bindings.size(); ++i) {
    const Binding &binding = manifest.bindings[i];
    if (!isCodes(session, binding))
      continue;
    coded.push_back(static_cast<int>(i));
    magnitudes.insert(findAbsmax(manifest, binding));
    names.insert(withoutSuffix(binding.name, kCodesSuffix));
  }
  for (size_t i = 0; i < manifest.bindings.size(); ++i) {
    const Binding &binding = manifest.bindings[i];
    int index = static_cast<int>(i);
    if (binding.role != Role::optimizerState || isCodes(session, binding) ||
        magnitudes.count(index))
      continue;
    wanted.push_back({index, {binding.name}, true, kMissing});
    names.insert(binding.name);
  }
  auto first = std::stable_partition(
      all.begin(), all.end(),
      [&](const SafetensorsEntry &entry) { return !names.count(entry.name); });
  entries.assign(first, all.end());
  all.erase(first, all.end());
  if (entries.empty())
    return;
  for (int index : coded)
    addCoded(index);
  matcher.match(entries, wanted, /*optional=*/"");
  findStep();
}

void StartStates::addCoded(int codes) {
  const Manifest &manifest = session.manifest();
  const Binding &binding = manifest.bindings[codes];
  std::string name = withoutSuffix(binding.name, kCodesSuffix);
  auto entry = std::find_if(
      entries.begin(), entries.end(),
      [&](const SafetensorsEntry &one) { return one.name == name; });
  if (entry == entries.end())
    return report(name, kMissing);
  Coded coded{codes, findAbsmax(manifest, binding), &*entry};
  check(coded);
  codedStates.push_back(coded);
}

/// Of the tensor that a binding may be a slice of.
static size_t wholeElements(const Session &session, const Binding &binding) {
  return static_cast<size_t>(
      countElements(session.manifest().wholeShape(binding)));
}

void StartStates::check(const Coded &coded) {
  const Binding &binding = session.manifest().bindings[coded.codes];
  const SafetensorsEntry &entry = *coded.entry;
  if (!binding.codes || coded.absmax < 0)
    return report(entry.name, "must be of a module that says what its codes in "
                              "8 bits stand for, but this one does not: "
                              "compile it again");
  const std::vector<int64_t> shape = session.manifest().wholeShape(binding);
  if (entry.shape != shape)
    return report(entry.name, "must have shape " + formatShape(shape) +
                                  ", but got " + formatShape(entry.shape));
  if (!entry.dtype || !isFloat(*entry.dtype))
    return report(entry.name, "must have a dtype that converts to f32, but "
                              "got " +
                                  entry.dtypeName);
  std::vector<float> values(wholeElements(session, binding));
  Status status =
      convertExactly(*entry.dtype, entry.data.data(), DType::f32, values.data(),
                     static_cast<int64_t>(values.size()));
  if (!status.ok())
    return report(entry.name, status.message());
  auto bad = std::find_if(values.begin(), values.end(),
                          [](float value) { return !std::isfinite(value); });
  if (bad != values.end())
    report(entry.name, "must be finite to be coded in 8 bits, but got " +
                           std::to_string(*bad) + " at position " +
                           std::to_string(bad - values.begin()));
}

static bool isSet(const SafetensorsEntry &entry) {
  return entry.data.find_first_not_of('\0') != std::string_view::npos;
}

void StartStates::findStep() {
  for (const Binding &binding : session.manifest().bindings) {
    if (binding.role != Role::hyper || binding.name != "step")
      continue;
    // The step that the training takes next.
    double next = binding.defaultValue.value_or(0);
    if (next < 1 || next != std::floor(next) || next > 0x1p53) {
      lines += path + ": states of an optimizer must come with the number of "
                      "the next step as the module's default of 'step', but "
                      "it has none\n";
      return;
    }
    stepsDone = static_cast<int64_t>(next) - 1;
    // Of an optimizer that counts no steps: what is not zero comes of some, and
    // must not be taken for that of none.
    if (stepsDone == 0 && std::any_of(entries.begin(), entries.end(), isSet))
      stepsDone = 1;
  }
}

Status StartStates::errors() const {
  std::string text = lines;
  if (Status status = matcher.errors(); !status.ok())
    text += status.message() + "\n";
  return text.empty() ? Status()
                      : Status::badFile(text.substr(0, text.size() - 1));
}

/// As the step codes them: the nearest code of each element by the largest
/// magnitude of its block.
static void codeBlock(const float *values, int64_t count,
                      const std::vector<float> &bounds, uint8_t *codes,
                      float &absmax) {
  absmax = 0;
  for (int64_t i = 0; i < count; ++i)
    absmax = std::max(absmax, std::fabs(values[i]));
  float divisor = absmax == 0 ? 1 : absmax;
  for (int64_t i = 0; i < count; ++i) {
    auto above =
        std::lower_bound(bounds.begin(), bounds.end(), values[i] / divisor);
    codes[i] = static_cast<uint8_t>(above - bounds.begin());
  }
}

Status StartStates::upload(const Coded &coded) {
  const Manifest &manifest = session.manifest();
  const Binding &codes = manifest.bindings[coded.codes];
  const Binding &absmax = manifest.bindings[coded.absmax];
  const Buffer &table = manifest.buffers[*codes.codes];
  const auto *stands = reinterpret_cast<const float *>(
      session.module().image().constants.data() + table.offset);
  std::vector<float> bounds;
  for (int64_t i = 0; i + 1 < table.elements(); ++i)
    bounds.push_back((stands[i] + stands[i + 1]) / 2);
  int64_t elements = session.bufferOf(codes).elements();
  int64_t blocks = session.bufferOf(absmax).elements();
  int64_t block = elements / blocks;
  std::vector<float> whole(wholeElements(session, codes)), values(elements),
      largest(blocks);
  std::vector<uint8_t> coding(elements);
  PREC_RT_RETURN_IF_ERROR(
      convertExactly(*coded.entry->dtype, coded.entry->data.data(), DType::f32,
                     whole.data(), static_cast<int64_t>(whole.size())));
  copySlice(session.sliceOf(codes), reinterpret_cast<char *>(whole.data()),
            sizeof(float), 0, elements,
            reinterpret_cast<char *>(values.data()));
  for (int64_t i = 0; i < blocks; ++i)
    codeBlock(&values[i * block], block, bounds, &coding[i * block],
              largest[i]);
  PREC_RT_RETURN_IF_ERROR(
      session.device().upload(codes.buffer, coding.data(), elements));
  return session.device().upload(absmax.buffer, largest.data(),
                                 blocks * static_cast<int64_t>(sizeof(float)));
}

Status StartStates::upload() {
  if (entries.empty())
    return {};
  PREC_RT_RETURN_IF_ERROR(matcher.upload());
  for (const Coded &coded : codedStates)
    PREC_RT_RETURN_IF_ERROR(upload(coded));
  session.setStepsDone(stepsDone);
  return {};
}
