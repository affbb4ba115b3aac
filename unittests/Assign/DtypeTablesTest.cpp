//===- DtypeTablesTest.cpp - the tables of the five dtypes ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One test for each row of the tables of Surogate's documentation,
// "Mixed-Precision Training", named after it.
//
//===----------------------------------------------------------------------===//
#include "GraphBuilder.h"
#include "Targets.h"
#include "prec/Target/Legality.h"
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

/// What the options of a dtype are, of all names of formats.
std::string getOptions(Dtype dtype) {
  std::string accepted;
  for (StringRef name : {"fp32", "bf16", "fp16", "e4m3", "e5m2", "e2m1"}) {
    llvm::Expected<Format> format = parseDtype(dtype, name);
    if (format)
      accepted += (accepted.empty() ? "" : " ") + name.str();
    else
      llvm::consumeError(format.takeError());
  }
  return accepted;
}

std::string getRefusal(Dtype dtype, StringRef name) {
  llvm::Expected<Format> format = parseDtype(dtype, name);
  return format ? "" : llvm::toString(format.takeError());
}

/// "dtype=format ..." as options without a named recipe.
RecipeOptions set(ArrayRef<std::pair<StringRef, StringRef>> given,
                  bool isDtypeOnly = true) {
  RecipeOptions options;
  options.isDtypeOnly = isDtypeOnly;
  for (auto [name, value] : given)
    EXPECT_FALSE(bool(readRecipeOption(name, value, options)));
  return options;
}

Recipe load(StringRef name, const RecipeOptions &options) {
  llvm::Expected<Recipe> recipe =
      parseRecipe(findBuiltinRecipe(name), name, options);
  EXPECT_TRUE(bool(recipe));
  return std::move(*recipe);
}

Format getDefault(Dtype dtype,
                  ArrayRef<std::pair<StringRef, StringRef>> given = {}) {
  return set(given).dtypes.get(dtype);
}

//===----------------------------------------------------------------------===//
// The table of parameters
//===----------------------------------------------------------------------===//

TEST(DtypeTablesParameters, MatmulDtype) {
  EXPECT_EQ(getOptions(Dtype::Matmul), "fp32 bf16 e4m3");
  for (StringRef name : {"e5m2", "fp16", "e2m1"})
    EXPECT_EQ(getRefusal(Dtype::Matmul, name),
              "matmul_dtype must be one of 'fp32', 'bf16', 'e4m3', but got '" +
                  name.str() +
                  "': e5m2, fp16 and e2m1 are not supported in the forward "
                  "pass (fp16 and nvfp4 are recipes)");
  EXPECT_EQ(getDefault(Dtype::Matmul), F::BF16);
  EXPECT_EQ(getDefault(Dtype::Matmul, {{"model-dtype", "fp32"}}), F::F32);
  // "FP8 requires SM89+"
  Dispatch fp8 = {F::E4M3, F::E4M3, F::BF16};
  EXPECT_TRUE(findMissing(*findTarget("sm_80"), fp8));
  EXPECT_FALSE(findMissing(*findTarget("sm_89"), fp8));
}

TEST(DtypeTablesParameters, GradientDtype) {
  EXPECT_EQ(getOptions(Dtype::Gradient), "fp32 bf16 e5m2");
  for (StringRef name : {"fp16", "e4m3", "e2m1"})
    EXPECT_EQ(
        getRefusal(Dtype::Gradient, name),
        "gradient_dtype must be one of 'fp32', 'bf16', 'e5m2', but got '" +
            name.str() +
            "': fp16, e4m3 and e2m1 are not supported for gradients");
  EXPECT_EQ(getDefault(Dtype::Gradient), F::BF16);
  EXPECT_EQ(getDefault(Dtype::Gradient, {{"matmul-dtype", "fp32"}}), F::F32);
  // "fp8-hybrid recipe forces e5m2"
  Recipe hybrid = load("fp8-hybrid", set({{"gradient-dtype", "bf16"}}, false));
  EXPECT_EQ(hybrid.getUse(D::Dgrad, K::Gradient).format, F::E5M2);
  EXPECT_EQ(hybrid.getUse(D::Wgrad, K::Gradient).format, F::E5M2);
}

TEST(DtypeTablesParameters, MasterDtype) {
  EXPECT_EQ(getOptions(Dtype::Master), "fp32 bf16");
  EXPECT_EQ(getRefusal(Dtype::Master, "e4m3"),
            "master_dtype must be one of 'fp32', 'bf16', but got 'e4m3': only "
            "fp32 and bf16 masters are supported");
  EXPECT_EQ(getDefault(Dtype::Master), F::BF16);
  EXPECT_EQ(getDefault(Dtype::Master, {{"model-dtype", "fp32"}}), F::F32);
}

