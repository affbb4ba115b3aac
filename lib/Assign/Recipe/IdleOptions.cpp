//===- IdleOptions.cpp - options that change nothing ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warns of options that changed nothing: what was given has no effect on any
// tensor of these graphs, which is mostly a mistake. After all is decided, each
// option has a check that looks for one place where it could have had an
// effect: a skipped layer that beat what the recipe reads, a head that reads
// something else, a tensor with the scaling that an amax option is of, an
// adapter, a moment that is coded. Where there is none the warning says why.
// Each check is one pass over the decisions.
//
//===----------------------------------------------------------------------===//
#include "Assign/Recipe/IdleOptions.h"

#include "Assign/CandidateBuilder.h"

using namespace mlir;
using namespace prec;

ScaleUse prec::findScales(ArrayRef<AssignedGraph> graphs) {
  ScaleUse scales;
  for (const AssignedGraph &assigned : graphs)
    for (const ContractionChoice &choice : assigned.assignment.choices) {
      const GraphNode &node = assigned.graph.nodes[choice.node];
      for (auto [use, operand] :
           llvm::zip(assigned.assignment.uses[choice.node], node.operands)) {
        scales.hasTensor |= isTensorScaling(use.scaling);
        scales.hasDelayed |= use.scaling == Scaling::TensorDelayed;
        // Scales of few bits alone follow no option.
        if (use.scaling != Scaling::None &&
            (!isMicro(use.scaling) || hasTensorScale(use.scaling)))
          scales.hasAmax[static_cast<unsigned>(getOperandKind(
              assigned.graph, assigned.facts, choice.node, operand))] = true;
      }
    }
  return scales;
}

/// Whether a skipped layer beat what the recipe reads in others.
static bool skipsSomething(const Recipe &recipe,
                           const AssignedGraph &assigned) {
  return llvm::any_of(
      assigned.assignment.choices, [&](const ContractionChoice &choice) {
        uint32_t layer = assigned.facts.layers[choice.node];
        return layer != kNone && recipe.isSkipped(layer, assigned.facts) &&
               llvm::any_of(choice.candidates, [](const Candidate &candidate) {
                 return candidate.veto == Veto::Place;
               });
      });
}

static void findIdleLayers(const Recipe &recipe, ArrayRef<AssignedGraph> graphs,
                           std::vector<std::string> &sentences) {
  if (recipe.skipFirstLayers + recipe.skipLastLayers == 0)
    return;
  std::string layers = "the first " + std::to_string(recipe.skipFirstLayers) +
                       " and the last " + std::to_string(recipe.skipLastLayers);
  if (llvm::all_of(graphs, [](const AssignedGraph &assigned) {
        return assigned.facts.numLayers == 0;
      })) {
    sentences.push_back(
        "layers to skip must exist, but nothing has any (" + layers +
        " are to be skipped; layers are counted along a residual stream)");
    return;
  }
  if (llvm::none_of(graphs, [&](const AssignedGraph &assigned) {
        return skipsSomething(recipe, assigned);
      })) {
    sentences.push_back(
        "skipped layers must differ from others, but recipe " + recipe.name +
        " reads " + stringifyFormat(recipe.fallback).str() + " in all of them");
    return;
  }
  for (const AssignedGraph &assigned : graphs) {
    int64_t count = assigned.facts.numLayers;
    if (count > 0 && recipe.skipFirstLayers + recipe.skipLastLayers >= count)
      sentences.push_back("skipped layers must leave others, but " + layers +
                          " are all of the " + std::to_string(count) +
                          " layers of @" + assigned.name.str());
  }
}

