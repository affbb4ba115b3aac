//===- PrintDiff.cpp - differences as text and as JSON --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Explain/Diff.h"
#include "Explain/JsonText.h"
#include "Explain/Layers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace prec;
using llvm::raw_ostream;
using llvm::StringRef;
using llvm::json::OStream;

namespace {

/// Equal differences of several layers.
struct FoldedDifference {
  const Difference *first = nullptr;
  /// Of paths that have one.
  std::vector<int64_t> layers;
  size_t count = 0;
};

} // namespace

static std::string printSides(const Difference &difference) {
  std::string text;
  if (difference.before)
    text += "  - " + difference.before->print() + ": " +
            difference.before->rule + "\n";
  if (difference.after)
    text += "  + " + difference.after->print() + ": " + difference.after->rule +
            "\n";
  return text;
}

static std::string describe(const Difference &difference) {
  std::string text;
  for (StringRef part :
       {StringRef(difference.operation), StringRef(difference.direction),
        StringRef(difference.what)})
    if (!part.empty())
      text += (text.empty() ? "" : ", ") + part.str();
  return text;
}

static llvm::MapVector<std::string, FoldedDifference,
                       std::map<std::string, unsigned>>
fold(const MapDiff &diff) {
  llvm::MapVector<std::string, FoldedDifference,
                  std::map<std::string, unsigned>>
      folded;
  for (const Difference &difference : diff.differences) {
    if (difference.kind == DifferenceKind::Reason)
      continue;
    std::optional<LayerPath> path = splitLayer(difference.path);
    std::string key = difference.function + "\n";
    key += path ? (path->stack + ".*." + path->inner).str() : difference.path;
    key += "\n" + describe(difference) + "\n" + difference.phase + "\n" +
           difference.why + "\n";
    key += printSides(difference);
    FoldedDifference &entry = folded[key];
    if (!entry.first)
      entry.first = &difference;
    ++entry.count;
    if (path && (entry.layers.empty() || entry.layers.back() != path->layer))
      entry.layers.push_back(path->layer);
  }
  return folded;
}

static std::string printPath(FoldedDifference entry) {
  StringRef path = entry.first->path;
  std::optional<LayerPath> parts = splitLayer(path);
  if (path.empty())
    return "(no path)";
  if (!parts)
    return path.str();
  llvm::sort(entry.layers);
  entry.layers.erase(llvm::unique(entry.layers), entry.layers.end());
  std::string layers = printRanges(entry.layers);
  if (entry.layers.size() > 1)
    layers = "{" + layers + "}";
  return (parts->stack + "." + layers + (parts->inner.empty() ? "" : ".") +
          parts->inner)
      .str();
}

static std::string printChange(StringRef before, StringRef after) {
  return before == after ? before.str() : (before + " -> " + after).str();
}

void prec::printDiff(raw_ostream &os, const MapDiff &diff) {
  os << "recipe " << printChange(diff.recipes[0], diff.recipes[1])
     << ", target " << printChange(diff.targets[0], diff.targets[1]) << '\n'
     << diff.count(DifferenceKind::Format) << " of " << diff.numDecisions
     << " decisions have another format, " << diff.count(DifferenceKind::Reason)
     << " only another reason, " << diff.count(DifferenceKind::OnlyBefore)
     << " are only before, " << diff.count(DifferenceKind::OnlyAfter)
     << " only after\n";
  StringRef function;
  for (auto &[key, entry] : fold(diff)) {
    const Difference &first = *entry.first;
    if (function != first.function)
      os << "\n@" << first.function << '\n';
    function = first.function;
    os << '\n' << printPath(entry) << ": " << describe(first);
    if (entry.count > 1)
      os << " (" << entry.count << " times)";
    os << '\n' << printSides(first);
    if (!first.why.empty())
      os << "  why: " << first.why << '\n';
  }
}

static void writeDifference(OStream &json, const Difference &difference) {
  json.attribute("kind", stringifyDifferenceKind(difference.kind));
  writeText(json, "function", difference.function);
  writeText(json, "path", difference.path);
  writeText(json, "operation", difference.operation);
  writeText(json, "class", difference.tensorClass);
  writeText(json, "phase", difference.phase);
  writeText(json, "direction", difference.direction);
  json.attribute("what", difference.what);
  if (difference.before)
    json.attributeObject("before",
                         [&] { writeDecision(json, *difference.before); });
  if (difference.after)
    json.attributeObject("after",
                         [&] { writeDecision(json, *difference.after); });
  writeText(json, "why", difference.why);
}

void prec::writeDiff(raw_ostream &os, const MapDiff &diff) {
  OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("version", 1);
    for (unsigned i = 0; i < 2; ++i)
      json.attributeObject(i == 0 ? "before" : "after", [&] {
        json.attribute("recipe", llvm::json::fixUTF8(diff.recipes[i]));
        json.attribute("target", llvm::json::fixUTF8(diff.targets[i]));
      });
    json.attribute("decisions", diff.numDecisions);
    json.attributeArray("differences", [&] {
      for (const Difference &difference : diff.differences)
        json.object([&] { writeDifference(json, difference); });
    });
  });
  os << '\n';
}
