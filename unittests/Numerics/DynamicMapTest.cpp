//===- DynamicMapTest.cpp - values of 8-bit codes -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Numerics/DynamicMap.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace prec;

namespace {

/// Values that bitsandbytes 0.50.2 has there.
TEST(DynamicMapTest, IsBitsandbytes) {
  std::array<float, 256> map = getDynamicMap(/*isSigned=*/true);
  EXPECT_EQ(map.front(), -0.99296874f);
  EXPECT_EQ(map[127], 0.0f);
  EXPECT_EQ(map[128], 5.5000004e-7f);
  EXPECT_EQ(map.back(), 1.0f);
  map = getDynamicMap(/*isSigned=*/false);
  EXPECT_EQ(map[0], 0.0f);
  EXPECT_EQ(map[1], 3.2500003e-7f);
  EXPECT_EQ(map[17], 0.00024062501f);
  EXPECT_EQ(map[254], 0.9964844f);
  EXPECT_EQ(map.back(), 1.0f);
}

TEST(DynamicMapTest, Ascends) {
  for (bool isSigned : {false, true}) {
    std::array<float, 256> map = getDynamicMap(isSigned);
    EXPECT_TRUE(std::is_sorted(map.begin(), map.end(), std::less<>()));
    std::array<float, 256> bounds = getCodeBounds(isSigned);
    for (size_t code = 0; code + 1 < map.size(); ++code) {
      EXPECT_GT(bounds[code], map[code]);
      EXPECT_LT(bounds[code], map[code + 1]);
    }
  }
}

/// So that one comparison is enough.
TEST(DynamicMapTest, CellsHaveAtMostOneBound) {
  for (bool isSigned : {false, true}) {
    std::vector<uint8_t> codes = getCellCodes(isSigned);
    ASSERT_EQ(codes.size(), size_t(isSigned ? 2 : 1) * kNumCells);
    for (int32_t cell = 1; cell + 1 < kNumCells; ++cell) {
      EXPECT_LE(codes[cell + 1] - codes[cell], 1);
      EXPECT_GE(codes[cell + 1], codes[cell]);
    }
    for (int32_t cell = kNumCells; isSigned && cell + 2 < 2 * kNumCells; ++cell)
      EXPECT_LE(codes[cell] - codes[cell + 1], 1);
    EXPECT_EQ(getDynamicMap(isSigned)[codes[0]], 0.0f);
    EXPECT_EQ(codes[kNumCells - 1], 255);
  }
}

} // namespace
