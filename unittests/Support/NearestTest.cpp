//===- NearestTest.cpp - the name that a mistyped one was meant to be -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Support/Nearest.h"

#include "gtest/gtest.h"

using namespace prec;
using llvm::StringRef;

static const StringRef kNames[] = {"recipe", "recipe-file", "rules", "target",
                                   "head",   "fp8-hybrid",  "f"};

TEST(Nearest, AChangedCharacterOrTwo) {
  EXPECT_EQ(describeNearest("recpie", kNames), "; the nearest is 'recipe'");
  EXPECT_EQ(describeNearest("recipe_file", kNames),
            "; the nearest is 'recipe-file'");
  EXPECT_EQ(describeNearest("rule", kNames), "; the nearest is 'rules'");
  EXPECT_EQ(describeNearest("FP8-Hybrid", kNames),
            "; the nearest is 'fp8-hybrid'");
}

TEST(Nearest, TheFirstOfTheNearest) {
  EXPECT_EQ(describeNearest("abd", {"abc", "abe"}), "; the nearest is 'abc'");
  EXPECT_EQ(describeNearest("abe", {"abc", "abe"}), "; the nearest is 'abe'");
}

TEST(Nearest, NothingThatIsFar) {
  EXPECT_EQ(describeNearest("precision", kNames), "");
  EXPECT_EQ(describeNearest("tgts", kNames), "");
  EXPECT_EQ(describeNearest("recipe", {}), "");
}
