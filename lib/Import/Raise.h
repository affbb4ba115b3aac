//===- Raise.h - composites found in a function -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_IMPORT_RAISE_H
#define PREC_LIB_IMPORT_RAISE_H

#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace prec {

struct RaiseCount {
  unsigned forward = 0, backward = 0;
};

// Each leaves what it does not recognize, and no dead operation of what it
// does.
RaiseCount raiseRmsNorm(mlir::func::FuncOp function);
RaiseCount raiseLayerNorm(mlir::func::FuncOp function);
RaiseCount raiseSoftmax(mlir::func::FuncOp function);
RaiseCount raiseRope(mlir::func::FuncOp function);
RaiseCount raiseCrossEntropy(mlir::func::FuncOp function);

/// Sums of tensors that are zero but for pieces, which do not overlap, become
/// concatenations of these pieces.
void joinPieces(mlir::func::FuncOp function);

/// Makes values that are computed alike of constants alone, in one phase, one.
void shareTables(Block &block);

/// Has what follows the forward compute elementwise values of it again, where
/// what they are computed from is kept anyway. Changes nothing in a function
/// without a loss.
void recomputeElementwise(mlir::func::FuncOp function);

/// What exponentials that are summed over the last dimension may be of, with
/// and without what is taken out of them for the sake of their range.
llvm::SetVector<Value> getSoftmaxInputs(Block &block);

} // namespace prec

#endif // PREC_LIB_IMPORT_RAISE_H
