//===- RuleApplicationTest.cpp - a user's rules on a graph ----------------===//
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

/// The step of two layers under rules.
struct RuleApplication : testing::Test {
  /// `rules` are the elements of the list, separated by commas.
  Assignment assign(StringRef rules, StringRef recipe = "fp8-hybrid",
                    StringRef target = "sm_90a") {
    llvm::Expected<RuleSet> set = parseRules(
        ("{\"version\": 1, \"rules\": [\n" + rules + "]}").str(), "f");
    EXPECT_TRUE(bool(set)) << llvm::toString(set.takeError());
    llvm::Expected<Recipe> parsed =
        parseRecipe(findBuiltinRecipe(recipe), recipe);
    EXPECT_TRUE(bool(parsed));
    const Graph &graph = step.builder.graph;
    return assignPrecision(graph, classify(graph), *parsed, *findTarget(target),
                           {nullptr, &*set});
  }
  Format getUse(const Assignment &assignment, ValueId contraction,
                unsigned operand) const {
    return assignment.uses[step.builder.node(contraction)][operand].format;
  }
  const ContractionChoice &getChoice(const Assignment &assignment,
                                     ValueId contraction) const {
    return *llvm::find_if(assignment.choices, [&](const auto &choice) {
      return choice.node == step.builder.node(contraction);
    });
  }

  Step step = buildStep(2, /*withRoles=*/true);
};

TEST_F(RuleApplication, APinWidensWhatTheMapKeepsHigh) {
  Assignment assignment =
      assign(R"({"match": {"class": "head"}, "pin": {"reads": "e4m3"},
                 "reason": "half of the work", "reference": "measured"})");
  EXPECT_EQ(getUse(assignment, step.logits, 0), Format::E4M3);
  EXPECT_EQ(getUse(assignment, step.logits, 1), Format::E4M3);
  EXPECT_EQ(assignment.uses[step.builder.node(step.logits)][0].rule,
            "pinned to e4m3 by f:2:1: half of the work (measured)");
  EXPECT_TRUE(assignment.ruleProblems.empty());
  // The loser stays, with the rule that beat it.
  const ContractionChoice &choice = getChoice(assignment, step.logits);
  ASSERT_EQ(choice.candidates.size(), 2u);
  EXPECT_EQ(choice.winner, 0u);
  EXPECT_EQ(choice.candidates[1].getName(), "bf16 x bf16");
  EXPECT_EQ(choice.candidates[1].veto, Veto::Rule);
}

TEST_F(RuleApplication, APreferenceDoesNotWiden) {
  Assignment assignment =
      assign(R"({"match": {"class": "head"}, "prefer": {"reads": "e4m3"},
                 "reason": "r"})");
  EXPECT_EQ(getUse(assignment, step.logits, 0), Format::BF16);
  EXPECT_EQ(assignment.ruleOutcomes[0].followed, 0u);
  EXPECT_FALSE(assignment.ruleOutcomes[0].obstacle.empty());
  EXPECT_TRUE(assignment.ruleProblems.empty());
}

TEST_F(RuleApplication, APreferenceChoosesAmongWhatIsPermitted) {
  Assignment assignment =
      assign(R"({"match": {"direction": "wgrad", "class": "contraction"},
                 "prefer": {"reads": "bf16"}, "reason": "r"})");
  for (ValueId wgrad : step.wgrads) {
    EXPECT_EQ(getUse(assignment, wgrad, 0), Format::BF16);
    EXPECT_EQ(assignment.uses[step.builder.node(wgrad)][0].rule,
              "bf16 is preferred by f:2:1: r");
  }
  EXPECT_EQ(getUse(assignment, step.dgrads[0], 0), Format::E5M2);
  // Both operands of both contractions.
  EXPECT_EQ(assignment.ruleOutcomes[0].matched, 4u);
}

