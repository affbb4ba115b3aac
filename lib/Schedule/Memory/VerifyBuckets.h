//===- VerifyBuckets.h - exchanges that run beside others -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_MEMORY_VERIFYBUCKETS_H
#define PREC_LIB_SCHEDULE_MEMORY_VERIFYBUCKETS_H

#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {

/// That what exchanges of a bucket read and make is left alone until they are
/// awaited, however long they take: then the bytes that the check of a plan
/// finds in place in program order are in place while they run.
LogicalResult checkBuckets(mlir::func::FuncOp function);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_MEMORY_VERIFYBUCKETS_H
