//===- Rules.cpp - reading a user's rules ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a user's rules file: a list of rules, each with a match (path, class,
// phase, direction, layer, shape, ...) and an action (pin, forbid, prefer).
// Every entry is checked as it is read, and an error names file, line and
// column. Paths are globs; braces are expanded, which is exponential in their
// number, so that is limited. Rules are only read here: which rule applies
// where is RuleMatching.cpp, what it does RuleApplication.cpp.
//
//===----------------------------------------------------------------------===//
#include "prec/Assign/Rules.h"

#include "prec/Support/JsonReader.h"

using namespace mlir;
using namespace prec;
using llvm::Error;
using llvm::Expected;

StringRef prec::stringifyRuleAction(RuleAction action) {
  static constexpr StringRef kNames[] = {"pin", "forbid", "prefer"};
  return kNames[static_cast<unsigned>(action)];
}

StringRef prec::stringifyRulePhase(RulePhase phase) {
  static constexpr StringRef kNames[] = {"forward", "recompute", "backward",
                                         "optimizer"};
  return kNames[static_cast<unsigned>(phase)];
}

Expected<PathGlob> PathGlob::create(StringRef text) {
  auto kept = std::make_unique<std::string>(text);
  // Braces are expanded, which is exponential in their number.
  constexpr size_t kMostSubPatterns = 1024;
  Expected<llvm::GlobPattern> pattern =
      llvm::GlobPattern::create(*kept, kMostSubPatterns);
  if (!pattern)
    return pattern.takeError();
  return PathGlob(std::move(kept), std::move(*pattern));
}

std::string RuleSet::describe(unsigned index) const {
  const UserRule &rule = rules[index];
  std::string text = fileName + ":" + std::to_string(rule.position.line) + ":" +
                     std::to_string(rule.position.column) + ": " + rule.reason;
  return rule.reference.empty() ? text : text + " (" + rule.reference + ")";
}

namespace {

class RuleReader : public JsonReader {
public:
  using JsonReader::JsonReader;

  Error read(const JsonValue &json, RuleSet &set);

private:
  Error readRule(const JsonValue &json, UserRule &rule);
  Error readMatch(const JsonValue &json, UserRule &rule);
  Error readRange(const JsonValue &json, std::optional<SizeRange> &range);
  Error readShape(const JsonValue &json, RuleMatch &match);
  Error readAction(const JsonValue &json, UserRule &rule);
  /// A name of an enumeration with values 0 to `most`.
  template <typename Enum>
  Error readEnum(const JsonValue &json, StringRef what, Enum most,
                 llvm::StringRef (*stringify)(Enum),
                 std::optional<Enum> &result);
};

} // namespace

template <typename Enum>
Error RuleReader::readEnum(const JsonValue &json, StringRef what, Enum most,
                           llvm::StringRef (*stringify)(Enum),
                           std::optional<Enum> &result) {
  SmallVector<StringRef> names;
  for (unsigned i = 0; i <= static_cast<unsigned>(most); ++i)
    names.push_back(stringify(static_cast<Enum>(i)));
  unsigned index = 0;
  if (Error error = readName(json, what, names, index))
    return error;
  result = static_cast<Enum>(index);
  return Error::success();
}

Error RuleReader::readRange(const JsonValue &json,
                            std::optional<SizeRange> &range) {
  if (Error error = checkObject(json, {}, {"least", "most", "multiple_of"}))
    return error;
  range.emplace();
  for (auto [key, bound, least] : {std::tuple("least", &range->least, 0),
                                   {"most", &range->most, 0},
                                   {"multiple_of", &range->multipleOf, 1}}) {
    const JsonValue *value = json.find(key);
    if (!value)
      continue;
    int64_t number = 0;
    if (Error error = readInteger(*value, key, least, INT64_MAX, number))
      return error;
    *bound = number;
  }
  if (range->least && range->most && *range->least > *range->most)
    return fail(json.position, "least must not exceed most, but got " +
                                   Twine(*range->least) + " and " +
                                   Twine(*range->most));
  return Error::success();
}

Error RuleReader::readShape(const JsonValue &json, RuleMatch &match) {
  static constexpr StringRef kSizes[kNumRuleSizes] = {
      "m", "n", "k", "batch", "tokens", "elements", "rank"};
  if (Error error = checkObject(json, {}, kSizes))
    return error;
  for (auto [index, key] : llvm::enumerate(kSizes))
    if (const JsonValue *range = json.find(key))
      if (Error error = readRange(*range, match.sizes[index]))
        return error;
  return Error::success();
}

