//===- Graph.h - functions and tensors that passes can read -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_GRAPH_H
#define PREC_DIALECT_TRAIN_GRAPH_H

#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec::train {

/// More bytes than a process can address: so the sizes of tensors, of some ten
/// thousand of them together and of what is made of them by a factor or two fit
/// into 64 bits.
inline constexpr int64_t kMostTensorBytes = int64_t(1) << 48;

/// Whether a function is a graph: a body of one block, in which arguments,
/// operands and results are ranked tensors of static shape of at most
/// kMostTensorBytes, every operation but the return has results, and none but
/// those of prec_sched have regions. Passes that rewrite graphs leave other
/// functions alone.
bool isGraph(mlir::func::FuncOp function);

/// The same with an error, at what is none.
LogicalResult verifyGraph(mlir::func::FuncOp function);

/// Fails, at the operation, where a tensor of static shape among the operands,
/// results and block arguments in `root` takes more than kMostTensorBytes.
LogicalResult verifyTensorSizes(Operation *root);

} // namespace prec::train

#endif // PREC_DIALECT_TRAIN_GRAPH_H
