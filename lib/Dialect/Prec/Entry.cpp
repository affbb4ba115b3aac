//===- Entry.cpp - functions that are called from outside -----------------===//
#include "prec/Dialect/Prec/Entry.h"

#include "prec/Dialect/Train/Graph.h"

using namespace mlir;
using namespace mlir::prec;

ArrayRef<StringLiteral> prec::getEntryNames() {
  static constexpr StringLiteral kNames[] = {"step",       "eval",    "forward",
                                             "init",       "restore", "sample",
                                             "accumulate", "apply"};
  return kNames;
}

StringRef prec::stringifyEntry(Entry entry) {
  return getEntryNames()[static_cast<unsigned>(entry)];
}

std::optional<Entry> prec::symbolizeEntry(StringRef name) {
  const StringLiteral *found = llvm::find(getEntryNames(), name);
  if (found == getEntryNames().end())
    return std::nullopt;
  return static_cast<Entry>(found - getEntryNames().begin());
}

std::optional<Entry> prec::getEntry(func::FuncOp function) {
  auto entry = function->getAttrOfType<StringAttr>(kEntry);
  return entry ? prec::symbolizeEntry(entry.getValue()) : std::nullopt;
}

void prec::makeEntry(func::FuncOp function, Entry entry) {
  StringRef name = stringifyEntry(entry);
  function->setAttr(kEntry, StringAttr::get(function.getContext(), name));
  auto module = function->getParentOfType<ModuleOp>();
  // A symbol table finds the first of two, which may be this function.
  auto isTaken = [&](StringRef name) {
    return llvm::any_of(module.getOps<SymbolOpInterface>(),
                        [&](SymbolOpInterface other) {
                          return other != function && other.getName() == name;
                        });
  };
  std::string free = name.str();
  for (unsigned count = 0; isTaken(free); ++count)
    free = (name + "_" + Twine(count)).str();
  function.setName(free);
}

func::FuncOp prec::findEntry(ModuleOp module, Entry entry) {
  for (auto function : module.getOps<func::FuncOp>())
    if (getEntry(function) == entry)
      return function;
  return {};
}

FailureOr<func::FuncOp> prec::getStep(ModuleOp module) {
  if (func::FuncOp step = findEntry(module, Entry::Step))
    return step;
  // entry_c1
  InFlightDiagnostic diagnostic = module.emitError(
      "the step must be a function with 'prec.entry' = \"step\", but got ");
  constexpr unsigned kShown = 8;
  unsigned count = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (count++ >= kShown)
      continue;
    diagnostic << (count > 1 ? ", @" : "@") << function.getName();
    if (std::optional<Entry> entry = getEntry(function))
      diagnostic << " (\"" << stringifyEntry(*entry) << "\")";
  }
  if (count > kShown)
    diagnostic << " and " << count - kShown << " more";
  diagnostic << (count > 0 ? " without it" : "no function");
  return failure();
}

FailureOr<func::FuncOp> prec::getStepGraph(ModuleOp module) {
  FailureOr<func::FuncOp> step = getStep(module);
  if (failed(step) || failed(train::verifyGraph(*step)))
    return failure();
  return step;
}