/// Whether a contraction of the head reads something else where the recipe does
/// not keep it high.
static bool isHeadChanged(const Recipe &recipe, const AssignedGraph &assigned) {
  const ReasonedFormat *rule =
      recipe.getKeepHigh(TensorClass::Head, Aspect::Reads);
  auto isChanged = [&](const ContractionChoice &choice) {
    NodeId id = choice.node;
    return assigned.facts.classes[id] == TensorClass::Head &&
           llvm::any_of(
               assigned.graph.nodes[id].getInputs().take_front(2),
               [&](ValueId operand) {
                 OperandKind kind = getOperandKind(assigned.graph,
                                                   assigned.facts, id, operand);
                 return recipe.getUse(assigned.facts.directions[id], kind)
                            .format != rule->format;
               });
  };
  return rule && llvm::any_of(assigned.assignment.choices, isChanged);
}

static void findIdleHead(const Recipe &recipe, ArrayRef<AssignedGraph> graphs,
                         std::vector<std::string> &sentences) {
  if (!recipe.isHeadIn && !recipe.given.isHeadIn)
    return;
  std::string option =
      std::string("head=") + (recipe.isHeadIn ? "in" : "out") + " must ";
  auto hasHead = [](const AssignedGraph &assigned) {
    return llvm::is_contained(assigned.facts.classes,
                              std::optional(TensorClass::Head));
  };
  if (llvm::none_of(graphs, hasHead))
    sentences.push_back(
        option +
        "find a head, but no contraction's result reaches a loss or ends in a "
        "softmax");
  else if (llvm::none_of(graphs, [&](const AssignedGraph &assigned) {
             return isHeadChanged(recipe, assigned);
           }))
    sentences.push_back(option +
                        "change what the head reads, but with recipe " +
                        recipe.name + " it reads the same in and out");
}

static void findIdleScales(const Recipe &recipe, const ScaleUse &scales,
                           std::vector<std::string> &sentences) {
  const RecipeOptions &given = recipe.given;
  auto report = [&](bool isGiven, bool isFound, StringRef option,
                    StringRef what) {
    if (isGiven && !isFound)
      sentences.push_back((option + " must find " + what +
                           ", but no contraction reads with one")
                              .str());
  };
  report(given.tensorScaling.has_value(), scales.hasTensor, "tensor-scaling",
         "a scale of a tensor");
  constexpr StringRef kDelayed = "a delayed scale (tensor-scaling=delayed)";
  report(given.amaxHistory.has_value(), scales.hasDelayed, "amax-history",
         kDelayed);
  report(given.amaxAlgorithm.has_value(), scales.hasDelayed, "amax-algorithm",
         kDelayed);
  constexpr StringRef kAmax = "a scale that comes from an amax";
  report(given.amaxMargin.has_value(), scales.any(), "amax-margin", kAmax);
  report(given.powerOfTwoScales.has_value(), scales.any(),
         "power-of-two-scales", kAmax);
  bool isForAll = llvm::all_of(
      given.amaxEpsilon, [](auto &epsilon) { return epsilon.has_value(); });
  if (isForAll)
    return report(true, scales.any(), "amax-epsilon", kAmax);
  for (unsigned kind = 0; kind < 3; ++kind)
    report(given.amaxEpsilon[kind].has_value(), scales.hasAmax[kind],
           "amax-epsilon",
           ("such a scale of " +
            stringifyOperandKind(static_cast<OperandKind>(kind)) + "s")
               .str());
}

static void findIdleAdapter(const Recipe &recipe,
                            ArrayRef<AssignedGraph> graphs,
                            std::vector<std::string> &sentences) {
  auto hasAdapter = [](const AssignedGraph &assigned) {
    return llvm::is_contained(assigned.facts.isAdapter, true);
  };
  if (recipe.given.dtypes[Dtype::Lora] && llvm::none_of(graphs, hasAdapter))
    sentences.push_back(
        "lora_dtype must find an adapter, but nothing has one (two trained "
        "factors of low rank whose product is added to a contraction with a "
        "frozen weight)");
}

static bool anyChoice(ArrayRef<AssignedGraph> graphs,
                      llvm::function_ref<bool(const ContractionChoice &)> is) {
  return llvm::any_of(graphs, [&](const AssignedGraph &assigned) {
    return llvm::any_of(assigned.assignment.choices, is);
  });
}

