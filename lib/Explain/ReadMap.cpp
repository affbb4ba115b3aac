//===- ReadMap.cpp - a precision map from JSON ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a precision map from the JSON that `map` writes, for the page and for
// comparisons of two maps. There is one function for each kind of object, which
// checks its keys, types and ranges. An error names file, line and column. A
// map is a file that may have been edited, so nothing in it is trusted.
//
//===----------------------------------------------------------------------===//
#include "prec/Explain/PrecisionMap.h"

#include "prec/Support/JsonReader.h"
#include "prec/Support/Names.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace prec;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

static constexpr StringRef kVetoes[] = {"none",     "keep_high", "place",
                                        "legality", "rule",      "bound"};
static constexpr StringRef kOrigins[] = {"input",  "parameter", "moment",
                                         "buffer", "hyper",     "unknown"};

namespace {

class MapReader : JsonReader {
public:
  explicit MapReader(StringRef fileName) : JsonReader(fileName) {}

  Error read(const JsonValue &json, PrecisionMap &map);

private:
  template <typename T>
  using ReadEntry = Error (MapReader::*)(const JsonValue &, T &);

  template <typename T>
  Error readList(const JsonValue &json, StringRef what, std::vector<T> &list,
                 ReadEntry<T> readEntry) {
    if (Error error = checkArray(json, what))
      return error;
    for (const JsonValue &element : json.elements)
      if (Error error = (this->*readEntry)(element, list.emplace_back()))
        return error;
    return Error::success();
  }
  Error readOptionalText(const JsonValue &json, StringRef key,
                         std::string &text) {
    const JsonValue *value = json.find(key);
    return value ? readText(*value, key, text) : Error::success();
  }
  Error readNameText(const JsonValue &json, StringRef key,
                     ArrayRef<StringRef> names, std::string &text) {
    unsigned index = 0;
    if (Error error = readName(*json.find(key), key, names, index))
      return error;
    text = names[index].str();
    return Error::success();
  }
  Error readNumberOf(const JsonValue &json, StringRef key, int64_t &number) {
    return readInteger(*json.find(key), key, 0, INT64_MAX, number);
  }
  Error readAmount(const JsonValue &json, StringRef key, double &amount) {
    return readNumber(*json.find(key), key, 0,
                      std::numeric_limits<double>::max(), amount);
  }
  Error readLine(const JsonValue &json, std::string &text) {
    return readText(json, "a change", text);
  }
  Error readSize(const JsonValue &json, int64_t &size) {
    return readInteger(json, "a size", -1, INT64_MAX, size);
  }
  Error readChanges(const JsonValue &json, std::vector<std::string> &changes) {
    const JsonValue *list = json.find("changes");
    return list ? readList(*list, "changes", changes, &MapReader::readLine)
                : Error::success();
  }
  Error readFormat(const JsonValue &json, MapFormat &format);
  Error readDecision(const JsonValue &json, MapDecision &decision);
  Error readBeaten(const JsonValue &json, MapBeaten &beaten);
  Error readValue(const JsonValue &json, MapValue &value);
  Error readArgument(const JsonValue &json, MapValue &value);
  Error readResult(const JsonValue &json, MapValue &value);
  Error readRead(const JsonValue &json, MapRead &read);
  Error readCandidate(const JsonValue &json, MapCandidate &candidate);
  Error readChoice(const JsonValue &json, MapChoice &choice);
  Error readOperation(const JsonValue &json, MapOperation &operation);
  Error readExtent(const JsonValue &json, MapOperation &operation);
  Error readFunction(const JsonValue &json, MapFunction &function);
};

} // namespace

static constexpr StringRef kDecisionKeys[] = {"format", "scaling",
                                              "accumulator", "rule"};
static constexpr StringRef kDecisionOptions[] = {"reference", "changes"};

