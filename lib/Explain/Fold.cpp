//===- Fold.cpp - a map with equal layers folded --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a precision map small enough for a page: layers that are decided alike
// are folded. Every text, tag, choice and row is put into a table that holds
// each once, and is named by its number. The rows of one layer are a list of
// numbers; two layers are equal if their lists are. Equal layers that follow
// one another become one run, "layers 3 to 30". With two maps (a comparison) a
// row has both sides, so layers are folded only where both are equal. Time is
// that of the map, times a logarithm.
//
//===----------------------------------------------------------------------===//
#include "Explain/Fold.h"

#include "prec/Explain/Diff.h"
#include "Explain/Layers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <map>

using namespace prec;
using llvm::ArrayRef;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

/// Texts, each once, numbered in the order in which they come.
class Table {
public:
  size_t add(const std::string &text) {
    auto [entry, isNew] = numbers.try_emplace(text, numbers.size());
    if (isNew)
      texts.push_back(&entry->first);
    return entry->second;
  }
  std::string join() const {
    return "[" +
           llvm::join(llvm::map_range(texts, [](auto *text) { return *text; }),
                      ",\n") +
           "]";
  }

private:
  std::map<std::string, size_t> numbers;
  std::vector<const std::string *> texts;
};

/// A layer, or what else belongs together.
struct Group {
  std::string stack;
  std::optional<int64_t> layer;
  std::vector<size_t> rows;
};

/// What shows as one group: equal layers in a row.
struct Run {
  size_t stack, pattern;
  int64_t first = -1, last = -1;
};

class Folder {
public:
  explicit Folder(ArrayRef<PrecisionMap> maps) : maps(maps) { addText(""); }

  std::string fold();

private:
  size_t addText(StringRef text) {
    return strings.add(print(json::Value(json::fixUTF8(text))));
  }
  static std::string print(const json::Value &value) {
    std::string text;
    llvm::raw_string_ostream(text) << value;
    return text;
  }
  json::Array addTexts(ArrayRef<std::string> texts);
  size_t addTag(const MapDecision &decision);
  size_t addFormat(const MapFormat &format) {
    MapDecision decision;
    static_cast<MapFormat &>(decision) = format;
    return addTag(decision);
  }
  size_t addChoice(const MapChoice &choice);
  json::Value makeValue(const MapValue &value);
  json::Value makeSide(const MapOperation *operation);
  json::Value makeSide(const MapValue *argument);
  void addArgument(const AlignedValue &pair);
  void addOperation(const AlignedOperation &pair);
  /// The group of a path, and the rest of the path.
  std::pair<Group *, StringRef>
  findGroup(StringRef path, std::optional<int64_t> layer, StringRef otherwise);
  std::string foldFunction(const Aligned<MapFunction> &pair);

  ArrayRef<PrecisionMap> maps;
  Table strings, tags, choices, rows, templates;
  /// Of the current function, in the order in which they come.
  std::vector<std::unique_ptr<Group>> groups;
  std::map<std::pair<std::string, int64_t>, Group *> byName;
};

} // namespace

json::Array Folder::addTexts(ArrayRef<std::string> texts) {
  json::Array numbers;
  for (const std::string &text : texts)
    numbers.push_back(addText(text));
  return numbers;
}

size_t Folder::addTag(const MapDecision &decision) {
  return tags.add(
      print(json::Array{decision.format, decision.scaling, decision.accumulator,
                        addText(decision.rule), addText(decision.reference),
                        addTexts(decision.changes)}));
}

size_t Folder::addChoice(const MapChoice &choice) {
  json::Array candidates;
  for (const MapCandidate &candidate : choice.candidates)
    candidates.push_back(json::Array{
        addFormat(candidate.reads[0]), addFormat(candidate.reads[1]),
        candidate.result, candidate.veto, addText(candidate.reason),
        candidate.microseconds ? json::Value(*candidate.microseconds)
                               : json::Value(nullptr),
        addTexts(candidate.changes)});
  int64_t winner = choice.winner ? int64_t(*choice.winner) : -1;
  return choices.add(print(
      json::Array{winner, addText(choice.reason), std::move(candidates)}));
}

json::Value Folder::makeValue(const MapValue &value) {
  json::Array beaten;
  for (const MapBeaten &other : value.beaten)
    beaten.push_back(
        json::Array{other.format, other.veto, addText(other.reason)});
  return json::Array{addText(printShape(value.shape)), int(value.isStored),
                     value.bytes, addTag(value.decision), std::move(beaten)};
}

json::Value Folder::makeSide(const MapValue *argument) {
  if (!argument)
    return 0;
  return json::Array{json::Array{makeValue(*argument)}, json::Array{}, -1};
}

json::Value Folder::makeSide(const MapOperation *operation) {
  if (!operation)
    return 0;
  json::Array values, reads;
  for (const MapValue &result : operation->results)
    values.push_back(makeValue(result));
  for (const MapRead &read : operation->reads)
    reads.push_back(json::Array{int64_t(read.operand), read.copyBytes,
                                addTag(read.decision)});
  int64_t choice =
      operation->choice ? int64_t(addChoice(*operation->choice)) : -1;
  return json::Array{std::move(values), std::move(reads), choice};
}

