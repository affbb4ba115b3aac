//===- PolicyChoicesTest.cpp - a policy's word on contractions ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Classify.h"
#include "prec/Assign/PolicyChoices.h"

#include "GraphBuilder.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;
using namespace prec::test;

namespace {

const ContractionFormats kFp8{"e4m3", "e4m3", "bf16", "tensor_current", "fast"};
const ContractionFormats kPlain{"bf16", "bf16"};

/// Three layers whose projections are layernorm_column/fc1 of 32 tokens.
struct PolicyChoicesTest : testing::Test {
  Step step = buildStep(3, /*withRoles=*/true);
  Classification facts = classify(step.builder.graph);
  PolicySources sources;

  /// Projections have paths "layers.0", "layers.1", ...
  PolicyChoicesTest() {
    for (auto [i, value] : llvm::enumerate(step.projections))
      step.builder.graph.nodes[step.builder.node(value)].path =
          "layers." + std::to_string(i);
  }
  void setPolicy(StringRef text) {
    llvm::Expected<Policy> policy = parsePolicy(text, "p.json");
    ASSERT_TRUE(bool(policy)) << llvm::toString(policy.takeError());
    sources.policy = std::move(*policy);
    sources.policyFile = "p.json";
  }
  void setMap(StringRef text) {
    llvm::Expected<ModuleMap> map = parseModuleMap(text, "m.json");
    ASSERT_TRUE(bool(map)) << llvm::toString(map.takeError());
    sources.map = std::move(*map);
    sources.mapFile = "m.json";
  }
  PolicyChoices makeChoices() const {
    return {step.builder.graph, facts, sources};
  }
  PolicyVerdict decide(const PolicyChoices &choices, ValueId value) const {
    return choices.decide(step.builder.node(value), kFp8, kPlain);
  }
};

constexpr StringRef kThresholds = R"({"version": 1, "speedup_threshold": 1.0,
 "rules": {"layernorm_column": {"fc1": [{"tp": 1, "min_tokens": 32},
                                        {"tp": 2, "min_tokens": 33}]}}})";

TEST_F(PolicyChoicesTest, OneWordForAllDirections) {
  setPolicy(kThresholds);
  PolicyChoices choices = makeChoices();
  for (ValueId value : {step.projections[1], step.wgrads[1], step.dgrads[1]})
    EXPECT_TRUE(decide(choices, value).useFp8);
  setMap(R"({"version": 1, "tp": 2})");
  PolicyChoices split = makeChoices();
  for (ValueId value : {step.projections[1], step.wgrads[1], step.dgrads[1]})
    EXPECT_EQ(decide(split, value).reason,
              "layernorm_column/fc1 tp=2: 32 tokens are fewer than its 33");
}

/// The head belongs to no module: nothing is known, so BF16.
TEST_F(PolicyChoicesTest, WithoutAModuleBf16) {
  setPolicy(kThresholds);
  PolicyVerdict verdict = decide(makeChoices(), step.logits);
  EXPECT_FALSE(verdict.useFp8);
  EXPECT_TRUE(verdict.isMissing);
}

TEST_F(PolicyChoicesTest, MapRenamesModules) {
  setPolicy(kThresholds);
  setMap(R"({"version": 1, "modules": [
    {"path": "layers.1", "kind": "row", "ub_name": "proj"},
    {"path": "layers.*", "kind": "layernorm_column", "ub_name": "fc1"},
    {"path": "vision.*", "kind": "column_grouped", "num_gemms": 8}]})");
  PolicyChoices choices = makeChoices();
  EXPECT_TRUE(decide(choices, step.projections[0]).useFp8);
  EXPECT_EQ(decide(choices, step.projections[1]).reason,
            "no rule for row/proj tp=1");
  PolicyChoices::Unused unused = choices.getUnused();
  ASSERT_EQ(unused.texts.size(), 1u);
  EXPECT_EQ(unused.texts[0],
            "m.json:4:14: path 'vision.*' matches no contraction of a weight");
  EXPECT_EQ(unused.otherSizes, 1u);
}

TEST_F(PolicyChoicesTest, ComponentsHavePoliciesAndTokensOfTheirOwn) {
  setPolicy(kThresholds);
  setMap(R"({"version": 1, "components": [
    {"path": "layers.0", "num_tokens": 16},
    {"path": "layers.1", "policy": "other.json", "tp": 4}]})");
  llvm::Expected<Policy> other =
      parsePolicy(R"({"version": 1, "speedup_threshold": 1.0, "rules":
        {"layernorm_column": {"fc1": [{"tp": 4, "min_tokens": 1}]}}})",
                  "other.json");
  ASSERT_TRUE(bool(other));
  sources.components.emplace("other.json", std::move(*other));
  PolicyChoices choices = makeChoices();
  EXPECT_FALSE(decide(choices, step.projections[0]).useFp8);
  EXPECT_TRUE(decide(choices, step.projections[1]).useFp8);
  EXPECT_EQ(choices.getModules()[1].component, 1);
  EXPECT_TRUE(decide(choices, step.projections[2]).useFp8);
  EXPECT_EQ(choices.getModules()[2].component, -1);
}

