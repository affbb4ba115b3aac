//===- RecipeTest.cpp - recipes as data -----------------------------------===//
#include "prec/Assign/Recipe.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::prec;

namespace {

Recipe load(StringRef name) {
  llvm::Expected<Recipe> recipe = parseRecipe(findBuiltinRecipe(name), name);
  EXPECT_TRUE(bool(recipe)) << llvm::toString(recipe.takeError());
  return recipe ? *recipe : Recipe();
}

/// The built-in fp8-hybrid with one text replaced; the message of the error.
std::string getErrorAfter(StringRef from, StringRef to) {
  std::string text = findBuiltinRecipe("fp8-hybrid").str();
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str();
  text.replace(at, from.size(), to.str());
  llvm::Expected<Recipe> recipe = parseRecipe(text, "f");
  return recipe ? "" : llvm::toString(recipe.takeError());
}

TEST(Recipe, BuiltinsAreNamedAfterTheirFiles) {
  EXPECT_EQ(getBuiltinRecipeNames(), "'fp32', 'bf16', 'fp8-hybrid'");
  for (StringRef name : {"fp32", "bf16", "fp8-hybrid"})
    EXPECT_EQ(load(name).name, name.str());
  EXPECT_TRUE(findBuiltinRecipe("fp9").empty());
}

/// fp8-hybrid forces e4m3 forward and e5m2 gradients (seed 000); accumulators
/// are fast in fprop and promoted in dgrad and wgrad.
TEST(Recipe, Fp8HybridIsAsDocumented) {
  Recipe recipe = load("fp8-hybrid");
  auto use = [&](Direction direction, OperandKind kind) {
    return recipe.directions[unsigned(direction)].operands[unsigned(kind)];
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

/// The precision map of seed 004, as far as this recipe decides it.
TEST(Recipe, KeepsHighWhatTheMapKeepsHigh) {
  for (StringRef name : {"bf16", "fp8-hybrid"}) {
    Recipe recipe = load(name);
    auto stores = [&](TensorClass c) { return recipe.getKeepHigh(c)->stores; };
    for (TensorClass c :
         {TensorClass::Embedding, TensorClass::Head, TensorClass::Norm,
          TensorClass::Softmax, TensorClass::Attention, TensorClass::Residual})
      EXPECT_EQ(stores(c), Format::BF16);
    for (TensorClass c :
         {TensorClass::Loss, TensorClass::Clipping, TensorClass::Optimizer})
      EXPECT_EQ(stores(c), Format::F32);
    for (TensorClass c :
         {TensorClass::Head, TensorClass::Attention, TensorClass::Router})
      EXPECT_EQ(recipe.getKeepHigh(c)->reads, Format::BF16);
    EXPECT_EQ(recipe.getStorage(StorageKind::Gradient).format, Format::BF16);
    EXPECT_EQ(recipe.getStorage(StorageKind::Master).format, Format::F32);
    EXPECT_EQ(recipe.getStorage(StorageKind::Moment).format, Format::F32);
  }
}

TEST(Recipe, Fp32KeepsEverything) {
  Recipe recipe = load("fp32");
  for (const StorageRecipe &storage : recipe.storage)
    EXPECT_EQ(storage.format, Format::F32);
  for (const DirectionRecipe &direction : recipe.directions)
    for (const UseFormat &use : direction.operands)
      EXPECT_EQ(use.format, Format::F32);
}

TEST(Recipe, SaysWhereItIsWrong) {
  const std::tuple<StringRef, StringRef, StringRef> cases[] = {
      {"\"recipe\"", "\"name\"",
       "f:2:3: error: unknown key 'name', expected one of 'recipe', "
       "'description', "
       "'contraction', 'storage', 'keep_high'"},
      {"\"recipe\": \"fp8-hybrid\",", "", "f:1:1: error: missing key 'recipe'"},
      {"\"fp8-hybrid\"", "8", "f:2:13: error: expected a text"},
      {"\"fp8-hybrid\"", "\" \"", "f:2:13: error: expected a text"},
      {"\"fp8-hybrid\"", "\"a\\nb\"",
       "f:2:13: error: expected a text of one line"},
      {"\"fprop\"", "\"forward\"",
       "f:5:5: error: unknown key 'forward', expected one of 'fprop', 'dgrad', "
       "'wgrad', "
       "'fallback', 'reason'"},
      {"\"activation\": {\"format\": \"e4m3\"",
       "\"gradient\": {\"format\": \"e4m3\"",
       "f:6:7: error: unknown key 'gradient', expected one of 'activation', "
       "'weight', "
       "'accumulator'"},
      {"\"e4m3\"", "\"e3m4\"",
       "f:6:32: error: format must be one of 'f32', 'bf16', 'e4m3', 'e5m2', "
       "but got 'e3m4'"},
      {"\"e4m3\"", "\"f16\"",
       "f:6:32: error: format must be one of 'f32', 'bf16', 'e4m3', 'e5m2', "
       "but got 'f16'"},
      {"\"e4m3\"", "4",
       "f:6:32: error: format must be one of 'f32', 'bf16', 'e4m3', 'e5m2', "
       "but got no text"},
      {"\"tensor_current\"", "\"tensor\"",
       "f:6:51: error: scaling must be one of 'none', 'tensor_current', but "
       "got 'tensor'"},
      {", \"scaling\": \"tensor_current\"", "",
       "f:6:21: error: an fp8 format must have a scaling"},
      {"\"e4m3\"", "\"bf16\"",
       "f:6:51: error: only fp8 formats have a scaling"},
      {"\"fast\"", "\"slow\"",
       "f:8:22: error: accumulator must be one of 'full', 'fast', 'promoted', "
       "but got 'slow'"},
      {"\"fallback\": \"bf16\"", "\"fallback\": \"e4m3\"",
       "f:20:17: error: format must be one of 'f32', 'bf16', but got 'e4m3'"},
      {"\"master\": {\"format\": \"f32\"", "\"master\": {\"format\": \"bf16\"",
       "f:27:26: error: format must be one of 'f32', but got 'bf16'"},
      {"\"moment\": {\"format\": \"f32\"", "\"moment\": {\"format\": \"e4m3\"",
       "f:28:26: error: format must be one of 'f32', but got 'e4m3'"},
      {"\"keep_high\": [", "\"keep_high\": [[],",
       "f:31:17: error: expected an object"},
      {"\"class\": \"embedding\"", "\"class\": \"embeddings\"",
       "f:32:15: error: class must be one of 'head', 'embedding', 'norm', "
       "'softmax', "
       "'attention', 'residual', 'reduction', 'loss', 'router', 'rotary', "
       "'optimizer', "
       "'clipping', but got 'embeddings'"},
      {"\"class\": \"head\"", "\"class\": \"embedding\"",
       "f:33:15: error: a class must have one rule, but got 'embedding' again"},
      {"\"stores\": \"bf16\", \"reason\"", "\"reason\"",
       "f:32:5: error: a rule must have 'reads' or 'stores'"},
      {"{\"class\": \"embedding\", \"stores\": \"bf16\"",
       "{\"class\": \"embedding\", \"stores\": \"e4m3\"",
       "f:32:38: error: format must be one of 'f32', 'bf16', but got 'e4m3'"},
      {"\"reference\": \"DeepSeek-V3 map\"", "\"see\": \"DeepSeek-V3 map\"",
       "unknown key 'see'"},
  };
  for (auto [from, to, message] : cases) {
    std::string error = getErrorAfter(from, to);
    EXPECT_TRUE(StringRef(error).contains(message))
        << from.str() << " -> " << to.str() << "\n  got  " << error
        << "\n  want " << message.str();
  }
}

TEST(Recipe, AccumulatorsAreOnlyForFp8) {
  std::string text = findBuiltinRecipe("bf16").str();
  StringRef from = "\"weight\": {\"format\": \"bf16\"}}";
  text.replace(
      text.find(from.str()), from.size(),
      "\"weight\": {\"format\": \"bf16\"}, \"accumulator\": \"fast\"}");
  llvm::Expected<Recipe> recipe = parseRecipe(text, "f");
  ASSERT_FALSE(bool(recipe));
  EXPECT_TRUE(
      StringRef(llvm::toString(recipe.takeError()))
          .contains("error: only fp8 contractions choose an accumulator"));
}

} // namespace
