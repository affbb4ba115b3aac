//===- Select.cpp - the decisions that a query asks about -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Explain/Explain.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/GlobPattern.h"

using namespace prec;
using llvm::Expected;
using llvm::StringRef;

namespace {

class Query {
public:
  static Expected<Query> parse(StringRef text) {
    Query query;
    query.text = text;
    if (!text.contains('*'))
      return query;
    Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(query.text);
    if (!pattern)
      return pattern.takeError();
    query.pattern = std::move(*pattern);
    return query;
  }

  bool matches(StringRef path) const {
    if (text == "all")
      return true;
    if (pattern)
      return pattern->match(path);
    return path.consume_front(text) && (path.empty() || path.front() == '.');
  }

private:
  /// Of the caller; the pattern refers to it.
  StringRef text;
  std::optional<llvm::GlobPattern> pattern;
};

} // namespace

static MapFunction select(const MapFunction &function, const Query &query) {
  MapFunction selected;
  selected.name = function.name;
  llvm::DenseSet<int64_t> values;
  for (const MapValue &argument : function.arguments)
    if (query.matches(argument.path) ||
        llvm::any_of(argument.aliases,
                     [&](StringRef alias) { return query.matches(alias); })) {
      values.insert(argument.value);
      selected.arguments.push_back(argument);
    }
  for (const MapOperation &operation : function.operations)
    if (query.matches(operation.path) ||
        llvm::any_of(operation.reads, [&](const MapRead &read) {
          return values.contains(read.value);
        }))
      selected.operations.push_back(operation);
  return selected;
}

/// The path with the fewest changes; empty if none is near.
static std::string findNearest(const PrecisionMap &map, StringRef query) {
  std::string nearest;
  unsigned least = static_cast<unsigned>(query.size() / 2) + 1;
  auto consider = [&](StringRef path) {
    if (path.empty())
      return;
    // A last part of a path alone is a common way to ask.
    bool isEnd = path.ends_with("." + query.str());
    unsigned distance =
        isEnd ? 0
              : path.edit_distance(query, /*AllowReplacements=*/true, least);
    if (distance < least) {
      least = distance;
      nearest = path.str();
    }
  };
  for (const MapFunction &function : map.functions) {
    for (const MapValue &argument : function.arguments)
      consider(argument.path);
    for (const MapOperation &operation : function.operations)
      consider(operation.path);
  }
  return nearest;
}

Expected<PrecisionMap> prec::selectDecisions(const PrecisionMap &map,
                                             StringRef text) {
  Expected<Query> query = Query::parse(text);
  if (!query)
    return query.takeError();
  PrecisionMap selected;
  selected.recipe = map.recipe;
  selected.target = map.target;
  selected.query = text.str();
  for (const MapFunction &function : map.functions) {
    MapFunction part = select(function, *query);
    if (!part.arguments.empty() || !part.operations.empty())
      selected.functions.push_back(std::move(part));
  }
  if (!selected.functions.empty())
    return selected;
  std::string nearest = findNearest(map, text);
  return llvm::createStringError(
      "explain must be 'all', the path of a tensor or module, or a pattern "
      "with '*', but got '" +
      text + "', which is none" +
      (nearest.empty() ? "" : "; the nearest path is '" + nearest + "'"));
}
