//===- Entry.cpp - functions that are called from outside -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Prec/Entry.h"

#include "prec/Dialect/Train/Graph.h"
#include "prec/Dialect/Train/Train.h"

using namespace mlir;
using namespace prec;

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

ModuleOp prec::findCrowded(ModuleOp module) {
  for (auto inner : module.getOps<ModuleOp>())
    if (inner->hasAttr(kCrowdedModule))
      return inner;
  return {};
}

bool prec::isInCrowded(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  return module && module->hasAttr(kCrowdedModule);
}

bool prec::isHostFunction(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  return module && module->hasAttr(kRecipe) && !getEntry(function) &&
         llvm::none_of(llvm::seq(function.getNumArguments()), [&](unsigned i) {
           return bool(function.getArgAttr(i, train::kRole));
         });
}

bool prec::isCompiledGraph(func::FuncOp function) {
  return train::isGraph(function) && !isHostFunction(function);
}

/// Fails where two functions are called for the same.
static LogicalResult verifyEntriesDiffer(ModuleOp module) {
  std::array<func::FuncOp, getMaxEnumValForEntry() + 1> seen = {};
  for (auto function : module.getOps<func::FuncOp>()) {
    std::optional<Entry> entry = getEntry(function);
    if (!entry)
      continue;
    func::FuncOp &other = seen[static_cast<unsigned>(*entry)];
    // entry_c2
    if (other)
      return function.emitOpError("a module must have one function with "
                                  "'prec.entry' = \"")
             << stringifyEntry(*entry) << "\", but got @" << other.getName()
             << ", too";
    other = function;
  }
  return success();
}

FailureOr<func::FuncOp> prec::getStep(ModuleOp module) {
  if (failed(verifyEntriesDiffer(module)))
    return failure();
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
