//===- MergeTest.cpp - reports to policies --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Policy/Merge.h"

#include "../Support/BadFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include "gtest/gtest.h"

using namespace prec;
using namespace prec::test;
using llvm::StringRef;

namespace {

using K = ModuleKind;

/// Times of modules, added one by one.
struct Builder {
  MeasuredPolicy policy;
  Measurements &measured = policy.machines[Machine{"NVIDIA H200", {}}];

  /// FP8 takes 100 us, BF16 100 us times `speedup`.
  Builder &add(const ModuleKey &key, int64_t tokens, double speedup,
               const char *model = "") {
    ModuleTimes &times = measured.modules[{key, model, tokens}];
    times.bf16 = Time{100 * speedup, 0};
    times.fp8 = Time{100, 0};
    return *this;
  }
};

const ModuleKey kQkv = ModuleKey::makeDense(K::LayernormColumn, "qkv", 1);
const ModuleKey kQkv4 = ModuleKey::makeDense(K::LayernormColumn, "qkv", 4);
const ModuleKey kFc2 = ModuleKey::makeDense(K::Row, "fc2", 1);
const ModuleKey kExperts = ModuleKey::makeGrouped(K::ColumnGrouped, 1, 64);

/// The example of section 2.1: several sizes of tensor parallelism, a report
/// each, one policy.
TEST(Merge, ReportsOfSeveralSizesMakeOnePolicy) {
  Builder tp1, tp4, ep;
  tp1.add(kQkv, 4096, 0.9).add(kQkv, 8192, 1.1).add(kFc2, 4096, 1.2);
  tp4.add(kQkv4, 8192, 0.8).add(kQkv4, 16384, 1.05);
  ep.add(kExperts, 424, 1.0199);
  MeasuredPolicy merged = mergeReports({tp1.policy, tp4.policy, ep.policy}, 1);
  ThresholdMerge merge = makeThresholdPolicy(*merged.findMachine("H200"), 1);
  EXPECT_TRUE(merge.notes.empty());
  ASSERT_EQ(merge.policy.rules.size(), 4u);
  EXPECT_EQ(merge.policy.find(kQkv)->minTokens, 8192);
  EXPECT_EQ(merge.policy.find(kQkv)->measuredSpeedup, 1.1);
  EXPECT_EQ(merge.policy.find(kQkv4)->minTokens, 16384);
  EXPECT_EQ(merge.policy.find(kFc2)->minTokens, 4096);
  EXPECT_EQ(merge.policy.find(kExperts)->measuredSpeedup, 1.02);
}

TEST(Merge, SpeedupThresholdSetsTheBar) {
  Builder builder;
  builder.add(kQkv, 4096, 1.04).add(kQkv, 8192, 1.3);
  auto getMinTokens = [&](double threshold) {
    ThresholdMerge merge = makeThresholdPolicy(builder.measured, threshold);
    const ThresholdRule *rule = merge.policy.find(kQkv);
    return rule ? rule->minTokens : -1;
  };
  EXPECT_EQ(getMinTokens(1.0), 4096);
  EXPECT_EQ(getMinTokens(1.05), 8192);
  EXPECT_EQ(getMinTokens(1.3), -1) << "must be exceeded";
}

/// A win, then a loss, then a win.
TEST(Merge, SaysWhatVersion1CannotExpress) {
  Builder builder;
  builder.add(kQkv, 1024, 1.1).add(kQkv, 2048, 0.9).add(kQkv, 4096, 1.2);
  builder.add(kFc2, 1024, 1.1).add(kFc2, 2048, 0.9);
  ThresholdMerge merge = makeThresholdPolicy(builder.measured, 1);
  EXPECT_EQ(merge.policy.find(kQkv)->minTokens, 4096);
  EXPECT_EQ(merge.policy.find(kFc2), nullptr);
  ASSERT_EQ(merge.notes.size(), 2u);
  EXPECT_EQ(merge.notes[0],
            "layernorm_column/qkv tp=1: FP8 wins at 1024, loses at 2048, wins "
            "at 4096; version 1 has one threshold, took 4096");
  EXPECT_EQ(merge.notes[1],
            "row/fc2 tp=1: FP8 wins at 1024, loses at 2048; version 1 has one "
            "threshold, took BF16 everywhere");
}

TEST(Merge, ModelsThatShareAKeyTakeTheSafeSide) {
  Builder builder;
  builder.add(kQkv, 1024, 1.1, "llm").add(kQkv, 1024, 0.9, "vit");
  builder.add(kQkv, 4096, 1.3, "llm").add(kQkv, 4096, 1.2, "vit");
  builder.add(kFc2, 1024, 1.1, "llm").add(kFc2, 1024, 0.9, "vit");
  ThresholdMerge merge = makeThresholdPolicy(builder.measured, 1);
  EXPECT_EQ(merge.policy.find(kQkv)->minTokens, 4096);
  EXPECT_EQ(merge.policy.find(kQkv)->measuredSpeedup, 1.2);
  EXPECT_EQ(merge.policy.find(kFc2), nullptr);
  ASSERT_EQ(merge.notes.size(), 1u);
  EXPECT_EQ(merge.notes[0], "row/fc2 tp=1: FP8 wins in one model and loses in "
                            "another; version 1 cannot tell them apart, took "
                            "BF16 everywhere");
}

TEST(Merge, RepeatedMeasurementsAreCombined) {
  Builder a, b;
  ContractionKey gemm{"fprop", 128, 128, 128, 1, {"bf16", "bf16"}};
  QuantizationKey quantize{128, 128, "bf16", "e4m3", "row", "rows"};
  a.measured.contractions[gemm] = {10, 1};
  b.measured.contractions[gemm] = {16, 1};
  b.measured.quantizations[quantize] = {5, 0.5};
  a.add(kQkv, 1024, 1.04);
  b.add(kQkv, 1024, 1.1);
  MeasuredPolicy merged = mergeReports({a.policy, b.policy}, 1);
  const Measurements &measured = *merged.findMachine("");
  EXPECT_EQ(measured.contractions.at(gemm).us, 13);
  EXPECT_EQ(measured.contractions.at(gemm).noise, 3);
  EXPECT_EQ(measured.quantizations.at(quantize).us, 5);
  std::vector<TokenTimes> points = measured.getTokenTimes(kQkv, "");
  ASSERT_EQ(points.size(), 1u);
  EXPECT_DOUBLE_EQ(points[0].bf16.us, 107);
  EXPECT_NEAR(points[0].bf16.noise, 3, 1e-9);
}

TEST(Merge, MachinesStayApart) {
  Builder a, b;
  a.add(kQkv, 1024, 1.1);
  b.policy.machines.clear();
  Machine newer{"NVIDIA H200", {{"cublaslt", "14"}}};
  b.policy.machines[newer].modules[{kQkv, "", 1024}].bf16 = Time{1, 0};
  MeasuredPolicy merged = mergeReports({a.policy, b.policy}, 1.1);
  EXPECT_EQ(merged.machines.size(), 2u);
  EXPECT_EQ(merged.speedupThreshold, 1.1);
  EXPECT_EQ(merged.findMachine("H200"), nullptr);
}

constexpr StringRef kLayers = R"([
  {"case_name": "llm_qkv", "model_name": "qwen", "module_name": "TELayerNormColumnParallelLinear",
   "module_kind": "layernorm_column", "precision": "bf16", "input_shape": [4096, 1, 8192],
   "output_shape": [4096, 1, 10240], "num_tokens": 4096, "forward_ms": 0.3, "backward_ms": 0.6, "total_ms": 0.9,
   "tokens_per_second": 4.5e6, "forward_flops": 6.9e11, "backward_flops": 1.4e12, "total_flops": 2.1e12,
   "achieved_tflops": 2290.6, "tp_size": 2, "etp_size": 1, "num_gemms": 1, "ub_name": "qkv"},
  {"case_name": "llm_qkv", "model_name": "qwen", "module_kind": "layernorm_column", "precision": "fp8",
   "num_tokens": 4096, "total_ms": 0.6, "tp_size": 2, "ub_name": "qkv"},
  {"case_name": "experts", "model_name": "qwen", "module_kind": "column_grouped", "precision": "bf16",
   "num_tokens": 512, "total_ms": 1.5, "etp_size": 2, "num_gemms": 16, "ub_name": null}
])";

