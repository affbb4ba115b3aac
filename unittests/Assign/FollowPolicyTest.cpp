//===- FollowPolicyTest.cpp - a policy chooses a candidate ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Classify.h"
#include "prec/Assign/ParseRecipe.h"
#include "prec/Assign/Assigner.h"

#include "GraphBuilder.h"
#include "Targets.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;
using namespace prec::test;

namespace {

/// Projections are layernorm_column/fc1 of 32 tokens.
struct FollowPolicyTest : testing::Test {
  Step step = buildStep(2, /*withRoles=*/true);
  Classification facts = classify(step.builder.graph);
  PolicySources sources;
  std::optional<PolicyChoices> choices;

  Assignment assign(StringRef recipe, StringRef policy,
                    StringRef target = "sm_90a") {
    llvm::Expected<Policy> parsedPolicy = parsePolicy(policy, "p.json");
    llvm::Expected<Recipe> parsed =
        parseRecipe(findBuiltinRecipe(recipe), recipe);
    EXPECT_TRUE(parsedPolicy && parsed);
    sources.policy = std::move(*parsedPolicy);
    choices.emplace(step.builder.graph, facts, sources);
    return assignPrecision(step.builder.graph, facts, *parsed,
                           *findTarget(target), {&*choices});
  }
  const ContractionChoice &getChoice(const Assignment &assignment,
                                     ValueId value) {
    return *llvm::find_if(assignment.choices, [&](const auto &choice) {
      return choice.node == step.builder.node(value);
    });
  }
};

constexpr StringRef kSlow = R"({"version": 1, "speedup_threshold": 1.0,
  "rules": {"layernorm_column": {"fc1": [{"tp": 1, "min_tokens": 33}]}}})";
constexpr StringRef kFast = R"({"version": 1, "speedup_threshold": 1.0,
  "rules": {"layernorm_column": {"fc1": [{"tp": 1, "min_tokens": 32}]}}})";
constexpr StringRef kEmpty =
    R"({"version": 1, "speedup_threshold": 1.0, "rules": {}})";

TEST_F(FollowPolicyTest, BeatenFp8StaysACandidateWithTheReason) {
  Assignment assignment = assign("fp8-hybrid", kSlow);
  for (ValueId value : {step.projections[0], step.dgrads[0], step.wgrads[0]}) {
    const ContractionChoice &choice = getChoice(assignment, value);
    ASSERT_EQ(choice.candidates.size(), 2u);
    EXPECT_EQ(choice.winner, 1u);
    EXPECT_EQ(choice.getWinner()->getName(), "bf16 x bf16");
    EXPECT_EQ(choice.candidates[0].veto, Veto::None);
    EXPECT_EQ(choice.candidates[0].uses[1].format, Format::E4M3);
    EXPECT_EQ(choice.reason, "policy: layernorm_column/fc1 tp=1: 32 tokens are "
                             "fewer than its 33");
    for (const Decision &use : assignment.uses[choice.node])
      EXPECT_EQ(use.rule, (choice.reason + ": reads bf16").str());
  }
  EXPECT_TRUE(assignment.fallbacks.empty()) << "a measured loss is no warning";
}

TEST_F(FollowPolicyTest, FasterFp8SaysSo) {
  Assignment assignment = assign("fp8-hybrid", kFast);
  const ContractionChoice &choice = getChoice(assignment, step.projections[0]);
  EXPECT_EQ(choice.winner, 0u);
  for (const Decision &use : assignment.uses[choice.node]) {
    EXPECT_EQ(use.format, Format::E4M3);
    EXPECT_TRUE(use.rule.ends_with("; policy: layernorm_column/fc1 tp=1: 32 "
                                   "tokens are at least its 32"));
  }
}

TEST_F(FollowPolicyTest, WithoutARuleBf16AndAFallback) {
  Assignment assignment = assign("fp8-hybrid", kEmpty);
  EXPECT_EQ(getChoice(assignment, step.wgrads[1]).getWinner()->getName(),
            "bf16 x bf16");
  // Each projection with its two backward products; the head is kept high.
  EXPECT_EQ(assignment.fallbacks.size(), 6u);
  EXPECT_EQ(assignment.fallbacks[0].reason,
            "the policy has no rule for layernorm_column/fc1 tp=1");
}

/// A policy that finds FP8 faster puts none where the recipe has none, where a
/// class is kept high, or where the target has no such product.
TEST_F(FollowPolicyTest, WidensNothing) {
  Assignment fp8 = assign("fp8-hybrid", kFast);
  EXPECT_EQ(fp8.uses[step.builder.node(step.logits)][0].format, Format::BF16);
  EXPECT_TRUE(getChoice(fp8, step.logits).reason.empty());
  for (auto [recipe, target] :
       {std::pair("bf16", "sm_90a"), std::pair("fp8-hybrid", "sm_80")}) {
    Assignment assignment = assign(recipe, kFast, target);
    for (const ContractionChoice &choice : assignment.choices) {
      EXPECT_EQ(choice.getWinner()->getName(), "bf16 x bf16") << recipe;
      EXPECT_TRUE(choice.reason.empty());
    }
  }
}

} // namespace
