//===- AdaptiveFp8Test.cpp - LoongForge's policies, row by row ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "Adaptive FP8 Training": its example of a policy, its decision logic, its
// promotion of experts and its table of scenarios.
//
//===----------------------------------------------------------------------===//
#include "prec/Policy/Policy.h"

#include "gtest/gtest.h"

using namespace prec;
using llvm::StringRef;

namespace {

/// Section 2.2, character for character.
constexpr StringRef kExample = R"({
  "version": 1,
  "speedup_threshold": 1.0,
  "rules": {
    "layernorm_column": {
      "qkv": [{"tp": 1, "min_tokens": 16384, "measured_speedup": 1.03}],
      "fc1": [{"tp": 1, "min_tokens": 4096,  "measured_speedup": 1.18}]
    },
    "row": {
      "proj": [{"tp": 1, "min_tokens": 16384, "measured_speedup": 1.05}],
      "fc2":  [{"tp": 1, "min_tokens": 8192,  "measured_speedup": 1.23}]
    },
    "column_grouped": [
      {"etp": 1, "num_gemms": 64, "min_tokens": 424, "measured_speedup": 1.02}
    ],
    "row_grouped": [
      {"etp": 1, "num_gemms": 64, "min_tokens": 424, "measured_speedup": 1.04}
    ]
  }
})";

ThresholdPolicy read(StringRef text) {
  llvm::Expected<Policy> policy = parsePolicy(text, "policy.json");
  EXPECT_TRUE(bool(policy)) << llvm::toString(policy.takeError());
  return policy ? *policy->getThresholds() : ThresholdPolicy();
}

using K = ModuleKind;

bool isFp8(const ThresholdPolicy &policy, K kind, StringRef name,
           int64_t tokens, int64_t tp = 1) {
  return decideModule(policy, ModuleKey::makeDense(kind, name, tp), tokens)
      .useFp8;
}
bool isGroupedFp8(const ThresholdPolicy &policy, K kind, int64_t tokens,
                  int64_t numGemms = 64, int64_t etp = 1) {
  return decideModule(policy, ModuleKey::makeGrouped(kind, etp, numGemms),
                      tokens)
      .useFp8;
}

TEST(AdaptiveFp8, ExampleIsReadAsItIs) {
  ThresholdPolicy policy = read(kExample);
  EXPECT_EQ(policy.speedupThreshold, 1);
  EXPECT_EQ(policy.rules.size(), 6u);
  const ThresholdRule *qkv =
      policy.find(ModuleKey::makeDense(K::LayernormColumn, "qkv", 1));
  ASSERT_TRUE(qkv);
  EXPECT_EQ(qkv->minTokens, 16384);
  EXPECT_EQ(qkv->measuredSpeedup, 1.03);
  EXPECT_EQ(qkv->position.line, 6u);
  EXPECT_EQ(qkv->position.column, 15u);
  const ThresholdRule *experts =
      policy.find(ModuleKey::makeGrouped(K::RowGrouped, 1, 64));
  ASSERT_TRUE(experts);
  EXPECT_EQ(experts->measuredSpeedup, 1.04);
}

/// "Enable FP8 when seq_length x micro_batch_size >= min_tokens."
TEST(AdaptiveFp8, DecisionLogicDenseLayers) {
  ThresholdPolicy policy = read(kExample);
  EXPECT_TRUE(isFp8(policy, K::LayernormColumn, "fc1", getNumTokens(2048, 2)));
  EXPECT_TRUE(isFp8(policy, K::LayernormColumn, "fc1", getNumTokens(4097, 1)));
  EXPECT_FALSE(isFp8(policy, K::LayernormColumn, "fc1", getNumTokens(4095, 1)));
  // Modules of one kind and different shapes have thresholds of their own.
  int64_t tokens = getNumTokens(8192, 1);
  EXPECT_FALSE(isFp8(policy, K::LayernormColumn, "qkv", tokens));
  EXPECT_TRUE(isFp8(policy, K::Row, "fc2", tokens));
  EXPECT_FALSE(isFp8(policy, K::Row, "proj", tokens));
}

/// "Token count is seq_length x micro_batch_size x moe_router_topk."
TEST(AdaptiveFp8, DecisionLogicMoeLayers) {
  ThresholdPolicy policy = read(kExample);
  EXPECT_TRUE(isGroupedFp8(policy, K::ColumnGrouped, getNumTokens(53, 1, 8)));
  EXPECT_FALSE(isGroupedFp8(policy, K::ColumnGrouped, getNumTokens(53, 1, 7)));
  EXPECT_TRUE(isGroupedFp8(policy, K::RowGrouped, getNumTokens(53, 2, 4)));
  // ub_name and tp do not take part.
  ModuleKey key = ModuleKey::makeGrouped(K::ColumnGrouped, 1, 64);
  EXPECT_EQ(key.ubName, "");
}