TEST(Report, ReadsListsOfLayerTimings) {
  llvm::Expected<MeasuredPolicy> report = parseReport(kLayers, "f", "H800");
  ASSERT_TRUE(bool(report)) << llvm::toString(report.takeError());
  const Measurements *measured = report->findMachine("H800");
  ASSERT_TRUE(measured);
  std::vector<TokenTimes> points = measured->getTokenTimes(
      ModuleKey::makeDense(K::LayernormColumn, "qkv", 2), "qwen");
  ASSERT_EQ(points.size(), 1u);
  EXPECT_DOUBLE_EQ(points[0].bf16.us, 900);
  EXPECT_DOUBLE_EQ(points[0].getSpeedup(), 1.5);
  ModuleRunKey experts{ModuleKey::makeGrouped(K::ColumnGrouped, 2, 16), "qwen",
                       512};
  EXPECT_EQ(measured->modules.at(experts).bf16->us, 1500);
}

/// One model in a sweep, whose name the benchmark changes for each size: not
/// several models that disagree.
TEST(Report, SizesOfASweepAreOneModel) {
  std::string text = "[";
  auto add = [&](StringRef model, StringRef precision, int64_t tokens,
                 double ms) {
    text += (text.size() > 1 ? "," : "") +
            llvm::formatv(R"({{"case_name": "{0}_qkv", "model_name": "{0}",
      "module_kind": "layernorm_column", "precision": "{1}",
      "num_tokens": {2}, "total_ms": {3}, "tp_size": 1, "ub_name": "qkv"})",
                          model, precision, tokens, ms)
                .str();
  };
  add("llm_s1024_b1", "bf16", 1024, 1);
  add("llm_s1024_b1", "fp8", 1024, 2);
  add("llm_s4096_b2", "bf16", 8192, 8);
  add("llm_s4096_b2", "fp8", 8192, 4);
  // No suffix of a sweep.
  add("vit_b16", "bf16", 4096, 4);
  add("vit_b16", "fp8", 4096, 2);
  llvm::Expected<MeasuredPolicy> report = parseReport(text + "]", "f");
  ASSERT_TRUE(bool(report)) << llvm::toString(report.takeError());
  const Measurements &measured = report->machines.begin()->second;
  EXPECT_EQ(measured.getModules().at(kQkv),
            (std::vector<std::string>{"llm", "vit_b16"}));
  ThresholdMerge merge = makeThresholdPolicy(measured, 1.0);
  ASSERT_TRUE(merge.policy.find(kQkv));
  EXPECT_EQ(merge.policy.find(kQkv)->minTokens, 8192);
}

