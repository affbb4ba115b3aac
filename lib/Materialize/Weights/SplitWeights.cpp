//===- SplitWeights.cpp - work weights of parameters ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Weights/CollectParameters.h"
#include "Materialize/Weights/InitFunctions.h"
#include "Materialize/Weights/StagedWeights.h"
#include "Materialize/Weights/StepCopies.h"
#include "Materialize/Supported.h"
#include "prec/Dialect/Prec/Decisions.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Support/PassCounts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace prec {
#define GEN_PASS_DEF_SPLITWEIGHTS
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

/// Moves what is staged out of `step`, to loaders.
static LogicalResult stage(func::FuncOp step,
                           ArrayRef<SplitParameter> parameters) {
  SmallVector<BlockArgument> unread;
  for (const SplitParameter &parameter : parameters) {
    if (!parameter.isStaged)
      continue;
    BlockArgument argument = parameter.arguments.front();
    createLoader(step,
                 {argument, parameter.path, parameter.slots, parameter.rule});
    unread.push_back(argument);
  }
  return eraseUnread(step, unread);
}

namespace {

struct SplitWeights : public prec::impl::SplitWeightsBase<SplitWeights> {
  using SplitWeightsBase::SplitWeightsBase;

  void runOnOperation() override {
    if (failed(verifyMaterializable(getOperation())))
      return signalPassFailure();
    // It tells of the graph that was.
    getOperation()->removeAttr(kDecisions);
    FailureOr<func::FuncOp> found = getStepGraph(getOperation());
    if (failed(found))
      return signalPassFailure();
    func::FuncOp step = *found;
    // split_weights_c6
    if (func::FuncOp init = findEntry(getOperation(), Entry::Init)) {
      init.emitOpError("weights must be split once, but got \"init\" already");
      return signalPassFailure();
    }
    SplitWeightsOptions options;
    options.keepFrozen = keepFrozen;
    options.keepTransposed = keepTransposed;
    options.trained = trained;
    SmallVector<SplitParameter, 0> parameters;
    if (failed(collectParameters(step, options, parameters)))
      return signalPassFailure();
    if (parameters.empty())
      return;
    if (failed(addStepCopies(step, parameters)))
      return signalPassFailure();
    if (!llvm::all_of(parameters, [](const SplitParameter &parameter) {
          return parameter.isStaged;
        }))
      createInit(step, parameters);
    if (llvm::any_of(parameters, [](const SplitParameter &parameter) {
          return parameter.rule.history != nullptr;
        }))
      createRestore(step, parameters);
    if (failed(stage(step, parameters)))
      return signalPassFailure();
    reportCounts(step.getLoc(), getArgument(),
                 {{"work-weights", workWeights,
                   countArguments(step, train::Role::WorkWeight)},
                  {"work-scales", workScales,
                   countArguments(step, train::Role::ScaleState)}});
  }

  static uint64_t countArguments(func::FuncOp step, train::Role role) {
    return llvm::count_if(
        llvm::seq<unsigned>(0, step.getNumArguments()), [&](unsigned index) {
          auto found =
              step.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
          return found && found.getValue() == role;
        });
  }
};

} // namespace
