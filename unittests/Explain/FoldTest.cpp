//===- FoldTest.cpp - equal layers are folded -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MapBuilder.h"
#include "prec/Explain/Page.h"

#include "llvm/Support/JSON.h"

#include "gtest/gtest.h"

using namespace prec;
using namespace prec::test;
using llvm::StringRef;

static std::string makePage(llvm::ArrayRef<PrecisionMap> maps) {
  std::string page;
  llvm::raw_string_ostream os(page);
  writePage(os, maps);
  return page;
}

/// The data of a page.
static llvm::json::Object getData(llvm::ArrayRef<PrecisionMap> maps) {
  std::string page = makePage(maps);
  StringRef text = StringRef(page).split("id=\"data\">").second;
  text = text.split("</script>").first;
  llvm::Expected<llvm::json::Value> data = llvm::json::parse(text);
  if (!data) {
    ADD_FAILURE() << llvm::toString(data.takeError());
    return {};
  }
  return *data->getAsObject();
}

/// "model.layers 0-2, lm_head".
static std::string getGroups(llvm::ArrayRef<PrecisionMap> maps) {
  llvm::json::Object data = getData(maps);
  const llvm::json::Array &strings = *data.getArray("strings");
  std::string text;
  for (const llvm::json::Value &function : *data.getArray("functions"))
    for (const llvm::json::Value &value :
         *(*function.getAsArray())[1].getAsArray()) {
      const llvm::json::Array &group = *value.getAsArray();
      text += (text.empty() ? "" : ", ") +
              strings[*group[0].getAsInteger()].getAsString()->str();
      int64_t first = *group[2].getAsInteger(), last = *group[3].getAsInteger();
      if (first >= 0)
        text += " " + std::to_string(first) + "-" + std::to_string(last);
    }
  return text;
}

TEST(FoldTest, FoldsEqualLayersInARow) {
  EXPECT_EQ(getGroups(makeLayers({"e4m3", "e4m3", "e4m3"})),
            "model.layers 0-2, model.embed_tokens, lm_head");
  EXPECT_EQ(getGroups(makeLayers({"bf16", "e4m3", "e4m3", "bf16"})),
            "model.layers 0-0, model.layers 1-2, model.layers 3-3, "
            "model.embed_tokens, lm_head");
}

TEST(FoldTest, KeepsATemplateOnce) {
  std::vector<StringRef> alternating;
  for (unsigned layer = 0; layer < 64; ++layer)
    alternating.push_back(layer % 2 ? "e4m3" : "bf16");
  llvm::json::Object data = getData(makeLayers(alternating));
  // Two kinds of layers, the embedding, the head; the latter are equal.
  EXPECT_EQ(data.getArray("templates")->size(), 3u);
  EXPECT_EQ(
      (*(*data.getArray("functions"))[0].getAsArray())[1].getAsArray()->size(),
      66u);
}

TEST(FoldTest, FoldsWhereBothMapsAreEqual) {
  PrecisionMap before = makeLayers({"e4m3", "e4m3", "e4m3"});
  PrecisionMap after = makeLayers({"e4m3", "bf16", "bf16"});
  EXPECT_EQ(getGroups({before, after}), "model.layers 0-0, model.layers 1-2, "
                                        "model.embed_tokens, lm_head");
}

TEST(FoldTest, GivesPathlessOperationsAPlace) {
  PrecisionMap map = makeLayers({});
  MapOperation operation = makeContraction("/tmp/a.mlir:7", "bf16");
  operation.layer = 3;
  map.functions[0].operations = {operation, makeContraction("", "bf16")};
  EXPECT_EQ(getGroups(map), "layer 3-3, forward");
}

TEST(FoldTest, NothingEndsTheDataEarly) {
  PrecisionMap map = makeLayers({"e4m3"});
  map.functions[0].operations[0].reads[0].decision.rule =
      "</script><script>alert(1)</script>";
  std::string page = makePage(map);
  EXPECT_EQ(page.find("alert(1)</"), std::string::npos);
  llvm::json::Object data = getData(map);
  bool isFound = false;
  for (const llvm::json::Value &text : *data.getArray("strings"))
    isFound |= text.getAsString() == "</script><script>alert(1)</script>";
  EXPECT_TRUE(isFound);
}
