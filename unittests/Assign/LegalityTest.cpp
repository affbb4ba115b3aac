//===- LegalityTest.cpp - what a target can contract ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Targets.h"
#include "prec/Target/Legality.h"

#include "gtest/gtest.h"

using llvm::StringRef;
using namespace prec;

namespace {

constexpr ContractionShape kShape = {32, 48, 64, 1};

TEST(Legality, KnowsItsTargets) {
  for (const char *name : {"sm_80", "sm_89", "sm_90a", "sm_100a", "cpu"})
    ASSERT_NE(findTarget(name), nullptr) << name;
  EXPECT_EQ(findTarget("sm_90"), nullptr);
  EXPECT_EQ(findTarget(""), nullptr);
}

/// Surogate's table "Supported Matmul Dispatches", and everything else
/// that four formats could make.
TEST(Legality, FollowsTheDispatchTable) {
  const Target &target = *findTarget("sm_90a");
  auto isInTable = [](Format a, Format b, Format c) {
    using F = Format;
    if (a == F::E5M2)
      std::swap(a, b);
    return (a == F::F32 && b == F::F32 && c == F::F32) ||
           (a == F::BF16 && b == F::BF16 && (c == F::F32 || c == F::BF16)) ||
           (a == F::E4M3 && b == F::E4M3 && (c == F::F32 || c == F::BF16)) ||
           (a == F::E4M3 && b == F::E5M2 && c == F::BF16) ||
           // Not in the table: gradients of FP32 models, and the recipe fp16.
           (a == F::E4M3 && b == F::E5M2 && c == F::F32) ||
           (a == F::F16 && b == F::F16 && (c == F::F32 || c == F::F16));
  };
  unsigned legal = 0;
  const Format formats[] = {Format::F32, Format::BF16, Format::F16,
                            Format::E4M3, Format::E5M2};
  for (Format a : formats)
    for (Format b : formats)
      for (Format c : formats) {
        Dispatch dispatch = {a, b, c, Accumulator::Full};
        dispatch.accumulator = target.settleAccumulator(dispatch);
        bool isLegal = !findIllegality(target, kShape, dispatch);
        EXPECT_EQ(isLegal, isInTable(a, b, c))
            << stringifyFormat(a).str() << " x " << stringifyFormat(b).str()
            << " -> " << stringifyFormat(c).str();
        legal += isLegal;
      }
  // Six rows and one more, the last two in either order, and two of f16.
  EXPECT_EQ(legal, 11u);
}

TEST(Legality, Fp8NeedsItsUnits) {
  Dispatch fp8 = {Format::E4M3, Format::E4M3, Format::BF16, Accumulator::Fast};
  EXPECT_TRUE(findIllegality(*findTarget("sm_80"), kShape, fp8));
  for (const char *name : {"sm_89", "sm_90a", "sm_100a", "cpu"})
    EXPECT_FALSE(findIllegality(*findTarget(name), kShape, fp8)) << name;
  Dispatch bf16 = {Format::BF16, Format::BF16, Format::BF16};
  EXPECT_FALSE(findIllegality(*findTarget("sm_80"), kShape, bf16));
}

TEST(Legality, Fp8NeedsMultiplesOf16) {
  const Target &target = *findTarget("sm_90a");
  Dispatch fp8 = {Format::E4M3, Format::E5M2, Format::BF16,
                  Accumulator::Promoted};
  EXPECT_EQ(findIllegality(target, {30, 48, 64, 1}, fp8),
            "M = 30 is not a multiple of 16, as FP8 on sm_90a needs");
  EXPECT_EQ(findIllegality(target, {32, 40, 64, 1}, fp8),
            "N = 40 is not a multiple of 16, as FP8 on sm_90a needs");
  EXPECT_EQ(findIllegality(target, {32, 48, 1, 1}, fp8),
            "K = 1 is not a multiple of 16, as FP8 on sm_90a needs");
  EXPECT_EQ(findIllegality(target, {32, 48, 64, 2}, fp8),
            "FP8 has no batched product (batch 2)");
  EXPECT_TRUE(findIllegality(target, {0, 48, 64, 1}, fp8));
  EXPECT_TRUE(findIllegality(target, {}, fp8));
  // BF16 has none of these limits.
  EXPECT_FALSE(findIllegality(target, {30, 40, 1, 7},
                              {Format::BF16, Format::BF16, Format::BF16}));
}

/// Which target has which scaling; two square blocks have no kernel anywhere.
TEST(Legality, ScalingsBelongToTargets) {
  using S = Scaling;
  const std::tuple<S, S, StringRef> cases[] = {
      {S::TensorCurrent, S::TensorCurrent, "sm_89 sm_90a sm_100a cpu"},
      {S::TensorCurrent, S::TensorDelayed, "sm_89 sm_90a sm_100a cpu"},
      {S::Row, S::Row, "sm_90a cpu"},
      {S::Row, S::TensorCurrent, ""},
      {S::Block1x128, S::Block1x128, "sm_90a cpu"},
      {S::Block1x128, S::Block128x128, "sm_90a cpu"},
      {S::Block128x128, S::Block1x128, "sm_90a cpu"},
      {S::Block128x128, S::Block128x128, ""},
      {S::Mx1x32, S::Mx1x32, "sm_100a cpu"}};
  for (auto [lhs, rhs, expected] : cases) {
    std::string legal;
    for (const Target *target : getAllTargets().list()) {
      Dispatch dispatch = {Format::E4M3,
                           Format::E4M3,
                           Format::BF16,
                           Accumulator::Full,
                           {lhs, rhs}};
      dispatch.accumulator = target->settleAccumulator(dispatch);
      if (!findIllegality(*target, kShape, dispatch))
        legal += (legal.empty() ? "" : " ") + target->getName().str();
    }
    EXPECT_EQ(legal, expected.str())
        << stringifyScaling(lhs).str() << " x " << stringifyScaling(rhs).str();
  }
}

TEST(Legality, Fp4BeginsWithBlackwell) {
  Dispatch fp4 = {Format::E2M1,
                  Format::E2M1,
                  Format::BF16,
                  Accumulator::Full,
                  {Scaling::Nvfp4, Scaling::Nvfp4}};
  for (const char *name : {"sm_100a", "cpu"}) {
    EXPECT_FALSE(findIllegality(*findTarget(name), kShape, fp4)) << name;
    // Two elements a byte: rows of 32.
    EXPECT_TRUE(findIllegality(*findTarget(name), {32, 48, 48, 1}, fp4));
  }
  EXPECT_EQ(findIllegality(*findTarget("sm_90a"), kShape, fp4),
            "sm_90a has no FP4 matrix units (they begin with sm_100a)");
}

/// Hopper's FP8 products are TN only, Blackwell's take any layout.
TEST(Legality, LayoutsBelongToTargets) {
  Dispatch fp8 = {Format::E4M3,
                  Format::E5M2,
                  Format::BF16,
                  Accumulator::Full,
                  {Scaling::TensorCurrent, Scaling::TensorCurrent}};
  for (const char *name : {"sm_89", "sm_90a", "cpu"})
    EXPECT_EQ(findTarget(name)->find(fp8)->layout,
              OperandLayout::ContractedLast);
  EXPECT_EQ(findTarget("sm_100a")->find(fp8)->layout, OperandLayout::Any);
}

TEST(Legality, MicroscaledProductsHaveOneAccumulator) {
  EXPECT_EQ(findIllegality(*findTarget("cpu"), kShape,
                           {Format::E4M3,
                            Format::E4M3,
                            Format::BF16,
                            Accumulator::Fast,
                            {Scaling::Mx1x32, Scaling::Mx1x32}}),
            "products with mx_1x32 scaling have a full accumulator, not a "
            "fast one");
}

/// Ada and Hopper keep 14 bits of a sum of FP8 products; Blackwell keeps FP32
/// and the CPU adds in it.
TEST(Legality, FullSumsOfFp8BelongToTargets) {
  const std::tuple<StringRef, bool, int> cases[] = {{"sm_89", false, 13},
                                                    {"sm_90a", false, 13},
                                                    {"sm_100a", true, 23},
                                                    {"cpu", true, 0}};
  for (auto [name, isLegal, bits] : cases)
    for (Scaling scaling : {Scaling::TensorCurrent, Scaling::Row}) {
      const Target &target = *findTarget(name);
      Dispatch full = {Format::E5M2,
                       Format::E4M3,
                       Format::BF16,
                       Accumulator::Full,
                       {scaling, scaling}};
      if (!target.find(full))
        continue;
      std::optional<std::string> illegal = findIllegality(target, kShape, full);
      EXPECT_EQ(!illegal, isLegal) << name.str();
      EXPECT_EQ(illegal.value_or(""),
                isLegal
                    ? ""
                    : name.str() + " keeps no full FP32 sum of FP8 products");
      full.accumulator = target.settleAccumulator(full);
      EXPECT_EQ(full.accumulator,
                isLegal ? Accumulator::Full : Accumulator::Promoted);
      EXPECT_FALSE(findIllegality(target, kShape, full));
      std::optional<Fp8Accumulator> fast =
          target.findAccumulator(Accumulator::Fast);
      EXPECT_EQ(fast ? fast->fractionBits : 0, bits) << name.str();
      std::optional<Fp8Accumulator> promoted =
          target.findAccumulator(Accumulator::Promoted);
      EXPECT_EQ(promoted ? promoted->promotion : 0, bits == 13 ? 128 : 0);
    }
  EXPECT_FALSE(findTarget("sm_80")->findAccumulator(Accumulator::Fast));
  // Other formats and asked modes stay.
  for (Dispatch dispatch :
       {Dispatch{Format::BF16, Format::BF16, Format::BF16},
        Dispatch{Format::E4M3, Format::E4M3, Format::BF16, Accumulator::Fast}})
    EXPECT_EQ(findTarget("sm_90a")->settleAccumulator(dispatch),
              dispatch.accumulator);
}

TEST(Legality, OnlyFp8ChoosesAnAccumulator) {
  EXPECT_TRUE(findIllegality(
      *findTarget("cpu"), kShape,
      {Format::BF16, Format::BF16, Format::BF16, Accumulator::Fast}));
}

} // namespace
