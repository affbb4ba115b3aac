//===- SoftmaxBoundsTest.cpp - the tail of a softmax in a graph -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Classify.h"
#include "prec/Assign/ParseRecipe.h"
#include "prec/Assign/Assigner.h"

#include "MoeStep.h"
#include "Targets.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;
using namespace prec::test;

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

/// A softmax between two contractions, as its author wrote it.
struct Written {
  GraphBuilder b;
  ValueId logits = kNone, probabilities = kNone, read = kNone;
};

enum class Form {
  Composite,
  Quotient,
  Reciprocal,
  Logarithm,
  Unshifted,
  /// The contraction comes before the division.
  Contracted,
  ContractedUnshifted,
};

Written write(Form form) {
  constexpr int64_t T = 64, D = 64;
  Written w;
  GraphBuilder &b = w.b;
  auto input = [&] { return b.argument(Origin::Input, {T, D}); };
  auto wide = [&](ValueId row, int64_t columns) {
    return b.layout(row, {T, columns});
  };
  auto binary = [&](ValueId x, ValueId y, uint32_t arithmetic) {
    return b.op(Structure::Elementwise, {x, y}, b.graph.values[x].shape,
                arithmetic);
  };
  w.logits = b.map(b.matmul(input(), input(), T, T, D), ArithMul);
  ValueId exponent = w.logits;
  if (form != Form::Unshifted && form != Form::ContractedUnshifted) {
    ValueId maximum = b.op(Structure::Reduction, {w.logits}, {T}, ArithMax);
    exponent = binary(w.logits, wide(maximum, T), ArithSub);
  }
  auto exponential = [&] { return b.map(exponent, ArithExp); };
  auto sum = [&](ValueId of) {
    return b.op(Structure::Reduction, {of}, {T}, ArithAdd);
  };
  switch (form) {
  case Form::Composite:
    w.probabilities = b.op(Structure::Softmax, {w.logits}, {T, T});
    break;
  case Form::Quotient:
  case Form::Unshifted: {
    ValueId e = exponential();
    w.probabilities = binary(e, wide(sum(e), T), ArithDiv);
    break;
  }
  case Form::Reciprocal: {
    ValueId e = exponential();
    w.probabilities = b.mul(e, wide(b.map(sum(e), ArithDiv), T));
    break;
  }
  case Form::Logarithm: {
    ValueId logarithm = b.map(sum(exponential()), ArithOther);
    w.probabilities =
        b.map(binary(exponent, wide(logarithm, T), ArithSub), ArithExp);
    break;
  }
  case Form::Contracted:
  case Form::ContractedUnshifted: {
    w.probabilities = exponential();
    w.read = b.matmul(w.probabilities, input(), T, D, T);
    b.ret(binary(w.read, wide(sum(w.probabilities), D), ArithDiv));
    return w;
  }
  }
  w.read = b.matmul(w.probabilities, input(), T, D, T);
  b.ret(w.read);
  return w;
}

struct WrittenSoftmax : testing::TestWithParam<Form> {
  Written written = write(GetParam());
  Classification facts = classify(written.b.graph);
  BoundInputs inputs;

  std::vector<BoundFinding> assign(StringRef recipe,
                                   const RuleSet *rules = nullptr) {
    AssignmentInputs all;
    all.bounds = &inputs;
    all.rules = rules;
    return assignPrecision(written.b.graph, facts,
                           llvm::cantFail(parseRecipe(findBuiltinRecipe(recipe),
                                                      recipe, {})),
                           *findTarget("cpu"), all)
        .findings;
  }
};

TEST_P(WrittenSoftmax, LosesTheSameTail) {
  inputs.assumptions.softmaxGap = 92;
  EXPECT_TRUE(assign("bf16").empty());
  inputs.assumptions.softmaxGap = 94;
  std::vector<BoundFinding> findings = assign("bf16");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, kLost);
  EXPECT_EQ(findings[0].value, written.probabilities);
  EXPECT_TRUE(assign("fp32").empty());
}

TEST_P(WrittenSoftmax, IsReadWithTheSameLoss) {
  RuleSet rules = llvm::cantFail(parseRules(
      R"({"version": 1, "rules": [{"match": {"class": "attention"},
          "pin": {"reads": "e4m3"}, "reason": "a test"}]})",
      "rules.json"));
  inputs.assumptions.softmaxGap = 12.9;
  EXPECT_TRUE(assign("fp8-hybrid", &rules).empty());
  inputs.assumptions.softmaxGap = 13.1;
  std::vector<BoundFinding> findings = assign("fp8-hybrid", &rules);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].node, written.b.node(written.read));
}

TEST_P(WrittenSoftmax, HasTheSameMeasuredLogits) {
  written.b.graph.nodes[written.b.node(written.logits)].path = "scaled";
  Numerics numerics;
  TensorNumerics tensor;
  tensor.path = "scaled";
  tensor.phase = "forward";
  tensor.amax = 47;
  tensor.rms = 1;
  ASSERT_TRUE(numerics.addTensor(tensor));
  inputs.numerics = &numerics;
  ASSERT_EQ(assign("bf16").size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Forms, WrittenSoftmax,
                         testing::Values(Form::Composite, Form::Quotient,
                                         Form::Reciprocal, Form::Logarithm,
                                         Form::Unshifted, Form::Contracted));

/// Nothing says how large the largest of a row is.
TEST(UnshiftedExponentials, AreNoProbabilities) {
  Written written = write(Form::ContractedUnshifted);
  Classification facts = classify(written.b.graph);
  EXPECT_EQ(facts.classes[written.b.node(written.read)],
            TensorClass::Attention);
  EXPECT_EQ(facts.logits[written.probabilities], kNone);
}

} // namespace
