//===- BoundsTest.cpp - numeric bounds of an assignment -------------------===//
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

struct BoundsTest : testing::Test {
  Step step = buildStep(2, /*withRoles=*/true);
  Classification facts;
  Numerics numerics;
  BoundInputs inputs;

  BoundsTest() {
    for (auto [i, value] : llvm::enumerate(step.projections))
      step.builder.graph.nodes[step.builder.node(value)].path =
          "layers." + std::to_string(i);
    step.builder.graph.nodes[step.builder.node(step.logits)].path = "head";
    facts = classify(step.builder.graph);
    inputs.numerics = &numerics;
  }
  Assignment assign(StringRef recipe, const RecipeOptions &options = {}) {
    llvm::Expected<Recipe> parsed =
        parseRecipe(findBuiltinRecipe(recipe), recipe, options);
    EXPECT_TRUE(bool(parsed));
    AssignmentInputs all;
    all.bounds = &inputs;
    return assignPrecision(step.builder.graph, facts, *parsed,
                           *findTarget("sm_90a"), all);
  }
  Assignment assignMasters(Format format,
                           MasterRounding rounding = MasterRounding::Nearest) {
    RecipeOptions options;
    options.masterRounding = rounding;
    options.dtypes[Dtype::Master] = format;
    return assign("bf16", options);
  }
  const ContractionChoice &getChoice(const Assignment &assignment,
                                     ValueId value) {
    return *llvm::find_if(assignment.choices, [&](const auto &choice) {
      return choice.node == step.builder.node(value);
    });
  }
  static TensorNumerics makeUse(double amax, double rms) {
    TensorNumerics use;
    use.path = "layers.0";
    use.direction = "fprop";
    use.amax = amax;
    use.rms = rms;
    return use;
  }
  static unsigned count(const Assignment &assignment, StringRef rule) {
    return llvm::count_if(assignment.findings, [&](const auto &finding) {
      return finding.rule == rule;
    });
  }
};

TEST_F(BoundsTest, NothingKnownVetoesNothing) {
  Assignment assignment = assign("fp8-hybrid");
  EXPECT_TRUE(assignment.findings.empty());
  EXPECT_TRUE(assignment.fallbacks.empty());
}

/// What was measured under the very scaling decides.
TEST_F(BoundsTest, MeasuredUnderflowVetoesOneDirectionOfOneLayer) {
  TensorNumerics use = makeUse(1, 0.1);
  use.losses.push_back({"e4m3", "tensor_current", 0.07, 0, 20});
  ASSERT_TRUE(numerics.addUse(use));
  Assignment assignment = assign("fp8-hybrid");
  const ContractionChoice &choice = getChoice(assignment, step.projections[0]);
  EXPECT_EQ(choice.getWinner()->getName(), "bf16 x bf16");
  EXPECT_EQ(choice.candidates[0].veto, Veto::Bound);
  EXPECT_EQ(choice.candidates[0].vetoReason,
            "e4m3 underflows: 7 % of operand 0, more than 5 %");
  EXPECT_EQ(assignment.uses[choice.node][0].rule,
            "fp8-hybrid fprop would read e4m3 x e4m3, but e4m3 underflows: 7 % "
            "of operand 0, more than 5 %: reads bf16");
  ASSERT_EQ(assignment.fallbacks.size(), 1u);
  EXPECT_EQ(assignment.fallbacks[0].reason, "e4m3 underflows");
  for (ValueId other : {step.projections[1], step.dgrads[0], step.wgrads[0]})
    EXPECT_TRUE(
        isNarrow(getChoice(assignment, other).getWinner()->uses[0].format));
  inputs.limits.underflow = 0.08;
  EXPECT_TRUE(assign("fp8-hybrid").fallbacks.empty());
}

/// Without losses, from amax and root mean square: an outlier 10^6 times the
/// rest leaves nothing of the rest.
TEST_F(BoundsTest, EstimatesUnderflowOfATensorWithAnOutlier) {
  ASSERT_TRUE(numerics.addUse(makeUse(1e4, 1e-2)));
  Assignment assignment = assign("fp8-hybrid");
  const ContractionChoice &choice = getChoice(assignment, step.projections[0]);
  EXPECT_EQ(choice.candidates[0].veto, Veto::Bound);
  EXPECT_TRUE(choice.candidates[0].vetoReason.contains(
      "of operand 0, by its amax and rms"));
}

TEST_F(BoundsTest, CoarseAndOverflowingOperands) {
  TensorNumerics use = makeUse(1, 0.1);
  use.losses.push_back({"e4m3", "tensor_current", 0, 0.002, 20});
  ASSERT_TRUE(numerics.addUse(use));
  TensorNumerics other = use;
  other.path = "layers.1";
  other.index = 1;
  other.losses[0] = {"e4m3", "tensor_current", 0, 0, 8};
  ASSERT_TRUE(numerics.addUse(other));
  Assignment assignment = assign("fp8-hybrid");
  EXPECT_EQ(getChoice(assignment, step.projections[0]).candidates[0].vetoReason,
            "e4m3 overflows: 0.2 % of operand 0, more than 0.1 %");
  EXPECT_EQ(getChoice(assignment, step.projections[1]).candidates[0].vetoReason,
            "e4m3 is too coarse: a signal to noise ratio of 8 dB of operand 1, "
            "less than 10");
}

