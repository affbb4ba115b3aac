//===- Raise.h - composites found in a function -----------------*- C++ -*-===//
#ifndef PREC_LIB_IMPORT_RAISE_H
#define PREC_LIB_IMPORT_RAISE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::prec {

struct RaiseCount {
  unsigned forward = 0, backward = 0;
};

// Each leaves what it does not recognise, and no dead operation of what it
// does.
RaiseCount raiseRmsNorm(func::FuncOp function);
RaiseCount raiseLayerNorm(func::FuncOp function);
RaiseCount raiseSoftmax(func::FuncOp function);
RaiseCount raiseRope(func::FuncOp function);
RaiseCount raiseCrossEntropy(func::FuncOp function);

/// What exponentials that are summed over the last dimension may be of, with
/// and without what is taken out of them for the sake of their range.
llvm::SetVector<Value> getSoftmaxInputs(Block &block);

} // namespace mlir::prec

#endif // PREC_LIB_IMPORT_RAISE_H
