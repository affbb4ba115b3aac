//===- MeasuredPolicy.cpp - what version 2 holds --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Policy/MeasuredPolicy.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace prec;
using llvm::ArrayRef;
using llvm::StringRef;

static auto getTuple(const Machine &m) { return std::tie(m.gpu, m.libraries); }
static auto getTuple(const ContractionFormats &f) {
  return std::tie(f.lhs, f.rhs, f.result, f.scaling, f.accumulator);
}
static auto getTuple(const ContractionKey &k) {
  return std::tuple_cat(std::tie(k.direction, k.m, k.n, k.k, k.batch),
                        getTuple(k.formats));
}
static auto getTuple(const QuantizationKey &k) {
  return std::tie(k.rows, k.columns, k.from, k.to, k.scaling, k.layouts);
}
static auto getTuple(const ModuleRunKey &k) {
  return std::tie(k.module, k.model, k.tokens);
}

bool prec::operator==(const Machine &a, const Machine &b) {
  return getTuple(a) == getTuple(b);
}
bool prec::operator<(const Machine &a, const Machine &b) {
  return getTuple(a) < getTuple(b);
}
bool prec::operator<(const ContractionKey &a, const ContractionKey &b) {
  return getTuple(a) < getTuple(b);
}
bool prec::operator<(const QuantizationKey &a, const QuantizationKey &b) {
  return getTuple(a) < getTuple(b);
}
bool prec::operator<(const ModuleRunKey &a, const ModuleRunKey &b) {
  return getTuple(a) < getTuple(b);
}

ArrayRef<StringRef> prec::getModulePrecisionNames() {
  static constexpr StringRef kNames[] = {"bf16", "fp8"};
  return kNames;
}

std::string prec::printMachine(const Machine &machine) {
  std::string text;
  for (const auto &[name, version] : machine.libraries)
    text += (text.empty() ? "" : ", ") + name + " " + version;
  return text.empty() ? machine.gpu : machine.gpu + " (" + text + ")";
}

std::string prec::printContractionKey(const ContractionKey &key) {
  std::string size = std::to_string(key.m) + "x" + std::to_string(key.n) + "x" +
                     std::to_string(key.k);
  std::string text = key.direction + " " +
                     (key.batch > 1 ? std::to_string(key.batch) + "x" : "") +
                     size + " " + key.formats.lhs + " x " + key.formats.rhs +
                     " -> " + key.formats.result;
  if (key.formats.scaling != "none")
    text += ", " + key.formats.scaling;
  if (key.formats.accumulator != "full")
    text += ", " + key.formats.accumulator;
  return text;
}

std::string prec::printQuantizationKey(const QuantizationKey &key) {
  return "quantize " + std::to_string(key.rows) + "x" +
         std::to_string(key.columns) + " " + key.from + " -> " + key.to + ", " +
         key.scaling + ", " + key.layouts;
}

/// Linear between two measured sizes; the noise of the noisier.
static Time interpolate(double size, double below, const Time &atBelow,
                        double above, const Time &atAbove) {
  double part = (size - below) / (above - below);
  return {atBelow.us + part * (atAbove.us - atBelow.us),
          std::max(atBelow.noise, atAbove.noise)};
}

std::optional<Time> Measurements::findContraction(ContractionKey key) const {
  if (auto it = contractions.find(key); it != contractions.end())
    return it->second;
  const int64_t tokens = key.getTokens();
  std::optional<std::pair<int64_t, Time>> below, above;
  for (const auto &[measured, time] : contractions) {
    // The same but for the number of tokens.
    key.getTokens() = measured.getTokens();
    if (key < measured || measured < key)
      continue;
    int64_t at = measured.getTokens();
    if (at < tokens && (!below || at > below->first))
      below.emplace(at, time);
    if (at > tokens && (!above || at < above->first))
      above.emplace(at, time);
  }
  if (!below || !above)
    return std::nullopt;
  return interpolate(static_cast<double>(tokens),
                     static_cast<double>(below->first), below->second,
                     static_cast<double>(above->first), above->second);
}

std::optional<Time>
Measurements::findQuantization(const QuantizationKey &key) const {
  if (auto it = quantizations.find(key); it != quantizations.end())
    return it->second;
  auto getElements = [](const QuantizationKey &k) {
    return static_cast<double>(k.rows) * static_cast<double>(k.columns);
  };
  double elements = getElements(key);
  const std::pair<const QuantizationKey, Time> *below = nullptr,
                                               *above = nullptr;
  for (const auto &entry : quantizations) {
    const QuantizationKey &k = entry.first;
    if (std::tie(k.from, k.to, k.scaling, k.layouts) !=
        std::tie(key.from, key.to, key.scaling, key.layouts))
      continue;
    double at = getElements(k);
    if (at <= elements && (!below || at > getElements(below->first)))
      below = &entry;
    if (at >= elements && (!above || at < getElements(above->first)))
      above = &entry;
  }
  if (!below || !above)
    return std::nullopt;
  if (getElements(below->first) == getElements(above->first))
    return below->second;
  return interpolate(elements, getElements(below->first), below->second,
                     getElements(above->first), above->second);
}

std::vector<TokenTimes> Measurements::getTokenTimes(const ModuleKey &module,
                                                    StringRef model) const {
  std::vector<TokenTimes> points;
  for (const auto &[key, times] : modules)
    if (key.module == module && key.model == model && times.bf16 && times.fp8)
      points.push_back({key.tokens, *times.bf16, *times.fp8});
  return points;
}

std::map<ModuleKey, std::vector<std::string>> Measurements::getModules() const {
  std::map<ModuleKey, std::vector<std::string>> result;
  for (const auto &entry : modules) {
    std::vector<std::string> &models = result[entry.first.module];
    if (models.empty() || models.back() != entry.first.model)
      models.push_back(entry.first.model);
  }
  return result;
}

const Measurements *MeasuredPolicy::findMachine(StringRef gpu) const {
  const Measurements *found = nullptr;
  for (const auto &[machine, measurements] : machines) {
    if (!StringRef(machine.gpu).contains_insensitive(gpu))
      continue;
    if (found)
      return nullptr;
    found = &measurements;
  }
  return found;
}