/// Whether a limit on accumulators could veto a candidate, or did.
static bool hasFp8Product(const ContractionChoice &choice) {
  return llvm::any_of(choice.candidates, [](const Candidate &candidate) {
    return (candidate.veto == Veto::None || candidate.veto == Veto::Bound) &&
           llvm::all_of(candidate.uses,
                        [](const Decision &use) { return isFp8(use.format); });
  });
}

/// Whether a scaled format and one without a scale are permitted.
static bool isOpen(const ContractionChoice &choice) {
  bool hasScaled = false, hasPlain = false;
  for (const Candidate &candidate : choice.candidates) {
    if (candidate.veto == Veto::None)
      (candidate.isScaled() ? hasScaled : hasPlain) = true;
  }
  return hasScaled && hasPlain;
}

static void findIdleRounding(const Recipe &recipe,
                             ArrayRef<AssignedGraph> graphs,
                             std::vector<std::string> &sentences) {
  auto hasNarrowMaster = [](const AssignedGraph &assigned) {
    return llvm::any_of(
        llvm::enumerate(assigned.graph.values), [&](const auto &entry) {
          return entry.value().origin == Origin::Parameter &&
                 !entry.value().isFrozen &&
                 assigned.assignment.values[entry.index()].format !=
                     Format::F32;
        });
  };
  if (recipe.given.masterRounding && llvm::none_of(graphs, hasNarrowMaster))
    sentences.push_back("master-rounding must find masters narrower than f32 "
                        "(master-dtype=bf16), but all are f32");
  MasterRounding mode = recipe.masterRounding.mode;
  if ((recipe.given.roundingIterations || recipe.given.roundingTolerance) &&
      mode != MasterRounding::PrecisionAware)
    sentences.push_back("rounding-iterations and rounding-tolerance must find "
                        "master-rounding=precision_aware, but it is " +
                        stringifyMasterRounding(mode).str());
}

static void findIdleMoments(const Recipe &recipe,
                            ArrayRef<AssignedGraph> graphs,
                            std::vector<std::string> &sentences) {
  auto isCoded = [](const AssignedGraph &assigned) {
    return llvm::any_of(assigned.assignment.values,
                        [](const Decision &value) { return value.isCoded; });
  };
  if (recipe.given.moments == MomentStorage::Dynamic8 &&
      llvm::none_of(graphs, isCoded))
    sentences.push_back("moments=dynamic8 must find moments of at least " +
                        std::to_string(kMinCodedMoments) +
                        " elements in whole blocks of " +
                        std::to_string(kMomentBlock) + ", but there are none");
}

std::vector<std::string> prec::findIdleOptions(const Recipe &recipe,
                                               ArrayRef<AssignedGraph> graphs,
                                               const GivenInputs &given) {
  std::vector<std::string> sentences;
  findIdleLayers(recipe, graphs, sentences);
  findIdleHead(recipe, graphs, sentences);
  findIdleScales(recipe, findScales(graphs), sentences);
  findIdleAdapter(recipe, graphs, sentences);
  findIdleRounding(recipe, graphs, sentences);
  findIdleMoments(recipe, graphs, sentences);
  if (recipe.given.sharesExpertScales.value_or(false) && !given.hasSharedTokens)
    sentences.push_back("expert-scales=shared must find tokens that products "
                        "of experts alone read in FP8 by scales of tensors, "
                        "but there are none");
  if (given.hasPolicy && !anyChoice(graphs, isOpen))
    sentences.push_back("a policy must have something to decide, but no "
                        "contraction may read both FP8 and wider formats");
  if (given.hasAccumulationLimit && !anyChoice(graphs, hasFp8Product))
    sentences.push_back("limits=accumulation must find FP8 products, but no "
                        "contraction may read FP8");
  return sentences;
}
