//===- PrecExperts.cpp - scaled operands of experts -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and numeric structure of what FP8 needs for groups of rows. As
// without scales, a grouped product counts as one product of all rows: which
// group has how many is not known here.
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Prec/Prec.h"

using namespace mlir;
using namespace prec;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}
static int64_t groupsOf(Value ends) { return typeOf(ends).getDimSize(0); }

/// `ends` are a list, and there is something.
static LogicalResult verifyEnds(Operation *op, Value of, Value ends) {
  // groups_c1
  if (typeOf(ends).getRank() != 1 || typeOf(ends).getNumElements() == 0 ||
      typeOf(of).getNumElements() == 0)
    return op->emitOpError("ends must be one for each group, of something that "
                           "has elements, but got ")
           << typeOf(ends) << " of " << typeOf(of);
  return success();
}

LogicalResult GroupAmaxOp::verify() {
  if (failed(verifyEnds(*this, getInput(), getEnds())))
    return failure();
  // group_amax_c1
  if (typeOf(getInput()).getRank() != 2 ||
      typeOf(getResult()).getShape() != typeOf(getEnds()).getShape())
    return emitOpError("amaxes must be one for each group of rows of a matrix, "
                       "but got ")
           << typeOf(getResult()) << " for " << typeOf(getInput()) << " and "
           << typeOf(getEnds());
  return success();
}

LogicalResult GroupScalesOp::verify() {
  if (failed(verifyEnds(*this, getScales(), getEnds())))
    return failure();
  // group_scales_c1
  if (typeOf(getScales()).getShape() != typeOf(getEnds()).getShape() ||
      typeOf(getResult()).getRank() != 1)
    return emitOpError("scales must be one for each group, and one for each "
                       "row, but got ")
           << typeOf(getScales()) << " and " << typeOf(getResult()) << " for "
           << typeOf(getEnds());
  return success();
}

LogicalResult AlignGroupsOp::verify() {
  if (failed(verifyEnds(*this, getInput(), getEnds())))
    return failure();
  RankedTensorType input = typeOf(getInput());
  // align_groups_c1
  if (input.getRank() != 2)
    return emitOpError("groups must be of rows of a matrix, but got ") << input;
  // align_groups_c2
  int64_t rows = alignedRows(input.getDimSize(0), groupsOf(getEnds()));
  if (RankedTensorType expected = input.clone({rows, input.getDimSize(1)});
      typeOf(getResult()) != expected)
    return emitOpError("result must be ")
           << expected << ", but got " << typeOf(getResult());
  return success();
}

LogicalResult ScaledGroupedMatmulOp::verify() {
  RankedTensorType lhs = typeOf(getLhs()), rhs = typeOf(getRhs()),
                   result = typeOf(getResult());
  // scaled_grouped_c1
  if (lhs.getRank() != 2 || (rhs.getRank() != 2 && rhs.getRank() != 3))
    return emitOpError("lhs must be rows, and rhs rows or a matrix of each "
                       "group, but got ")
           << lhs << " and " << rhs;
  if (failed(verifyEnds(*this, getLhs(), getEnds())))
    return failure();
  // scaled_grouped_c2
  int64_t groups = groupsOf(getEnds()), k = lhs.getDimSize(1);
  bool isOfGroups = isGradient() ? k % PREC_GROUP_ALIGNMENT == 0
                                 : rhs.getDimSize(0) == groups;
  if (rhs.getShape().back() != k || !isOfGroups)
    return emitOpError("operands must agree in their last dimension, of "
                       "aligned groups or with a matrix of each group, but "
                       "got ")
           << lhs << " and " << rhs << " for " << groups << " groups";
  // scaled_grouped_c3
  SmallVector<int64_t> expected;
  if (isGradient())
    expected = {groups, lhs.getDimSize(0), rhs.getDimSize(0)};
  else
    expected = {lhs.getDimSize(0), rhs.getDimSize(1)};
  if (result.getShape() != ArrayRef(expected))
    return emitOpError("result must be ")
           << result.clone(expected) << ", but got " << result;
  // scaled_grouped_c4
  if (isa<Float8E5M2Type>(lhs.getElementType()) &&
      isa<Float8E5M2Type>(rhs.getElementType()))
    return emitOpError("one operand must be e4m3, but got e5m2 twice");
  // scaled_grouped_c5
  if (traitsOf(getLhsScaling()).family != traitsOf(getRhsScaling()).family ||
      getLhsScaling() == Scaling::None)
    return emitOpError("both operands must be scaled by group, by row or by "
                       "block, but got ")
           << getLhsScaling() << " and " << getRhsScaling();
  for (auto [operand, scaling, scales] :
       {std::tuple(lhs, getLhsScaling(), typeOf(getLhsScale())),
        std::tuple(rhs, getRhsScaling(), typeOf(getRhsScale()))}) {
    ArrayRef<int64_t> matrix = operand.getShape().take_back(2);
    // scaled_grouped_c6
    if (isMicro(scaling) || operand.getRank() == 3)
      if (auto problem = findGroupedProblem(matrix, scaling))
        return emitOpError(*problem);
    // scaled_grouped_c7
    if (RankedTensorType type =
            getGroupedScaleInvType(operand, scaling, groups);
        type != scales)
      return emitOpError("inverse ")
             << scaling << " scales of " << operand << " must be " << type
             << ", but got " << scales;
  }
  return success();
}

Structure ScaledGroupedMatmulOp::getStructure() {
  return Structure::Contraction;
}
bool ScaledGroupedMatmulOp::isGrouped() { return true; }
ContractionShape ScaledGroupedMatmulOp::getContractionShape() {
  RankedTensorType lhs = typeOf(getLhs()), rhs = typeOf(getRhs());
  return {lhs.getDimSize(0), rhs.getDimSize(rhs.getRank() - 2),
          lhs.getDimSize(1), 1};
}
int64_t ScaledGroupedMatmulOp::getAccumulationLength() {
  return getContractionShape().k;
}
double ScaledGroupedMatmulOp::getFlops() {
  ContractionShape shape = getContractionShape();
  return 2.0 * double(shape.m) * double(shape.n) * double(shape.k);
}
