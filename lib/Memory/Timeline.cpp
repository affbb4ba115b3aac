//===- Timeline.cpp - what lives in memory while a step runs --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Memory/Timeline.h"

#include <algorithm>

using namespace prec;
using llvm::StringRef;

StringRef prec::stringifyBufferClass(BufferClass bufferClass) {
  static constexpr StringRef kNames[kNumBufferClasses] = {
      "parameters",  "optimizer state",        "work weights",
      "other state", "inputs and outputs",     "staged parameters",
      "activations", "recomputed activations", "weight gradients",
      "temporaries"};
  return kNames[static_cast<unsigned>(bufferClass)];
}

static void writeResident(llvm::json::OStream &json,
                          const ResidentBuffer &buffer) {
  json.object([&] {
    json.attribute("what", stringifyBufferClass(buffer.what));
    json.attribute("name", buffer.name);
    json.attribute("type", buffer.type);
    json.attribute("segment", buffer.segment);
    json.attribute("offset", buffer.offset);
    json.attribute("bytes", buffer.bytes);
  });
}

static void writeBuffer(llvm::json::OStream &json,
                        const TimelineBuffer &buffer) {
  json.object([&] {
    json.attribute("what", stringifyBufferClass(buffer.what));
    json.attribute("type", buffer.type);
    json.attribute("offset", buffer.offset);
    json.attribute("bytes", buffer.bytes);
    json.attribute("first", buffer.live.first);
    json.attribute("last", buffer.live.last);
  });
}

static void writeFunction(llvm::json::OStream &json,
                          const FunctionTimeline &timeline) {
  llvm::ArrayRef<int64_t> live = timeline.liveBytes;
  auto peak = std::max_element(live.begin(), live.end());
  json.attribute("arena_bytes", timeline.arenaBytes);
  json.attribute("peak_live_bytes", peak == live.end() ? 0 : *peak);
  json.attribute("peak_command", peak - live.begin());
  json.attributeArray("live_bytes", [&] {
    for (int64_t bytes : live)
      json.value(bytes);
  });
  json.attributeArray("commands", [&] {
    for (const TimelineCommand &command : timeline.commands)
      json.object([&] {
        json.attribute("name", command.name);
        json.attribute("path", command.path);
        json.attribute("phase", command.phase);
      });
  });
  json.attributeArray("buffers", [&] {
    for (const TimelineBuffer &buffer : timeline.buffers)
      writeBuffer(json, buffer);
  });
}

void prec::writeTimeline(llvm::raw_ostream &os, const MemoryTimeline &timeline,
                         unsigned indent) {
  llvm::json::OStream json(os, indent);
  json.object([&] {
    json.attribute("version", 1);
    json.attributeArray("classes", [&] {
      for (unsigned i = 0; i < kNumBufferClasses; ++i)
        json.value(stringifyBufferClass(static_cast<BufferClass>(i)));
    });
    json.attributeObject("segments", [&] {
      for (const auto &[name, bytes] : timeline.segments)
        json.attribute(name, bytes);
    });
    json.attributeArray("residents", [&] {
      for (const ResidentBuffer &buffer : timeline.residents)
        writeResident(json, buffer);
    });
    json.attributeObject("functions", [&] {
      for (const FunctionTimeline &function : timeline.functions)
        json.attributeObject(function.function,
                             [&] { writeFunction(json, function); });
    });
  });
}
