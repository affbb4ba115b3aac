//===- RecipeErrorsTest.cpp - what a wrong recipe is told -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/ParseRecipe.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;

namespace {

/// Wrong recipes are this one with one text replaced.
constexpr StringRef kRight = R"({
  "recipe": "right",
  "description": "a recipe",
  "dtypes": {"model_dtype": "bf16"},
  "contraction": {
    "fprop": {
      "activation": {"format": "e4m3", "scaling": "row"},
      "weight": {"format": "matmul_dtype"},
      "accumulator": "fast"
    },
    "dgrad": {"gradient": {"format": "bf16"}, "weight": {"format": "bf16"}},
    "wgrad": {"gradient": {"format": "bf16"}, "activation": {"format": "bf16"}},
    "fallback": "model_dtype",
    "reason": "a reason"
  },
  "layers": {"skip_first": 1, "skip_last": 2, "head": "in", "merge": false},
  "amax": {"history": 16, "algorithm": "max", "margin": 1, "power_of_two": true, "epsilon": {"weight": 1e-9}},
  "loss_scaling": {"mode": "static", "scale": 1024, "interval": 7, "growth": 4, "backoff": 0.25}, "master_rounding": {"mode": "precision_aware", "iterations": 8, "tolerance": 0.5}, "microscaling": {"scale_rounding": "up", "weight_blocks": "16x16", "wgrad_transform": "hadamard", "gradient_rounding": "stochastic"}, "moments": "dynamic8",
  "storage": {
    "activation": {"format": "bf16", "reason": "r"},
    "gradient": {"format": "gradient_dtype", "reason": "r"},
    "weight_gradient": {"format": "bf16", "reason": "r"},
    "master": {"format": "f32", "reason": "r"},
    "moment": {"format": "f32", "reason": "r"},
    "statistic": {"format": "f32", "reason": "r"}
  },
  "keep_high": [
    {"class": "head", "reads": "bf16", "stores": "bf16", "reason": "r", "reference": "q"},
    {"class": "norm", "inside": "f32", "parameter": "bf16", "reason": "r"}
  ]
}
)";

struct Wrong {
  const char *from, *to, *message;
};

void PrintTo(const Wrong &wrong, std::ostream *os) {
  *os << wrong.from << " -> " << wrong.to;
}

class WrongRecipe : public testing::TestWithParam<Wrong> {};

TEST(RightRecipe, IsRead) {
  llvm::Expected<Recipe> recipe = parseRecipe(kRight, "f");
  ASSERT_TRUE(bool(recipe)) << llvm::toString(recipe.takeError());
  EXPECT_EQ(recipe->skipFirstLayers, 1);
  EXPECT_EQ(recipe->skipLastLayers, 2);
  EXPECT_TRUE(recipe->isHeadIn);
  EXPECT_FALSE(recipe->mergesLayers);
  EXPECT_EQ(recipe->amax.history, 16);
  EXPECT_EQ(recipe->amax.epsilon[1], 1e-9);
  EXPECT_EQ(recipe->amax.epsilon[0], 1e-12);
  EXPECT_EQ(recipe->lossScaling.scale, 1024);
  EXPECT_EQ(recipe->lossScaling.growth, 4);
  EXPECT_EQ(recipe->lossScaling.backoff, 0.25);
  EXPECT_EQ(recipe->masterRounding.mode, MasterRounding::PrecisionAware);
  EXPECT_EQ(recipe->masterRounding.iterations, 8);
  EXPECT_EQ(recipe->masterRounding.tolerance, 0.5);
  const Microscaling &micro = recipe->microscaling;
  EXPECT_TRUE(micro.roundUp && micro.squareWeights && micro.hadamard &&
              micro.stochasticGradients);
  EXPECT_EQ(recipe->moments, MomentStorage::Dynamic8);
  EXPECT_EQ(recipe->fallback, Format::BF16);
}

TEST_P(WrongRecipe, SaysWhereItIsWrong) {
  std::string text = kRight.str();
  size_t at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, StringRef(GetParam().from).size(), GetParam().to);
  llvm::Expected<Recipe> recipe = parseRecipe(text, "f");
  ASSERT_FALSE(bool(recipe));
  EXPECT_EQ(llvm::toString(recipe.takeError()), GetParam().message);
}

