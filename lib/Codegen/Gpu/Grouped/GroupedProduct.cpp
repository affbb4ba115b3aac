//===- GroupedProduct.cpp - what kernels of experts depend on -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Gpu/Grouped/GroupedProduct.h"

#include "prec-rt/format.h"

using namespace mlir;
using namespace prec;

static GroupedOperand operandOf(Value value, Scaling scaling, bool isAlong) {
  auto type = cast<RankedTensorType>(value.getType());
  ArrayRef<int64_t> shape = type.getShape();
  return {cast<FloatType>(type.getElementType()),
          scaling,
          shape[shape.size() - 2],
          shape.back(),
          shape.size() == 3 ? shape[0] : 1,
          isAlong};
}

GroupedProduct GroupedProduct::of(sched::GroupedGemmOp op) {
  auto result = cast<RankedTensorType>(op.getResult().getType());
  auto ends = cast<RankedTensorType>(op.getEnds().getType());
  const bool isGradient = result.getRank() == 3,
             isScaled = !op.getScales().empty();
  // Scaled operands lie along what is contracted.
  GroupedOperand left = operandOf(op.getLhs(), op.getLhsScaling(),
                                  isScaled || !isGradient),
                 right = operandOf(op.getRhs(), op.getRhsScaling(),
                                   isScaled || op.getTransposeB());
  const int64_t k = left.isAlong ? left.columns : left.rows;
  ArrayRef<int64_t> sizes = result.getShape().take_back(2);
  return {isGradient,
          left,
          right,
          cast<FloatType>(result.getElementType()),
          op.getAccumulator(),
          ends.getDimSize(0),
          isGradient ? k : sizes[0],
          sizes[0],
          sizes[1],
          k,
          isGradient && isScaled ? PREC_GROUP_ALIGNMENT : 1};
}

std::string GroupedProduct::signature() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << isGradient << ' ' << groups << ' ' << rows << ' ' << m << ' ' << n
     << ' ' << k << ' ' << result << ' ' << stringifyAccumulator(accumulator);
  for (const GroupedOperand &operand : {left, right})
    os << ' ' << operand.element << ' ' << stringifyScaling(operand.scaling)
       << ' ' << operand.isAlong;
  return text;
}
