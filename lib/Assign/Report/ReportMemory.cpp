//===- ReportMemory.cpp - the memory table of a module --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Report/ReportMemory.h"

#include "Assign/Report/Memory.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Support/Files.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace prec;

/// A step of ranks that have parts of layers or experts is of these: its
/// parameters and moments are slices, which are not split once more.
static void keepSlices(FunctionOpInterface function,
                       std::vector<MemoryItem> &items) {
  llvm::StringSet<> slices;
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    if (auto path = function.getArgAttrOfType<StringAttr>(index, train::kPath);
        path && function.getArgAttr(index, train::kShard))
      slices.insert(path.getValue());
  for (MemoryItem &item : items)
    item.isWhole |= slices.contains(item.path);
}

static std::vector<MemoryItem> collect(const DecidedFunction &decided) {
  std::vector<MemoryItem> items = collectMemory(
      decided.projection.graph, decided.facts, decided.assignment);
  keepSlices(decided.function, items);
  return items;
}

void prec::printMemory(llvm::raw_ostream &os,
                       ArrayRef<DecidedFunction> functions, int64_t ranks) {
  for (const DecidedFunction &decided : functions) {
    FunctionOpInterface function = decided.function;
    os << "\nMemory of @" << function.getName();
    if (ranks > 1)
      os << ", ZeRO-1 over " << ranks << " ranks";
    os << "\n\n";
    printMemoryTable(os, makeMemoryTable(collect(decided), ranks));
    os << '\n';
  }
}

llvm::Error prec::writeMemory(StringRef fileName,
                              ArrayRef<DecidedFunction> functions,
                              int64_t ranks) {
  return writeFileAtomically(fileName, [&](llvm::raw_ostream &os) {
    llvm::json::OStream json(os, /*IndentSize=*/1);
    json.object([&] {
      json.attribute("version", 1);
      json.attributeArray("functions", [&] {
        for (const DecidedFunction &decided : functions) {
          FunctionOpInterface function = decided.function;
          std::vector<MemoryItem> items = collect(decided);
          json.object([&] {
            json.attribute("function", function.getName());
            json.attributeBegin("memory");
            writeMemoryTable(json, makeMemoryTable(items, ranks), items);
            json.attributeEnd();
          });
        }
      });
    });
    os << '\n';
  });
}