Error RuleReader::readMatch(const JsonValue &json, UserRule &rule) {
  if (Error error = checkObject(json, {},
                                {"path", "class", "phase", "direction",
                                 "operand", "storage", "layer", "shape"}))
    return error;
  RuleMatch &match = rule.match;
  if (const JsonValue *path = json.find("path")) {
    std::string text;
    if (Error error = readText(*path, "path", text))
      return error;
    Expected<PathGlob> glob = PathGlob::create(text);
    if (!glob)
      return fail(path->position, "path must be a glob pattern: " +
                                      llvm::toString(glob.takeError()));
    match.path = std::move(*glob);
  }
  if (const JsonValue *tensorClass = json.find("class"))
    if (Error error = readEnum<TensorClass>(
            *tensorClass, "class", TensorClass{getMaxEnumValForTensorClass()},
            stringifyTensorClass, match.tensorClass))
      return error;
  if (const JsonValue *phase = json.find("phase"))
    if (Error error = readEnum<RulePhase>(*phase, "phase", RulePhase::Optimizer,
                                          stringifyRulePhase, match.phase))
      return error;
  if (const JsonValue *direction = json.find("direction"))
    if (Error error =
            readEnum<Direction>(*direction, "direction", Direction::Wgrad,
                                stringifyDirection, match.direction))
      return error;
  if (const JsonValue *operand = json.find("operand"))
    if (Error error =
            readEnum<OperandKind>(*operand, "operand", OperandKind::Gradient,
                                  stringifyOperandKind, match.operand))
      return error;
  if (const JsonValue *storage = json.find("storage"))
    if (Error error =
            readEnum<StorageKind>(*storage, "storage", StorageKind::Moment,
                                  stringifyStorageKind, match.storage))
      return error;
  if (const JsonValue *layer = json.find("layer"))
    if (Error error = readRange(*layer, match.layer))
      return error;
  const JsonValue *shape = json.find("shape");
  return shape ? readShape(*shape, match) : Error::success();
}

Error RuleReader::readAction(const JsonValue &json, UserRule &rule) {
  if (Error error = checkObject(json, {}, {"reads", "stores", "scaling"}))
    return error;
  const JsonValue *reads = json.find("reads"), *stores = json.find("stores"),
                  *scaling = json.find("scaling");
  if (!reads == !stores)
    return fail(json.position,
                "an action must have 'reads' or 'stores', but got " +
                    Twine(reads ? "both" : "neither"));
  rule.isReads = reads;
  std::optional<Format> format;
  if (Error error = readEnum<Format>(reads ? *reads : *stores, "format",
                                     Format::E2M1, stringifyFormat, format))
    return error;
  rule.format = *format;
  if (stores && isNarrow(rule.format))
    return fail(stores->position,
                "fp8 and fp4 belong to uses, not to storage, but got '" +
                    stores->text + "'");
  if (stores && rule.match.operand)
    return fail(stores->position,
                "an operand is read, not stored: 'operand' goes with 'reads'");
  if (reads && rule.match.storage)
    return fail(reads->position,
                "a stored value is not read: 'storage' goes with 'stores'");
  if (!scaling)
    return Error::success();
  if (stores)
    return fail(scaling->position, "a stored value has no scaling");
  if (Error error = readEnum<Scaling>(*scaling, "scaling",
                                      Scaling{getMaxEnumValForScaling()},
                                      stringifyScaling, rule.scaling))
    return error;
  if (std::optional<std::string> problem =
          findUseProblem({rule.format, *rule.scaling}))
    return fail(scaling->position, *problem);
  return Error::success();
}

Error RuleReader::readRule(const JsonValue &json, UserRule &rule) {
  rule.position = json.position;
  if (Error error = checkObject(json, {"match", "reason"},
                                {"pin", "forbid", "prefer", "reference"}))
    return error;
  if (Error error = readMatch(*json.find("match"), rule))
    return error;
  const JsonValue *action = nullptr;
  for (RuleAction each :
       {RuleAction::Pin, RuleAction::Forbid, RuleAction::Prefer}) {
    const JsonValue *value = json.find(stringifyRuleAction(each));
    if (!value)
      continue;
    if (action)
      return fail(value->position, "a rule must have one action, but got '" +
                                       stringifyRuleAction(each) +
                                       "' beside '" +
                                       stringifyRuleAction(rule.action) + "'");
    action = value;
    rule.action = each;
  }
  if (!action)
    return fail(json.position, "a rule must have 'pin', 'forbid' or 'prefer'");
  if (Error error = readAction(*action, rule))
    return error;
  if (Error error = readText(*json.find("reason"), "reason", rule.reason))
    return error;
  const JsonValue *reference = json.find("reference");
  return reference ? readText(*reference, "reference", rule.reference)
                   : Error::success();
}

Error RuleReader::read(const JsonValue &json, RuleSet &set) {
  if (Error error = checkObject(json, {"version", "rules"}))
    return error;
  int64_t version = 0;
  if (Error error = readVersion(*json.find("version"), {1}, version))
    return error;
  const JsonValue &rules = *json.find("rules");
  if (Error error = checkArray(rules, "rules"))
    return error;
  for (const JsonValue &entry : rules.elements) {
    set.rules.emplace_back();
    if (Error error = readRule(entry, set.rules.back()))
      return error;
  }
  return Error::success();
}

Expected<RuleSet> prec::parseRules(StringRef text, StringRef fileName) {
  return readJson<RuleSet>(text, fileName,
                           [&](const JsonValue &json, RuleSet &set) {
                             set.fileName = fileName.str();
                             return RuleReader(fileName).read(json, set);
                           });
}
