//===- MemoryReport.h - memory of a planned module as JSON ------*- C++ -*-===//
#ifndef PREC_LIB_SCHEDULE_MEMORYREPORT_H
#define PREC_LIB_SCHEDULE_MEMORYREPORT_H

#include "prec/Schedule/MemoryPlan.h"

namespace mlir::prec {

/// Workspace of one function.
struct FunctionMemory {
  StringRef function;
  int64_t arenaBytes = 0;
  /// At each operation, by position.
  std::vector<int64_t> liveBytes;
};

/// Writes
/// ```json
/// {"segments": {"state": 1024, "input": 256, "output": 256, "workspace":
/// 4096},
///  "functions": {"step": {"arena_bytes": 4096, "peak_live_bytes": 3840,
///                         "live_bytes": [256, 512]}}}
/// ```
/// `live_bytes` has one entry an operation, in order; `peak_live_bytes` is its
/// maximum, which no arena can be smaller than.
LogicalResult writeMemoryReport(StringRef path, ModuleOp module,
                                const SegmentLayout &layout,
                                ArrayRef<FunctionMemory> memories);

} // namespace mlir::prec

#endif // PREC_LIB_SCHEDULE_MEMORYREPORT_H