TEST(DtypeTablesParameters, ModelDtype) {
  EXPECT_EQ(getOptions(Dtype::Model), "fp32 bf16");
  EXPECT_EQ(getDefault(Dtype::Model), F::BF16);
  // "Other dtype params fall back to this."
  for (Dtype dtype : {Dtype::Matmul, Dtype::Gradient, Dtype::Master})
    EXPECT_EQ(getDefault(dtype, {{"model-dtype", "fp32"}}), F::F32);
}

TEST(DtypeTablesParameters, LoraDtype) {
  EXPECT_EQ(getOptions(Dtype::Lora), "fp32 bf16");
  for (StringRef model : {"fp32", "bf16"})
    EXPECT_EQ(getDefault(Dtype::Lora, {{"model-dtype", model}}), F::F32);
}

TEST(DtypeTablesParameters, UnknownNamesAreNotRefusedAsFormats) {
  EXPECT_EQ(getRefusal(Dtype::Model, "float"),
            "model_dtype must be one of 'fp32', 'bf16', but got 'float'");
}

//===----------------------------------------------------------------------===//
// Recipes and the two dtypes of matmuls
//===----------------------------------------------------------------------===//

TEST(DtypeTablesRecipes, Bf16) {
  Recipe recipe =
      load("bf16",
           set({{"matmul-dtype", "e4m3"}, {"gradient-dtype", "e5m2"}}, false));
  for (K kind : {K::Activation, K::Weight})
    EXPECT_EQ(recipe.getUse(D::Fprop, kind).format, F::E4M3);
  for (D direction : {D::Dgrad, D::Wgrad})
    EXPECT_EQ(recipe.getUse(direction, K::Gradient).format, F::E5M2);
  EXPECT_TRUE(recipe.warnings.empty());
}

TEST(DtypeTablesRecipes, Fp8Hybrid) {
  Recipe recipe =
      load("fp8-hybrid",
           set({{"matmul-dtype", "bf16"}, {"gradient-dtype", "fp32"}}, false));
  EXPECT_EQ(recipe.getUse(D::Fprop, K::Activation).format, F::E4M3);
  EXPECT_EQ(recipe.getUse(D::Dgrad, K::Gradient).format, F::E5M2);
  ASSERT_EQ(recipe.warnings.size(), 2u);
  EXPECT_EQ(recipe.warnings[0],
            "recipe fp8-hybrid overrides matmul_dtype=bf16: it forces fprop "
            "e4m3 x e4m3, dgrad e5m2 x e4m3, wgrad e5m2 x e4m3");
  EXPECT_EQ(recipe.warnings[1],
            "recipe fp8-hybrid overrides gradient_dtype=fp32: it forces fprop "
            "e4m3 x e4m3, dgrad e5m2 x e4m3, wgrad e5m2 x e4m3");
}

TEST(DtypeTablesRecipes, Nvfp4) {
  Recipe recipe = load("nvfp4", set({{"matmul-dtype", "bf16"}}, false));
  for (auto [direction, kind] : {std::pair(D::Fprop, K::Weight),
                                 {D::Dgrad, K::Gradient},
                                 {D::Wgrad, K::Activation}})
    EXPECT_EQ(recipe.getUse(direction, kind).format, F::E2M1);
  ASSERT_EQ(recipe.warnings.size(), 1u);
  EXPECT_TRUE(StringRef(recipe.warnings[0])
                  .starts_with("recipe nvfp4 overrides matmul_dtype=bf16"));
}

//===----------------------------------------------------------------------===//
// Supported matmul dispatches
//===----------------------------------------------------------------------===//

void expectDispatch(Format a, Format b, Format c) {
  // FP8 units do not keep a full sum.
  Accumulator sum = isFp8(a) ? Accumulator::Promoted : Accumulator::Full;
  for (const char *name : {"sm_89", "sm_90a", "cpu"}) {
    const Target &target = *findTarget(name);
    EXPECT_FALSE(findIllegality(target, {32, 32, 32, 1}, {a, b, c, sum}));
    EXPECT_FALSE(findIllegality(target, {32, 32, 32, 1}, {b, a, c, sum}));
  }
}