/// In FP8 each expert's tokens are padded, so that numbers of tokens differ.
TEST(Report, PairsPaddedTokensWithTheirCase) {
  std::string text = "[";
  auto add = [&](StringRef model, StringRef kind, StringRef precision,
                 int64_t tokens, double ms) {
    text += (text.size() > 1 ? "," : "") +
            llvm::formatv(R"({{"case_name": "c", "model_name": "{0}",
      "module_kind": "{1}", "precision": "{2}", "num_tokens": {3},
      "total_ms": {4}, "num_gemms": 64})",
                          model, kind, precision, tokens, ms)
                .str();
  };
  add("m_s424_b1", "column_grouped", "bf16", 424, 3);
  add("m_s424_b1", "column_grouped", "fp8", 1024, 5);
  add("m_s1024_b1", "column_grouped", "bf16", 1024, 4);
  add("m_s1024_b1", "column_grouped", "fp8", 1024, 2);
  // More than padding can be; and two sizes under one name.
  add("m_s424_b1", "row_grouped", "bf16", 424, 3);
  add("m_s424_b1", "row_grouped", "fp8", 4096, 2);
  add("n", "row_grouped", "bf16", 424, 3);
  add("n", "row_grouped", "fp8", 1024, 2);
  add("n", "row_grouped", "fp8", 2048, 2);
  llvm::Expected<MeasuredPolicy> report = parseReport(text + "]", "f");
  ASSERT_TRUE(bool(report)) << llvm::toString(report.takeError());
  const Measurements &measured = report->machines.begin()->second;
  ModuleKey column = ModuleKey::makeGrouped(K::ColumnGrouped, 1, 64),
            row = ModuleKey::makeGrouped(K::RowGrouped, 1, 64);
  std::vector<TokenTimes> points = measured.getTokenTimes(column, "m");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].tokens, 424);
  EXPECT_DOUBLE_EQ(points[0].fp8.us, 5000);
  EXPECT_EQ(points[1].tokens, 1024);
  EXPECT_DOUBLE_EQ(points[1].fp8.us, 2000);
  EXPECT_TRUE(measured.getTokenTimes(row, "m").empty());
  EXPECT_TRUE(measured.getTokenTimes(row, "n").empty());
}

