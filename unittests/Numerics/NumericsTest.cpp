//===- NumericsTest.cpp - reading numerics.json ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Numerics/Numerics.h"

#include "prec/Numerics/FloatFormat.h"
#include "prec/Support/Names.h"
#include "../Support/BadFiles.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace prec;
using namespace prec::test;
using llvm::StringRef;

namespace {

constexpr StringRef kGood = R"({
  "version": 1,
  "producer": "prec-run",
  "steps": {"first": 100, "count": 50},
  "tensors": [
    {"path": "layers.0.q_proj.weight", "phase": "forward", "amax": 0.25, "rms": 0.02,
     "update_rms": 3e-5, "gradient_rms": 4e-4,
     "losses": [
       {"format": "bf16", "underflow": 0, "overflow": 0, "sqnr_db": 55.1},
       {"format": "e4m3", "scaling": "tensor_current", "underflow": 0.0004, "overflow": 0, "sqnr_db": 31.5, "mean_sqnr_db": 32}]},
    {"path": "layers.0.norm", "phase": "backward", "result": 1, "amax": 1, "rms": 1}],
  "uses": [
    {"path": "layers.0.q_proj", "direction": "fprop", "operand": 0, "amax": 8, "rms": 1.1,
     "losses": [{"format": "e4m3", "scaling": "block_1x128", "underflow": 0, "overflow": 0, "sqnr_db": null}]}]
})";

TEST(Numerics, ReadsWhatIsDocumented) {
  llvm::Expected<Numerics> numerics = parseNumerics(kGood, "f");
  ASSERT_TRUE(bool(numerics)) << llvm::toString(numerics.takeError());
  EXPECT_EQ(numerics->producer, "prec-run");
  EXPECT_EQ(numerics->firstStep, 100);
  EXPECT_EQ(numerics->numSteps, 50);
  const TensorNumerics *weight =
      numerics->findTensor("layers.0.q_proj.weight", "forward");
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight->amax, 0.25);
  EXPECT_EQ(weight->rms, 0.02);
  EXPECT_EQ(weight->updateRms, 3e-5);
  EXPECT_EQ(weight->gradientRms, 4e-4);
  ASSERT_TRUE(weight->findLoss("bf16", "none"));
  EXPECT_EQ(weight->findLoss("e4m3", "tensor_current")->underflow, 0.0004);
  EXPECT_EQ(weight->findLoss("e4m3", "tensor_current")->meanSqnr, 32);
  EXPECT_EQ(weight->findLoss("bf16", "none")->meanSqnr, std::nullopt);
  EXPECT_EQ(weight->findLoss("e4m3", "none"), nullptr);
  EXPECT_TRUE(numerics->findTensor("layers.0.norm", "backward", 1));
  EXPECT_FALSE(numerics->findTensor("layers.0.norm", "backward", 0));
  EXPECT_FALSE(numerics->findTensor("layers.0.norm", "forward", 1));
  const TensorNumerics *use = numerics->findUse("layers.0.q_proj", "fprop", 0);
  ASSERT_TRUE(use);
  EXPECT_TRUE(std::isinf(use->findLoss("e4m3", "block_1x128")->sqnr));
  EXPECT_FALSE(numerics->findUse("layers.0.q_proj", "wgrad", 0));
}

TEST(Numerics, KnowsTheFormatsThatFilesName) {
  for (StringRef name : getFormatNames())
    EXPECT_TRUE(findFloatFormat(name)) << name.str();
  EXPECT_EQ(getFormatNames().size(), getFloatFormats().size());
}

std::string getError(StringRef text) {
  llvm::Expected<Numerics> numerics = parseNumerics(text, "f");
  return numerics ? "" : llvm::toString(numerics.takeError());
}

