//===- MemoryReport.cpp - memory of a planned module as JSON --------------===//
#include "MemoryReport.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::prec;
using sched::Segment;

LogicalResult prec::writeMemoryReport(StringRef path, ModuleOp module,
                                      const SegmentLayout &layout,
                                      ArrayRef<FunctionMemory> memories) {
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path, &error);
  if (!file)
    return module.emitError("report must be a file that can be written: ")
           << error;
  llvm::json::OStream json(file->os(), 2);
  json.object([&] {
    json.attributeObject("segments", [&] {
      for (Segment segment : {Segment::State, Segment::Input, Segment::Output})
        json.attribute(sched::stringifySegment(segment),
                       layout.getSize(segment));
      json.attribute("workspace", getWorkspaceSize(module));
    });
    json.attributeObject("functions", [&] {
      for (const FunctionMemory &memory : memories)
        json.attributeObject(memory.function, [&] {
          int64_t peak = 0;
          for (int64_t bytes : memory.liveBytes)
            peak = std::max(peak, bytes);
          json.attribute("arena_bytes", memory.arenaBytes);
          json.attribute("peak_live_bytes", peak);
          json.attributeArray("live_bytes", [&] {
            for (int64_t bytes : memory.liveBytes)
              json.value(bytes);
          });
        });
    });
  });
  file->os() << "\n";
  file->os().flush();
  if (file->os().has_error()) {
    std::error_code reason = file->os().error();
    file->os().clear_error();
    return module.emitError("report must be a file that can be written: ")
           << reason.message();
  }
  file->keep();
  return success();
}
