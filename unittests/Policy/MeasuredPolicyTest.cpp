//===- MeasuredPolicyTest.cpp - policies of version 2 ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Policy/Policy.h"

#include "../Support/BadFiles.h"

#include "gtest/gtest.h"

using namespace prec;
using namespace prec::test;
using llvm::StringRef;

namespace {

constexpr StringRef kGood = R"({
  "version": 2,
  "speedup_threshold": 1.0,
  "machines": [
    {"id": "a", "gpu": "NVIDIA H200", "libraries": {"cublaslt": "13.0.2", "driver": "580.65"}},
    {"id": "b", "gpu": "NVIDIA H100"}
  ],
  "contractions": [
    {"machine": "a", "direction": "fprop", "m": 1024, "n": 4096, "k": 4096, "lhs": "bf16", "rhs": "bf16", "us": 60, "noise_us": 1},
    {"machine": "a", "direction": "fprop", "m": 3072, "n": 4096, "k": 4096, "lhs": "bf16", "rhs": "bf16", "us": 160, "noise_us": 3},
    {"machine": "a", "direction": "fprop", "m": 1024, "n": 4096, "k": 4096, "lhs": "e4m3", "rhs": "e4m3",
     "scaling": "tensor_current", "accumulator": "fast", "us": 40, "noise_us": 1},
    {"machine": "a", "direction": "wgrad", "m": 4096, "n": 4096, "k": 1024, "lhs": "bf16", "rhs": "bf16", "us": 70},
    {"machine": "a", "direction": "wgrad", "m": 4096, "n": 4096, "k": 2048, "lhs": "bf16", "rhs": "bf16", "us": 130},
    {"machine": "b", "direction": "fprop", "m": 1024, "n": 4096, "k": 4096, "batch": 8, "lhs": "bf16", "rhs": "bf16", "result": "f32", "us": 500}
  ],
  "quantizations": [
    {"machine": "a", "rows": 1024, "columns": 4096, "from": "bf16", "to": "e4m3", "scaling": "tensor_current", "layouts": "rows", "us": 6, "noise_us": 0.5},
    {"machine": "a", "rows": 4096, "columns": 4096, "from": "bf16", "to": "e4m3", "scaling": "tensor_current", "layouts": "rows", "us": 18}
  ],
  "modules": [
    {"machine": "a", "kind": "layernorm_column", "ub_name": "qkv", "tp": 1, "tokens": 1024, "precision": "bf16", "us": 200},
    {"machine": "a", "kind": "layernorm_column", "ub_name": "qkv", "tp": 1, "tokens": 1024, "precision": "fp8", "us": 220},
    {"machine": "a", "kind": "layernorm_column", "ub_name": "qkv", "tp": 1, "tokens": 4096, "precision": "bf16", "us": 800},
    {"machine": "a", "kind": "layernorm_column", "ub_name": "qkv", "tp": 1, "tokens": 4096, "precision": "fp8", "us": 600},
    {"machine": "a", "kind": "row_grouped", "etp": 1, "num_gemms": 64, "model": "moe", "tokens": 512, "precision": "fp8", "us": 90}
  ]
})";

std::string getError(StringRef text) {
  llvm::Expected<Policy> policy = parsePolicy(text, "f");
  return policy ? "" : llvm::toString(policy.takeError());
}

MeasuredPolicy read(StringRef text = kGood) {
  llvm::Expected<Policy> policy = parsePolicy(text, "f");
  EXPECT_TRUE(bool(policy)) << llvm::toString(policy.takeError());
  return policy ? *policy->getMeasured() : MeasuredPolicy();
}

ContractionKey makeKey(StringRef direction, int64_t m, int64_t n, int64_t k) {
  return {direction.str(), m, n, k, 1, {"bf16", "bf16"}};
}

TEST(MeasuredPolicy, ReadsWhatIsDocumented) {
  MeasuredPolicy policy = read();
  ASSERT_EQ(policy.machines.size(), 2u);
  const Measurements *h200 = policy.findMachine("h200");
  ASSERT_TRUE(h200);
  EXPECT_EQ(h200->contractions.size(), 5u);
  EXPECT_EQ(h200->quantizations.size(), 2u);
  EXPECT_EQ(h200->modules.size(), 3u);
  EXPECT_EQ(policy.findMachine("H100")->contractions.size(), 1u);
  EXPECT_EQ(policy.findMachine("A100"), nullptr);
  EXPECT_EQ(policy.findMachine(""), nullptr) << "of several, none";
  EXPECT_EQ(printMachine(policy.machines.rbegin()->first),
            "NVIDIA H200 (cublaslt 13.0.2, driver 580.65)");
}

