//===- RecipeTest.cpp - recipes as data -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/ParseRecipe.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;

namespace {

Recipe load(StringRef name) {
  llvm::Expected<Recipe> recipe = parseRecipe(findBuiltinRecipe(name), name);
  EXPECT_TRUE(bool(recipe)) << llvm::toString(recipe.takeError());
  return recipe ? *recipe : Recipe();
}

TEST(Recipe, BuiltinsAreNamedAfterTheirFiles) {
  EXPECT_EQ(getBuiltinRecipeNames(),
            "'fp32', 'bf16', 'fp16', 'fp8-hybrid', 'fp8-e4m3', 'fp8-rowwise', "
            "'fp8-block', 'mxfp8', 'nvfp4', 'torchao-tensorwise'");
  for (StringRef name :
       {"fp32", "bf16", "fp16", "fp8-hybrid", "fp8-e4m3", "fp8-rowwise",
        "fp8-block", "mxfp8", "nvfp4", "torchao-tensorwise"})
    EXPECT_EQ(load(name).name, name.str());
  EXPECT_TRUE(findBuiltinRecipe("fp9").empty());
}

/// fp8-hybrid forces e4m3 forward and e5m2 gradients; accumulators
/// are fast in fprop and promoted in dgrad and wgrad.
TEST(Recipe, Fp8HybridIsAsDocumented) {
  Recipe recipe = load("fp8-hybrid");
  auto use = [&](Direction direction, OperandKind kind) {
    return recipe.getUse(direction, kind);
  };
  using D = Direction;
  using K = OperandKind;
  for (auto [direction, kind] : {std::pair(D::Fprop, K::Activation),
                                 {D::Fprop, K::Weight},
                                 {D::Dgrad, K::Weight},
                                 {D::Wgrad, K::Activation}})
    EXPECT_EQ(use(direction, kind).format, Format::E4M3);
  for (D direction : {D::Dgrad, D::Wgrad})
    EXPECT_EQ(use(direction, K::Gradient).format, Format::E5M2);
  for (D direction : {D::Fprop, D::Dgrad, D::Wgrad})
    for (K kind : {K::Activation, K::Weight, K::Gradient})
      EXPECT_EQ(use(direction, kind).scaling, Scaling::TensorCurrent);
  EXPECT_EQ(recipe.directions[0].accumulator, Accumulator::Fast);
  EXPECT_EQ(recipe.directions[1].accumulator, Accumulator::Promoted);
  EXPECT_EQ(recipe.directions[2].accumulator, Accumulator::Promoted);
  EXPECT_EQ(recipe.fallback, Format::BF16);
}

/// A recipe that names no accumulator gets what its scalings can do.
TEST(Recipe, AccumulatorsHaveDefaults) {
  using A = Accumulator;
  const std::tuple<StringRef, A, A> cases[] = {
      {"fp8-hybrid", A::Fast, A::Promoted},
      {"fp8-rowwise", A::Fast, A::Promoted},
      {"fp8-block", A::Promoted, A::Promoted},
      {"mxfp8", A::Full, A::Full},
      {"bf16", A::Full, A::Full}};
  for (auto [name, forward, backward] : cases) {
    std::string text = findBuiltinRecipe(name).str();
    for (size_t at; (at = text.find("\"accumulator\"")) != std::string::npos;) {
      size_t begin = text.rfind(',', at), end = text.find('}', at);
      text.erase(begin, end - begin);
    }
    llvm::Expected<Recipe> recipe = parseRecipe(text, name);
    ASSERT_TRUE(bool(recipe)) << llvm::toString(recipe.takeError());
    EXPECT_EQ(recipe->directions[0].accumulator, forward) << name.str();
    EXPECT_EQ(recipe->directions[1].accumulator, backward) << name.str();
    EXPECT_EQ(recipe->directions[2].accumulator, backward) << name.str();
  }
}

/// FP8 that an option reads is no reason for a sum that nobody asked for.
TEST(Recipe, ReadsBringAnAccumulator) {
  for (StringRef name : {"bf16", "fp32"}) {
    RecipeOptions options;
    for (StringRef reads : {"fprop:e4m3", "wgrad:e4m3"})
      ASSERT_FALSE(readRecipeOption("reads", reads, options));
    llvm::Expected<Recipe> recipe =
        parseRecipe(findBuiltinRecipe(name), name, options);
    ASSERT_TRUE(bool(recipe));
    EXPECT_EQ(recipe->directions[0].accumulator, Accumulator::Fast);
    EXPECT_EQ(recipe->directions[1].accumulator, Accumulator::Full);
    EXPECT_EQ(recipe->directions[2].accumulator, Accumulator::Promoted);
  }
}

/// The precision map of DeepSeek-V3, as far as this recipe decides it.
TEST(Recipe, KeepsHighWhatTheMapKeepsHigh) {
  for (StringRef name : {"bf16", "fp8-hybrid"}) {
    Recipe recipe = load(name);
    auto stores = [&](TensorClass c) {
      return recipe.getKeepHigh(c, Aspect::Stores)->format;
    };
    for (TensorClass c :
         {TensorClass::Embedding, TensorClass::Head, TensorClass::Norm,
          TensorClass::Softmax, TensorClass::Attention, TensorClass::Residual})
      EXPECT_EQ(stores(c), Format::BF16);
    for (TensorClass c :
         {TensorClass::Loss, TensorClass::Clipping, TensorClass::Optimizer})
      EXPECT_EQ(stores(c), Format::F32);
    for (TensorClass c :
         {TensorClass::Head, TensorClass::Attention, TensorClass::Router})
      EXPECT_EQ(recipe.getKeepHigh(c, Aspect::Reads)->format, Format::BF16);
    EXPECT_EQ(recipe.getStorage(StorageKind::Gradient).format, Format::BF16);
    EXPECT_EQ(recipe.getStorage(StorageKind::Master).format, Format::F32);
    EXPECT_EQ(recipe.getStorage(StorageKind::Moment).format, Format::F32);
  }
}

TEST(Recipe, Fp32KeepsEverything) {
  Recipe recipe = load("fp32");
  for (const ReasonedFormat &storage : recipe.storage)
    EXPECT_EQ(storage.format, Format::F32);
  for (const DirectionRecipe &direction : recipe.directions)
    for (const UseFormat &use : direction.operands)
      EXPECT_EQ(use.format, Format::F32);
}

/// Every format of scaling is one recipe's; E4M3 gradients are theirs, not a
/// dtype's.
TEST(Recipe, FineScalingsReadE4M3Everywhere) {
  using D = Direction;
  using K = OperandKind;
  const std::tuple<StringRef, Format, Scaling, Scaling> recipes[] = {
      {"fp8-rowwise", Format::E4M3, Scaling::Row, Scaling::Row},
      {"fp8-block", Format::E4M3, Scaling::Block1x128, Scaling::Block128x128},
      {"mxfp8", Format::E4M3, Scaling::Mx1x32, Scaling::Mx1x32},
      {"nvfp4", Format::E2M1, Scaling::Nvfp4, Scaling::Nvfp4}};
  for (auto [name, format, activation, weight] : recipes) {
    Recipe recipe = load(name);
    for (auto [direction, kind] : {std::pair(D::Fprop, K::Activation),
                                   {D::Fprop, K::Weight},
                                   {D::Dgrad, K::Gradient},
                                   {D::Dgrad, K::Weight},
                                   {D::Wgrad, K::Gradient},
                                   {D::Wgrad, K::Activation}}) {
      const UseFormat &use = recipe.getUse(direction, kind);
      EXPECT_EQ(use.format, format) << name.str();
      EXPECT_EQ(use.scaling, kind == K::Weight ? weight : activation)
          << name.str();
    }
  }
}

TEST(Recipe, Fp16ScalesTheLoss) {
  Recipe recipe = load("fp16");
  EXPECT_EQ(recipe.lossScaling.mode, LossScalingMode::Dynamic);
  EXPECT_EQ(recipe.lossScaling.scale, 65536);
  EXPECT_EQ(recipe.getUse(Direction::Fprop, OperandKind::Weight).format,
            Format::F16);
  EXPECT_EQ(recipe.getStorage(StorageKind::Master).format, Format::F32);
}

} // namespace
