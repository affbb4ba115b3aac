//===- IndexRanges.h - where the indices of a step may lie ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_INDEXRANGES_H
#define PREC_LIB_MATERIALIZE_INDEXRANGES_H

#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace prec {

/// What is known at compile time of the whole numbers of a step.
class IndexRanges {
public:
  explicit IndexRanges(mlir::func::FuncOp step) : step(step) {}

  /// Whether each element of `ids` is in [0, rows), or is `ignored`, given that
  /// those of the arguments in `sources` are: arguments that whoever feeds the
  /// step can check, as their elements reach `ids` unchanged.
  bool isWithin(Value ids, int64_t rows, std::optional<int64_t> ignored,
                llvm::SetVector<BlockArgument> &sources);

  /// Signed bounds of the elements of a tensor of integers.
  mlir::ConstantIntRanges getRange(Value value);

private:
  mlir::ConstantIntRanges infer(Value value);
  std::optional<int64_t> getNumber(BlockArgument argument, StringRef name);

  mlir::func::FuncOp step;
  DenseMap<Value, mlir::ConstantIntRanges> known;
};

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_INDEXRANGES_H
