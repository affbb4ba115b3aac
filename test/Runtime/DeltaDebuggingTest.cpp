//===- DeltaDebuggingTest.cpp - small sets that make a difference ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeltaDebugging.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

using namespace prec::rt;
using namespace prec::run;

namespace {

ElementSet firstElements(size_t count) {
  ElementSet all(count);
  std::iota(all.begin(), all.end(), size_t(0));
  return all;
}

/// Passes with all of `needed`; counts tests, each of another set.
struct Needs {
  ElementSet needed;
  std::set<ElementSet> tested;

  Result<bool> operator()(const ElementSet &set) {
    EXPECT_TRUE(std::is_sorted(set.begin(), set.end()));
    EXPECT_TRUE(tested.insert(set).second) << "tested twice";
    return std::includes(set.begin(), set.end(), needed.begin(), needed.end());
  }
};

TEST(DeltaDebugging, FindsWhatIsNeeded) {
  for (size_t count : {1, 2, 3, 7, 64, 168})
    for (const ElementSet &needed :
         {ElementSet{0}, ElementSet{count - 1}, ElementSet{0, count - 1},
          ElementSet{count / 3, count / 2, count - 1}, firstElements(count)}) {
      std::set<size_t> unique(needed.begin(), needed.end());
      Needs test{{unique.begin(), unique.end()}, {}};
      Result<ElementSet> found =
          minimizeSet(firstElements(count),
                      [&](const ElementSet &set) { return test(set); });
      ASSERT_TRUE(found.ok());
      EXPECT_EQ(*found, test.needed);
    }
}

TEST(DeltaDebugging, IsQuickWhereFewAreNeeded) {
  Needs test{{101}, {}};
  ASSERT_TRUE(minimizeSet(firstElements(1024), [&](const ElementSet &set) {
                return test(set);
              }).ok());
  // Two halves a level.
  EXPECT_LE(test.tested.size(), 20u);
}

TEST(DeltaDebugging, LeavesNothingOutThatIsNeededWithTheRest) {
  // Any three of five: which ones does not matter, that there are three does.
  Result<ElementSet> found =
      minimizeSet(firstElements(40), [](const ElementSet &set) -> Result<bool> {
        return std::count_if(set.begin(), set.end(),
                             [](size_t i) { return i % 8 == 5; }) >= 3;
      });
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->size(), 3u);
}

TEST(DeltaDebugging, EndsWithTheErrorOfATest) {
  Result<ElementSet> found =
      minimizeSet(firstElements(8), [](const ElementSet &) -> Result<bool> {
        return Status::deviceError("no device");
      });
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.status().message(), "no device");
}

} // namespace
