//===- MemoryTableTest.cpp - where the bytes of a step go -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Memory/MemoryTable.h"

#include "llvm/Support/JSON.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace prec;

namespace {

using C = MemoryClass;

/// "At Massive Scale": DeepSeek-V3's 671B parameters.
std::vector<MemoryItem> makeDeepSeekV3() {
  constexpr double kParameters = 671e9;
  return {{C::ForwardWeights, "e4m3", kParameters, {}},
          {C::Weights16, "bf16", kParameters, {}},
          {C::Masters, "f32", kParameters, {}},
          {C::Moments, "f32", kParameters, {}},
          {C::Moments, "f32", kParameters, {}},
          {C::Gradients, "bf16", kParameters, {}}};
}

const MemoryRow &getRow(const MemoryTable &table, C memoryClass) {
  for (const MemoryRow &row : table.rows)
    if (row.memoryClass == memoryClass)
      return row;
  ADD_FAILURE() << "no row";
  return table.rows.front();
}

/// The table of bytes of "What Stays in BF16 and FP32", row by row: format,
/// bytes a parameter, bytes.
TEST(MemoryTable, DeepSeekV3ForwardWeights) {
  MemoryTable table = makeMemoryTable(makeDeepSeekV3());
  EXPECT_EQ(printBytes(getRow(table, C::ForwardWeights).bytes), "671 GB");
}
TEST(MemoryTable, DeepSeekV3Weights16) {
  MemoryTable table = makeMemoryTable(makeDeepSeekV3());
  EXPECT_EQ(printBytes(getRow(table, C::Weights16).bytes), "1.34 TB");
}
TEST(MemoryTable, DeepSeekV3Masters) {
  MemoryTable table = makeMemoryTable(makeDeepSeekV3());
  EXPECT_EQ(printBytes(getRow(table, C::Masters).bytes), "2.68 TB");
}
TEST(MemoryTable, DeepSeekV3Moments) {
  MemoryTable table = makeMemoryTable(makeDeepSeekV3());
  EXPECT_EQ(printBytes(getRow(table, C::Moments).bytes), "5.37 TB");
  EXPECT_EQ(getRow(table, C::Moments).tensors, 2);
}
TEST(MemoryTable, DeepSeekV3Gradients) {
  MemoryTable table = makeMemoryTable(makeDeepSeekV3());
  EXPECT_EQ(printBytes(getRow(table, C::Gradients).bytes), "1.34 TB");
}
TEST(MemoryTable, DeepSeekV3Total) {
  MemoryTable table = makeMemoryTable(makeDeepSeekV3());
  EXPECT_DOUBLE_EQ(table.bytes / table.parameters, 17);
  EXPECT_EQ(printBytes(table.bytes), "11.4 TB");
}

/// "With 1024 H100s the per-GPU share of FP32 optimizer state is around 11 GB":
/// masters and moments are 7.86 GB; 11 GB are all 17 bytes a parameter.
TEST(MemoryTable, DeepSeekV3OnRanks) {
  MemoryTable table = makeMemoryTable(makeDeepSeekV3(), 1024);
  double optimizer =
      getRow(table, C::Masters).peakBytes + getRow(table, C::Moments).peakBytes;
  EXPECT_EQ(printBytes(optimizer), "7.86 GB");
  EXPECT_EQ(printBytes(table.bytes / 1024), "11.1 GB");
  // What ZeRO-1 does not split stays whole.
  EXPECT_EQ(getRow(table, C::ForwardWeights).peakBytes,
            getRow(table, C::ForwardWeights).bytes);
}

TEST(MemoryTable, PrintsRows) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printMemoryTable(os, makeMemoryTable(makeDeepSeekV3(), 1024));
  EXPECT_EQ(
      text,
      R"(  what              format tensors bytes/param     bytes  per rank
  ----              ------ ------- -----------     -----  --------
  forward weights   e4m3         1           1    671 GB    671 GB
  16-bit weights    bf16         1           2   1.34 TB   1.34 TB
  masters           f32          1           4   2.68 TB   2.62 GB
  moments           f32          2           8   5.37 TB   5.24 GB
  gradients         bf16         1           2   1.34 TB   1.34 TB
  all               bf16         2           4   2.68 TB   2.68 TB
  all               e4m3         1           1    671 GB    671 GB
  all               f32          3          12   8.05 TB   7.86 GB
  total                                     17   11.4 TB   3.36 TB
)");
}