#define FORMATS                                                                \
  "format must be one of 'f32', 'bf16', 'f16', 'e4m3', 'e5m2', 'e2m1', "       \
  "'model_dtype', 'matmul_dtype', 'gradient_dtype', but got "
#define STORED                                                                 \
  "format must be one of 'f32', 'bf16', 'f16', 'model_dtype', "                \
  "'matmul_dtype', 'gradient_dtype', but got "

INSTANTIATE_TEST_SUITE_P(
    , WrongRecipe,
    testing::Values(
        Wrong{"\"recipe\"", "\"name\"",
              "f:2:3: error: unknown key 'name', expected one of 'recipe', "
              "'description', 'contraction', 'storage', 'keep_high', 'dtypes', "
              "'layers', 'amax', 'loss_scaling', 'master_rounding', "
              "'microscaling', 'moments'"},
        Wrong{"\"recipe\": \"right\",", "",
              "f:1:1: error: missing key 'recipe'"},
        Wrong{"\"right\"", "8",
              "f:2:13: error: recipe must be a text, but got 8"},
        Wrong{"\"right\"", "\" \"", "f:2:13: error: recipe must not be blank"},
        Wrong{"\"right\"", "\"a\\nb\"",
              "f:2:13: error: recipe must be a text of one line"},
        Wrong{"\"model_dtype\"", "\"model\"",
              "f:4:14: error: unknown key 'model', expected one of "
              "'model_dtype', 'matmul_dtype', 'gradient_dtype', "
              "'master_dtype', 'lora_dtype'"},
        Wrong{"\"model_dtype\": \"bf16\"", "\"model_dtype\": \"fp16\"",
              "f:4:29: error: model_dtype must be one of 'fp32', 'bf16', but "
              "got 'fp16': kernels of weights outside of matmuls have no "
              "other"},
        Wrong{"\"model_dtype\": \"bf16\"", "\"model_dtype\": 16",
              "f:4:29: error: model_dtype must be a text, but got 16"},
        Wrong{"\"fprop\"", "\"forward\"",
              "f:6:5: error: unknown key 'forward', expected one of 'fprop', "
              "'dgrad', 'wgrad', 'fallback', 'reason'"},
        Wrong{"\"activation\"", "\"gradient\"",
              "f:7:7: error: unknown key 'gradient', expected one of "
              "'activation', 'weight', 'accumulator'"},
        Wrong{"\"e4m3\"", "\"e3m4\"", "f:7:32: error: " FORMATS "'e3m4'"},
        Wrong{"\"e4m3\"", "\"master_dtype\"",
              "f:7:32: error: " FORMATS
              "'master_dtype'; the nearest is 'model_dtype'"},
        Wrong{"\"e4m3\"", "4", "f:7:32: error: " FORMATS "4"},
        Wrong{"\"row\"", "\"tensor\"",
              "f:7:51: error: scaling must be one of 'none', "
              "'tensor_current', 'tensor_delayed', 'row', 'block_1x128', "
              "'block_128x128', 'mx_1x32', 'nvfp4_1x16', but got 'tensor'"},
        Wrong{", \"scaling\": \"row\"", "",
              "f:7:21: error: an fp8 format must have a scaling"},
        Wrong{"\"row\"", "\"nvfp4_1x16\"",
              "f:7:21: error: 'e2m1' and 'nvfp4_1x16' must come together"},
        Wrong{"\"e4m3\", \"scaling\": \"row\"", "\"e2m1\"",
              "f:7:21: error: 'e2m1' and 'nvfp4_1x16' must come together"},
        Wrong{"\"e4m3\"", "\"bf16\"",
              "f:7:51: error: only fp8 and e2m1 formats have a scaling"},
        Wrong{"\"fast\"", "\"slow\"",
              "f:9:22: error: accumulator must be one of 'full', 'fast', "
              "'promoted', but got 'slow'"},
        Wrong{"{\"gradient\": {\"format\": \"bf16\"}, \"weight\"",
              "{\"accumulator\": \"fast\", \"gradient\": {\"format\": "
              "\"bf16\"}, \"weight\"",
              "f:11:30: error: only fp8 contractions choose an accumulator"},
        Wrong{"\"row\"", "\"mx_1x32\"",
              "f:9:22: error: products of microscaled operands must have a "
              "full accumulator, but got 'fast'"},
        Wrong{"\"fallback\": \"model_dtype\"", "\"fallback\": \"e4m3\"",
              "f:13:17: error: " STORED "'e4m3'"},
        Wrong{"\"skip_first\": 1", "\"skip_first\": -1",
              "f:16:28: error: skip_first must be an integer from 0 to "
              "1000000, but got -1"},
        Wrong{"\"skip_last\"", "\"skip_end\"",
              "f:16:31: error: unknown key 'skip_end', expected one of "
              "'skip_first', 'skip_last', 'head', 'merge'"},
        Wrong{"\"head\": \"in\"", "\"head\": true",
              "f:16:55: error: head must be one of 'out', 'in', but got true"},
        Wrong{"\"merge\": false", "\"merge\": \"off\"",
              "f:16:70: error: merge must be true or false, but got 'off'"},
        Wrong{"\"history\": 16", "\"history\": 0",
              "f:17:23: error: history must be an integer from 1 to 1000000, "
              "but got 0"},
        Wrong{"\"max\"", "\"mean\"",
              "f:17:40: error: algorithm must be one of 'max', 'most_recent', "
              "but got 'mean'"},
        Wrong{"\"margin\": 1", "\"margin\": 1.5",
              "f:17:57: error: margin must be an integer from 0 to 32, but got "
              "1.5"},
        Wrong{"true", "1",
              "f:17:76: error: power_of_two must be true or false, but got 1"},
        Wrong{"1e-9", "-1",
              "f:17:104: error: epsilon must be a number from 0 to 1, but got "
              "-1"},
        Wrong{"{\"weight\": 1e-9}", "{\"weights\": 1e-9}",
              "f:17:94: error: unknown key 'weights', expected one of "
              "'activation', 'weight', 'gradient'; the nearest is 'weight'"},
        Wrong{"\"static\"", "\"fixed\"",
              "f:18:28: error: mode must be one of 'none', 'static', "
              "'dynamic', but got 'fixed'"},
        Wrong{"1024", "1000",
              "f:18:47: error: scale must be a power of two, but got 1000"},
        Wrong{"\"interval\": 7", "\"interval\": 0",
              "f:18:65: error: interval must be an integer from 1 to 1000000, "
              "but got 0"},
        Wrong{"\"growth\": 4", "\"growth\": 3",
              "f:18:78: error: growth must be a power of two above 1, but got "
              "3"},
        Wrong{
            "\"growth\": 4", "\"growth\": 131072",
            "f:18:78: error: growth must be a number from 1 to 65536, but got "
            "131072"},
        Wrong{"\"backoff\": 0.25", "\"backoff\": 1",
              "f:18:92: error: backoff must be a power of two below 1, but got "
              "1"},
        Wrong{"\"backoff\": 0.25", "\"backoff\": -1",
              "f:18:92: error: backoff must be a number from 0 to 1, but got "
              "-1"},
        Wrong{"\"mode\": \"precision_aware\"", "\"mode\": \"up\"",
              "f:18:127: error: master_rounding must be one of 'nearest', "
              "'stochastic', 'precision_aware', but got 'up'"},
        Wrong{"\"up\"", "\"sideways\"",
              "f:18:217: error: scale_rounding must be one of 'down', 'up', "
              "but got 'sideways'"},
        Wrong{"\"gradient_rounding\"", "\"rounding\"",
              "f:18:280: error: unknown key 'rounding', expected one of "
              "'scale_rounding', 'weight_blocks', 'wgrad_transform', "
              "'gradient_rounding'"},
        Wrong{"\"precision_aware\", \"iterations\"",
              "\"stochastic\", \"iterations\"",
              "f:18:155: error: iterations must come with the mode "
              "precision_aware, but got stochastic"},
        Wrong{
            "\"iterations\": 8", "\"iterations\": 65",
            "f:18:160: error: iterations must be an integer from 1 to 64, but "
            "got 65"},
        Wrong{"\"tolerance\": 0.5", "\"tolerance\": 2",
              "f:18:176: error: tolerance must be a number from 0 to 1, but "
              "got 2"},
        Wrong{"\"dynamic8\"", "\"8bit\"",
              "f:18:327: error: moments must be one of 'f32', 'dynamic8', but "
              "got '8bit'"},
        Wrong{"\"mode\": \"precision_aware\", ", "",
              "f:18:118: error: missing key 'mode'"},
        Wrong{"\"activation\": {\"format\": \"bf16\", \"reason\"",
              "\"activation\": {\"format\": \"e4m3\", \"reason\"",
              "f:20:30: error: " STORED "'e4m3'"},
        Wrong{"\"master\": {\"format\": \"f32\"",
              "\"master\": {\"format\": \"f16\"",
              "f:23:26: error: format must be one of 'f32', 'bf16', "
              "'master_dtype', but got 'f16'; the nearest is 'bf16'"},
        Wrong{"\"moment\": {\"format\": \"f32\"",
              "\"moment\": {\"format\": \"bf16\"",
              "f:24:26: error: format must be one of 'f32', but got 'bf16'"},
        Wrong{"\"statistic\": {\"format\": \"f32\"",
              "\"statistic\": {\"format\": \"bf16\"",
              "f:25:29: error: format must be one of 'f32', but got 'bf16'"},
        Wrong{"\"statistic\": {\"format\": \"f32\"",
              "\"statistic\": {\"format\": \"model_dtype\"",
              "f:25:29: error: format must be one of 'f32', but got "
              "'model_dtype'"},
        Wrong{"\"statistic\": {\"format\": \"f32\", \"reason\": \"r\"}",
              "\"statistic\": {\"format\": \"f32\"}",
              "f:25:18: error: missing key 'reason'"},
        Wrong{"\"keep_high\": [", "\"keep_high\": [[],",
              "f:27:17: error: expected an object, but got an array"},
        Wrong{"\"class\": \"head\"", "\"class\": \"heads\"",
              "f:28:15: error: class must be one of 'head', 'embedding', "
              "'norm', 'softmax', 'attention', 'residual', 'reduction', "
              "'loss', 'router', 'rotary', 'optimizer', 'clipping', "
              "'convolution', 'contrastive', but got "
              "'heads'; the nearest is 'head'"},
        Wrong{"{\"class\": \"norm\", \"inside\": \"f32\", \"parameter\"",
              "{\"class\": \"head\", \"stores\"",
              "f:29:33: error: a class must have one rule for 'stores', but "
              "got 'head' again"},
        Wrong{"\"inside\": \"f32\"", "\"inside\": \"bf16\"",
              "f:29:33: error: format must be one of 'f32', but got 'bf16'"},
        Wrong{"\"inside\": \"f32\", \"parameter\": \"bf16\", ", "",
              "f:29:5: error: a rule must have 'reads', 'stores', 'parameter' "
              "or 'inside'"},
        Wrong{"\"reference\"", "\"see\"",
              "f:28:73: error: unknown key 'see', expected one of 'class', "
              "'reason', 'reference', 'reads', 'stores', 'parameter', "
              "'inside'"},
        Wrong{"[\n    {\"class\": \"head\"",
              "\"v3\", \"x\": [{\"class\": \"head\"",
              "f:27:22: error: unknown key 'x', expected one of 'recipe', "
              "'description', 'contraction', 'storage', 'keep_high', 'dtypes', "
              "'layers', 'amax', 'loss_scaling', 'master_rounding', "
              "'microscaling', 'moments'"}));

TEST(WrongMap, NamesAMapThatIsNone) {
  std::string text = kRight.str();
  size_t from = text.find("\"keep_high\": [");
  text.replace(from, text.size() - from, "\"keep_high\": \"deepseek\"\n}\n");
  llvm::Expected<Recipe> recipe = parseRecipe(text, "f");
  ASSERT_FALSE(bool(recipe));
  EXPECT_EQ(llvm::toString(recipe.takeError()),
            "f:27:16: error: keep_high must be given here or name one of "
            "'deepseek-v3', but got 'deepseek'");
}

} // namespace
