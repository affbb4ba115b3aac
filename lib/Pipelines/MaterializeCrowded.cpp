//===- MaterializeCrowded.cpp - entry points with room for all rows -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The crowded step is the step with a row for each pair of a token and an
// expert, which runs where fewer were not enough (lib/Import/SplitExperts.cpp).
// It takes the passes of the phase on its own, in a module of its own, so that
// each of them still sees one step. Then its functions become entry points
// beside those of the step: they read and write the same states, as these have
// places by their names.
//
// It runs seldom, so it must not cost memory. All rows of a layer are N times
// those of a balanced one on N ranks, and forward would keep them for each
// layer. So its backward computes them again, layer by layer, from what every
// step keeps: a rank's own tokens, and which experts they chose. What is
// computed again has the same bits. So it has the rows of one layer at a time,
// where the step keeps fewer rows of every layer.
//
//===----------------------------------------------------------------------===//
#include "Pipelines/CrowdedStep.h"

#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Pipelines/Passes.h"
#include "prec/Pipelines/Pipelines.h"
#include "prec/Schedule/MemoryPlan.h"
#include "prec/Schedule/Recompute.h"

#include "mlir/IR/Diagnostics.h"

namespace prec {
#define GEN_PASS_DEF_MATERIALIZECROWDED
#include "prec/Pipelines/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct MaterializeCrowded
    : public prec::impl::MaterializeCrowdedBase<MaterializeCrowded> {
  using MaterializeCrowdedBase::MaterializeCrowdedBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager passes(ModuleOp::getOperationName());
    CompileOptions all;
    all.accumulate = all.collectNumerics = all.countLostUpdates = true;
    all.switchable = true;
    all.mesh = "ep=2";
    addMaterializePasses(passes, all);
    passes.getDependentDialects(registry);
  }
  void runOnOperation() override;

private:
  LogicalResult materialize(ModuleOp crowded);
};

} // namespace

/// The entry point that a function of the crowded module becomes, if any.
static std::optional<Entry> getCrowdedEntry(func::FuncOp function) {
  std::optional<Entry> entry = getEntry(function);
  if (entry == Entry::Step)
    return Entry::CrowdedStep;
  if (entry == Entry::Accumulate)
    return Entry::CrowdedAccumulate;
  return std::nullopt;
}

using StateKey = std::pair<Attribute, Attribute>;

static StateKey keyOf(func::FuncOp function, unsigned argument) {
  return {function.getArgAttr(argument, train::kPath),
          function.getArgAttr(argument, train::kSlot)};
}

/// That the function reads states of the module alone, as these are.
static LogicalResult verifyStates(ModuleOp module, func::FuncOp crowded) {
  DenseMap<StateKey, Type> states;
  for (auto function : module.getOps<func::FuncOp>())
    if (isCompiledGraph(function))
      for (BlockArgument argument : function.getArguments())
        states.try_emplace(keyOf(function, argument.getArgNumber()),
                           argument.getType());
  for (BlockArgument argument : crowded.getArguments()) {
    StateKey key = keyOf(crowded, argument.getArgNumber());
    // materialize_crowded_c2
    if (!key.first || states.lookup(key) != argument.getType())
      return crowded.emitOpError(
                 "a crowded step must read what the step reads, "
                 "but got argument ")
             << argument.getArgNumber() << " of " << argument.getType()
             << " for " << states.lookup(key);
  }
  return success();
}

/// The backward computes what is marked again.
static void recomputeRows(func::FuncOp function) {
  SmallVector<Operation *> dropped;
  for (Operation &op : function.front())
    if (op.hasAttr(train::kExpertRows) &&
        train::getPhase(&op) == train::Phase::Forward)
      dropped.push_back(&op);
  recomputeInBackward(function, dropped);
  for (Operation &op : function.front())
    op.removeAttr(train::kExpertRows);
}

LogicalResult MaterializeCrowded::materialize(ModuleOp crowded) {
  CompileOptions parsed;
  auto report = [&](const Twine &message) -> LogicalResult {
    return crowded.emitError() << message;
  };
  if (failed(readMaterializeOptions(text, parsed, report)))
    return failure();
  // materialize_crowded_c3
  if (!parsed.guardUpdates)
    return crowded.emitError(
        "a step whose experts may have no room for their rows must guard its "
        "updates, as it runs again then, but got guard-updates=false: guard "
        "them, or give all rows room (--expert-room)");
  OpPassManager passes(ModuleOp::getOperationName());
  addMaterializePasses(passes, parsed);
  // What there is to say of the step has been said.
  ScopedDiagnosticHandler quiet(
      crowded.getContext(), [](Diagnostic &diagnostic) {
        return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
      });
  return runPipeline(passes, crowded);
}

void MaterializeCrowded::runOnOperation() {
  ModuleOp module = getOperation();
  ModuleOp crowded = findCrowded(module);
  if (!crowded)
    return;
  // materialize_crowded_c1
  if (!crowded->hasAttr(kRecipe)) {
    crowded.emitError("a crowded step must have tags, but got none "
                      "(--prec-tag-crowded)");
    return signalPassFailure();
  }
  if (failed(materialize(crowded)))
    return signalPassFailure();
  for (auto function :
       llvm::make_early_inc_range(crowded.getOps<func::FuncOp>())) {
    std::optional<Entry> entry = getCrowdedEntry(function);
    if (!entry)
      continue;
    recomputeRows(function);
    if (failed(verifyStates(module, function)))
      return signalPassFailure();
    function->remove();
    module.push_back(function);
    makeEntry(function, *entry);
  }
  crowded.erase();
}