/// The peak of live ranges against looking at every position.
TEST(MemoryTable, FindsThePeak) {
  std::vector<MemoryItem> items;
  for (uint32_t i = 0; i < 60; ++i) {
    uint32_t first = i * 7 % 40, length = i * i % 13;
    items.push_back({i % 2 ? C::Activations : C::Temporaries,
                     i % 3 ? "bf16" : "f32", 10.0 * (i % 5 + 1),
                     LiveRange{first, first + length}});
  }
  items.push_back({C::Masters, "f32", 100, {}});
  MemoryTable table = makeMemoryTable(items);
  double most = 0;
  uint32_t peak = 0;
  for (uint32_t position = 0; position < 60; ++position) {
    double live = 0;
    for (const MemoryItem &item : items)
      if (!item.live ||
          (item.live->first <= position && position <= item.live->last))
        live += getBytes(item.format, item.elements);
    if (live > most) {
      most = live;
      peak = position;
    }
  }
  EXPECT_EQ(table.peakBytes, most);
  EXPECT_EQ(table.peak, peak);
  EXPECT_LT(table.peakBytes, table.bytes);
}

TEST(MemoryTable, PacksFourBits) {
  EXPECT_EQ(getBytes("e2m1", 7), 4);
  EXPECT_EQ(getBytes("e5m2", 7), 7);
  EXPECT_EQ(getBytes("f16", 7), 14);
}

TEST(MemoryTable, SplitsUnevenSizesUpwards) {
  MemoryTable table = makeMemoryTable({{C::Masters, "f32", 10, {}}}, 4);
  EXPECT_EQ(table.peakBytes, 12);
}

TEST(MemoryTable, PrintsThreeDigits) {
  EXPECT_EQ(printBytes(0), "0 B");
  EXPECT_EQ(printBytes(999), "999 B");
  EXPECT_EQ(printBytes(999.6), "1.00 kB");
  EXPECT_EQ(printBytes(1234), "1.23 kB");
  EXPECT_EQ(printBytes(12340), "12.3 kB");
  EXPECT_EQ(printBytes(99960), "100 kB");
  EXPECT_EQ(printBytes(999600), "1.00 MB");
  EXPECT_EQ(printBytes(5e18), "5000 PB");
}

/// Two of eight experts meet a token, and all of a dense layer.
TEST(MemoryTable, TellsWhatMeetsAToken) {
  std::vector<MemoryItem> items = {{C::Masters, "f32", 800, {}, "experts"},
                                   {C::Masters, "f32", 50, {}, "dense"},
                                   {C::Moments, "f32", 800, {}, "experts"}};
  items[0].activePart = items[2].activePart = 0.25;
  MemoryTable table = makeMemoryTable(items);
  EXPECT_EQ(table.parameters, 850);
  EXPECT_EQ(table.activeParameters, 250);
  std::string text;
  llvm::raw_string_ostream os(text);
  printMemoryTable(os, table);
  EXPECT_NE(text.find("  parameters: 850, active for a token: 250\n"),
            std::string::npos);
  std::string json;
  llvm::raw_string_ostream jsonStream(json);
  llvm::json::OStream stream(jsonStream);
  writeMemoryTable(stream, table, items);
  EXPECT_NE(json.find("\"active_parameters\":250"), std::string::npos);
}

TEST(MemoryTable, IsWrittenAsJson) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::vector<MemoryItem> items = makeDeepSeekV3();
  items.push_back({C::Activations, "e2m1", 3, LiveRange{4, 9}, "layers.0"});
  llvm::json::OStream stream(os);
  writeMemoryTable(stream, makeMemoryTable(items, 1024), items);
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(text);
  ASSERT_TRUE(bool(json)) << llvm::toString(json.takeError());
  const llvm::json::Object &table = *json->getAsObject();
  EXPECT_EQ(table.getInteger("ranks"), 1024);
  EXPECT_EQ(table.getInteger("bytes"), 11407000000002);
  ASSERT_EQ(table.getArray("rows")->size(), 6u);
  const llvm::json::Object &masters =
      *(*table.getArray("rows"))[2].getAsObject();
  EXPECT_EQ(masters.getString("what"), "masters");
  EXPECT_EQ(masters.getInteger("bytes"), 2684000000000);
  EXPECT_EQ(masters.getInteger("peak_bytes"), 2621093752);
  ASSERT_EQ(table.getArray("live")->size(), 1u);
  const llvm::json::Object &live = *(*table.getArray("live"))[0].getAsObject();
  EXPECT_EQ(live.getString("path"), "layers.0");
  EXPECT_EQ(live.getInteger("bytes"), 2);
  EXPECT_EQ(live.getInteger("first"), 4);
  EXPECT_EQ(live.getInteger("last"), 9);
}

} // namespace