TEST(Report, SaysWhereItIsWrong) {
  auto getError = [](StringRef text) {
    llvm::Expected<MeasuredPolicy> report = parseReport(text, "f");
    return report ? std::string() : llvm::toString(report.takeError());
  };
  const BadFile cases[] = {
      {"\"precision\": \"bf16\"", "\"precision\": ^\"fp16\"",
       "precision must be one of 'bf16', 'fp8', but got 'fp16'"},
      {"\"total_ms\": 0.9", "\"total_ms\": ^0",
       "total_ms must be a number above 0, but got 0"},
      {"\"module_kind\": \"layernorm_column\"", "\"module_kind\": ^\"linear\"",
       "module_kind must be one of 'layernorm_column', 'column', 'row', "
       "'duplicated', 'column_grouped', 'row_grouped', but got 'linear'"},
      {"\"num_tokens\": 4096", "\"num_tokens\": ^-4",
       "num_tokens must be an integer of at least 1, but got -4"},
      {"\"tp_size\": 2", "\"tp_size\": ^0",
       "tp_size must be an integer of at least 1, but got 0"},
      {"\"ub_name\": \"qkv\"", "\"ub_name\": ^null",
       "ub_name must be a text, but got null"},
      {"{\"case_name\": \"llm_qkv\", \"model_name\": \"qwen\", "
       "\"module_kind\"",
       "^{\"case_name\": \"llm_qkv\", \"module_kind\"",
       "missing key 'model_name'"},
      {"\"case_name\": \"llm_qkv\"", "\"case_name\": ^7",
       "case_name must be a text, but got 7"},
      {"\"ub_name\": null", "\"ub_name\": null}, ^7, {",
       "expected an object, but got 7"},
  };
  for (const BadFile &bad : cases)
    expectError(kLayers, bad, getError);
  EXPECT_EQ(getError("7"), "f:1:1: error: a report must be an object of "
                           "version 2 or a list of layer timings, but got 7");
}

std::vector<std::string> diff(const Builder &before, const Builder &after) {
  return diffPolicies(Policy{before.policy}, Policy{after.policy});
}

TEST(Diff, ComparesThresholds) {
  ThresholdPolicy before, after;
  before.rules[kQkv].minTokens = 4096;
  before.rules[kFc2].minTokens = 8192;
  after.rules[kQkv].minTokens = 8192;
  after.rules[kExperts].minTokens = 100;
  after.speedupThreshold = 1.5;
  EXPECT_EQ(diffPolicies(Policy{before}, Policy{after}),
            (std::vector<std::string>{
                "speedup_threshold: 1.00 -> 1.50",
                "  layernorm_column/qkv tp=1: FP8 from 4096 tokens -> 8192 "
                "tokens",
                "- row/fc2 tp=1: FP8 from 8192 tokens",
                "+ column_grouped etp=1 num_gemms=64: FP8 from 100 tokens"}));
  EXPECT_TRUE(diffPolicies(Policy{after}, Policy{after}).empty());
}

TEST(Diff, ComparesTimesBeyondTheirNoise) {
  Builder before, after;
  ContractionKey gemm{"fprop", 128, 128, 128, 1, {"bf16", "bf16"}};
  before.measured.contractions[gemm] = {10, 0.5};
  after.measured.contractions[gemm] = {10.9, 0.5};
  EXPECT_TRUE(diff(before, after).empty());
  after.measured.contractions[gemm] = {12, 0.5};
  before.add(kQkv, 1024, 1.1);
  EXPECT_EQ(diff(before, after),
            (std::vector<std::string>{
                "NVIDIA H200:",
                "  fprop 128x128x128 bf16 x bf16 -> bf16: 10.0 us +- 0.5 -> "
                "12.0 us +- 0.5 (+20.0 %)",
                "- layernorm_column/qkv tp=1 at 1024 tokens: bf16 110.0 us +- "
                "0.0, fp8 100.0 us +- 0.0"}));
}

TEST(Diff, VersionsDiffer) {
  EXPECT_EQ(diffPolicies(Policy{ThresholdPolicy()}, Policy{MeasuredPolicy()}),
            std::vector<std::string>{"version: 1 -> 2"});
}

} // namespace