TEST_F(PolicyChoicesTest, ReportsUnusedRules) {
  setPolicy(R"({"version": 1, "speedup_threshold": 1.0, "rules": {
    "layernorm_column": {"fc1": [{"tp": 1, "min_tokens": 1}],
                         "qkv": [{"tp": 1, "min_tokens": 1}]},
    "row_grouped": [{"etp": 1, "num_gemms": 4, "min_tokens": 1},
                    {"etp": 8, "num_gemms": 4, "min_tokens": 1}]}})");
  PolicyChoices::Unused unused = makeChoices().getUnused();
  EXPECT_EQ(unused.texts,
            (std::vector<std::string>{
                "p.json:3:34: rule for layernorm_column/qkv tp=1 is for no "
                "module of this graph",
                "p.json:4:21: rule for row_grouped etp=1 num_gemms=4 is for no "
                "module of this graph"}));
  EXPECT_EQ(unused.otherSizes, 1u);
}

/// Version 2: each direction by its own time; modules where a contraction was
/// not measured.
TEST_F(PolicyChoicesTest, TimesDecideEachDirection) {
  setPolicy(R"({"version": 2, "machines": [{"id": "a", "gpu": "H200"}],
    "contractions": [
      {"machine": "a", "direction": "fprop", "m": 32, "n": 64, "k": 64,
       "lhs": "bf16", "rhs": "bf16", "us": 10},
      {"machine": "a", "direction": "fprop", "m": 32, "n": 64, "k": 64,
       "lhs": "e4m3", "rhs": "e4m3", "scaling": "tensor_current",
       "accumulator": "fast", "us": 6},
      {"machine": "a", "direction": "wgrad", "m": 64, "n": 64, "k": 32,
       "lhs": "bf16", "rhs": "bf16", "us": 10},
      {"machine": "a", "direction": "wgrad", "m": 64, "n": 64, "k": 32,
       "lhs": "e4m3", "rhs": "e4m3", "scaling": "tensor_current",
       "accumulator": "fast", "us": 11}],
    "modules": [
      {"machine": "a", "kind": "layernorm_column", "ub_name": "fc1", "tp": 1,
       "tokens": 32, "precision": "bf16", "us": 30},
      {"machine": "a", "kind": "layernorm_column", "ub_name": "fc1", "tp": 1,
       "tokens": 32, "precision": "fp8", "us": 20}]})");
  PolicyChoices choices = makeChoices();
  EXPECT_TRUE(decide(choices, step.projections[0]).useFp8);
  EXPECT_FALSE(decide(choices, step.wgrads[0]).useFp8);
  PolicyVerdict dgrad = decide(choices, step.dgrads[0]);
  EXPECT_TRUE(dgrad.useFp8);
  EXPECT_EQ(dgrad.reason,
            "layernorm_column/fc1 tp=1 at 32 tokens: FP8 wins at 32");
}

constexpr StringRef kAsked =
    R"("kind": "layernorm_column", "ub_name": "fc1", "tokens": 7)";

/// At other numbers of tokens and in other formats times are of use, or could
/// be; of other sizes, directions and modules they are not.
TEST_F(PolicyChoicesTest, CountsUnusedTimes) {
  auto makePolicy = [](StringRef contraction, StringRef module) {
    return R"({"version": 2, "machines": [{"id": "a", "gpu": "H200"}],
      "contractions": [{"machine": "a", "lhs": "bf16", "rhs": "bf16", "us": 1, )" +
           contraction.str() + R"(}],
      "quantizations": [{"machine": "a", "rows": 3, "columns": 5,
        "from": "bf16", "to": "e4m3", "scaling": "tensor_current",
        "layouts": "both", "us": 1}],
      "modules": [{"machine": "a", "tp": 1, "precision": "bf16", "us": 1, )" +
           module.str() + "}]}";
  };
  auto count = [&](StringRef contraction, StringRef module = kAsked) {
    setPolicy(makePolicy(contraction, module));
    PolicyChoices::Unused unused = makeChoices().getUnused();
    EXPECT_TRUE(unused.texts.empty());
    return unused.times;
  };
  constexpr StringRef kFprop =
      R"("direction": "fprop", "m": 32, "n": 64, "k": 64)";
  EXPECT_EQ(count(kFprop), 0u);
  EXPECT_EQ(count(R"("direction": "fprop", "m": 4096, "n": 64, "k": 64)"), 0u);
  EXPECT_EQ(count(R"("direction": "wgrad", "m": 64, "n": 64, "k": 4096)"), 0u);
  EXPECT_EQ(count(R"("direction": "fprop", "m": 32, "n": 65, "k": 64)"), 1u);
  EXPECT_EQ(count(R"("direction": "wgrad", "m": 4096, "n": 64, "k": 32)"), 1u);
  EXPECT_EQ(
      count(R"("direction": "fprop", "m": 32, "n": 64, "k": 64, "batch": 2)"),
      1u);
  EXPECT_EQ(
      count(kFprop,
            R"("kind": "layernorm_column", "ub_name": "qkv", "tokens": 32)"),
      1u);
  EXPECT_EQ(count(kFprop, kAsked.str() + R"(, "model": "llm")"), 0u);
  setMap(R"({"version": 1, "model": "vision"})");
  EXPECT_EQ(count(kFprop, kAsked.str() + R"(, "model": "llm")"), 1u);
  EXPECT_EQ(count(kFprop, kAsked.str() + R"(, "model": "vision")"), 0u);
}

} // namespace
