//===- IndexRanges.h - where the indices of a step may lie ------*- C++ -*-===//
#ifndef PREC_LIB_MATERIALIZE_INDEXRANGES_H
#define PREC_LIB_MATERIALIZE_INDEXRANGES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::prec {

/// What is known at compile time of the whole numbers of a step.
class IndexRanges {
public:
  explicit IndexRanges(func::FuncOp step) : step(step) {}

  /// Whether each element of `ids` is in [0, rows), or is `ignored`, given that
  /// those of the arguments in `sources` are: arguments that whoever feeds the
  /// step can check, as their elements reach `ids` unchanged.
  bool isWithin(Value ids, int64_t rows, std::optional<int64_t> ignored,
                llvm::SetVector<BlockArgument> &sources);

  /// Signed bounds of the elements of a tensor of integers.
  ConstantIntRanges getRange(Value value);

private:
  ConstantIntRanges infer(Value value);
  std::optional<int64_t> getNumber(BlockArgument argument, StringRef name);

  func::FuncOp step;
  DenseMap<Value, ConstantIntRanges> known;
};

} // namespace mlir::prec

#endif // PREC_LIB_MATERIALIZE_INDEXRANGES_H
