//===- ReadMeasuredPolicy.cpp - reading version 2 -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads version 2 of a policy: times by machine, of contractions (direction,
// sizes, formats), of quantizations and of modules. There is one function for
// each kind of entry; each checks keys and ranges, and an entry that is given
// twice is an error. Errors name file, line and column.
//
//===----------------------------------------------------------------------===//
#include "prec/Policy/MeasuredPolicy.h"

#include "prec/Support/JsonReader.h"
#include "prec/Support/Names.h"

#include "llvm/ADT/Twine.h"

#include <limits>

using namespace prec;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace {

class MeasuredPolicyReader : JsonReader {
public:
  MeasuredPolicyReader(StringRef fileName, MeasuredPolicy &policy)
      : JsonReader(fileName), policy(policy) {}

  Error read(const JsonValue &json);

private:
  using ReadEntry = Error (MeasuredPolicyReader::*)(const JsonValue &);

  Error readList(const JsonValue &json, StringRef name, ReadEntry readEntry);
  Error readMachine(const JsonValue &json);
  Error readContraction(const JsonValue &json);
  Error readQuantization(const JsonValue &json);
  Error readModule(const JsonValue &json);
  Error readModuleKey(const JsonValue &json, ModuleKey &key);

  Error readNameText(const JsonValue &json, StringRef key,
                     ArrayRef<StringRef> names, std::string &text) {
    unsigned index = 0;
    if (Error error = readName(json, key, names, index))
      return error;
    text = names[index].str();
    return Error::success();
  }
  /// A key that may be left out.
  Error readOptionalName(const JsonValue &json, StringRef key,
                         ArrayRef<StringRef> names, std::string &text) {
    const JsonValue *value = json.find(key);
    return value ? readNameText(*value, key, names, text) : Error::success();
  }
  Error readSize(const JsonValue &json, StringRef key, int64_t &size) {
    return readInteger(*json.find(key), key, 1, INT64_MAX, size);
  }
  Error readTime(const JsonValue &json, Time &time);
  Error readMachineOf(const JsonValue &json, Measurements *&measurements);
  Error failTwice(const JsonValue &json, const Twine &what) {
    return fail(json.position, what + " must be given once a machine");
  }

  MeasuredPolicy &policy;
  std::map<std::string, Machine> machines;
};

} // namespace

Error MeasuredPolicyReader::readTime(const JsonValue &json, Time &time) {
  if (Error error = readPositive(*json.find("us"), "us", time.us))
    return error;
  const JsonValue *noise = json.find("noise_us");
  return noise ? readNumber(*noise, "noise_us", 0, kInfinity, time.noise)
               : Error::success();
}

Error MeasuredPolicyReader::readMachineOf(const JsonValue &json,
                                          Measurements *&measurements) {
  const JsonValue &machine = *json.find("machine");
  std::string id;
  if (Error error = readText(machine, "machine", id))
    return error;
  auto it = machines.find(id);
  if (it == machines.end())
    return fail(machine.position,
                "machine must be the id of one of 'machines', but got '" + id +
                    "'");
  measurements = &policy.machines[it->second];
  return Error::success();
}

Error MeasuredPolicyReader::readMachine(const JsonValue &json) {
  if (Error error = checkObject(json, {"id", "gpu"}, {"libraries"}))
    return error;
  std::string id;
  Machine machine;
  const JsonValue &idValue = *json.find("id");
  if (Error error = readText(idValue, "id", id))
    return error;
  if (Error error = readText(*json.find("gpu"), "gpu", machine.gpu))
    return error;
  if (const JsonValue *libraries = json.find("libraries")) {
    if (libraries->kind != JsonValue::Kind::Object)
      return fail(libraries->position,
                  "libraries must be an object of versions, but got " +
                      describeJson(*libraries));
    for (const JsonValue::Member &library : libraries->members)
      if (Error error = readText(library.value, "version",
                                 machine.libraries[library.key]))
        return error;
  }
  if (!policy.machines.try_emplace(machine).second)
    return fail(json.position, "a machine must be given once, but got '" +
                                   printMachine(machine) + "' again");
  if (!machines.try_emplace(id, std::move(machine)).second)
    return fail(idValue.position,
                "an id must be given once, but got '" + id + "' again");
  return Error::success();
}

Error MeasuredPolicyReader::readContraction(const JsonValue &json) {
  if (Error error = checkObject(
          json, {"machine", "direction", "m", "n", "k", "lhs", "rhs", "us"},
          {"batch", "result", "scaling", "accumulator", "noise_us"}))
    return error;
  Measurements *measurements = nullptr;
  if (Error error = readMachineOf(json, measurements))
    return error;
  ContractionKey key;
  ContractionFormats &formats = key.formats;
  if (Error error = readNameText(*json.find("direction"), "direction",
                                 getDirectionNames(), key.direction))
    return error;
  for (auto [name, size] :
       {std::pair(StringRef("m"), &key.m), {"n", &key.n}, {"k", &key.k}})
    if (Error error = readSize(json, name, *size))
      return error;
  if (json.find("batch"))
    if (Error error = readSize(json, "batch", key.batch))
      return error;
  for (auto [name, format] : {std::pair(StringRef("lhs"), &formats.lhs),
                              {"rhs", &formats.rhs},
                              {"result", &formats.result}})
    if (Error error = readOptionalName(json, name, getFormatNames(), *format))
      return error;
  if (Error error =
          readOptionalName(json, "scaling", getScalingNames(), formats.scaling))
    return error;
  if (Error error = readOptionalName(json, "accumulator", getAccumulatorNames(),
                                     formats.accumulator))
    return error;
  Time time;
  if (Error error = readTime(json, time))
    return error;
  if (!measurements->contractions.try_emplace(key, time).second)
    return failTwice(json, printContractionKey(key));
  return Error::success();
}