TEST(DtypeTablesDispatches, Fp32Fp32Fp32) {
  expectDispatch(F::F32, F::F32, F::F32);
}
TEST(DtypeTablesDispatches, Bf16Bf16Fp32) {
  expectDispatch(F::BF16, F::BF16, F::F32);
}
TEST(DtypeTablesDispatches, Bf16Bf16Bf16) {
  expectDispatch(F::BF16, F::BF16, F::BF16);
}
TEST(DtypeTablesDispatches, E4m3E4m3Fp32) {
  expectDispatch(F::E4M3, F::E4M3, F::F32);
}
TEST(DtypeTablesDispatches, E4m3E4m3Bf16) {
  expectDispatch(F::E4M3, F::E4M3, F::BF16);
}
TEST(DtypeTablesDispatches, E4m3E5m2Bf16) {
  expectDispatch(F::E4M3, F::E5M2, F::BF16);
}

//===----------------------------------------------------------------------===//
// Weight allocation by dtype
//===----------------------------------------------------------------------===//

struct Allocated {
  Step step = buildStep(2, /*withRoles=*/true);
  Assignment assignment;

  explicit Allocated(ArrayRef<std::pair<StringRef, StringRef>> given) {
    const Graph &graph = step.builder.graph;
    assignment = assignPrecision(graph, classify(graph),
                                 load("bf16", set(given)), *findTarget("cpu"));
  }
  /// What the first use of a parameter in an operation of `structure` reads.
  Format getRead(Structure structure) const {
    const Graph &graph = step.builder.graph;
    for (auto [id, node] : llvm::enumerate(graph.nodes))
      if (node.is(structure))
        for (auto [operand, use] : llvm::enumerate(assignment.uses[id]))
          if (use.isDecided() &&
              graph.values[node.operands[operand]].origin == Origin::Parameter)
            return use.format;
    ADD_FAILURE() << "no use";
    return F::F32;
  }
  Format getUse(ValueId contraction, unsigned operand) const {
    return assignment.uses[step.builder.node(contraction)][operand].format;
  }
};

/// Formats that differ, so that no row passes for another's reason.
constexpr std::pair<StringRef, StringRef> kDifferent[] = {
    {"model-dtype", "bf16"},
    {"matmul-dtype", "e4m3"},
    {"master-dtype", "fp32"}};

TEST(DtypeTablesWeights, LinearProjections) {
  Allocated a(kDifferent);
  for (ValueId projection : a.step.projections)
    EXPECT_EQ(a.getUse(projection, 1), F::E4M3);
  Allocated wide({{"model-dtype", "bf16"}, {"matmul-dtype", "fp32"}});
  for (ValueId projection : wide.step.projections)
    EXPECT_EQ(wide.getUse(projection, 1), F::F32);
}

TEST(DtypeTablesWeights, NormalizationWeights) {
  EXPECT_EQ(Allocated(kDifferent).getRead(Structure::Norm), F::BF16);
  EXPECT_EQ(Allocated({{"model-dtype", "fp32"}, {"matmul-dtype", "bf16"}})
                .getRead(Structure::Norm),
            F::F32);
}

TEST(DtypeTablesWeights, Embeddings) {
  Allocated a(kDifferent);
  EXPECT_EQ(a.getRead(Structure::Embedding), F::BF16);
  // "Token embeddings, LM head"
  EXPECT_EQ(a.getUse(a.step.logits, 1), F::BF16);
  Allocated wide({{"model-dtype", "fp32"}, {"matmul-dtype", "bf16"}});
  EXPECT_EQ(wide.getRead(Structure::Embedding), F::F32);
  EXPECT_EQ(wide.getUse(wide.step.logits, 1), F::F32);
}

