//===- TimelinePage.cpp - memory over a step as a page --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Memory/Timeline.h"

#include "prec/Support/Page.h"

using namespace prec;
using llvm::StringRef;

static constexpr PageFile kFiles[] = {
#include "prec/Memory/TimelinePageFiles.inc"
};

void prec::writeTimelinePage(llvm::raw_ostream &os,
                             const MemoryTimeline &timeline) {
  std::string data;
  llvm::raw_string_ostream dataStream(data);
  writeTimeline(dataStream, timeline, /*indent=*/0);
  auto [front, back] = kFiles[0].text.split("@data@");
  os << front;
  writeScriptData(os, data);
  os << back;
}
