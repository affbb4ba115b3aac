//===- TrainExperts.cpp - products of groups of rows ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and numeric structure of grouped products. Each counts as one
// product of all rows: which group has how many is not known here.
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Train/Grouped.h"

#include "Dialect/Train/Shapes.h"

using namespace mlir;
using namespace prec::train;
using prec::Structure;

LogicalResult prec::train::verifyGrouped(Operation *op, const Grouped &of) {
  // grouped_c1
  if (of.rows.getRank() != 2 || of.matrices.getRank() != 3 ||
      of.others.getRank() != 2 || of.ends.getRank() != 1)
    return op->emitOpError("rows of both sides must have rank 2, matrices 3 "
                           "and ends 1, but got ")
           << of.rows << ", " << of.others << ", " << of.matrices << " and "
           << of.ends;
  // grouped_c2
  for (RankedTensorType type : {of.rows, of.matrices, of.others, of.ends})
    if (llvm::is_contained(type.getShape(), 0))
      return op->emitOpError("a grouped product must have no size of 0, but "
                             "got ")
             << type;
  // grouped_c3
  SmallVector<int64_t> expected{of.ends.getDimSize(0), of.rows.getDimSize(1),
                                of.others.getDimSize(1)};
  if (of.isTransposed)
    std::swap(expected[1], expected[2]);
  if (failed(checkShape(op, "matrices", of.matrices, expected)))
    return failure();
  // grouped_c4
  if (of.rows.getDimSize(0) != of.others.getDimSize(0))
    return op->emitOpError("both sides must have as many rows, but got ")
           << of.rows << " and " << of.others;
  return success();
}

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

LogicalResult GroupedMatmulOp::verify() {
  return verifyGrouped(*this, {typeOf(getRows()), typeOf(getMatrices()),
                               typeOf(getResult()), typeOf(getEnds()),
                               getTransposeB()});
}
LogicalResult GroupedMatmulGradOp::verify() {
  return verifyGrouped(*this, {typeOf(getLhs()), typeOf(getGradMatrices()),
                               typeOf(getRhs()), typeOf(getEnds()), false});
}

static double flopsOf(const prec::ContractionShape &shape) {
  return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
         static_cast<double>(shape.k);
}

Structure GroupedMatmulOp::getStructure() { return Structure::Contraction; }
int64_t GroupedMatmulOp::getAccumulationLength() {
  return getContractionShape().k;
}
double GroupedMatmulOp::getFlops() { return flopsOf(getContractionShape()); }
prec::ContractionShape GroupedMatmulOp::getContractionShape() {
  ArrayRef<int64_t> rows = shapeOf(getRows()), result = shapeOf(getResult());
  return {rows[0], result[1], rows[1], 1};
}
bool GroupedMatmulOp::isContractedLast(unsigned input) {
  return input == 0 || getTransposeB();
}

Structure GroupedMatmulGradOp::getStructure() { return Structure::Contraction; }
int64_t GroupedMatmulGradOp::getAccumulationLength() {
  return getContractionShape().k;
}
double GroupedMatmulGradOp::getFlops() {
  return flopsOf(getContractionShape());
}
prec::ContractionShape GroupedMatmulGradOp::getContractionShape() {
  ArrayRef<int64_t> lhs = shapeOf(getLhs()), rhs = shapeOf(getRhs());
  return {lhs[1], rhs[1], lhs[0], 1};
}
bool GroupedMatmulGradOp::isContractedLast(unsigned) { return false; }