/// Where an operation was written rather than a module's path: "a.mlir:7".
static bool isFileAndLine(StringRef path) {
  auto [file, line] = path.rsplit(':');
  return !line.empty() && llvm::all_of(line, llvm::isDigit);
}

std::pair<Group *, StringRef> Folder::findGroup(StringRef path,
                                                std::optional<int64_t> layer,
                                                StringRef otherwise) {
  std::string stack;
  StringRef rest = path;
  if (isFileAndLine(path))
    path = "";
  if (std::optional<LayerPath> parts = splitLayer(path)) {
    stack = parts->stack.str();
    layer = parts->layer;
    rest = parts->inner;
  } else if (path.empty()) {
    stack = layer ? "layer" : otherwise.str();
  } else {
    // "model.norm" of "model.norm.weight.exp_avg".
    size_t end = path.find('.', path.find('.') + 1);
    if (!path.contains('.'))
      end = StringRef::npos;
    stack = path.take_front(end).str();
    rest = end == StringRef::npos ? "" : path.drop_front(end + 1);
    layer = std::nullopt;
  }
  Group *&group = byName[{stack, layer.value_or(-1)}];
  if (!group) {
    groups.push_back(std::make_unique<Group>());
    group = groups.back().get();
    group->stack = stack;
    group->layer = layer;
  }
  return {group, rest};
}

void Folder::addArgument(const AlignedValue &pair) {
  const MapValue &any = pair.any();
  // Learning rates and inputs belong to no module.
  bool isOfModule = StringRef(any.path).contains('.');
  auto [group, rest] = findGroup(isOfModule ? StringRef(any.path) : StringRef(),
                                 std::nullopt, "inputs");
  if (!isOfModule)
    rest = any.path;
  json::Array row{1,
                  addText(rest),
                  addText(any.origin),
                  addText(""),
                  addText("state"),
                  addText(""),
                  addText(""),
                  0,
                  0};
  row.push_back(makeSide(pair.before));
  if (maps.size() > 1)
    row.push_back(makeSide(pair.after));
  group->rows.push_back(rows.add(print(std::move(row))));
}

void Folder::addOperation(const AlignedOperation &pair) {
  const MapOperation &any = pair.any();
  auto [group, rest] = findGroup(any.path, any.layer, any.phase);
  json::Value mnk = 0;
  if (any.mnk)
    mnk = json::Array(*any.mnk);
  json::Array row{0,
                  addText(rest),
                  addText(any.name),
                  addText(any.tensorClass),
                  addText(any.phase),
                  addText(any.direction),
                  addText(any.module),
                  std::move(mnk),
                  any.flops};
  row.push_back(makeSide(pair.before));
  if (maps.size() > 1)
    row.push_back(makeSide(pair.after));
  group->rows.push_back(rows.add(print(std::move(row))));
}

std::string Folder::foldFunction(const Aligned<MapFunction> &pair) {
  groups.clear();
  byName.clear();
  for (const AlignedValue &argument : alignArguments(pair.before, pair.after))
    addArgument(argument);
  for (const AlignedOperation &operation :
       alignOperations(pair.before, pair.after))
    addOperation(operation);
  std::vector<Run> runs;
  for (const std::unique_ptr<Group> &group : groups) {
    size_t pattern = templates.add(print(json::Array(group->rows)));
    size_t stack = addText(group->stack);
    if (!runs.empty() && group->layer && runs.back().stack == stack &&
        runs.back().pattern == pattern &&
        runs.back().last + 1 == *group->layer) {
      runs.back().last = *group->layer;
      continue;
    }
    int64_t layer = group->layer.value_or(-1);
    runs.push_back({stack, pattern, layer, layer});
  }
  json::Array members;
  for (const Run &run : runs)
    members.push_back(json::Array{run.stack, run.pattern, run.first, run.last});
  return print(json::Array{json::fixUTF8(pair.any().name), std::move(members)});
}

std::string Folder::fold() {
  const PrecisionMap &before = maps.front();
  std::vector<std::string> functions;
  if (maps.size() > 1)
    for (const Aligned<MapFunction> &pair : alignFunctions(before, maps[1]))
      functions.push_back(foldFunction(pair));
  else
    for (const MapFunction &function : before.functions)
      functions.push_back(foldFunction({&function, nullptr}));
  json::Array sides;
  for (const PrecisionMap &map : maps)
    sides.push_back(json::Object{{"recipe", json::fixUTF8(map.recipe)},
                                 {"target", json::fixUTF8(map.target)}});
  return "{\"sides\":" + print(std::move(sides)) +
         ",\n\"strings\":" + strings.join() + ",\n\"tags\":" + tags.join() +
         ",\n\"choices\":" + choices.join() + ",\n\"rows\":" + rows.join() +
         ",\n\"templates\":" + templates.join() + ",\n\"functions\":[" +
         llvm::join(functions, ",\n") + "]}";
}

std::string prec::foldMaps(ArrayRef<PrecisionMap> maps) {
  return Folder(maps).fold();
}