TEST_F(RuleApplication, AForbiddenFormatGivesWayToTheFallback) {
  Assignment assignment = assign(
      R"({"match": {"operand": "gradient"}, "forbid": {"reads": "e5m2"},
          "reason": "r"})");
  EXPECT_EQ(getUse(assignment, step.dgrads[0], 0), Format::BF16);
  EXPECT_EQ(getUse(assignment, step.dgrads[0], 1), Format::BF16);
  EXPECT_EQ(getUse(assignment, step.projections[0], 0), Format::E4M3);
  EXPECT_EQ(assignment.uses[step.builder.node(step.dgrads[0])][0].rule,
            "fp8-hybrid dgrad would read e5m2 x e4m3, but e5m2 is forbidden "
            "by f:2:1: r: reads bf16");
  const ContractionChoice &choice = getChoice(assignment, step.dgrads[0]);
  EXPECT_EQ(choice.candidates[0].veto, Veto::Rule);
  // A rule is no fallback that a user must be warned of.
  EXPECT_TRUE(assignment.fallbacks.empty());
}

TEST_F(RuleApplication, ShapesAndLayersNarrowAMatch) {
  // T = 32 tokens, D = 64: tokens are K of a wgrad.
  Assignment assignment = assign(
      R"({"match": {"class": "contraction", "layer": {"most": 0},
                    "shape": {"tokens": {"least": 32, "most": 32}, "n": {"multiple_of": 64}}},
          "pin": {"reads": "bf16"}, "reason": "r"})");
  for (ValueId value : {step.projections[0], step.wgrads[1], step.dgrads[1]})
    EXPECT_EQ(getUse(assignment, value, 0), Format::BF16);
  for (ValueId value : {step.projections[1], step.wgrads[0], step.dgrads[0]})
    EXPECT_NE(getUse(assignment, value, 0), Format::BF16);
}

TEST_F(RuleApplication, PathsAreThoseOfParametersToo) {
  Graph &graph = step.builder.graph;
  NodeId forward = step.builder.node(step.projections[0]);
  graph.values[graph.nodes[forward].operands[1]].path = "layers.0.up.weight";
  Assignment assignment = assign(
      R"({"match": {"path": "layers.0.*"}, "pin": {"reads": "bf16"},
          "reason": "r"})");
  for (ValueId value : {step.projections[0], step.dgrads[1], step.wgrads[1]})
    EXPECT_EQ(getUse(assignment, value, 0), Format::BF16);
  EXPECT_EQ(getUse(assignment, step.projections[1], 0), Format::E4M3);
}

TEST_F(RuleApplication, APinnedMasterIsUpdatedInItsFormat) {
  Assignment assignment = assign(
      R"({"match": {"storage": "master", "shape": {"rank": {"most": 1}}},
          "pin": {"stores": "bf16"}, "reason": "r"})");
  unsigned arguments = 0, updates = 0;
  for (auto [id, value] : llvm::enumerate(step.builder.graph.values)) {
    bool isUpdate =
        value.producer != kNone && value.result == 0 &&
        step.builder.graph.nodes[value.producer].is(Structure::Optimizer);
    if (value.origin != Origin::Parameter && !isUpdate)
      continue;
    bool isVector = value.shape.size() == 1;
    EXPECT_EQ(assignment.values[id].format,
              isVector ? Format::BF16 : Format::F32);
    (isUpdate ? updates : arguments) += isVector;
  }
  EXPECT_EQ(arguments, 3u);
  EXPECT_EQ(updates, 3u);
}

TEST_F(RuleApplication, APinnedResultKeepsItsFormat) {
  Assignment assignment =
      assign(R"({"match": {"class": "contraction", "phase": "forward"},
                 "pin": {"stores": "f32"}, "reason": "r"})");
  for (ValueId value : step.projections)
    EXPECT_EQ(assignment.values[value].format, Format::F32);
  EXPECT_EQ(assignment.values[step.logits].format, Format::BF16);
  EXPECT_TRUE(assignment.ruleProblems.empty());
}

TEST_F(RuleApplication, ARuleThatMatchesNothingIsCounted) {
  Assignment assignment =
      assign(R"({"match": {"path": "nothing"}, "pin": {"reads": "bf16"},
                 "reason": "r"},
                {"match": {"class": "residual"}, "prefer": {"stores": "f32"},
                 "reason": "s"})");
  EXPECT_EQ(assignment.ruleOutcomes[0].matched, 0u);
  EXPECT_EQ(assignment.ruleOutcomes[1].followed,
            assignment.ruleOutcomes[1].matched);
  for (ValueId value : step.residuals)
    EXPECT_EQ(assignment.values[value].format, Format::F32);
}

