//===- MemoryReport.h - memory of a planned module --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_SCHEDULE_MEMORYREPORT_H
#define PREC_SCHEDULE_MEMORYREPORT_H

#include "prec/Memory/Timeline.h"
#include "prec/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"

namespace prec {

/// What a module takes whose memory is planned. A value that is computed over
/// another takes its bytes over; pieces that lie one behind the other are one
/// buffer, from the first on.
MemoryTimeline makeMemoryTimeline(ModuleOp module);

/// Writes it, as a page if the file's name ends in .html and else as JSON.
llvm::Error writeMemoryReport(StringRef fileName, ModuleOp module);

} // namespace prec

#endif // PREC_SCHEDULE_MEMORYREPORT_H