TEST(DtypeTablesWeights, MasterWeights) {
  for (auto [text, format] : {std::pair("fp32", F::F32), {"bf16", F::BF16}}) {
    Allocated a({{"master-dtype", text}});
    const Graph &graph = a.step.builder.graph;
    for (auto [id, value] : llvm::enumerate(graph.values)) {
      bool isUpdated = value.producer != kNone &&
                       graph.nodes[value.producer].is(Structure::Optimizer) &&
                       value.result == 0;
      if (value.origin == Origin::Parameter || isUpdated) {
        EXPECT_EQ(a.assignment.values[id].format, format);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// LoRA: supported configurations
//===----------------------------------------------------------------------===//

void expectLora(StringRef lora, StringRef model, Format master, Format work) {
  LoraStep step = buildLoraStep();
  const Graph &graph = step.builder.graph;
  Recipe recipe = load(
      "fp8-hybrid", set({{"lora-dtype", lora}, {"model-dtype", model}}, false));
  Assignment assignment =
      assignPrecision(graph, classify(graph), recipe, *findTarget("sm_90a"));
  for (ValueId parameter : {step.down, step.up})
    EXPECT_EQ(assignment.values[parameter].format, master);
  for (ValueId updated : step.updated)
    EXPECT_EQ(assignment.values[updated].format, master);
  // "Used for the actual LoRA computation (forward/backward matmuls)."
  for (ValueId contraction : step.adapterContractions)
    for (const Decision &use : assignment.uses[step.builder.node(contraction)])
      EXPECT_EQ(use.format, work);
  // The frozen weight is the recipe's.
  EXPECT_EQ(assignment.uses[step.builder.node(step.base)][1].format, F::E4M3);
}

TEST(DtypeTablesLora, Fp32Bf16) { expectLora("fp32", "bf16", F::F32, F::BF16); }
TEST(DtypeTablesLora, Bf16Bf16) {
  expectLora("bf16", "bf16", F::BF16, F::BF16);
}
TEST(DtypeTablesLora, Fp32Fp32) { expectLora("fp32", "fp32", F::F32, F::F32); }
TEST(DtypeTablesLora, Bf16Fp32) { expectLora("bf16", "fp32", F::BF16, F::F32); }

//===----------------------------------------------------------------------===//
// Where the documents collide
//===----------------------------------------------------------------------===//

TEST(DtypeTablesCollisions, GradientsDoNotFollowE4m3) {
  Recipe recipe = load("bf16", set({{"matmul-dtype", "e4m3"}}));
  EXPECT_EQ(recipe.getUse(D::Dgrad, K::Gradient).format, F::E5M2);
  EXPECT_EQ(recipe.getUse(D::Dgrad, K::Weight).format, F::E4M3);
  EXPECT_EQ(recipe.getUse(D::Wgrad, K::Activation).format, F::E4M3);
  ASSERT_EQ(recipe.remarks.size(), 1u);
  EXPECT_EQ(recipe.remarks[0],
            "gradient_dtype is e5m2: it defaults to matmul_dtype, but e4m3 is "
            "not supported for gradients");
  // Saying so is for those who did not set it.
  EXPECT_TRUE(
      load("bf16", set({{"matmul-dtype", "e4m3"}, {"gradient-dtype", "bf16"}}))
          .remarks.empty());
}

TEST(DtypeTablesCollisions, MastersFollowTheModelForDtypesOnly) {
  Recipe dtypes = load("bf16", set({{"model-dtype", "bf16"}}));
  EXPECT_EQ(dtypes.getStorage(StorageKind::Master).format, F::BF16);
  ASSERT_EQ(dtypes.warnings.size(), 1u);
  EXPECT_TRUE(StringRef(dtypes.warnings[0])
                  .starts_with("master weights are bf16: an update of less"));
  for (StringRef name : {"bf16", "fp8-hybrid", "fp8-block", "nvfp4"}) {
    Recipe recipe = load(name, set({{"model-dtype", "bf16"}}, false));
    EXPECT_EQ(recipe.getStorage(StorageKind::Master).format, F::F32);
    EXPECT_TRUE(recipe.warnings.empty());
  }
}

TEST(DtypeTablesCollisions, Fp16IsARecipe) {
  EXPECT_FALSE(findBuiltinRecipe("fp16").empty());
  EXPECT_NE(getRefusal(Dtype::Matmul, "fp16"), "");
}

/// An e5m2 gradient meets an e4m3 weight whatever matmul_dtype is; what is
/// stored is BF16, the only result of that product.
TEST(DtypeTablesCollisions, E5m2GradientsMakeTheBackwardFp8) {
  Recipe recipe = load("bf16", set({{"gradient-dtype", "e5m2"}}));
  EXPECT_EQ(recipe.getUse(D::Fprop, K::Weight).format, F::BF16);
  EXPECT_EQ(recipe.getUse(D::Dgrad, K::Weight).format, F::E4M3);
  EXPECT_EQ(recipe.getStorage(StorageKind::Gradient).format, F::BF16);
}

/// An fp32 product has no bf16 result: it is stored as it is.
TEST(DtypeTablesCollisions, Fp32MatmulsOfABf16Model) {
  Allocated a({{"model-dtype", "bf16"}, {"matmul-dtype", "fp32"}});
  EXPECT_TRUE(a.assignment.fallbacks.empty());
  for (ValueId projection : a.step.projections)
    EXPECT_EQ(a.assignment.values[projection].format, F::F32);
  for (ValueId residual : a.step.residuals)
    EXPECT_EQ(a.assignment.values[residual].format, F::BF16);
}

} // namespace