/// "No matching entry for (ub_name, tp) or (etp, num_gemms): BF16."
TEST(AdaptiveFp8, DecisionLogicMissingRules) {
  ThresholdPolicy policy = read(kExample);
  constexpr int64_t kMany = 1 << 20;
  EXPECT_FALSE(isFp8(policy, K::LayernormColumn, "qkv", kMany, /*tp=*/2));
  EXPECT_FALSE(isFp8(policy, K::Duplicated, "q_down_proj", kMany));
  EXPECT_FALSE(isFp8(policy, K::Column, "fc1", kMany));
  EXPECT_FALSE(isFp8(policy, K::Row, "qkv", kMany));
  EXPECT_FALSE(isGroupedFp8(policy, K::ColumnGrouped, kMany, 32));
  EXPECT_FALSE(isGroupedFp8(policy, K::ColumnGrouped, kMany, 64, /*etp=*/2));
  PolicyVerdict verdict = decideModule(
      policy, ModuleKey::makeDense(K::LayernormColumn, "qkv", 2), kMany);
  EXPECT_TRUE(verdict.isMissing);
  EXPECT_EQ(verdict.reason, "no rule for layernorm_column/qkv tp=2");
}

/// All six kinds of section 3.2, with their typical names.
TEST(AdaptiveFp8, SupportedModuleTypes) {
  ThresholdPolicy policy = read(R"({
    "version": 1, "speedup_threshold": 1.0, "rules": {
      "layernorm_column": {"qkv": [{"tp": 2, "min_tokens": 1}],
                           "fc1": [{"tp": 2, "min_tokens": 1}]},
      "column": {"fc1": [{"tp": 2, "min_tokens": 1}]},
      "row": {"proj": [{"tp": 2, "min_tokens": 1}],
              "fc2": [{"tp": 2, "min_tokens": 1}]},
      "column_grouped": [{"etp": 2, "num_gemms": 8, "min_tokens": 1}],
      "row_grouped": [{"etp": 2, "num_gemms": 8, "min_tokens": 1}],
      "duplicated": {"q_down_proj": [{"tp": 2, "min_tokens": 1}],
                     "kv_down_proj": [{"tp": 2, "min_tokens": 1}]}}})");
  EXPECT_EQ(policy.rules.size(), 9u);
  // No batch has fewer than one token.
  EXPECT_EQ(
      decideModule(policy, ModuleKey::makeDense(K::Row, "fc2", 2), 1).change,
      "a policy without that rule");
  for (auto [kind, name] : {std::pair(K::LayernormColumn, "qkv"),
                            {K::LayernormColumn, "fc1"},
                            {K::Column, "fc1"},
                            {K::Row, "proj"},
                            {K::Row, "fc2"},
                            {K::Duplicated, "q_down_proj"},
                            {K::Duplicated, "kv_down_proj"}})
    EXPECT_TRUE(isFp8(policy, kind, name, 1, 2)) << name;
  EXPECT_TRUE(isGroupedFp8(policy, K::ColumnGrouped, 1, 8, 2));
  EXPECT_TRUE(isGroupedFp8(policy, K::RowGrouped, 1, 8, 2));
}

/// Section 3.3.
TEST(AdaptiveFp8, ExpertsArePromotedToGroupedKinds) {
  EXPECT_EQ(promoteToGrouped(K::Column), K::ColumnGrouped);
  EXPECT_EQ(promoteToGrouped(K::LayernormColumn), K::ColumnGrouped);
  EXPECT_EQ(promoteToGrouped(K::Row), K::RowGrouped);
  EXPECT_EQ(promoteToGrouped(K::ColumnGrouped), K::ColumnGrouped);
  EXPECT_EQ(promoteToGrouped(K::Duplicated), std::nullopt);
}

/// The dense layers of a model that the policy gives FP8, of four.
int countDenseFp8(const ThresholdPolicy &policy, int64_t tokens,
                  int64_t tp = 1) {
  return isFp8(policy, K::LayernormColumn, "qkv", tokens, tp) +
         isFp8(policy, K::LayernormColumn, "fc1", tokens, tp) +
         isFp8(policy, K::Row, "proj", tokens, tp) +
         isFp8(policy, K::Row, "fc2", tokens, tp);
}

