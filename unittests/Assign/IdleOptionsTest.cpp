//===- IdleOptionsTest.cpp - options that change nothing ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Classify.h"
#include "prec/Assign/Assigner.h"
#include "prec/Assign/ParseRecipe.h"
#include "Assign/Recipe/IdleOptions.h"
#include "GraphBuilder.h"
#include "Targets.h"

#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;
using namespace prec::test;

namespace {

using Given = ArrayRef<std::pair<StringRef, StringRef>>;

/// The sentences, one a line.
std::string findIdle(const Graph &graph, StringRef name, Given given,
                     const GivenInputs &inputs = {}) {
  RecipeOptions options;
  for (auto [option, value] : given)
    EXPECT_FALSE(bool(readRecipeOption(option, value, options)));
  llvm::Expected<Recipe> recipe =
      parseRecipe(findBuiltinRecipe(name), name, options);
  EXPECT_TRUE(bool(recipe));
  Classification facts = classify(graph);
  Assignment assignment =
      assignPrecision(graph, facts, *recipe, *findTarget("cpu"));
  return llvm::join(
      findIdleOptions(*recipe, AssignedGraph{"step", graph, facts, assignment},
                      inputs),
      "\n");
}

/// One product, no layers, no loss.
Graph buildProduct() {
  GraphBuilder b;
  b.ret(b.matmul(b.argument(Origin::Input, {32, 64}),
                 b.argument(Origin::Parameter, {64, 64}), 32, 64, 64));
  return std::move(b.graph);
}

struct Idle : testing::Test {
  Step step = buildStep(3, /*withRoles=*/true);
  std::string find(StringRef recipe, Given given) const {
    return findIdle(step.builder.graph, recipe, given);
  }
};

TEST_F(Idle, NothingIsIdleWhereItChangesSomething) {
  EXPECT_EQ(find("fp8-hybrid", {}), "");
  EXPECT_EQ(find("fp8-hybrid", {{"skip-first-layers", "1"},
                                {"skip-last-layers", "1"},
                                {"head", "in"},
                                {"tensor-scaling", "delayed"},
                                {"amax-history", "4"},
                                {"amax-algorithm", "most_recent"},
                                {"amax-margin", "1"},
                                {"amax-epsilon", "gradient:1e-9"},
                                {"power-of-two-scales", "true"}}),
            "");
  EXPECT_EQ(find("fp8-block", {{"power-of-two-scales", "true"}}), "");
  EXPECT_EQ(find("nvfp4", {{"amax-epsilon", "1e-9"}}), "");
}

TEST_F(Idle, SkippedLayersLeaveOthers) {
  EXPECT_EQ(find("fp8-hybrid", {{"skip-first-layers", "2"}}), "");
  EXPECT_EQ(find("fp8-hybrid", {{"skip-first-layers", "4"}}),
            "skipped layers must leave others, but the first 4 and the last 0 "
            "are all of the 3 layers of @step");
  EXPECT_EQ(find("fp8-hybrid",
                 {{"skip-first-layers", "1"}, {"skip-last-layers", "2"}}),
            "skipped layers must leave others, but the first 1 and the last 2 "
            "are all of the 3 layers of @step");
}

TEST_F(Idle, SkippedLayersDifferFromOthers) {
  EXPECT_EQ(find("bf16", {{"skip-first-layers", "1"}}),
            "skipped layers must differ from others, but recipe bf16 reads "
            "bf16 in all of them");
  EXPECT_EQ(
      find("bf16", {{"skip-first-layers", "1"}, {"matmul-dtype", "e4m3"}}), "");
}

TEST_F(Idle, ScalesExist) {
  EXPECT_EQ(find("fp8-block", {{"tensor-scaling", "delayed"}}),
            "tensor-scaling must find a scale of a tensor, but no contraction "
            "reads with one");
  EXPECT_EQ(
      find("fp8-hybrid", {{"amax-history", "4"}, {"amax-algorithm", "max"}}),
      "amax-history must find a delayed scale (tensor-scaling=delayed), "
      "but no contraction reads with one\n"
      "amax-algorithm must find a delayed scale "
      "(tensor-scaling=delayed), but no contraction reads with one");
  for (StringRef name : {"bf16", "mxfp8"})
    EXPECT_EQ(find(name, {{"amax-margin", "1"},
                          {"power-of-two-scales", "true"},
                          {"amax-epsilon", "1e-9"}}),
              "amax-margin must find a scale that comes from an amax, but no "
              "contraction reads with one\n"
              "power-of-two-scales must find a scale that comes from an amax, "
              "but no contraction reads with one\n"
              "amax-epsilon must find a scale that comes from an amax, but no "
              "contraction reads with one");
  EXPECT_EQ(find("fp8-hybrid", {{"reads", "dgrad:bf16"},
                                {"reads", "wgrad:bf16"},
                                {"amax-epsilon", "gradient:1e-9"}}),
            "amax-epsilon must find such a scale of gradients, but no "
            "contraction reads with one");
}

TEST_F(Idle, AHeadReadsSomethingElse) {
  for (StringRef value : {"in", "out"})
    for (StringRef name : {"fp32", "bf16", "fp16"})
      EXPECT_EQ(find(name, {{"head", value}}),
                "head=" + value.str() +
                    " must change what the head reads, but with recipe " +
                    name.str() + " it reads the same in and out");
  EXPECT_EQ(find("fp8-hybrid", {{"head", "out"}}), "");
  EXPECT_EQ(find("bf16", {{"head", "in"}, {"matmul-dtype", "e4m3"}}), "");
  EXPECT_EQ(find("bf16", {{"head", "in"}, {"reads", "wgrad:f32"}}), "");
}

TEST_F(Idle, AdaptersExist) {
  constexpr StringRef kSentence =
      "lora_dtype must find an adapter, but nothing has one (two trained "
      "factors of low rank whose product is added to a contraction with a "
      "frozen weight)";
  for (StringRef name : {"bf16", "fp8-hybrid"})
    for (StringRef value : {"bf16", "fp32"})
      EXPECT_EQ(find(name, {{"lora-dtype", value}}), kSentence);
  EXPECT_EQ(findIdle(buildLoraStep().builder.graph, "fp8-hybrid",
                     {{"lora-dtype", "bf16"}}),
            "");
}

TEST_F(Idle, APolicyDecidesSomething) {
  GivenInputs inputs;
  inputs.hasPolicy = true;
  auto findWithPolicy = [&](StringRef name, Given given) {
    return findIdle(step.builder.graph, name, given, inputs);
  };
  EXPECT_EQ(findWithPolicy("fp8-hybrid", {}), "");
  EXPECT_EQ(findWithPolicy("bf16", {{"reads", "wgrad:e4m3"}}), "");
  for (StringRef name : {"fp32", "bf16", "fp16"})
    EXPECT_EQ(findWithPolicy(name, {}),
              "a policy must have something to decide, but no contraction may "
              "read both FP8 and wider formats");
}

TEST_F(Idle, AccumulatorsAddUpFp8Products) {
  GivenInputs inputs;
  inputs.hasAccumulationLimit = true;
  EXPECT_EQ(findIdle(step.builder.graph, "fp8-hybrid", {}, inputs), "");
  constexpr StringRef kSentence = "limits=accumulation must find FP8 products, "
                                  "but no contraction may read FP8";
  EXPECT_EQ(findIdle(step.builder.graph, "bf16", {}, inputs), kSentence);
  // FP4 products are no FP8 products.
  EXPECT_EQ(findIdle(step.builder.graph, "nvfp4", {}, inputs), kSentence);
}

TEST(IdleWithoutNetwork, LayersToSkipExist) {
  EXPECT_EQ(findIdle(buildProduct(), "fp8-hybrid", {{"skip-last-layers", "1"}}),
            "layers to skip must exist, but nothing has any (the first 0 and "
            "the last 1 are to be skipped; layers are counted along a residual "
            "stream)");
}

TEST(IdleWithoutNetwork, AHeadExists) {
  EXPECT_EQ(findIdle(buildProduct(), "fp8-hybrid", {}), "");
  for (StringRef value : {"in", "out"})
    EXPECT_EQ(findIdle(buildProduct(), "fp8-hybrid", {{"head", value}}),
              "head=" + value.str() +
                  " must find a head, but no contraction's result reaches a "
                  "loss or ends in a softmax");
}

/// A recipe of one's own can ask for the same.
TEST(IdleWithoutNetwork, RecipesAreCheckedAsOptionsAre) {
  std::string text = findBuiltinRecipe("fp8-hybrid").str();
  size_t at = text.find("\"contraction\"");
  text.insert(at, "\"layers\": {\"skip_first\": 1, \"head\": \"in\"},\n  ");
  llvm::Expected<Recipe> recipe = parseRecipe(text, "mine");
  ASSERT_TRUE(bool(recipe)) << llvm::toString(recipe.takeError());
  Graph graph = buildProduct();
  Classification facts = classify(graph);
  Assignment assignment =
      assignPrecision(graph, facts, *recipe, *findTarget("cpu"));
  EXPECT_EQ(
      findIdleOptions(*recipe, AssignedGraph{"step", graph, facts, assignment})
          .size(),
      2u);
}

/// One function of several has what is asked for.
TEST(IdleWithoutNetwork, FunctionsAreLookedAtTogether) {
  Step step = buildStep(2, /*withRoles=*/true);
  const Graph product = buildProduct();
  RecipeOptions options;
  EXPECT_FALSE(bool(readRecipeOption("head", "in", options)));
  EXPECT_FALSE(bool(readRecipeOption("skip-first-layers", "1", options)));
  llvm::Expected<Recipe> recipe =
      parseRecipe(findBuiltinRecipe("fp8-hybrid"), "fp8-hybrid", options);
  ASSERT_TRUE(bool(recipe));
  Classification both[] = {classify(product), classify(step.builder.graph)};
  const Target &target = *findTarget("cpu");
  Assignment assigned[] = {
      assignPrecision(product, both[0], *recipe, target),
      assignPrecision(step.builder.graph, both[1], *recipe, target)};
  AssignedGraph graphs[] = {{"helper", product, both[0], assigned[0]},
                            {"step", step.builder.graph, both[1], assigned[1]}};
  EXPECT_TRUE(findIdleOptions(*recipe, graphs).empty());
}

} // namespace
