//===- BeatenFormatsTest.cpp - what values are not stored in --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Classify.h"
#include "prec/Assign/Assigner.h"
#include "prec/Assign/ParseRecipe.h"
#include "Assign/Report/BeatenFormats.h"

#include "GraphBuilder.h"
#include "Targets.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;
using namespace prec::test;

namespace {

struct BeatenFormatsTest : testing::Test {
  Step step = buildStep(2, /*withRoles=*/true);
  Graph &graph = step.builder.graph;
  Classification facts;
  BoundInputs bounds;
  std::unique_ptr<RuleSet> rules;

  /// "bf16 bound; f16 none": of the first value that matches.
  std::string find(StringRef recipeName,
                   function_ref<bool(const GraphValue &)> matches,
                   std::vector<BeatenFormat> *found = nullptr) {
    facts = classify(graph);
    llvm::Expected<Recipe> recipe =
        parseRecipe(findBuiltinRecipe(recipeName), recipeName, {});
    EXPECT_TRUE(bool(recipe));
    AssignmentInputs inputs;
    inputs.rules = rules.get();
    Assignment assignment =
        assignPrecision(graph, facts, *recipe, *findTarget("sm_90a"), inputs);
    BeatenFormats beaten(graph, facts, *recipe, &bounds, assignment);
    ValueId id = llvm::find_if(graph.values, matches) - graph.values.begin();
    std::string text;
    for (const BeatenFormat &other : beaten.find(id)) {
      if (found)
        found->push_back(other);
      text += (text.empty() ? "" : "; ") +
              (stringifyFormat(other.format) + " " + stringifyVeto(other.veto))
                  .str();
    }
    return text;
  }
  void setRules(StringRef text) {
    llvm::Expected<RuleSet> parsed = parseRules(text, "rules.json");
    ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
    rules = std::make_unique<RuleSet>(std::move(*parsed));
  }
  static bool isWeight(const GraphValue &value) {
    return value.origin == Origin::Parameter && value.shape.size() == 2;
  }
  static bool isMoment(const GraphValue &value) {
    return value.origin == Origin::Moment;
  }
  bool isUpdated(const GraphValue &value) const {
    return value.producer != kNone &&
           graph.nodes[value.producer].is(Structure::Optimizer) &&
           value.result == 0;
  }
};

TEST_F(BeatenFormatsTest, MastersSayWhatTheyWouldSaveOrThatTheyWouldStall) {
  std::vector<BeatenFormat> found;
  EXPECT_EQ(find("bf16", isWeight, &found), "bf16 none");
  EXPECT_TRUE(StringRef(found[0].reason)
                  .starts_with("it rounds by up to 0.39 %, not 6e-06 %, to "
                               "save "))
      << found[0].reason;
  bounds.assumptions.learningRate = 1e-7;
  found.clear();
  EXPECT_EQ(find("bf16", isWeight, &found), "bf16 bound");
  EXPECT_TRUE(StringRef(found[0].reason)
                  .starts_with("bf16 masters stall: a step of 1e-07, learning "
                               "rate 1e-07 (assumed), moves "))
      << found[0].reason;
  // What updates a master is stored where it is.
  EXPECT_EQ(find("bf16", [&](const auto &value) { return isUpdated(value); }),
            "bf16 bound");
}

TEST_F(BeatenFormatsTest, MomentsHaveNoOther) {
  std::vector<BeatenFormat> found;
  EXPECT_EQ(find("bf16", isMoment, &found), "bf16 legality");
  EXPECT_EQ(found[0].reason, "optimizer state must be f32");
}

TEST_F(BeatenFormatsTest, HalvesThatTheRecipeHasCompete) {
  std::vector<BeatenFormat> found;
  auto isResidual = [&](const GraphValue &value) {
    return &value == &graph.values[step.residuals[0]];
  };
  EXPECT_EQ(find("fp16", isResidual, &found), "f32 none; bf16 none");
  EXPECT_TRUE(StringRef(found[0].reason).ends_with(" more"));
  EXPECT_EQ(found[1].reason, "it rounds by up to 0.39 %, not 0.049 %");
  EXPECT_EQ(find("bf16", isResidual), "f32 none");
}

TEST_F(BeatenFormatsTest, RulesOfTheUsersAreNamed) {
  setRules(R"({"version": 1, "rules": [
    {"match": {"class": "residual"}, "pin": {"stores": "f32"},
     "reason": "by hand"}]})");
  auto isResidual = [&](const GraphValue &value) {
    return &value == &graph.values[step.residuals[0]];
  };
  std::vector<BeatenFormat> found;
  EXPECT_EQ(find("bf16", isResidual, &found), "bf16 rule; f16 rule");
  EXPECT_TRUE(StringRef(found[0].reason).contains("by hand"));
  setRules(R"({"version": 1, "rules": [
    {"match": {"class": "residual"}, "forbid": {"stores": "bf16"},
     "reason": "too coarse"}]})");
  found.clear();
  EXPECT_EQ(find("bf16", isResidual, &found), "bf16 rule; f16 none");
  EXPECT_TRUE(StringRef(found[0].reason).contains("bf16 is forbidden"));
  EXPECT_EQ(found[1].reason.find("it rounds by up to"), 0u);
}

TEST_F(BeatenFormatsTest, WhatPassesThroughRegistersHasNone) {
  facts = classify(graph);
  Recipe recipe =
      llvm::cantFail(parseRecipe(findBuiltinRecipe("bf16"), "bf16", {}));
  Assignment assignment =
      assignPrecision(graph, facts, recipe, *findTarget("sm_90a"));
  BeatenFormats beaten(graph, facts, recipe, /*bounds=*/nullptr, assignment);
  unsigned unstored = 0;
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const Decision &decision = assignment.values[id];
    if (!decision.isDecided())
      continue;
    EXPECT_EQ(beaten.find(id).empty(), !decision.isStored) << id;
    unstored += !decision.isStored;
  }
  EXPECT_GT(unstored, 0u);
}

TEST_F(BeatenFormatsTest, UnknownSizesAreComparedToo) {
  auto &value = graph.values[step.residuals[0]];
  value.shape[0] = -1;
  std::vector<BeatenFormat> found;
  find(
      "bf16", [&](const GraphValue &other) { return &other == &value; },
      &found);
  EXPECT_EQ(found[0].reason, "it takes twice the bytes");
}

} // namespace