/// A bound leaves no step without a product: what is wrong is a finding.
TEST_F(BoundsTest, TheLastCandidateStays) {
  TensorNumerics use = makeUse(1, 0.1);
  use.losses.push_back({"bf16", "none", 0.5, 0, 50});
  ASSERT_TRUE(numerics.addUse(use));
  Assignment assignment = assign("bf16");
  EXPECT_EQ(getChoice(assignment, step.projections[0]).getWinner()->getName(),
            "bf16 x bf16");
  EXPECT_EQ(count(assignment,
                  "nothing but bf16 x bf16 is permitted, but bf16 underflows"),
            1u);
}

/// Hopper's accumulator over K = 64 loses little, but not nothing.
TEST_F(BoundsTest, CoarseAccumulatorsArePromoted) {
  inputs.limits.accumulation = 1e-6;
  Assignment nothing = assign("fp8-hybrid");
  EXPECT_EQ(getChoice(nothing, step.projections[0]).getWinner()->getName(),
            "bf16 x bf16");
  inputs.limits.accumulation = 0.5;
  Assignment all = assign("fp8-hybrid");
  EXPECT_EQ(
      getChoice(all, step.projections[0]).getWinner()->uses[0].accumulator,
      Accumulator::Fast);
  // A long sum: fast is off by percents, promoted is not (docs/Bounds.md).
  step.builder.graph.nodes[step.builder.node(step.projections[0])].shape.k =
      4096;
  inputs.limits.accumulation = 0.01;
  Assignment assignment = assign("fp8-hybrid");
  const ContractionChoice &choice = getChoice(assignment, step.projections[0]);
  EXPECT_EQ(choice.winner, 1u);
  EXPECT_EQ(choice.getWinner()->getName(), "e4m3 x e4m3");
  EXPECT_EQ(choice.getWinner()->uses[0].accumulator, Accumulator::Promoted);
  EXPECT_TRUE(choice.candidates[0].vetoReason.starts_with(
      "fast accumulation is too coarse: sums of 4096 products that do not "
      "cancel are off by "));
  EXPECT_TRUE(
      assignment.uses[choice.node][0].rule.ends_with(": reads e4m3, promoted"));
}

/// A full sum that the target does not keep is promoted, and bounded.
TEST_F(BoundsTest, FullAccumulatorsAreNoWayAroundTheBound) {
  std::string text = findBuiltinRecipe("fp8-hybrid").str();
  for (StringRef mode : {"\"fast\"", "\"promoted\""})
    for (size_t at; (at = text.find(mode.str())) != std::string::npos;)
      text.replace(at, mode.size(), "\"full\"");
  llvm::Expected<Recipe> recipe = parseRecipe(text, "full.json");
  ASSERT_TRUE(bool(recipe));
  auto assignOn = [&](StringRef target) {
    AssignmentInputs all;
    all.bounds = &inputs;
    return assignPrecision(step.builder.graph, facts, *recipe,
                           *findTarget(target), all);
  };
  auto getUse = [&](const Assignment &assignment) {
    return getChoice(assignment, step.projections[0]).getWinner()->uses[0];
  };
  Decision promoted = getUse(assignOn("sm_90a"));
  EXPECT_EQ(promoted.accumulator, Accumulator::Promoted);
  EXPECT_TRUE(promoted.rule.contains(
      "promoted, because sm_90a keeps no full FP32 sum of FP8 products"));
  for (const char *target : {"sm_100a", "cpu"})
    EXPECT_EQ(getUse(assignOn(target)).accumulator, Accumulator::Full);
  inputs.limits.accumulation = 1e-9;
  EXPECT_EQ(getUse(assignOn("sm_90a")).format, Format::BF16);
  // The CPU adds in FP32; there is nothing to bound.
  EXPECT_EQ(getUse(assignOn("cpu")).format, Format::E4M3);
}

/// The length that a message names is the one that was looked at.
TEST_F(BoundsTest, LongSumsAreBoundedByTheirLength) {
  GraphNode &node =
      step.builder.graph.nodes[step.builder.node(step.projections[0])];
  inputs.limits.accumulation = 0.5;
  auto getReason = [&](int64_t k) {
    node.shape.k = k;
    Assignment assignment = assign("fp8-hybrid");
    return getChoice(assignment, step.projections[0])
        .candidates[0]
        .vetoReason.str();
  };
  EXPECT_EQ(getReason(1 << 16), "");
  EXPECT_TRUE(StringRef(getReason(1 << 20))
                  .contains("sums of 1048576 products that do not cancel are "
                            "off by 9"));
  EXPECT_TRUE(StringRef(getReason(1 << 24))
                  .contains("sums of 16777216 products that do not cancel are "
                            "off by up to "));
}

