//===- SelectTest.cpp - what a query asks about ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MapBuilder.h"
#include "prec/Explain/Explain.h"

#include "gtest/gtest.h"

using namespace prec;
using namespace prec::test;

/// Paths of arguments and operations.
static std::string select(const PrecisionMap &map, llvm::StringRef query) {
  llvm::Expected<PrecisionMap> selected = selectDecisions(map, query);
  if (!selected)
    return llvm::toString(selected.takeError());
  std::string text;
  for (const MapFunction &function : selected->functions) {
    for (const MapValue &argument : function.arguments)
      text += argument.path + " ";
    for (const MapOperation &operation : function.operations)
      text += operation.path + " ";
  }
  return text;
}

TEST(SelectTest, SelectsModulesTensorsAndPatterns) {
  PrecisionMap map = makeLayers({"e4m3", "bf16"});
  EXPECT_EQ(select(map, "lm_head"), "lm_head ");
  EXPECT_EQ(select(map, "model.layers.1"),
            "model.layers.1.proj.weight model.layers.1.proj ");
  EXPECT_EQ(select(map, "*head"), "lm_head ");
  // An argument comes with the operations that read it.
  EXPECT_EQ(select(map, "model.layers.1.proj.weight"),
            "model.layers.1.proj.weight model.layers.1.proj ");
  EXPECT_EQ(select(map, "all").find("model.layers.0.proj.weight"), 0u);
}

TEST(SelectTest, IsNoPrefixOfText) {
  PrecisionMap map = makeLayers({"e4m3"});
  EXPECT_EQ(select(map, "lm_hea"),
            "explain must be 'all', the path of a tensor or module, or a "
            "pattern with '*', but got 'lm_hea', which is none; the nearest "
            "path is 'lm_head'");
  EXPECT_EQ(select(map, "0.proj").substr(0, 7), "explain");
}

TEST(SelectTest, SaysWhyACandidateLost) {
  MapChoice choice;
  choice.candidates.resize(3);
  choice.candidates[2].veto = "bound";
  choice.candidates[2].reason = "it overflows";
  choice.winner = 0;
  EXPECT_EQ(getLossReason(choice, 1), "permitted, but comes after it");
  EXPECT_EQ(getLossReason(choice, 2), "bound: it overflows");
  choice.winner = 1;
  EXPECT_EQ(getLossReason(choice, 0), "permitted, but not chosen");
  choice.reason = "policy: 5 tokens";
  EXPECT_EQ(getLossReason(choice, 0), "permitted, but policy: 5 tokens");
}
