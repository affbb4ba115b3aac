//===- SharedTables.h - tables of constants in shared memory ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants that threads look up at places of their own, such as the codes of
// moments in 8 bits. In global memory each thread of a warp asks the first
// cache for another line, one after the other; in shared memory it asks banks,
// of which most are different ones. A block copies the tables once, so it pays
// only where blocks compute many rows.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_SHAREDTABLES_H
#define PREC_LIB_CODEGEN_GPU_SHAREDTABLES_H

#include "Codegen/Gpu/GpuKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace prec {

/// Constants that the dispatch gathers from, if they fit beside each other.
SmallVector<mlir::arith::ConstantOp>
findGatheredTables(sched::DispatchOp dispatch);

/// Copies them into shared memory, where they are read from then on, by the
/// `threads` of a block, of which `thread` is one.
LogicalResult shareTables(GpuKernel &gpu,
                          ArrayRef<mlir::arith::ConstantOp> tables,
                          Value thread, int64_t threads);

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_SHAREDTABLES_H