TEST(MeasuredPolicy, IsWrittenAsItIsRead) {
  auto write = [](const MeasuredPolicy &policy) {
    std::string text;
    llvm::raw_string_ostream os(text);
    writeMeasuredPolicy(os, policy);
    return text;
  };
  std::string text = write(read());
  MeasuredPolicy again = read(text);
  EXPECT_EQ(write(again), text);
  EXPECT_TRUE(again.findMachine("H200")->findContraction(
      makeKey("fprop", 1024, 4096, 4096)));
  EXPECT_EQ(again.findMachine("H100")->contractions.begin()->first.batch, 8);
  EXPECT_EQ(
      again.findMachine("H100")->contractions.begin()->first.formats.result,
      "f32");
}

/// Tokens are M in fprop and K in wgrad.
TEST(MeasuredPolicy, InterpolatesOverTokens) {
  MeasuredPolicy policy = read();
  const Measurements &h200 = *policy.findMachine("H200");
  auto getTime = [&](StringRef direction, int64_t m, int64_t n, int64_t k) {
    return h200.findContraction(makeKey(direction, m, n, k));
  };
  EXPECT_EQ(getTime("fprop", 1024, 4096, 4096)->us, 60);
  EXPECT_EQ(getTime("fprop", 2048, 4096, 4096)->us, 110);
  EXPECT_EQ(getTime("fprop", 2048, 4096, 4096)->noise, 3);
  EXPECT_EQ(getTime("wgrad", 4096, 4096, 1536)->us, 100);
  EXPECT_FALSE(getTime("fprop", 512, 4096, 4096)) << "below what was measured";
  EXPECT_FALSE(getTime("fprop", 4096, 4096, 4096)) << "beyond it";
  EXPECT_FALSE(getTime("fprop", 2048, 4096, 2048)) << "another K";
  EXPECT_FALSE(getTime("dgrad", 2048, 4096, 4096)) << "another direction";
}

TEST(MeasuredPolicy, InterpolatesQuantizationsOverElements) {
  MeasuredPolicy policy = read();
  const Measurements &h200 = *policy.findMachine("H200");
  auto getTime = [&](int64_t rows, int64_t columns, const char *layouts) {
    return h200.findQuantization(
        {rows, columns, "bf16", "e4m3", "tensor_current", layouts});
  };
  EXPECT_EQ(getTime(1024, 4096, "rows")->us, 6);
  EXPECT_EQ(getTime(2560, 4096, "rows")->us, 12);
  EXPECT_EQ(getTime(4096, 1024, "rows")->us, 6) << "as many elements";
  EXPECT_FALSE(getTime(1024, 4096, "both"));
  EXPECT_FALSE(getTime(16, 16, "rows"));
}

TEST(MeasuredPolicy, DecidesModulesByIntervals) {
  MeasuredPolicy policy = read();
  const Measurements &h200 = *policy.findMachine("H200");
  ModuleKey qkv = ModuleKey::makeDense(ModuleKind::LayernormColumn, "qkv", 1);
  EXPECT_FALSE(decideModule(h200, qkv, 1024, 1).useFp8);
  EXPECT_FALSE(decideModule(h200, qkv, 2048, 1).useFp8);
  EXPECT_TRUE(decideModule(h200, qkv, 4096, 1).useFp8);
  EXPECT_FALSE(decideModule(h200, qkv, 4096, 1.5).useFp8);
  EXPECT_EQ(decideModule(h200, qkv, 2048, 1).reason,
            "layernorm_column/qkv tp=1 at 2048 tokens: FP8 loses at 1024, wins "
            "at 4096");
  // Measured in one precision only.
  EXPECT_TRUE(
      decideModule(h200, ModuleKey::makeGrouped(ModuleKind::RowGrouped, 1, 64),
                   512, 1, "moe")
          .isMissing);
}

/// 40 us + 6 + 18 of quantizing against 60: FP8 loses; shared quantizations
/// would change that.
TEST(MeasuredPolicy, DecidesContractionsWithTheirQuantizations) {
  MeasuredPolicy policy = read();
  Measurements h200 = *policy.findMachine("H200");
  ContractionKey fp8{
      "fprop", 1024, 4096,
      4096,    1,    {"e4m3", "e4m3", "bf16", "tensor_current", "fast"}};
  ContractionFormats plain{"bf16", "bf16"};
  PolicyVerdict verdict = decideContraction(h200, fp8, plain, 1);
  EXPECT_FALSE(verdict.useFp8);
  EXPECT_EQ(verdict.reason,
            "fprop 1024x4096x4096 e4m3 x e4m3 -> bf16, tensor_current, fast: "
            "64.0 +- 1.5 us against 60.0 +- 1.0 us in bf16");
  // Noise that falls the worst way: 60 - 1 against 57.5 + 1.5.
  EXPECT_EQ(verdict.change,
            "less than 57.50 us of e4m3, quantization included");
  // Without noise 60 us against 64.
  Measurements noisy = h200;
  for (auto &[key, time] : noisy.contractions)
    time.noise = 60;
  EXPECT_EQ(decideContraction(noisy, fp8, plain, 1).change,
            "times with less noise");
  fp8.m = 2048;
  EXPECT_TRUE(decideContraction(h200, fp8, plain, 1).isMissing);
}

