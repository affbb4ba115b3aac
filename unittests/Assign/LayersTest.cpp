//===- LayersTest.cpp - layers, skipped ones, the head --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GraphBuilder.h"
#include "Targets.h"
#include "prec/Assign/Classify.h"
#include "prec/Assign/ParseRecipe.h"
#include "prec/Assign/Assigner.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;
using namespace prec::test;

namespace {

Assignment assign(const Graph &graph,
                  ArrayRef<std::pair<StringRef, StringRef>> given) {
  RecipeOptions options;
  for (auto [name, value] : given)
    EXPECT_FALSE(bool(readRecipeOption(name, value, options)));
  llvm::Expected<Recipe> recipe =
      parseRecipe(findBuiltinRecipe("fp8-hybrid"), "fp8-hybrid", options);
  EXPECT_TRUE(bool(recipe));
  return assignPrecision(graph, classify(graph), *recipe,
                         *findTarget("sm_90a"));
}

TEST(Layers, AreCountedAlongTheStream) {
  Step step = buildStep(5, /*withRoles=*/true);
  const GraphBuilder &b = step.builder;
  Classification facts = classify(b.graph);
  EXPECT_EQ(facts.numLayers, 5u);
  for (unsigned i = 0; i < 5; ++i) {
    EXPECT_EQ(facts.layers[b.node(step.projections[i])], i);
    EXPECT_EQ(facts.layers[b.node(step.residuals[i])], i);
    // Backward ones were built from the last layer on.
    EXPECT_EQ(facts.layers[b.node(step.dgrads[4 - i])], i);
    EXPECT_EQ(facts.layers[b.node(step.wgrads[4 - i])], i);
  }
  for (ValueId outside : {step.logits, step.dHead, step.headGradient})
    EXPECT_EQ(facts.layers[b.node(outside)], kNone);
}

TEST(Layers, AreFoundWithoutRoles) {
  Step step = buildStep(3, /*withRoles=*/false);
  Classification facts = classify(step.builder.graph);
  EXPECT_EQ(facts.numLayers, 3u);
  EXPECT_EQ(facts.layers[step.builder.node(step.wgrads[0])], 2u);
}

/// A block that attends begins a layer; the one after it belongs to it.
TEST(Layers, BeginWithAttention) {
  GraphBuilder b;
  ValueId x = b.argument(Origin::Input, {32, 64});
  std::vector<ValueId> attentions, feeds;
  for (unsigned layer = 0; layer < 3; ++layer) {
    auto normalize = [&](ValueId value) {
      return b.ops(Structure::Norm,
                   {value, b.argument(Origin::Parameter, {64})},
                   {{32, 64}, {32}})[0];
    };
    auto project = [&](ValueId value) {
      return b.matmul(value, b.argument(Origin::Parameter, {64, 64}), 32, 64,
                      64);
    };
    ValueId q = project(normalize(x));
    ValueId o = b.op(Structure::Attention, {q, q, q}, {32, 64});
    attentions.push_back(project(o));
    x = b.add(x, attentions.back());
    feeds.push_back(project(normalize(x)));
    x = b.add(x, feeds.back());
  }
  b.ops(Structure::Norm, {x, b.argument(Origin::Parameter, {64})},
        {{32, 64}, {32}});
  Classification facts = classify(b.graph);
  EXPECT_EQ(facts.numLayers, 3u);
  for (unsigned layer = 0; layer < 3; ++layer) {
    EXPECT_EQ(facts.layers[b.node(attentions[layer])], layer);
    EXPECT_EQ(facts.layers[b.node(feeds[layer])], layer);
  }
}

TEST(Layers, AGraphWithoutAStreamHasNone) {
  GraphBuilder b;
  b.matmul(b.argument(Origin::Input, {32, 64}),
           b.argument(Origin::Parameter, {64, 64}), 32, 64, 64);
  Classification facts = classify(b.graph);
  EXPECT_EQ(facts.numLayers, 0u);
  EXPECT_EQ(facts.layers[0], kNone);
}

TEST(Layers, AreSkippedInAllDirections) {
  Step step = buildStep(4, /*withRoles=*/true);
  const GraphBuilder &b = step.builder;
  Assignment assignment =
      assign(b.graph, {{"skip-first-layers", "1"}, {"skip-last-layers", "2"}});
  for (unsigned i = 0; i < 4; ++i) {
    bool isSkipped = i != 1;
    for (ValueId value :
         {step.projections[i], step.dgrads[3 - i], step.wgrads[3 - i]}) {
      const auto &uses = assignment.uses[b.node(value)];
      EXPECT_EQ(uses[1].format, isSkipped ? Format::BF16 : Format::E4M3);
    }
  }
  EXPECT_EQ(assignment.uses[b.node(step.projections[0])][0].rule,
            "layer 0 is one of the first 1, which are skipped: reads bf16");
  EXPECT_EQ(assignment.uses[b.node(step.projections[3])][0].rule,
            "layer 3 is one of the last 2, which are skipped: reads bf16");
}

TEST(Layers, TheHeadIsInIfAsked) {
  Step step = buildStep(1, /*withRoles=*/true);
  const GraphBuilder &b = step.builder;
  Assignment out = assign(b.graph, {{"head", "out"}});
  Assignment in = assign(b.graph, {{"head", "in"}});
  for (ValueId value : {step.logits, step.dHead, step.headGradient}) {
    EXPECT_EQ(out.uses[b.node(value)][1].format, Format::BF16);
    EXPECT_EQ(in.uses[b.node(value)][1].format, Format::E4M3);
  }
  EXPECT_EQ(in.values[step.logits].format, Format::BF16);
}

TEST(Layers, WhatIsBeatenStaysWithItsReason) {
  Step step = buildStep(1, /*withRoles=*/true);
  Assignment assignment = assign(step.builder.graph, {});
  NodeId head = step.builder.node(step.logits);
  for (const ContractionChoice &choice : assignment.choices) {
    ASSERT_EQ(choice.candidates.size(), 2u);
    EXPECT_EQ(choice.winner, 0u);
    bool isHigh = choice.candidates[0].uses[0].format == Format::BF16;
    EXPECT_EQ(choice.candidates[1].veto, isHigh ? Veto::KeepHigh : Veto::None);
    if (choice.node == head) {
      EXPECT_EQ(choice.candidates[1].getName(), "e4m3 x e4m3");
      EXPECT_TRUE(choice.candidates[1].vetoReason.starts_with("head: "));
    }
  }
}

/// Adapters need a frozen weight beside them and a low rank between them.
TEST(Adapters, AreLowRankBesideAFrozenWeight) {
  LoraStep step = buildLoraStep();
  Classification facts = classify(step.builder.graph);
  EXPECT_TRUE(facts.isAdapter[step.down]);
  EXPECT_TRUE(facts.isAdapter[step.up]);
  EXPECT_EQ(llvm::count(facts.isAdapter, true), 2);

  LoraStep trained = buildLoraStep();
  for (GraphValue &value : trained.builder.graph.values)
    value.isFrozen = false;
  EXPECT_EQ(llvm::count(classify(trained.builder.graph).isAdapter, true), 0);
}

} // namespace
