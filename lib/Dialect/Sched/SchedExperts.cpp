//===- SchedExperts.cpp - verifier of grouped products --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/Grouped.h"

using namespace mlir;
using namespace prec::sched;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// What `prec.scaled_grouped_matmul` asks of its operands.
static LogicalResult verifyScaled(GroupedGemmOp op) {
  RankedTensorType lhs = typeOf(op.getLhs()), rhs = typeOf(op.getRhs()),
                   result = typeOf(op.getResult()), ends = typeOf(op.getEnds());
  const bool isGradient = rhs.getRank() == 2;
  // sched_grouped_c3
  if (op.getScales().size() != 2 || (!isGradient && !op.getTransposeB()))
    return op.emitOpError("scaled operands must be contiguous along K "
                          "(transpose_b) and have two inverse scales, but got ")
           << op.getScales().size() << " for " << lhs << " and " << rhs;
  // sched_grouped_c4
  SmallVector<int64_t> expected{ends.getDimSize(0), lhs.getDimSize(0),
                                rhs.getDimSize(0)};
  if (!isGradient)
    expected = {lhs.getDimSize(0), rhs.getDimSize(1)};
  if (lhs.getShape().back() != rhs.getShape().back() ||
      result.getShape() != ArrayRef(expected) ||
      (!isGradient && rhs.getDimSize(0) != ends.getDimSize(0)))
    return op.emitOpError("scaled operands must agree in what is contracted, "
                          "but got ")
           << lhs << " and " << rhs << " for " << result;
  for (auto [operand, scaling, scales] :
       {std::tuple(lhs, op.getLhsScaling(), typeOf(op.getScales()[0])),
        std::tuple(rhs, op.getRhsScaling(), typeOf(op.getScales()[1]))})
    // sched_grouped_c5
    if (RankedTensorType type =
            prec::getGroupedScaleInvType(operand, scaling, ends.getDimSize(0));
        scaling == prec::Scaling::None || type != scales)
      return op.emitOpError("inverse ")
             << scaling << " scales of " << operand << " must be " << type
             << ", but got " << scales;
  return success();
}

LogicalResult GroupedGemmOp::verify() {
  RankedTensorType lhs = typeOf(getLhs()), rhs = typeOf(getRhs()),
                   result = typeOf(getResult()), ends = typeOf(getEnds());
  const bool isGradient = rhs.getRank() == 2;
  // sched_grouped_c1
  if (isGradient && getTransposeB())
    return emitOpError("transpose_b must be of matrices, but got ") << rhs;
  bool isScaled = lhs.getElementTypeBitWidth() == 8;
  // sched_grouped_c2
  if (isScaled != (rhs.getElementTypeBitWidth() == 8) ||
      (!isScaled && lhs.getElementType() != rhs.getElementType()))
    return emitOpError("operands must have one format, but got ")
           << lhs << " and " << rhs;
  if (isScaled)
    return failure(failed(verifyScaled(*this)) ||
                   failed(verifyPlacements(*this, getPlacements())));
  // sched_grouped_c6
  if (!getScales().empty())
    return emitOpError("only fp8 operands must have scales, but got some for ")
           << lhs;
  prec::train::Grouped of =
      isGradient
          ? prec::train::Grouped{lhs, result, rhs, ends, false}
          : prec::train::Grouped{lhs, rhs, result, ends, getTransposeB()};
  if (failed(prec::train::verifyGrouped(*this, of)))
    return failure();
  return verifyPlacements(*this, getPlacements());
}