/// 40 us against 60: what quantizing takes decides, and nobody knows it.
TEST(MeasuredPolicy, NoQuantizationIsFree) {
  MeasuredPolicy policy = read();
  Measurements h200 = *policy.findMachine("H200");
  ContractionKey fp8{
      "fprop", 1024, 4096,
      4096,    1,    {"e4m3", "e4m3", "bf16", "tensor_current", "fast"}};
  ContractionFormats plain{"bf16", "bf16"};
  std::map<QuantizationKey, Time> measured;
  measured.swap(h200.quantizations);
  PolicyVerdict verdict = decideContraction(h200, fp8, plain, 1);
  EXPECT_TRUE(verdict.isMissing);
  EXPECT_FALSE(verdict.useFp8);
  EXPECT_EQ(verdict.reason, "no time of quantize 1024x4096 bf16 -> e4m3, "
                            "tensor_current, rows");
  // Measured in both layouts alone, which takes no less.
  for (const auto &[key, time] : measured) {
    QuantizationKey both = key;
    both.layouts = "both";
    h200.quantizations[both] = time;
  }
  verdict = decideContraction(h200, fp8, plain, 1);
  EXPECT_FALSE(verdict.isMissing);
  EXPECT_FALSE(verdict.useFp8);
  EXPECT_EQ(verdict.reason,
            "fprop 1024x4096x4096 e4m3 x e4m3 -> bf16, tensor_current, fast: "
            "64.0 +- 1.5 us against 60.0 +- 1.0 us in bf16");
  // One operand's alone is not enough.
  std::map<QuantizationKey, Time> one;
  one.insert(*measured.begin());
  h200.quantizations = one;
  EXPECT_TRUE(decideContraction(h200, fp8, plain, 1).isMissing);
  // Where FP8 loses anyway, nobody needs to know.
  h200.quantizations.clear();
  verdict = decideContraction(h200, fp8, plain, 2);
  EXPECT_FALSE(verdict.isMissing);
  EXPECT_FALSE(verdict.useFp8);
  EXPECT_TRUE(
      StringRef(verdict.reason).ends_with("in bf16, before any quantization"));
}

