//===- Numerics.cpp - reading numerics.json -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads numerics.json, the measurements of a training: for each tensor and each
// operand of a contraction its amax, rms, and what formats would lose. Entries
// are checked as they are read (ranges, and numbers that must agree, such as
// rms and amax), and errors name file, line and column. An entry is found by
// one text key of path, phase and result, or path, direction and operand, in a
// hash table.
//
//===----------------------------------------------------------------------===//
#include "prec/Numerics/Numerics.h"

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

const FormatLoss *TensorNumerics::findLoss(StringRef format,
                                           StringRef scaling) const {
  for (const FormatLoss &loss : losses)
    if (loss.format == format && loss.scaling == scaling)
      return &loss;
  return nullptr;
}

/// Paths have no line breaks, so they can separate.
static std::string getKey(StringRef path, StringRef part, int64_t index) {
  return (path + "\n" + part + "\n" + Twine(index)).str();
}

static const TensorNumerics *find(ArrayRef<TensorNumerics> entries,
                                  const llvm::StringMap<size_t> &indices,
                                  const std::string &key) {
  auto it = indices.find(key);
  return it == indices.end() ? nullptr : &entries[it->second];
}

const TensorNumerics *Numerics::findTensor(StringRef path, StringRef phase,
                                           int64_t result) const {
  return find(tensors, tensorIndex, getKey(path, phase, result));
}

const TensorNumerics *Numerics::findUse(StringRef path, StringRef direction,
                                        int64_t operand) const {
  return find(uses, useIndex, getKey(path, direction, operand));
}

std::optional<double> GradientNoise::find(StringRef path,
                                          StringRef direction) const {
  auto found = noise.find(getKey(path, direction, 0));
  return found == noise.end() ? std::nullopt : std::optional(found->second);
}

bool GradientNoise::add(StringRef path, StringRef direction, double value) {
  return noise.try_emplace(getKey(path, direction, 0), value).second;
}

bool Numerics::addTensor(TensorNumerics tensor) {
  std::string key = getKey(tensor.path, tensor.phase, tensor.index);
  if (!tensorIndex.try_emplace(key, tensors.size()).second)
    return false;
  tensors.push_back(std::move(tensor));
  return true;
}

bool Numerics::addUse(TensorNumerics use) {
  std::string key = getKey(use.path, use.direction, use.index);
  if (!useIndex.try_emplace(key, uses.size()).second)
    return false;
  uses.push_back(std::move(use));
  return true;
}

namespace {

class NumericsReader : JsonReader {
public:
  using JsonReader::JsonReader;

  Error read(const JsonValue &json, Numerics &numerics);

private:
  Error readSteps(const JsonValue &json, Numerics &numerics);
  Error readTensors(const JsonValue &json, Numerics &numerics);
  Error readUses(const JsonValue &json, Numerics &numerics);
  Error readGradientNoise(const JsonValue &json, Numerics &numerics);
  Error readNoiseOfUse(const JsonValue &json, GradientNoise &noise);
  /// What tensors and uses have in common.
  Error readStatistics(const JsonValue &json, TensorNumerics &entry);
  Error readLosses(const JsonValue &json, TensorNumerics &entry);
  Error readLoss(const JsonValue &json, FormatLoss &loss);
  Error readNameText(const JsonValue &json, StringRef what,
                     ArrayRef<StringRef> names, std::string &text);
};

} // namespace

Error NumericsReader::readNameText(const JsonValue &json, StringRef what,
                                   ArrayRef<StringRef> names,
                                   std::string &text) {
  unsigned index = 0;
  if (Error error = readName(json, what, names, index))
    return error;
  text = names[index].str();
  return Error::success();
}