/// "Dense model with large hidden size: all layers enabled by policy."
TEST(AdaptiveFp8, ScenarioDenseModelWithLargeHiddenSize) {
  EXPECT_EQ(countDenseFp8(read(kExample), getNumTokens(8192, 2)), 4);
}

/// "Dense model with short sequences: adaptively skipped."
TEST(AdaptiveFp8, ScenarioDenseModelWithShortSequences) {
  ThresholdPolicy policy = read(kExample);
  EXPECT_EQ(countDenseFp8(policy, getNumTokens(2048, 1)), 0);
  EXPECT_EQ(countDenseFp8(policy, getNumTokens(2048, 4)), 2);
}

/// "MoE with small experts: expert layers kept in BF16", the others not.
TEST(AdaptiveFp8, ScenarioMoeWithSmallExperts) {
  ThresholdPolicy policy = read(kExample);
  int64_t tokens = getNumTokens(16384, 1);
  EXPECT_EQ(countDenseFp8(policy, tokens), 4);
  // 256 small experts were measured and never won: no rule.
  EXPECT_FALSE(isGroupedFp8(policy, K::ColumnGrouped, tokens * 8, 256));
  EXPECT_FALSE(isGroupedFp8(policy, K::RowGrouped, tokens * 8, 256));
}

/// "MoE with high TP: substantially better than full FP8": only what still wins
/// when split that far is FP8.
TEST(AdaptiveFp8, ScenarioMoeWithHighTp) {
  ThresholdPolicy policy = read(R"({
    "version": 1, "speedup_threshold": 1.0, "rules": {
      "layernorm_column": {
        "qkv": [{"tp": 1, "min_tokens": 16384}],
        "fc1": [{"tp": 1, "min_tokens": 4096}, {"tp": 8, "min_tokens": 65536}]},
      "row": {"fc2": [{"tp": 1, "min_tokens": 8192}]}}})");
  EXPECT_EQ(countDenseFp8(policy, 32768, /*tp=*/1), 3);
  EXPECT_EQ(countDenseFp8(policy, 32768, /*tp=*/8), 0);
  EXPECT_EQ(countDenseFp8(policy, 65536, /*tp=*/8), 1);
}

/// "VLM: each component optimized independently", by its own policy and its own
/// number of tokens.
TEST(AdaptiveFp8, ScenarioVlm) {
  ThresholdPolicy language = read(kExample);
  ThresholdPolicy vision = read(R"({
    "version": 1, "speedup_threshold": 1.0, "rules": {
      "layernorm_column": {"fc1": [{"tp": 1, "min_tokens": 32768}]}}})");
  EXPECT_EQ(countDenseFp8(language, 8192), 2);
  EXPECT_EQ(countDenseFp8(vision, 8192), 0);
  EXPECT_EQ(countDenseFp8(vision, 65536), 1);
}

/// "Identical to full FP8: normal, the policy enables every module."
/// "Never slower than BF16": a rule that was measured below its own file's
/// threshold enables nothing; the threshold itself is enough.
TEST(AdaptiveFp8, MeasuredSpeedupsBelowTheThresholdEnableNothing) {
  ThresholdPolicy policy = read(R"({"version": 1, "speedup_threshold": 1.05,
    "rules": {"row": {
      "fc1": [{"tp": 1, "min_tokens": 0, "measured_speedup": 1.049}],
      "fc2": [{"tp": 1, "min_tokens": 0, "measured_speedup": 1.05}],
      "proj": [{"tp": 1, "min_tokens": 0}]}}})");
  EXPECT_FALSE(isFp8(policy, K::Row, "fc1", 1 << 20));
  EXPECT_TRUE(isFp8(policy, K::Row, "fc2", 1));
  EXPECT_TRUE(isFp8(policy, K::Row, "proj", 1));
  PolicyVerdict verdict =
      decideModule(policy, ModuleKey::makeDense(K::Row, "fc1", 1), 4096);
  EXPECT_FALSE(verdict.isMissing);
  EXPECT_EQ(verdict.reason, "row/fc1 tp=1: its measured speedup of 1.049 is "
                            "below the file's threshold of 1.05");
}

TEST(AdaptiveFp8, AThresholdOfZeroEnablesAlways) {
  ThresholdPolicy policy =
      read(R"({"version": 1, "speedup_threshold": 1.0, "rules": {
               "row": {"proj": [{"tp": 1, "min_tokens": 0}]}}})");
  EXPECT_TRUE(isFp8(policy, K::Row, "proj", 1));
}

} // namespace
