//===- TimelinePage.cpp - memory over a step as a page --------------------===//
#include "prec/Memory/Timeline.h"

#include "prec/Support/Page.h"

using namespace mlir;
using namespace mlir::prec;
using llvm::StringRef;

namespace {

struct PageFile {
  StringRef name, text;
};

} // namespace

static constexpr PageFile kFiles[] = {
#include "prec/Memory/TimelinePageFiles.inc"
};

void prec::writeTimelinePage(llvm::raw_ostream &os,
                             const MemoryTimeline &timeline) {
  std::string data;
  llvm::raw_string_ostream dataStream(data);
  writeTimeline(dataStream, timeline, /*indent=*/0);
  for (const PageFile &file : kFiles) {
    auto [front, back] = file.text.split("@data@");
    os << front;
    writeScriptData(os, data);
    os << back;
  }
}