Error NumericsReader::readLoss(const JsonValue &json, FormatLoss &loss) {
  if (Error error =
          checkObject(json, {"format", "underflow", "overflow", "sqnr_db"},
                      {"scaling", "mean_sqnr_db"}))
    return error;
  if (Error error = readNameText(*json.find("format"), "format",
                                 getFormatNames(), loss.format))
    return error;
  loss.scaling = "none";
  if (const JsonValue *scaling = json.find("scaling"))
    if (Error error =
            readNameText(*scaling, "scaling", getScalingNames(), loss.scaling))
      return error;
  if (Error error = readNumber(*json.find("underflow"), "underflow", 0, 1,
                               loss.underflow))
    return error;
  const JsonValue &overflow = *json.find("overflow");
  if (Error error = readNumber(overflow, "overflow", 0, 1, loss.overflow))
    return error;
  if (loss.underflow + loss.overflow > 1)
    return fail(overflow.position,
                "underflow and overflow must not exceed 1 together");
  const JsonValue &sqnr = *json.find("sqnr_db");
  if (sqnr.kind == JsonValue::Kind::Null)
    loss.sqnr = kInfinity;
  else if (Error error =
               readNumber(sqnr, "sqnr_db", -kInfinity, kInfinity, loss.sqnr))
    return error;
  const JsonValue *mean = json.find("mean_sqnr_db");
  if (!mean)
    return Error::success();
  if (Error error = readNumber(*mean, "mean_sqnr_db", -kInfinity, kInfinity,
                               loss.meanSqnr.emplace()))
    return error;
  // A mean of one number may differ from it by a rounding.
  if (*loss.meanSqnr < loss.sqnr - 1e-6)
    return fail(mean->position,
                "mean_sqnr_db must not be below sqnr_db, but got " +
                    describeJson(*mean) + " and " + describeJson(sqnr));
  return Error::success();
}

Error NumericsReader::readLosses(const JsonValue &json, TensorNumerics &entry) {
  if (Error error = checkArray(json, "losses"))
    return error;
  for (const JsonValue &element : json.elements) {
    FormatLoss loss;
    if (Error error = readLoss(element, loss))
      return error;
    if (entry.findLoss(loss.format, loss.scaling))
      return fail(element.position, "a format and scaling must be given once, "
                                    "but got '" +
                                        loss.format + "', '" + loss.scaling +
                                        "' again");
    entry.losses.push_back(std::move(loss));
  }
  return Error::success();
}

Error NumericsReader::readStatistics(const JsonValue &json,
                                     TensorNumerics &entry) {
  if (Error error = readText(*json.find("path"), "path", entry.path))
    return error;
  if (Error error =
          readNumber(*json.find("amax"), "amax", 0, kInfinity, entry.amax))
    return error;
  const JsonValue &rms = *json.find("rms");
  if (Error error = readNumber(rms, "rms", 0, kInfinity, entry.rms))
    return error;
  if (entry.amax > 0 && entry.rms == 0)
    return fail(rms.position,
                "rms must not be 0 if amax is not, but got 0 and " +
                    describeJson(*json.find("amax")));
  // A root mean square computed in f32 may exceed the maximum by roundings.
  if (entry.rms > entry.amax * (1 + 1e-4))
    return fail(rms.position, "rms must not exceed amax, but got " +
                                  describeJson(rms) + " and " +
                                  describeJson(*json.find("amax")));
  if (const JsonValue *losses = json.find("losses"))
    return readLosses(*losses, entry);
  return Error::success();
}

Error NumericsReader::readTensors(const JsonValue &json, Numerics &numerics) {
  if (Error error = checkArray(json, "tensors"))
    return error;
  for (const JsonValue &element : json.elements) {
    TensorNumerics entry;
    if (Error error =
            checkObject(element, {"path", "phase", "amax", "rms"},
                        {"result", "update_rms", "gradient_rms", "losses"}))
      return error;
    if (Error error = readNameText(*element.find("phase"), "phase",
                                   getPhaseNames(), entry.phase))
      return error;
    if (const JsonValue *result = element.find("result"))
      if (Error error =
              readInteger(*result, "result", 0, UINT32_MAX, entry.index))
        return error;
    for (auto [key, rms] :
         {std::pair(StringRef("update_rms"), &entry.updateRms),
          {"gradient_rms", &entry.gradientRms}})
      if (const JsonValue *value = element.find(key))
        if (Error error = readNumber(*value, key, 0, kInfinity, rms->emplace()))
          return error;
    if (Error error = readStatistics(element, entry))
      return error;
    std::string path = entry.path;
    if (!numerics.addTensor(std::move(entry)))
      return fail(element.position, "a path, phase and result must be given "
                                    "once, but got '" +
                                        path + "' again");
  }
  return Error::success();
}