Error MeasuredPolicyReader::readQuantization(const JsonValue &json) {
  if (Error error = checkObject(
          json, {"machine", "rows", "columns", "from", "to", "layouts", "us"},
          {"scaling", "noise_us"}))
    return error;
  static constexpr StringRef kLayouts[] = {"rows", "columns", "both"};
  Measurements *measurements = nullptr;
  if (Error error = readMachineOf(json, measurements))
    return error;
  QuantizationKey key;
  if (Error error = readSize(json, "rows", key.rows))
    return error;
  if (Error error = readSize(json, "columns", key.columns))
    return error;
  for (auto [name, format] :
       {std::pair(StringRef("from"), &key.from), {"to", &key.to}})
    if (Error error =
            readNameText(*json.find(name), name, getFormatNames(), *format))
      return error;
  if (Error error =
          readOptionalName(json, "scaling", getScalingNames(), key.scaling))
    return error;
  if (Error error =
          readNameText(*json.find("layouts"), "layouts", kLayouts, key.layouts))
    return error;
  Time time;
  if (Error error = readTime(json, time))
    return error;
  if (!measurements->quantizations.try_emplace(key, time).second)
    return failTwice(json, printQuantizationKey(key));
  return Error::success();
}

Error MeasuredPolicyReader::readModuleKey(const JsonValue &json,
                                          ModuleKey &key) {
  unsigned kind = 0;
  const JsonValue *kindValue = json.find("kind");
  if (!kindValue)
    return fail(json.position, "missing key 'kind'");
  if (Error error = readName(*kindValue, "kind", getModuleKindNames(), kind))
    return error;
  key.kind = static_cast<ModuleKind>(kind);
  static constexpr StringRef kOptional[] = {"model", "noise_us"};
  if (isGrouped(key.kind)) {
    if (Error error = checkObject(json,
                                  {"machine", "kind", "etp", "num_gemms",
                                   "tokens", "precision", "us"},
                                  kOptional))
      return error;
    if (Error error = readSize(json, "etp", key.etp))
      return error;
    return readSize(json, "num_gemms", key.numGemms);
  }
  if (Error error = checkObject(
          json,
          {"machine", "kind", "ub_name", "tp", "tokens", "precision", "us"},
          kOptional))
    return error;
  if (Error error = readText(*json.find("ub_name"), "ub_name", key.ubName))
    return error;
  return readSize(json, "tp", key.tp);
}

Error MeasuredPolicyReader::readModule(const JsonValue &json) {
  if (json.kind != JsonValue::Kind::Object)
    return fail(json.position,
                "expected an object, but got " + describeJson(json));
  ModuleRunKey key;
  if (Error error = readModuleKey(json, key.module))
    return error;
  Measurements *measurements = nullptr;
  if (Error error = readMachineOf(json, measurements))
    return error;
  if (const JsonValue *model = json.find("model"))
    if (Error error = readText(*model, "model", key.model))
      return error;
  if (Error error = readSize(json, "tokens", key.tokens))
    return error;
  unsigned precision = 0;
  if (Error error = readName(*json.find("precision"), "precision",
                             getModulePrecisionNames(), precision))
    return error;
  Time time;
  if (Error error = readTime(json, time))
    return error;
  ModuleTimes &times = measurements->modules[key];
  std::optional<Time> &slot = precision == 0 ? times.bf16 : times.fp8;
  if (slot)
    return failTwice(json, printModuleKey(key.module) + " at " +
                               Twine(key.tokens) + " tokens in " +
                               getModulePrecisionNames()[precision]);
  slot = time;
  return Error::success();
}

Error MeasuredPolicyReader::readList(const JsonValue &json, StringRef name,
                                     ReadEntry readEntry) {
  const JsonValue *list = json.find(name);
  if (!list)
    return Error::success();
  if (Error error = checkArray(*list, name))
    return error;
  for (const JsonValue &element : list->elements)
    if (Error error = (this->*readEntry)(element))
      return error;
  return Error::success();
}

Error MeasuredPolicyReader::read(const JsonValue &json) {
  if (Error error =
          checkObject(json, {"version", "machines"},
                      {"speedup_threshold", "contractions", "quantizations",
                       "modules", "commands", "details"}))
    return error;
  if (const JsonValue *commands = json.find("commands"))
    if (Error error = checkArray(*commands, "commands"))
      return error;
  // Of the benchmark itself: a policy has neither.
  if (const JsonValue *details = json.find("details"))
    if (details->kind != JsonValue::Kind::Object)
      return fail(details->position, "details must be an object, but got " +
                                         describeJson(*details));
  int64_t version = 0;
  if (Error error = readVersion(*json.find("version"), {2}, version))
    return error;
  if (const JsonValue *threshold = json.find("speedup_threshold"))
    if (Error error = readPositive(*threshold, "speedup_threshold",
                                   policy.speedupThreshold))
      return error;
  using Reader = MeasuredPolicyReader;
  for (auto [name, readEntry] :
       {std::pair(StringRef("machines"), &Reader::readMachine),
        {"contractions", &Reader::readContraction},
        {"quantizations", &Reader::readQuantization},
        {"modules", &Reader::readModule}})
    if (Error error = readList(json, name, readEntry))
      return error;
  return Error::success();
}

Expected<MeasuredPolicy> prec::readMeasuredPolicy(const JsonValue &json,
                                                  StringRef fileName) {
  return readJson<MeasuredPolicy>(
      json, [&](const JsonValue &json, MeasuredPolicy &policy) {
        return MeasuredPolicyReader(fileName, policy).read(json);
      });
}
