//===- RecipeOptionsTest.cpp - what each option changes -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each test would pass without its option if that changed nothing: what is
// expected differs from what the recipe says by itself.
//
//===----------------------------------------------------------------------===//
#include "GraphBuilder.h"
#include "Targets.h"
#include "prec/Assign/Classify.h"
#include "prec/Assign/ParseRecipe.h"
#include "prec/Assign/Assigner.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;
using namespace prec::test;

namespace {

using D = Direction;
using F = Format;
using K = OperandKind;
using S = Scaling;
using Given = ArrayRef<std::pair<StringRef, StringRef>>;

llvm::Expected<Recipe> tryLoad(StringRef name, Given given) {
  RecipeOptions options;
  for (auto [option, value] : given)
    if (llvm::Error error = readRecipeOption(option, value, options))
      return std::move(error);
  return parseRecipe(findBuiltinRecipe(name), name, options);
}

Recipe load(StringRef name, Given given = {}) {
  llvm::Expected<Recipe> recipe = tryLoad(name, given);
  EXPECT_TRUE(bool(recipe)) << llvm::toString(recipe.takeError());
  return recipe ? std::move(*recipe) : Recipe();
}

std::string getError(StringRef name, Given given) {
  llvm::Expected<Recipe> recipe = tryLoad(name, given);
  return recipe ? "" : llvm::toString(recipe.takeError());
}

constexpr std::pair<D, K> kReads[] = {
    {D::Fprop, K::Activation}, {D::Fprop, K::Weight},
    {D::Dgrad, K::Gradient},   {D::Dgrad, K::Weight},
    {D::Wgrad, K::Gradient},   {D::Wgrad, K::Activation}};

/// "fprop.activation fprop.weight ...": what two recipes read differently.
std::string getDifference(const Recipe &a, const Recipe &b) {
  std::string text;
  for (auto [direction, kind] : kReads) {
    const UseFormat &mine = a.getUse(direction, kind),
                    &theirs = b.getUse(direction, kind);
    if (mine.format != theirs.format || mine.scaling != theirs.scaling)
      text += (text.empty() ? "" : " ") + stringifyDirection(direction).str() +
              "." + stringifyOperandKind(kind).str();
  }
  return text;
}

//===----------------------------------------------------------------------===//
// reads=
//===----------------------------------------------------------------------===//

TEST(Reads, ChangeOneDirection) {
  const std::pair<StringRef, StringRef> cases[] = {
      {"fprop:bf16", "fprop.activation fprop.weight"},
      {"dgrad:bf16", "dgrad.gradient dgrad.weight"},
      {"wgrad:bf16", "wgrad.gradient wgrad.activation"}};
  for (StringRef name : {"fp8-hybrid", "fp8-rowwise", "fp8-block", "mxfp8"})
    for (auto [value, changed] : cases) {
      Recipe recipe = load(name, {{"reads", value}});
      EXPECT_EQ(getDifference(load(name), recipe), changed.str());
      for (auto [direction, kind] : kReads)
        if (value.starts_with(stringifyDirection(direction))) {
          EXPECT_EQ(recipe.getUse(direction, kind).format, F::BF16);
          EXPECT_EQ(recipe.getUse(direction, kind).scaling, S::None);
        }
    }
}

TEST(Reads, ChangeOneOperand) {
  for (auto [direction, kind] : kReads) {
    std::string place =
        (stringifyDirection(direction) + "." + stringifyOperandKind(kind))
            .str();
    Recipe recipe = load("fp8-rowwise", {{"reads", place + ":e5m2/row"}});
    EXPECT_EQ(getDifference(load("fp8-rowwise"), recipe), place);
    EXPECT_EQ(recipe.getUse(direction, kind).format, F::E5M2);
    Recipe scaled =
        load("fp8-block", {{"reads", place + ":e4m3/tensor_delayed"}});
    EXPECT_EQ(getDifference(load("fp8-block"), scaled), place);
    EXPECT_EQ(scaled.getUse(direction, kind).scaling, S::TensorDelayed);
  }
}

TEST(Reads, AnOperandStandsAboveItsDirectionInAnyOrder) {
  using Pair = std::pair<StringRef, StringRef>;
  Pair general = {"reads", "wgrad:bf16"},
       special = {"reads", "wgrad.gradient:f32"};
  for (const std::array<Pair, 2> &given :
       {std::array{general, special}, std::array{special, general}}) {
    Recipe recipe = load("fp8-hybrid", given);
    EXPECT_EQ(recipe.getUse(D::Wgrad, K::Gradient).format, F::F32);
    EXPECT_EQ(recipe.getUse(D::Wgrad, K::Activation).format, F::BF16);
  }
}

TEST(Reads, NameAPlaceOnce) {
  EXPECT_EQ(getError("fp8-hybrid",
                     {{"reads", "fprop:bf16"}, {"reads", "fprop:e4m3"}}),
            "reads must name a direction or an operand once, but got fprop "
            "twice");
  EXPECT_EQ(getError("fp8-hybrid", {{"reads", "dgrad.weight:bf16"},
                                    {"reads", "dgrad.weight:f32"}}),
            "reads must name a direction or an operand once, but got "
            "dgrad.weight twice");
  EXPECT_EQ(getError("fp8-hybrid",
                     {{"reads", "dgrad.weight:bf16"}, {"reads", "dgrad:f32"}}),
            "");
}

/// FP8 that a user asks for accumulates as the recipe says for FP8; microscaled
/// products leave no choice.
TEST(Reads, KeepTheAccumulatorOfTheDirection) {
  auto get = [](const Recipe &recipe, D direction) {
    return recipe.directions[static_cast<unsigned>(direction)].accumulator;
  };
  Recipe wide = load("bf16");
  Recipe narrow = load("bf16", {{"reads", "fprop:e4m3"},
                                {"reads", "dgrad:e4m3"},
                                {"reads", "wgrad:f32"}});
  for (D direction : {D::Fprop, D::Dgrad, D::Wgrad})
    EXPECT_EQ(get(wide, direction), Accumulator::Full);
  EXPECT_EQ(get(narrow, D::Fprop), Accumulator::Fast);
  EXPECT_EQ(get(narrow, D::Dgrad), Accumulator::Promoted);
  EXPECT_EQ(get(narrow, D::Wgrad), Accumulator::Full);
  Recipe mx = load("fp8-hybrid", {{"reads", "fprop:e4m3/mx_1x32"}});
  EXPECT_EQ(get(mx, D::Fprop), Accumulator::Full);
  EXPECT_EQ(get(mx, D::Dgrad), Accumulator::Promoted);
}

TEST(Reads, SayWhichDtypeTheyOverride) {
  auto warn = [](Given given) {
    std::vector<std::string> warnings = load("bf16", given).warnings;
    return warnings.empty() ? "" : warnings[0];
  };
  EXPECT_EQ(warn({{"matmul-dtype", "e4m3"}, {"reads", "fprop:bf16"}}),
            "reads overrides matmul_dtype=e4m3: contractions read fprop bf16 x "
            "bf16, dgrad e5m2 x e4m3, wgrad e5m2 x e4m3");
  EXPECT_EQ(warn({{"gradient-dtype", "e5m2"},
                  {"reads", "dgrad:bf16"},
                  {"reads", "wgrad:bf16"}}),
            "reads overrides gradient_dtype=e5m2: contractions read fprop bf16 "
            "x bf16, dgrad bf16 x bf16, wgrad bf16 x bf16");
  // One direction follows it still.
  EXPECT_EQ(warn({{"gradient-dtype", "e5m2"}, {"reads", "wgrad:bf16"}}), "");
}

//===----------------------------------------------------------------------===//
// Dtypes under recipes that force formats
//===----------------------------------------------------------------------===//

TEST(OverriddenDtypes, AreNamedWithWhatIsForced) {
  auto warn = [](StringRef recipe, StringRef dtype, StringRef format) {
    std::vector<std::string> warnings =
        load(recipe, {{dtype, format}}).warnings;
    return warnings.empty() ? "" : warnings[0];
  };
  EXPECT_EQ(warn("fp32", "master-dtype", "bf16"),
            "recipe fp32 overrides master_dtype=bf16: it forces f32 masters");
  EXPECT_EQ(warn("fp32", "model-dtype", "bf16"),
            "recipe fp32 overrides model_dtype=bf16: it forces f32 "
            "activations");
  EXPECT_EQ(warn("fp16", "model-dtype", "bf16"),
            "recipe fp16 overrides model_dtype=bf16: it forces f16 "
            "activations");
  EXPECT_EQ(warn("mxfp8", "matmul-dtype", "bf16"),
            "recipe mxfp8 overrides matmul_dtype=bf16: it forces fprop e4m3 x "
            "e4m3, dgrad e4m3 x e4m3, wgrad e4m3 x e4m3");
  // The masters of every other recipe follow their dtype.
  for (StringRef name : {"bf16", "fp16", "fp8-hybrid", "fp8-rowwise",
                         "fp8-block", "mxfp8", "nvfp4"}) {
    Recipe recipe = load(name, {{"master-dtype", "bf16"}});
    EXPECT_EQ(recipe.getStorage(StorageKind::Master).format, F::BF16);
  }
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

TEST(TensorScaling, IsDelayedOrCurrentWhereScalesAreOfTensors) {
  Recipe delayed = load("fp8-hybrid", {{"tensor-scaling", "delayed"}});
  for (auto [direction, kind] : kReads)
    EXPECT_EQ(delayed.getUse(direction, kind).scaling, S::TensorDelayed);
  EXPECT_EQ(getDifference(load("fp8-hybrid"),
                          load("fp8-hybrid", {{"tensor-scaling", "current"}})),
            "");
  for (StringRef name : {"bf16", "fp8-rowwise", "fp8-block", "mxfp8", "nvfp4"})
    EXPECT_EQ(
        getDifference(load(name), load(name, {{"tensor-scaling", "delayed"}})),
        "");
  Recipe mixed = load("fp8-block",
                      {{"reads", "wgrad:e4m3"}, {"tensor-scaling", "delayed"}});
  EXPECT_EQ(mixed.getUse(D::Wgrad, K::Gradient).scaling, S::TensorDelayed);
  EXPECT_EQ(mixed.getUse(D::Dgrad, K::Gradient).scaling, S::Block1x128);
}

/// Each option changes its own field only.
TEST(Amax, OptionsAreTheirFields) {
  AmaxOptions expected;
  EXPECT_EQ(load("fp8-hybrid").amax, expected);
  auto check = [](StringRef option, StringRef value,
                  llvm::function_ref<void(AmaxOptions &)> change) {
    AmaxOptions expected;
    change(expected);
    EXPECT_FALSE(expected == AmaxOptions());
    EXPECT_EQ(load("fp8-hybrid", {{option, value}}).amax, expected)
        << option.str();
  };
  check("amax-history", "16", [](AmaxOptions &amax) { amax.history = 16; });
  check("amax-algorithm", "most_recent",
        [](AmaxOptions &amax) { amax.algorithm = AmaxAlgorithm::MostRecent; });
  check("amax-margin", "2", [](AmaxOptions &amax) { amax.margin = 2; });
  check("power-of-two-scales", "true",
        [](AmaxOptions &amax) { amax.powerOfTwo = true; });
  check("amax-epsilon", "1e-6",
        [](AmaxOptions &amax) { amax.epsilon = {1e-6, 1e-6, 1e-6}; });
  check("amax-epsilon", "activation:1e-6",
        [](AmaxOptions &amax) { amax.epsilon[0] = 1e-6; });
  check("amax-epsilon", "weight:0",
        [](AmaxOptions &amax) { amax.epsilon[1] = 0; });
  check("amax-epsilon", "gradient:1",
        [](AmaxOptions &amax) { amax.epsilon[2] = 1; });
}

TEST(LossScaling, IsNoneDynamicOrStatic) {
  EXPECT_EQ(load("fp16", {{"loss-scaling", "none"}}).lossScaling.mode,
            LossScalingMode::None);
  EXPECT_EQ(load("bf16", {{"loss-scaling", "dynamic"}}).lossScaling.mode,
            LossScalingMode::Dynamic);
  Recipe fixed = load("fp16", {{"loss-scaling", "1024"}});
  EXPECT_EQ(fixed.lossScaling.mode, LossScalingMode::Static);
  EXPECT_EQ(fixed.lossScaling.scale, 1024);
}

TEST(MasterRounding, HasAModeAndASearch) {
  EXPECT_EQ(load("bf16").masterRounding.mode, MasterRounding::Nearest);
  EXPECT_EQ(
      load("bf16", {{"master-rounding", "stochastic"}}).masterRounding.mode,
      MasterRounding::Stochastic);
  MasterRoundingOptions rounding =
      load("bf16", {{"master-rounding", "precision_aware"},
                    {"rounding-iterations", "5"},
                    {"rounding-tolerance", "0.25"}})
          .masterRounding;
  EXPECT_EQ(rounding.mode, MasterRounding::PrecisionAware);
  EXPECT_EQ(rounding.iterations, 5);
  EXPECT_EQ(rounding.tolerance, 0.25);
}

TEST(Moments, AreF32OrCoded) {
  EXPECT_EQ(load("bf16").moments, MomentStorage::F32);
  EXPECT_EQ(load("bf16", {{"moments", "dynamic8"}}).moments,
            MomentStorage::Dynamic8);
}

//===----------------------------------------------------------------------===//
// Together
//===----------------------------------------------------------------------===//

/// A layer is skipped, the head is not; the last word on masters is the user's.
TEST(Together, SkippedLayersTheHeadAndAnOperand) {
  Step step = buildStep(3, /*withRoles=*/true);
  const GraphBuilder &b = step.builder;
  Recipe recipe = load("fp8-rowwise", {{"skip-last-layers", "1"},
                                       {"head", "in"},
                                       {"reads", "wgrad:bf16"},
                                       {"master-dtype", "bf16"}});
  Assignment assignment =
      assignPrecision(b.graph, classify(b.graph), recipe, *findTarget("cpu"));
  auto read = [&](ValueId value) {
    const Decision &use = assignment.uses[b.node(value)][1];
    return std::pair(use.format, use.scaling);
  };
  auto row = std::pair(F::E4M3, S::Row), wide = std::pair(F::BF16, S::None);
  for (unsigned layer = 0; layer < 3; ++layer) {
    EXPECT_EQ(read(step.projections[layer]), layer < 2 ? row : wide);
    EXPECT_EQ(read(step.dgrads[2 - layer]), layer < 2 ? row : wide);
    EXPECT_EQ(read(step.wgrads[2 - layer]), wide);
  }
  EXPECT_EQ(read(step.logits), row);
  EXPECT_EQ(read(step.dHead), row);
  EXPECT_EQ(read(step.headGradient), wide);
  for (auto [id, value] : llvm::enumerate(b.graph.values))
    if (value.origin == Origin::Parameter) {
      EXPECT_EQ(assignment.values[id].format, F::BF16);
    }
}

} // namespace