static std::vector<StringRef> join(ArrayRef<StringRef> first,
                                   ArrayRef<StringRef> second) {
  std::vector<StringRef> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

Error MapReader::readFormat(const JsonValue &json, MapFormat &format) {
  if (Error error =
          readNameText(json, "format", getFormatNames(), format.format))
    return error;
  if (Error error =
          readNameText(json, "scaling", getScalingNames(), format.scaling))
    return error;
  return readNameText(json, "accumulator", getAccumulatorNames(),
                      format.accumulator);
}

Error MapReader::readDecision(const JsonValue &json, MapDecision &decision) {
  if (Error error = readFormat(json, decision))
    return error;
  if (Error error = readText(*json.find("rule"), "rule", decision.rule))
    return error;
  if (Error error = readOptionalText(json, "reference", decision.reference))
    return error;
  return readChanges(json, decision.changes);
}

Error MapReader::readBeaten(const JsonValue &json, MapBeaten &beaten) {
  if (Error error = checkObject(json, {"format", "reason"}, {"veto"}))
    return error;
  if (Error error =
          readNameText(json, "format", getFormatNames(), beaten.format))
    return error;
  if (json.find("veto"))
    if (Error error = readNameText(json, "veto", kVetoes, beaten.veto))
      return error;
  return readText(*json.find("reason"), "reason", beaten.reason);
}

Error MapReader::readValue(const JsonValue &json, MapValue &value) {
  if (Error error = readNumberOf(json, "value", value.value))
    return error;
  if (Error error = readList(*json.find("shape"), "shape", value.shape,
                             &MapReader::readSize))
    return error;
  if (Error error = readBoolean(*json.find("stored"), "stored", value.isStored))
    return error;
  if (Error error = readAmount(json, "bytes", value.bytes))
    return error;
  if (const JsonValue *beaten = json.find("beaten"))
    if (Error error =
            readList(*beaten, "beaten", value.beaten, &MapReader::readBeaten))
      return error;
  return readDecision(json, value.decision);
}

static constexpr StringRef kValueKeys[] = {"value", "shape", "stored", "bytes"};
static constexpr StringRef kValueOptions[] = {"beaten", "reference", "changes"};

Error MapReader::readArgument(const JsonValue &json, MapValue &value) {
  if (Error error =
          checkObject(json, join({"origin"}, join(kValueKeys, kDecisionKeys)),
                      join({"path", "aliases"}, kValueOptions)))
    return error;
  if (Error error = readOptionalText(json, "path", value.path))
    return error;
  if (const JsonValue *aliases = json.find("aliases"))
    if (Error error =
            readList(*aliases, "aliases", value.aliases, &MapReader::readLine))
      return error;
  if (Error error = readNameText(json, "origin", kOrigins, value.origin))
    return error;
  return readValue(json, value);
}

Error MapReader::readResult(const JsonValue &json, MapValue &value) {
  if (Error error =
          checkObject(json, join(kValueKeys, kDecisionKeys), kValueOptions))
    return error;
  return readValue(json, value);
}

Error MapReader::readRead(const JsonValue &json, MapRead &read) {
  static constexpr StringRef kKeys[] = {"operand", "value", "copy_bytes"};
  if (Error error =
          checkObject(json, join(kKeys, kDecisionKeys), kDecisionOptions))
    return error;
  int64_t operand = 0;
  if (Error error =
          readInteger(*json.find("operand"), "operand", 0, UINT32_MAX, operand))
    return error;
  read.operand = static_cast<unsigned>(operand);
  if (Error error = readNumberOf(json, "value", read.value))
    return error;
  if (Error error = readAmount(json, "copy_bytes", read.copyBytes))
    return error;
  return readDecision(json, read.decision);
}

Error MapReader::readCandidate(const JsonValue &json, MapCandidate &candidate) {
  if (Error error = checkObject(json, {"reads", "result", "veto"},
                                {"reason", "us", "changes"}))
    return error;
  const JsonValue &reads = *json.find("reads");
  if (Error error = checkArray(reads, "reads"))
    return error;
  if (reads.elements.size() != candidate.reads.size())
    return fail(reads.position, "a candidate must read 2 operands, but got " +
                                    llvm::Twine(reads.elements.size()));
  for (auto [element, read] : llvm::zip(reads.elements, candidate.reads)) {
    if (Error error =
            checkObject(element, {"format", "scaling", "accumulator"}))
      return error;
    if (Error error = readFormat(element, read))
      return error;
  }
  if (Error error =
          readNameText(json, "result", getFormatNames(), candidate.result))
    return error;
  if (Error error = readNameText(json, "veto", kVetoes, candidate.veto))
    return error;
  if (Error error = readOptionalText(json, "reason", candidate.reason))
    return error;
  if (json.find("us")) {
    double microseconds = 0;
    if (Error error = readAmount(json, "us", microseconds))
      return error;
    candidate.microseconds = microseconds;
  }
  return readChanges(json, candidate.changes);
}

Error MapReader::readChoice(const JsonValue &json, MapChoice &choice) {
  if (Error error = checkObject(json, {"candidates"}, {"winner", "reason"}))
    return error;
  if (Error error = readList(*json.find("candidates"), "candidates",
                             choice.candidates, &MapReader::readCandidate))
    return error;
  if (Error error = readOptionalText(json, "reason", choice.reason))
    return error;
  const JsonValue *winner = json.find("winner");
  if (!winner)
    return Error::success();
  int64_t index = 0;
  if (Error error = readInteger(*winner, "winner", 0, UINT32_MAX, index))
    return error;
  if (index >= static_cast<int64_t>(choice.candidates.size()))
    return fail(winner->position,
                "the winner must be the number of a candidate, but got " +
                    llvm::Twine(index));
  choice.winner = static_cast<unsigned>(index);
  return Error::success();
}

Error MapReader::readExtent(const JsonValue &json, MapOperation &operation) {
  if (const JsonValue *mnk = json.find("mnk")) {
    std::vector<int64_t> sizes;
    if (Error error = readList(*mnk, "mnk", sizes, &MapReader::readSize))
      return error;
    if (sizes.size() != 3)
      return fail(mnk->position,
                  "mnk must be 3 sizes, but got " + llvm::Twine(sizes.size()));
    operation.mnk = {sizes[0], sizes[1], sizes[2]};
  }
  if (json.find("layer")) {
    int64_t layer = 0;
    if (Error error = readNumberOf(json, "layer", layer))
      return error;
    operation.layer = layer;
  }
  if (json.find("direction"))
    if (Error error = readNameText(json, "direction", getDirectionNames(),
                                   operation.direction))
      return error;
  return readAmount(json, "flops", operation.flops);
}

Error MapReader::readOperation(const JsonValue &json, MapOperation &operation) {
  if (Error error = checkObject(
          json, {"node", "operation", "phase", "flops", "results", "reads"},
          {"path", "class", "direction", "module", "mnk", "layer", "choice"}))
    return error;
  if (Error error = readNumberOf(json, "node", operation.node))
    return error;
  if (Error error = readOptionalText(json, "path", operation.path))
    return error;
  if (Error error =
          readText(*json.find("operation"), "operation", operation.name))
    return error;
  if (Error error = readOptionalText(json, "class", operation.tensorClass))
    return error;
  if (Error error = readOptionalText(json, "module", operation.module))
    return error;
  if (Error error =
          readNameText(json, "phase", getPhaseNames(), operation.phase))
    return error;
  if (Error error = readExtent(json, operation))
    return error;
  if (Error error = readList(*json.find("results"), "results",
                             operation.results, &MapReader::readResult))
    return error;
  if (Error error = readList(*json.find("reads"), "reads", operation.reads,
                             &MapReader::readRead))
    return error;
  const JsonValue *choice = json.find("choice");
  return choice ? readChoice(*choice, operation.choice.emplace())
                : Error::success();
}

Error MapReader::readFunction(const JsonValue &json, MapFunction &function) {
  if (Error error = checkObject(json, {"function", "arguments", "operations"}))
    return error;
  if (Error error = readText(*json.find("function"), "function", function.name))
    return error;
  if (Error error = readList(*json.find("arguments"), "arguments",
                             function.arguments, &MapReader::readArgument))
    return error;
  return readList(*json.find("operations"), "operations", function.operations,
                  &MapReader::readOperation);
}

Error MapReader::read(const JsonValue &json, PrecisionMap &map) {
  if (Error error = checkObject(
          json, {"version", "recipe", "target", "functions"}, {"query"}))
    return error;
  int64_t version = 0;
  if (Error error =
          readVersion(*json.find("version"), {kPrecisionMapVersion}, version))
    return error;
  if (Error error = readText(*json.find("recipe"), "recipe", map.recipe))
    return error;
  if (Error error = readText(*json.find("target"), "target", map.target))
    return error;
  if (Error error = readOptionalText(json, "query", map.query))
    return error;
  return readList(*json.find("functions"), "functions", map.functions,
                  &MapReader::readFunction);
}

Expected<PrecisionMap> prec::parsePrecisionMap(StringRef text,
                                               StringRef fileName) {
  return readJson<PrecisionMap>(text, fileName,
                                [&](const JsonValue &json, PrecisionMap &map) {
                                  return MapReader(fileName).read(json, map);
                                });
}
