//===- DiffTest.cpp - what differs between two maps -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MapBuilder.h"
#include "prec/Explain/Diff.h"
#include "Explain/Layers.h"

#include "gtest/gtest.h"

using namespace prec;
using namespace prec::test;

static std::string print(const MapDiff &diff) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printDiff(os, diff);
  return text;
}

TEST(DiffTest, FindsNothingInEqualMaps) {
  PrecisionMap map = makeLayers({"e4m3", "bf16"});
  MapDiff diff = diffMaps(map, map);
  EXPECT_TRUE(diff.differences.empty());
  // Two parameters, four contractions of three decisions.
  EXPECT_EQ(diff.numDecisions, 2 + 4 * 3);
}

TEST(DiffTest, FoldsLayersAndSaysWhatLost) {
  PrecisionMap before = makeLayers({"e4m3", "e4m3", "e4m3", "e4m3"});
  PrecisionMap after = makeLayers({"bf16", "bf16", "e4m3", "bf16"});
  MapCandidate lost;
  lost.reads[0].format = lost.reads[1].format = "e4m3";
  lost.veto = "bound";
  lost.reason = "it overflows";
  for (size_t node : {1, 2, 4})
    after.functions[0].operations[node].choice->candidates.push_back(lost);
  MapDiff diff = diffMaps(before, after);
  EXPECT_EQ(diff.count(DifferenceKind::Format), 6);
  std::string text = print(diff);
  EXPECT_NE(text.find("model.layers.{0-1, 3}.proj: prec_train.matmul, fprop, "
                      "operand 0 (3 times)\n"
                      "  - e4m3: reads e4m3\n"
                      "  + bf16: reads bf16\n"
                      "  why: e4m3 x e4m3 lost: bound: it overflows\n"),
            std::string::npos)
      << text;
}

TEST(DiffTest, TellsReasonsFromFormats) {
  PrecisionMap before = makeLayers({"e4m3"}), after = before;
  after.functions[0].operations[1].reads[0].decision.rule = "another";
  MapDiff diff = diffMaps(before, after);
  EXPECT_EQ(diff.count(DifferenceKind::Reason), 1);
  EXPECT_EQ(diff.count(DifferenceKind::Format), 0);
}

TEST(DiffTest, PairsOperationsOfTwoGraphsByPath) {
  PrecisionMap before = makeLayers({"e4m3", "e4m3"});
  PrecisionMap after = makeLayers({"e4m3", "e4m3", "e4m3"});
  MapDiff diff = diffMaps(before, after);
  EXPECT_EQ(diff.count(DifferenceKind::OnlyAfter), 4);
  EXPECT_EQ(diff.differences.size(), 4u);
  for (const Difference &difference : diff.differences)
    EXPECT_EQ(difference.path.find("model.layers.2"), 0u) << difference.path;
  EXPECT_EQ(diffMaps(after, before).count(DifferenceKind::OnlyBefore), 4);
}

TEST(DiffTest, PairsOneGraphWithoutItsPaths) {
  PrecisionMap before = makeLayers({"e4m3", "e4m3"}), after = before;
  for (MapOperation &operation : after.functions[0].operations)
    operation.path.clear();
  EXPECT_TRUE(diffMaps(before, after).differences.empty());
}

TEST(LayersTest, SplitsAtTheFirstNumber) {
  std::optional<LayerPath> path = splitLayer("model.layers.12.experts.3.up");
  ASSERT_TRUE(path);
  EXPECT_EQ(path->stack, "model.layers");
  EXPECT_EQ(path->layer, 12);
  EXPECT_EQ(path->inner, "experts.3.up");
  EXPECT_EQ(splitLayer("h.3")->inner, "");
  EXPECT_FALSE(splitLayer("model.norm"));
  EXPECT_FALSE(splitLayer("3.weight"));
  EXPECT_FALSE(splitLayer("model.layer3.weight"));
  EXPECT_FALSE(splitLayer(""));
}

TEST(LayersTest, PrintsRunsAsRanges) {
  EXPECT_EQ(printRanges({0, 1, 2, 5, 7, 8}), "0-2, 5, 7-8");
  EXPECT_EQ(printRanges({4}), "4");
  EXPECT_EQ(printRanges({}), "");
}