TEST(MeasuredPolicy, SaysWhereItIsWrong) {
  const BadFile cases[] = {
      {"\"version\": 2", "\"version\": ^true",
       "version must be 1 or 2, but got true"},
      {"\"speedup_threshold\": 1.0", "\"speedup_threshold\": ^-1",
       "speedup_threshold must be a number above 0, but got -1"},
      {"\"speedup_threshold\": 1.0,", "^\"threshold\": 1.0,",
       "unknown key 'threshold', expected one of 'version', 'machines', "
       "'speedup_threshold', 'contractions', 'quantizations', 'modules', "
       "'commands', 'details'"},
      {"\"id\": \"b\"", "\"id\": ^\"a\"",
       "an id must be given once, but got 'a' again"},
      {"{\"id\": \"b\", \"gpu\": \"NVIDIA H100\"}",
       "^{\"id\": \"b\", \"gpu\": \"NVIDIA H200\", \"libraries\": "
       "{\"cublaslt\": "
       "\"13.0.2\", \"driver\": \"580.65\"}}",
       "a machine must be given once, but got 'NVIDIA H200 (cublaslt 13.0.2, "
       "driver 580.65)' again"},
      {"\"gpu\": \"NVIDIA H100\"", "^\"gpus\": \"NVIDIA H100\"",
       "unknown key 'gpus', expected one of 'id', 'gpu', 'libraries'; the "
       "nearest is 'gpu'"},
      {"\"580.65\"", "^580.65", "version must be a text, but got 580.65"},
      {"{\"cublaslt\": \"13.0.2\", \"driver\": \"580.65\"}", "^\"13\"",
       "libraries must be an object of versions, but got '13'"},
      {"\"machine\": \"a\", \"direction\"",
       "\"machine\": ^\"c\", \"direction\"",
       "machine must be the id of one of 'machines', but got 'c'"},
      {"\"direction\": \"fprop\"", "\"direction\": ^\"forward\"",
       "direction must be one of 'fprop', 'dgrad', 'wgrad', but got "
       "'forward'"},
      {"\"m\": 1024", "\"m\": ^0",
       "m must be an integer of at least 1, but "
       "got 0"},
      {"{\"machine\": \"a\", \"direction\": \"fprop\", \"m\": 1024, ",
       "^{\"machine\": \"a\", \"direction\": \"fprop\", ", "missing key 'm'"},
      {"\"k\": 4096", "\"k\": ^\"4096\"",
       "k must be an integer of at least 1, but got '4096'"},
      {"\"batch\": 8", "\"batch\": ^-8",
       "batch must be an integer of at least 1, but got -8"},
      {"\"lhs\": \"bf16\"", "\"lhs\": ^\"fp8\"",
       "lhs must be one of 'f32', 'bf16', 'f16', 'e4m3', 'e5m2', 'e2m1', but "
       "got 'fp8'"},
      {"\"result\": \"f32\"", "\"result\": ^32",
       "result must be one of 'f32', 'bf16', 'f16', 'e4m3', 'e5m2', 'e2m1', "
       "but got 32"},
      {"\"accumulator\": \"fast\"", "\"accumulator\": ^\"quick\"",
       "accumulator must be one of 'full', 'fast', 'promoted', but got "
       "'quick'"},
      {"\"us\": 60", "\"us\": ^0", "us must be a number above 0, but got 0"},
      {"\"us\": 60", "\"us\": ^1e999",
       "us must be a number above 0, but got "
       "1e999"},
      {"\"noise_us\": 3", "\"noise_us\": ^-3",
       "noise_us must be a number of at least 0, but got -3"},
      {"{\"machine\": \"a\", \"direction\": \"fprop\", \"m\": 3072",
       "^{\"machine\": \"a\", \"direction\": \"fprop\", \"m\": 1024",
       "fprop 1024x4096x4096 bf16 x bf16 -> bf16 must be given once a "
       "machine"},
      {"\"layouts\": \"rows\"", "\"layouts\": ^\"row\"",
       "layouts must be one of 'rows', 'columns', 'both', but got 'row'; the "
       "nearest is 'rows'"},
      {"{\"machine\": \"a\", \"rows\": 4096",
       "^{\"machine\": \"a\", \"rows\": 1024",
       "quantize 1024x4096 bf16 -> e4m3, tensor_current, rows must be given "
       "once a machine"},
      {"\"from\": \"bf16\"", "\"from\": ^\"int8\"",
       "from must be one of 'f32', 'bf16', 'f16', 'e4m3', 'e5m2', 'e2m1', "
       "but got 'int8'"},
      {"{\"machine\": \"a\", \"kind\": \"layernorm_column\", ",
       "^{\"machine\": \"a\", ", "missing key 'kind'"},
      {"\"kind\": \"layernorm_column\"", "\"kind\": ^\"norm\"",
       "kind must be one of 'layernorm_column', 'column', 'row', "
       "'duplicated', 'column_grouped', 'row_grouped', but got 'norm'"},
      {"\"kind\": \"row_grouped\", \"etp\": 1",
       "\"kind\": \"row_grouped\", ^\"tp\": 1",
       "unknown key 'tp', expected one of 'machine', 'kind', 'etp', "
       "'num_gemms', 'tokens', 'precision', 'us', 'model', 'noise_us'; the "
       "nearest is 'etp'"},
      {"\"precision\": \"bf16\"", "\"precision\": ^\"e4m3\"",
       "precision must be one of 'bf16', 'fp8', but got 'e4m3'"},
      {"{\"machine\": \"a\", \"kind\": \"layernorm_column\", \"ub_name\": "
       "\"qkv\", \"tp\": 1, \"tokens\": 1024, \"precision\": \"fp8\"",
       "^{\"machine\": \"a\", \"kind\": \"layernorm_column\", \"ub_name\": "
       "\"qkv\", \"tp\": 1, \"tokens\": 1024, \"precision\": \"bf16\"",
       "layernorm_column/qkv tp=1 at 1024 tokens in bf16 must be given once a "
       "machine"},
      {"\"modules\": [", "\"modules\": [^[],",
       "expected an object, but got an array"},
      {"\"quantizations\": [", "\"quantizations\": [], ^\"x\": [",
       "unknown key 'x', expected one of 'version', 'machines', "
       "'speedup_threshold', 'contractions', 'quantizations', 'modules', "
       "'commands', 'details'"},
  };
  for (const BadFile &bad : cases)
    expectError(kGood, bad, getError);
  EXPECT_EQ(getError(R"({"version": 2, "machines": [], "commands": {}})"),
            "f:1:44: error: commands must be an array, but got an object");
  EXPECT_EQ(getError(R"({"version": 2, "machines": [], "details": []})"),
            "f:1:43: error: details must be an object, but got an array");
  EXPECT_EQ(getError(R"({"version": 2, "machines": [], "contractions": {}})"),
            "f:1:48: error: contractions must be an array, but got an object");
}

} // namespace