TEST(Numerics, SaysWhereItIsWrong) {
  const BadFile cases[] = {
      {"\"version\": 1", "\"version\": ^2", "version must be 1, but got 2"},
      {"{\n  \"version\": 1,", "^{", "missing key 'version'"},
      {"\"uses\"", "^\"use\"",
       "unknown key 'use', expected one of 'version', 'tensors', 'uses', "
       "'producer', 'steps', 'gradient_noise'; the nearest is 'uses'"},
      {"\"prec-run\"", "^7", "producer must be a text, but got 7"},
      {"50}", "^0}", "count must be an integer of at least 1, but got 0"},
      {"50}", "^5.5}", "count must be an integer of at least 1, but got 5.5"},
      {"{\"first\": 100, \"count\": 50}", "^100",
       "expected an object, but got 100"},
      {"\"forward\"", "^\"fwd\"",
       "phase must be one of 'forward', 'recompute', 'backward', "
       "'optimizer', but got 'fwd'"},
      {"0.25", "^-1", "amax must be a number of at least 0, but got -1"},
      {"0.25", "^\"big\"",
       "amax must be a number of at least 0, but got 'big'"},
      {"0.25", "^1e999", "amax must be a number of at least 0, but got 1e999"},
      {"0.02", "^0.3", "rms must not exceed amax, but got 0.3 and 0.25"},
      {"0.02", "^0", "rms must not be 0 if amax is not, but got 0 and 0.25"},
      {"\"layers.0.q_proj.weight\"", "^\"\"", "path must not be blank"},
      {"\"layers.0.q_proj.weight\"", "^\"a\\tb\"",
       "path must be a text of one line"},
      {"3e-5", "^-3e-5",
       "update_rms must be a number of at least 0, but got -3e-5"},
      {"\"bf16\"", "^\"bfloat16\"",
       "format must be one of 'f32', 'bf16', 'f16', 'e4m3', 'e5m2', 'e2m1', "
       "but got 'bfloat16'"},
      {"\"tensor_current\"", "^\"tensor\"",
       "scaling must be one of 'none', 'tensor_current', 'tensor_delayed', "
       "'row', 'block_1x128', 'block_128x128', 'mx_1x32', 'nvfp4_1x16', but "
       "got 'tensor'"},
      {"0.0004", "^1.5", "underflow must be a number from 0 to 1, but got 1.5"},
      {"0.0004, \"overflow\": 0", "0.6, \"overflow\": ^0.5",
       "underflow and overflow must not exceed 1 together"},
      {"55.1", "^\"inf\"", "sqnr_db must be a number, but got 'inf'"},
      {"55.1}", "55.1, \"mean_sqnr_db\": ^55}",
       "mean_sqnr_db must not be below sqnr_db, but got 55 and 55.1"},
      {"55.1}", "55.1, \"mean_sqnr_db\": ^null}",
       "mean_sqnr_db must be a number, but got null"},
      {"{\"format\": \"e4m3\", \"scaling\": \"tensor_current\"",
       "^{\"format\": \"bf16\"",
       "a format and scaling must be given once, but got 'bf16', 'none' "
       "again"},
      {"\"losses\"", "^\"loss\"",
       "unknown key 'loss', expected one of 'path', 'phase', 'amax', 'rms', "
       "'result', 'update_rms', 'gradient_rms', 'losses'; the nearest is "
       "'losses'"},
      {"\"result\": 1", "\"result\": ^-1",
       "result must be an integer from 0 to 4294967295, but got -1"},
      {"{\"path\": \"layers.0.norm\", \"phase\": \"backward\", "
       "\"result\": 1",
       "^{\"path\": \"layers.0.q_proj.weight\", \"phase\": \"forward\"",
       "a path, phase and result must be given once, but got "
       "'layers.0.q_proj.weight' again"},
      {"\"fprop\"", "^\"forward\"",
       "direction must be one of 'fprop', 'dgrad', 'wgrad', but got "
       "'forward'"},
      {"\"operand\": 0", "\"operand\": ^\"lhs\"",
       "operand must be an integer from 0 to 4294967295, but got 'lhs'"},
      {"\"uses\": [", "\"uses\": [^[],",
       "expected an object, but got an array"},
      {"\"uses\": [", "\"uses\": 3, ^\"tensor\": [",
       "unknown key 'tensor', expected one of 'version', 'tensors', 'uses', "
       "'producer', 'steps', 'gradient_noise'; the nearest is 'tensors'"},
  };
  for (const BadFile &bad : cases)
    expectError(kGood, bad, getError);
}

constexpr StringRef kNoise = R"({
  "version": 1, "tensors": [], "uses": [],
  "gradient_noise": {
    "recipe": "fp8-hybrid", "steps": 2, "wide": 1e-5, "together": 0.004,
    "contractions": [
      {"path": "layers.0.q_proj", "direction": "fprop", "noise": 0.001},
      {"path": "layers.0.q_proj", "direction": "wgrad", "noise": 0}
    ]
  }
})";

TEST(Numerics, ReadsTheNoiseOfGradients) {
  llvm::Expected<Numerics> numerics = parseNumerics(kNoise, "f");
  ASSERT_TRUE(bool(numerics)) << llvm::toString(numerics.takeError());
  ASSERT_TRUE(numerics->gradientNoise);
  const GradientNoise &noise = *numerics->gradientNoise;
  EXPECT_EQ(noise.recipe, "fp8-hybrid");
  EXPECT_EQ(noise.numSteps, 2);
  EXPECT_EQ(noise.wide, 1e-5);
  EXPECT_EQ(noise.together, 0.004);
  EXPECT_EQ(noise.find("layers.0.q_proj", "fprop"), 0.001);
  EXPECT_EQ(noise.find("layers.0.q_proj", "wgrad"), 0);
  EXPECT_FALSE(noise.find("layers.0.q_proj", "dgrad"));
}

TEST(Numerics, SaysWhereNoiseIsWrong) {
  const BadFile cases[] = {
      {"\"wide\": 1e-5", "\"wide\": ^-1",
       "wide must be a number of at least 0, but got -1"},
      {"0.004", "^\"all\"",
       "together must be a number of at least 0, but got 'all'"},
      {"\"steps\": 2", "\"steps\": ^0",
       "steps must be an integer of at least 1, but got 0"},
      {"\"fp8-hybrid\"", "^\"\"", "recipe must not be blank"},
      {"0.001", "^-0.001",
       "noise must be a number of at least 0, but got -0.001"},
      {"\"fprop\"", "^\"forward\"",
       "direction must be one of 'fprop', 'dgrad', 'wgrad', but got "
       "'forward'"},
      {"{\"path\": \"layers.0.q_proj\", \"direction\": \"wgrad\"",
       "^{\"path\": \"layers.0.q_proj\", \"direction\": \"fprop\"",
       "a path and direction must be given once, but got 'layers.0.q_proj', "
       "'fprop' again"},
  };
  for (const BadFile &bad : cases)
    expectError(kNoise, bad, getError);
}

} // namespace
