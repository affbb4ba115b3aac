//===- TimelineTest.cpp - what lives in memory while a step runs ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Memory/Timeline.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace prec;

namespace {

MemoryTimeline makeTimeline() {
  FunctionTimeline step;
  step.function = "step";
  step.arenaBytes = 512;
  step.commands = {{"a</script>/gemm.0", "a</script>", "forward"},
                   {"gemm.1", "", "backward"}};
  step.buffers = {{BufferClass::Activations, "8x8xf32", 0, 256, {0, 1}},
                  {BufferClass::Temporaries, "4x8xf32", 256, 128, {1, 1}}};
  step.liveBytes = {256, 512};
  MemoryTimeline timeline;
  timeline.segments = {{"state", 256}, {"workspace", 512}};
  timeline.residents = {
      {BufferClass::Parameters, "w", "4x8xf32", "state", 0, 128}};
  timeline.functions = {step};
  return timeline;
}

std::string print(void (*write)(llvm::raw_ostream &, const MemoryTimeline &)) {
  std::string text;
  llvm::raw_string_ostream os(text);
  write(os, makeTimeline());
  return text;
}

llvm::json::Object parse(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value) {
    ADD_FAILURE() << llvm::toString(value.takeError());
    return {};
  }
  return std::move(*value->getAsObject());
}

TEST(Timeline, JsonHasThePeak) {
  llvm::json::Object json =
      parse(print([](llvm::raw_ostream &os, const MemoryTimeline &timeline) {
        writeTimeline(os, timeline);
      }));
  EXPECT_EQ(json.getInteger("version"), 1);
  EXPECT_EQ(json.getArray("classes")->size(), kNumBufferClasses);
  EXPECT_EQ(json.getObject("segments")->getInteger("workspace"), 512);
  const llvm::json::Object *step =
      json.getObject("functions")->getObject("step");
  EXPECT_EQ(step->getInteger("arena_bytes"), 512);
  EXPECT_EQ(step->getInteger("peak_live_bytes"), 512);
  EXPECT_EQ(step->getInteger("peak_command"), 1);
  const llvm::json::Object &buffer =
      *step->getArray("buffers")->front().getAsObject();
  EXPECT_EQ(buffer.getString("what"), "activations");
  EXPECT_EQ(buffer.getInteger("first"), 0);
  EXPECT_EQ(buffer.getInteger("last"), 1);
}

TEST(Timeline, AStepOfNoCommandsHasAPeak) {
  MemoryTimeline timeline;
  timeline.functions.push_back({"step", 0, {}, {}, {}});
  std::string text;
  llvm::raw_string_ostream os(text);
  writeTimeline(os, timeline, /*indent=*/0);
  EXPECT_NE(text.find("\"peak_live_bytes\":0,\"peak_command\":0"),
            std::string::npos);
}

TEST(Timeline, NamesDoNotEndTheScriptOfThePage) {
  std::string page = print(writeTimelinePage);
  EXPECT_EQ(page.find("a</script>"), std::string::npos);
  EXPECT_NE(page.find("a\\u003c/script>/gemm.0"), std::string::npos);
  EXPECT_EQ(page.find("@data@"), std::string::npos);
}

TEST(Timeline, ClassesHaveNamesOfTheirOwn) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < kNumBufferClasses; ++i)
    names.push_back(stringifyBufferClass(BufferClass(i)).str());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
  EXPECT_EQ(names.front(), "activations");
}

} // namespace