struct Problem {
  const char *rules, *recipe;
  unsigned rule, other;
  bool isValue;
  const char *message;
};

void PrintTo(const Problem &problem, std::ostream *os) { *os << problem.rules; }

struct RuleProblems : RuleApplication, testing::WithParamInterface<Problem> {};

TEST_P(RuleProblems, NameBothPlaces) {
  const Problem &expected = GetParam();
  Assignment assignment = assign(expected.rules, expected.recipe);
  // Once, however many operations it holds for.
  ASSERT_EQ(assignment.ruleProblems.size(), 1u);
  const RuleProblem &problem = assignment.ruleProblems.front();
  EXPECT_EQ(problem.rule, expected.rule);
  EXPECT_EQ(problem.other, expected.other);
  EXPECT_EQ(problem.value != kNone, expected.isValue);
  EXPECT_EQ(problem.node == kNone, expected.isValue);
  EXPECT_EQ(problem.message, expected.message);
}

constexpr const char *kAgree =
    "rules for one use or value must agree, but this one and another do not";

INSTANTIATE_TEST_SUITE_P(
    All, RuleProblems,
    testing::Values(
        Problem{
            R"({"match": {"class": "contraction"}, "pin": {"reads": "bf16"}, "reason": "r"},
                   {"match": {"direction": "wgrad"}, "pin": {"reads": "f32"}, "reason": "s"})",
            "fp8-hybrid", 1, 0, false, kAgree},
        Problem{
            R"({"match": {"class": "contraction"}, "forbid": {"reads": "e4m3"}, "reason": "r"},
                   {"match": {"operand": "weight", "class": "contraction"}, "prefer": {"reads": "e4m3"}, "reason": "s"})",
            "fp8-hybrid", 1, 0, false, kAgree},
        Problem{
            R"({"match": {"class": "residual"}, "pin": {"stores": "f32"}, "reason": "r"},
                   {"match": {"class": "residual"}, "forbid": {"stores": "f32"}, "reason": "s"})",
            "fp8-hybrid", 1, 0, true, kAgree},
        Problem{
            R"({"match": {"operand": "weight"}, "pin": {"reads": "e4m3"}, "reason": "r"})",
            "bf16", 0, kNone, false,
            "a pinned format must be legal, but there is no bf16 x e4m3 -> "
            "bf16 product"},
        Problem{
            R"({"match": {"class": "contraction"}, "pin": {"reads": "e2m1"}, "reason": "r"})",
            "fp8-hybrid", 0, kNone, false,
            "a pinned format must be legal, but sm_90a has no FP4 matrix units "
            "(they begin with sm_100a)"},
        Problem{
            R"({"match": {"class": "embedding"}, "pin": {"reads": "e4m3"}, "reason": "r"})",
            "fp8-hybrid", 0, kNone, false,
            "a pinned format must be legal, but only contractions read "
            "e4m3"},
        Problem{
            R"({"match": {"storage": "master"}, "pin": {"stores": "f16"}, "reason": "r"})",
            "fp8-hybrid", 0, kNone, true,
            "a pinned format must be legal, but master weights must be "
            "f32 or bf16"},
        Problem{
            R"({"match": {"storage": "moment"}, "pin": {"stores": "bf16"}, "reason": "r"})",
            "fp8-hybrid", 0, kNone, true,
            "a pinned format must be legal, but optimizer state must be "
            "f32"},
        Problem{
            R"({"match": {"class": "contraction"}, "pin": {"stores": "bf16"}, "reason": "r"})",
            "fp32", 0, kNone, false,
            "a result must have a product, but there is no f32 x f32 -> "
            "bf16 product"},
        Problem{
            R"({"match": {"direction": "wgrad"}, "forbid": {"reads": "bf16"}, "reason": "r"})",
            "bf16", 0, kNone, false,
            "rules must leave a format to read, but nothing else is "
            "legal"},
        Problem{
            R"({"match": {"storage": "moment"}, "forbid": {"stores": "f32"}, "reason": "r"})",
            "bf16", 0, kNone, true,
            "rules must leave a format, but nothing else is legal"}));

} // namespace
