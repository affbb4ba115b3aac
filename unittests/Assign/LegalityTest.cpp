//===- LegalityTest.cpp - what a target can contract ----------------------===//
#include "prec/Assign/Legality.h"

#include "gtest/gtest.h"

using namespace mlir::prec;

namespace {

constexpr ContractionShape kShape = {32, 48, 64, 1};

TEST(Legality, KnowsItsTargets) {
  for (const char *name : {"sm_80", "sm_89", "sm_90a", "cpu"})
    ASSERT_NE(findTarget(name), nullptr) << name;
  EXPECT_EQ(findTarget("sm_90"), nullptr);
  EXPECT_EQ(findTarget(""), nullptr);
}

/// The table "Supported Matmul Dispatches" of seed 000, and everything else
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
           (a == F::E4M3 && b == F::E5M2 && c == F::BF16);
  };
  unsigned legal = 0;
  const Format formats[] = {Format::F32, Format::BF16, Format::F16,
                            Format::E4M3, Format::E5M2};
  for (Format a : formats)
    for (Format b : formats)
      for (Format c : formats) {
        bool isLegal = !findIllegality(target, kShape, {a, b, c});
        EXPECT_EQ(isLegal, isInTable(a, b, c))
            << stringifyFormat(a).str() << " x " << stringifyFormat(b).str()
            << " -> " << stringifyFormat(c).str();
        legal += isLegal;
      }
  // Six rows, the last in either order.
  EXPECT_EQ(legal, 7u);
}

TEST(Legality, Fp8NeedsItsUnits) {
  Dispatch fp8 = {Format::E4M3, Format::E4M3, Format::BF16, Accumulator::Fast};
  EXPECT_TRUE(findIllegality(*findTarget("sm_80"), kShape, fp8));
  for (const char *name : {"sm_89", "sm_90a", "cpu"})
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

TEST(Legality, OnlyFp8ChoosesAnAccumulator) {
  EXPECT_TRUE(findIllegality(
      *findTarget("cpu"), kShape,
      {Format::BF16, Format::BF16, Format::BF16, Accumulator::Fast}));
}

} // namespace