Error NumericsReader::readUses(const JsonValue &json, Numerics &numerics) {
  if (Error error = checkArray(json, "uses"))
    return error;
  for (const JsonValue &element : json.elements) {
    TensorNumerics entry;
    if (Error error = checkObject(
            element, {"path", "direction", "operand", "amax", "rms"},
            {"losses"}))
      return error;
    if (Error error = readNameText(*element.find("direction"), "direction",
                                   getDirectionNames(), entry.direction))
      return error;
    if (Error error = readInteger(*element.find("operand"), "operand", 0,
                                  UINT32_MAX, entry.index))
      return error;
    if (Error error = readStatistics(element, entry))
      return error;
    std::string path = entry.path;
    if (!numerics.addUse(std::move(entry)))
      return fail(element.position, "a path, direction and operand must be "
                                    "given once, but got '" +
                                        path + "' again");
  }
  return Error::success();
}

Error NumericsReader::readNoiseOfUse(const JsonValue &json,
                                     GradientNoise &noise) {
  if (Error error = checkObject(json, {"path", "direction", "noise"}, {}))
    return error;
  std::string path, direction;
  double value = 0;
  if (Error error = readText(*json.find("path"), "path", path))
    return error;
  if (Error error = readNameText(*json.find("direction"), "direction",
                                 getDirectionNames(), direction))
    return error;
  if (Error error =
          readNumber(*json.find("noise"), "noise", 0, kInfinity, value))
    return error;
  if (noise.add(path, direction, value))
    return Error::success();
  return fail(json.position, "a path and direction must be given once, but "
                             "got '" +
                                 path + "', '" + direction + "' again");
}

Error NumericsReader::readGradientNoise(const JsonValue &json,
                                        Numerics &numerics) {
  if (Error error = checkObject(
          json, {"recipe", "steps", "wide", "together", "contractions"}, {}))
    return error;
  GradientNoise &noise = numerics.gradientNoise.emplace();
  if (Error error = readText(*json.find("recipe"), "recipe", noise.recipe))
    return error;
  if (Error error = readInteger(*json.find("steps"), "steps", 1, INT64_MAX,
                                noise.numSteps))
    return error;
  for (auto [key, value] : {std::pair(StringRef("wide"), &noise.wide),
                            {"together", &noise.together}})
    if (Error error = readNumber(*json.find(key), key, 0, kInfinity, *value))
      return error;
  const JsonValue &contractions = *json.find("contractions");
  if (Error error = checkArray(contractions, "contractions"))
    return error;
  for (const JsonValue &element : contractions.elements)
    if (Error error = readNoiseOfUse(element, noise))
      return error;
  return Error::success();
}

Error NumericsReader::readSteps(const JsonValue &json, Numerics &numerics) {
  if (Error error = checkObject(json, {"first", "count"}))
    return error;
  if (Error error = readInteger(*json.find("first"), "first", 0, INT64_MAX,
                                numerics.firstStep))
    return error;
  return readInteger(*json.find("count"), "count", 1, INT64_MAX,
                     numerics.numSteps);
}

Error NumericsReader::read(const JsonValue &json, Numerics &numerics) {
  if (Error error = checkObject(json, {"version", "tensors", "uses"},
                                {"producer", "steps", "gradient_noise"}))
    return error;
  int64_t version = 0;
  if (Error error = readVersion(*json.find("version"), {1}, version))
    return error;
  if (const JsonValue *producer = json.find("producer"))
    if (Error error = readText(*producer, "producer", numerics.producer))
      return error;
  if (const JsonValue *steps = json.find("steps"))
    if (Error error = readSteps(*steps, numerics))
      return error;
  if (const JsonValue *noise = json.find("gradient_noise"))
    if (Error error = readGradientNoise(*noise, numerics))
      return error;
  if (Error error = readTensors(*json.find("tensors"), numerics))
    return error;
  return readUses(*json.find("uses"), numerics);
}

Expected<Numerics> prec::parseNumerics(StringRef text, StringRef fileName) {
  return readJson<Numerics>(
      text, fileName, [&](const JsonValue &json, Numerics &numerics) {
        return NumericsReader(fileName).read(json, numerics);
      });
}