/// docs/Bounds.md: at rms 0.02 a step of 1e-5 moves 15 % in BF16, all in FP32.
TEST_F(BoundsTest, Bf16MastersStall) {
  inputs.assumptions.learningRate = 1e-5;
  Assignment bf16 = assignMasters(Format::BF16);
  unsigned parameters = 0;
  for (const GraphValue &value : step.builder.graph.values)
    parameters += value.origin == Origin::Parameter;
  EXPECT_EQ(count(bf16, "bf16 masters stall"), parameters);
  EXPECT_TRUE(llvm::any_of(bf16.findings, [](const BoundFinding &finding) {
    return finding.detail == "a step of 1e-05, learning rate 1e-05 (assumed), "
                             "moves 15 % of weights of rms 0.02, less than "
                             "50 %";
  }));
  EXPECT_TRUE(assignMasters(Format::F32).findings.empty());
  // Small steps arrive in the mean, or some of them do.
  EXPECT_TRUE(
      assignMasters(Format::BF16, MasterRounding::Stochastic).findings.empty());
  EXPECT_EQ(count(assignMasters(Format::BF16, MasterRounding::PrecisionAware),
                  "bf16 masters stall"),
            parameters);
  // Large steps arrive, at matrices and at gammas near 1.
  inputs.assumptions.learningRate = 1e-2;
  EXPECT_TRUE(assignMasters(Format::BF16).findings.empty());
}

/// FP32 second moments lose gradients below 1.2e-22 at beta2 0.95.
TEST_F(BoundsTest, SecondMomentsUnderflow) {
  inputs.assumptions.beta2 = 0.95;
  inputs.assumptions.gradientRms = 1e-22;
  inputs.assumptions.epsilon = 1e-30;
  EXPECT_GT(count(assign("bf16"), "f32 second moments lose the gradient"), 0u);
  inputs.assumptions.gradientRms = 1e-20;
  EXPECT_TRUE(assign("bf16").findings.empty());
  inputs.assumptions.beta2 = 1 - 1e-9;
  Assignment assignment = assign("bf16");
  EXPECT_EQ(count(assignment, "f32 second moments never fall"),
            step.builder.graph.updates.size());
  for (const GraphUpdate &update : step.builder.graph.updates)
    EXPECT_TRUE(llvm::any_of(assignment.findings, [&](const auto &finding) {
      return finding.value == update.secondMoment;
    }));
}

/// What the graph records of its optimizer is taken, what the user assumes goes
/// before it, and both are said.
TEST_F(BoundsTest, UpdatesFollowTheGraphsHyperParameters) {
  std::vector<GraphUpdate> &updates = step.builder.graph.updates;
  EXPECT_TRUE(assignMasters(Format::BF16).findings.empty());
  for (GraphUpdate &update : updates) {
    update.learningRate = 1e-5;
    update.weightDecay = 0.1;
  }
  updates[0].learningRate = 1e-2;
  auto print = [&] {
    std::string text;
    Assignment assignment = assignMasters(Format::BF16);
    EXPECT_EQ(count(assignment, "bf16 masters stall"), updates.size() - 1);
    for (const BoundFinding &finding : assignment.findings) {
      EXPECT_NE(finding.value, updates[0].parameter);
      text += finding.detail + "\n";
    }
    return text;
  };
  EXPECT_TRUE(StringRef(print()).contains(
      "learning rate 1e-05 (of the graph), weight decay 0.1 (of the graph)"));
  inputs.assumptions.weightDecay = 0;
  EXPECT_FALSE(StringRef(print()).contains("weight decay"));
  inputs.assumptions.learningRate = 1e-2;
  EXPECT_TRUE(assignMasters(Format::BF16).findings.empty());
  // The second moment's decay, too.
  updates[1].beta2 = 1 - 1e-9;
  Assignment assignment = assign("bf16");
  ASSERT_EQ(assignment.findings.size(), 1u);
  EXPECT_EQ(assignment.findings[0].value, updates[1].secondMoment);
  EXPECT_TRUE(
      StringRef(assignment.findings[0].detail).contains("of the graph"));
  inputs.assumptions.beta2 = 0.95;
  EXPECT_TRUE(assign("bf16").findings.empty());
}

TEST_F(BoundsTest, LogitsTooLargeForTheirFormat) {
  inputs.assumptions.largestLogit = 30;
  EXPECT_TRUE(assign("bf16").findings.empty());
  inputs.assumptions.largestLogit = 1000;
  EXPECT_EQ(count(assign("bf16"), "bf16 logits are too coarse"), 1u);
  EXPECT_TRUE(assign("fp32").findings.empty());
  inputs.assumptions.largestLogit = 1e5;
  EXPECT_EQ(count(assign("fp16"), "f16 logits overflow"), 1u);
}

/// F16 ends at 65504; BF16 does not.
TEST_F(BoundsTest, StoredValuesOverflow) {
  TensorNumerics tensor;
  tensor.path = "layers.0";
  tensor.phase = "forward";
  tensor.amax = 7e4;
  tensor.rms = 10;
  ASSERT_TRUE(numerics.addTensor(tensor));
  EXPECT_EQ(count(assign("fp16"), "f16 overflows"), 1u);
  EXPECT_TRUE(assign("bf16").findings.empty());
}

} // namespace
