//===- SoftmaxBoundsTest.cpp - the tail of a softmax in a graph -----------===//
#include "prec/Assign/Assignment.h"

#include "MoeStep.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::prec;
using namespace mlir::prec::test;

namespace {

/// Two softmaxes: of attention and of the router.
struct SoftmaxBounds : testing::Test {
  MoeStep step = buildMoeStep(/*isSigmoid=*/false);
  Classification facts = classify(step.builder.graph);
  Numerics numerics;
  BoundInputs inputs;
  std::unique_ptr<RuleSet> rules;

  Assignment assign(StringRef recipe) {
    llvm::Expected<Recipe> parsed =
        parseRecipe(findBuiltinRecipe(recipe), recipe, {});
    EXPECT_TRUE(bool(parsed));
    AssignmentInputs all;
    all.bounds = &inputs;
    all.rules = rules.get();
    return assignPrecision(step.builder.graph, facts, *parsed,
                           *findTarget("cpu"), all);
  }
  static unsigned count(const Assignment &assignment, StringRef rule) {
    return llvm::count_if(assignment.findings, [&](const auto &finding) {
      return finding.rule == rule;
    });
  }
};

constexpr llvm::StringLiteral kLost = "bf16 probabilities lose their tail";

TEST_F(SoftmaxBounds, AnAssumedGapDecides) {
  EXPECT_EQ(count(assign("bf16"), kLost), 0u);
  inputs.assumptions.softmaxGap = 92;
  EXPECT_EQ(count(assign("bf16"), kLost), 0u);
  inputs.assumptions.softmaxGap = 94;
  Assignment bf16 = assign("bf16");
  ASSERT_GE(count(bf16, kLost), 1u);
  for (const BoundFinding &finding : bf16.findings)
    EXPECT_EQ(finding.detail, "logits of a row are up to 94 apart, but what is "
                              "more than 93 below the largest becomes zero");
  EXPECT_EQ(count(assign("fp32"), kLost), 0u);
  inputs.assumptions.softmaxGap = 18;
  EXPECT_GE(count(assign("fp16"), "f16 probabilities lose their tail"), 1u);
}

/// Twice the amax of the logits, unless a mask made it.
TEST_F(SoftmaxBounds, MeasuredLogitsDecide) {
  Graph &graph = step.builder.graph;
  ValueId logits =
      graph.nodes[step.builder.node(step.probabilities)].operands[0];
  graph.nodes[step.builder.node(logits)].path = "scaled";
  auto measure = [&](double amax) {
    numerics = Numerics();
    TensorNumerics tensor;
    tensor.path = "scaled";
    tensor.phase = "forward";
    tensor.amax = amax;
    tensor.rms = 1;
    EXPECT_TRUE(numerics.addTensor(tensor));
    inputs.numerics = &numerics;
    return count(assign("bf16"), kLost);
  };
  EXPECT_EQ(measure(46), 0u);
  EXPECT_EQ(measure(47), 1u);
  EXPECT_EQ(measure(3.4e38), 0u);
}

/// With a scale of 448 e4m3 keeps a gap of 13.0.
TEST_F(SoftmaxBounds, ScaledUsesLoseTheirTailLater) {
  llvm::Expected<RuleSet> parsed = parseRules(
      R"({"version": 1, "rules": [{"match": {"class": "attention"},
          "pin": {"reads": "e4m3"}, "reason": "a test"}]})",
      "rules.json");
  ASSERT_TRUE(bool(parsed));
  rules = std::make_unique<RuleSet>(std::move(*parsed));
  constexpr llvm::StringLiteral kRule =
      "nothing but e4m3 x e4m3 is permitted, but e4m3 loses the tail of a "
      "softmax";
  inputs.assumptions.softmaxGap = 12.9;
  EXPECT_EQ(count(assign("fp8-hybrid"), kRule), 0u);
  inputs.assumptions.softmaxGap = 13.1;
  EXPECT_GE(count(assign("fp8-hybrid"), kRule), 1u);
}

} // namespace
