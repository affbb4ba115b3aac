//===- WriteTags.cpp - decisions as attributes ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/WriteTags.h"

#include "prec/Dialect/Prec/Decisions.h"

using namespace mlir;
using namespace prec;

static TagAttr makeTag(MLIRContext *context, const Decision &decision) {
  return TagAttr::get(context, decision.format, decision.scaling,
                      decision.accumulator, decision.rule);
}

/// All arguments at once: each change of one rebuilds the list of all.
static void writeArgumentTags(DecidedFunction &decided) {
  FunctionOpInterface function = decided.function;
  SmallVector<DictionaryAttr> attributes;
  function.getAllArgAttrs(attributes);
  attributes.resize(function.getNumArguments());
  for (auto [id, value] : llvm::enumerate(decided.projection.values)) {
    const Decision &decision = decided.assignment.values[id];
    auto argument = dyn_cast<BlockArgument>(value);
    if (!decision.isDecided() || !argument ||
        argument.getOwner() != &function.getFunctionBody().front())
      continue;
    DictionaryAttr &entry = attributes[argument.getArgNumber()];
    NamedAttrList list(entry);
    list.set(kTag, makeTag(function.getContext(), decision));
    entry = list.getDictionary(function.getContext());
  }
  function.setAllArgAttrs(attributes);
}

void prec::writeTags(DecidedFunction &decided) {
  writeArgumentTags(decided);
  const Graph &graph = decided.projection.graph;
  const Assignment &assignment = decided.assignment;
  MLIRContext *context = decided.function.getContext();
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    Operation *op = decided.projection.operations[id];
    // Of an earlier assignment under another recipe.
    clearTags(op);
    op->removeAttr(kDirection);
    op->removeAttr(kQuantizedTokens);
    if (llvm::any_of(assignment.uses[id], [](const Decision &use) {
          return use.isDecided() && isNarrow(use.format);
        }))
      op->setAttr(kDirection,
                  StringAttr::get(context, stringifyDirection(
                                               decided.facts.directions[id])));
    for (auto [result, value] : llvm::enumerate(graph.nodes[id].results))
      if (const Decision &decision = assignment.values[value];
          decision.isDecided())
        setResultTag(op, result, makeTag(context, decision));
    for (auto [operand, decision] : llvm::enumerate(assignment.uses[id]))
      if (decision.isDecided())
        setOperandTag(op, operand, makeTag(context, decision));
  }
}

static AmaxAttr getAmaxAttr(MLIRContext *context, const AmaxOptions &amax) {
  auto number = [&](OperandKind kind) {
    return FloatAttr::get(Float64Type::get(context),
                          amax.epsilon[static_cast<unsigned>(kind)]);
  };
  return AmaxAttr::get(context, amax.history, amax.algorithm, amax.margin,
                       amax.powerOfTwo, number(OperandKind::Activation),
                       number(OperandKind::Weight),
                       number(OperandKind::Gradient));
}

static LossScalingAttr getLossScalingAttr(MLIRContext *context,
                                          const LossScaling &scaling) {
  Type f64 = Float64Type::get(context);
  return LossScalingAttr::get(context, scaling.mode, scaling.scale,
                              scaling.interval,
                              FloatAttr::get(f64, scaling.growth),
                              FloatAttr::get(f64, scaling.backoff));
}

static MasterRoundingAttr
getMasterRoundingAttr(MLIRContext *context,
                      const MasterRoundingOptions &rounding) {
  if (rounding.mode != MasterRounding::PrecisionAware)
    return MasterRoundingAttr::get(context, rounding.mode, 0, FloatAttr());
  return MasterRoundingAttr::get(
      context, rounding.mode, rounding.iterations,
      FloatAttr::get(Float64Type::get(context), rounding.tolerance));
}

void prec::writeModuleAttributes(ModuleOp module, const Recipe &recipe,
                                 const Target &target, const ScaleUse &scales) {
  MLIRContext *context = module.getContext();
  module->setAttr(kRecipe, StringAttr::get(context, recipe.name));
  module->setAttr(kTarget, StringAttr::get(context, target.getName()));
  // Neither defaults nor what nothing follows are written; another recipe may
  // have been assigned before.
  module->removeAttr(kDecisions);
  module->removeAttr(kAmax);
  module->removeAttr(kLossScaling);
  module->removeAttr(kMasterRounding);
  module->removeAttr(kMicroscaling);
  const Microscaling &micro = recipe.microscaling;
  if (!micro.isDefault())
    module->setAttr(kMicroscaling,
                    MicroscalingAttr::get(context, micro.roundUp,
                                          micro.squareWeights, micro.hadamard,
                                          micro.stochasticGradients));
  module->removeAttr(kSeparateLayers);
  if (!recipe.mergesLayers)
    module->setAttr(kSeparateLayers, UnitAttr::get(context));
  module->removeAttr(kMoments);
  if (recipe.moments != MomentStorage::F32)
    module->setAttr(kMoments, MomentStorageAttr::get(context, recipe.moments));
  if (recipe.masterRounding.mode != MasterRounding::Nearest)
    module->setAttr(kMasterRounding,
                    getMasterRoundingAttr(context, recipe.masterRounding));
  bool isDefault = recipe.amax == AmaxOptions();
  if (scales.hasDelayed || (scales.any() && !isDefault))
    module->setAttr(kAmax, getAmaxAttr(context, recipe.amax));
  const LossScaling &scaling = recipe.lossScaling;
  if (scaling.mode != LossScalingMode::None)
    module->setAttr(kLossScaling, getLossScalingAttr(context, scaling));
}
