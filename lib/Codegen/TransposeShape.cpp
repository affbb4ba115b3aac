//===- TransposeShape.cpp - matrices of a transpose dispatch --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/TransposeShape.h"
#include "Codegen/DispatchShape.h"
#include "prec/Dialect/Train/Tiles.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace prec;

static int64_t lastDimension(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().back();
}

static int64_t nextToLastDimension(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().end()[-2];
}

/// Takes the tiles that `op` reduces, or whose columns, for those of the
/// matrices.
static LogicalResult takeTiles(train::ReduceOp op, TransposeShape &shape) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  ArrayRef<int64_t> sizes = type.getShape();
  int64_t batch = 1, rows = sizes[0] * sizes[1], tileRows = sizes[1],
          columns = computeProduct(sizes.drop_front(2)),
          tileColumns = train::chooseTileColumns(columns);
  if (train::reducesTiles(op)) {
    train::TiledMatrices tiled(type);
    batch = tiled.matrices;
    rows = tiled.rows;
    columns = tiled.columns;
    tileRows = tiled.tileRows;
    tileColumns = tiled.tileColumns;
  }
  if (shape.tileRows &&
      (shape.tileRows != tileRows || shape.tileColumns != tileColumns ||
       shape.batch != batch || shape.rows != rows || shape.columns != columns))
    return op.emitOpError("reductions of a transpose dispatch share their "
                          "tiles, but got ")
           << type << " beside " << shape.rows << "x" << shape.columns;
  shape.tileRows = tileRows;
  shape.tileColumns = tileColumns;
  shape.batch = batch;
  shape.rows = rows;
  shape.columns = columns;
  return success();
}

/// Whether `op` reduces the columns of tiles, and all that is done with the f32
/// sums is to yield them.
static LogicalResult checkSums(train::ReduceOp op) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  bool isPartial = op.getDims() == ArrayRef<int64_t>{1} && type.getRank() > 2 &&
                   type.getElementType().isF32() && op->hasOneUse();
  int64_t rows = isPartial ? type.getDimSize(0) * type.getDimSize(1) : 0;
  int64_t columns =
      isPartial ? computeProduct(type.getShape().drop_front(2)) : 0;
  if (isPartial && type.getDimSize(1) == train::chooseTileRows(rows) &&
      train::chooseTileColumns(columns))
    return success();
  return op.emitOpError("reductions of columns in a transpose dispatch are "
                        "those of whole tiles, in f32 and yielded, but got ")
         << op.getInput().getType();
}

/// Rows and columns of the matrices: those of what is transposed or reduced.
static LogicalResult findMatrix(sched::DispatchOp dispatch,
                                TransposeShape &shape) {
  for (TransposeShape::TileResult &tiles : shape.tiles)
    if (failed(takeTiles(tiles.op, shape)))
      return failure();
  for (TransposeShape::TileResult &sums : shape.sums)
    if (failed(checkSums(sums.op)) || failed(takeTiles(sums.op, shape)))
      return failure();
  for (const TransposeShape::Matrix &matrix : shape.matrices) {
    if (!matrix.transposed || shape.rows)
      continue;
    ArrayRef<int64_t> sizes =
        cast<RankedTensorType>(matrix.parts.front().getType()).getShape();
    shape.rows = sizes.end()[-2];
    shape.columns = sizes.end()[-1];
    shape.batch = elementsOf(matrix.parts.front()) / shape.rows / shape.columns;
  }
  if (!shape.rows)
    return dispatch.emitOpError("transpose dispatches yield a swap of the last "
                                "two dimensions, or reduce tiles, but got "
                                "neither");
  return success();
}

FailureOr<TransposeShape> prec::transposeOf(sched::DispatchOp dispatch) {
  TransposeShape shape;
  Operation *yield = dispatch.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(yield->getOperands())) {
    auto reduce = value.getDefiningOp<train::ReduceOp>();
    if (reduce) {
      auto &results = train::reducesTiles(reduce) ? shape.tiles : shape.sums;
      results.push_back({unsigned(index), reduce});
      continue;
    }
    auto op = value.getDefiningOp<train::TransposeOp>();
    bool swapped = op && train::swapsLastTwo(op);
    shape.matrices.push_back(
        {unsigned(index), partsOf(swapped ? op.getInput() : value), swapped});
  }
  if (failed(findMatrix(dispatch, shape)))
    return failure();
  // What is put together may be the matrix itself, and no row of such.
  for (TransposeShape::Matrix &matrix : shape.matrices) {
    Value value = yield->getOperand(matrix.result);
    if (matrix.transposed)
      value = value.getDefiningOp<train::TransposeOp>().getInput();
    if (elementsOf(value) == shape.batch * shape.rows * shape.columns)
      matrix.parts = {value};
  }
  for (const TransposeShape::Matrix &matrix : shape.matrices) {
    Value part = matrix.parts.front();
    int64_t elements = shape.batch * shape.rows * shape.columns;
    bool matches =
        elementsOf(part) == elements &&
        (!matrix.transposed || (lastDimension(part) == shape.columns &&
                                nextToLastDimension(part) == shape.rows));
    if (!matches)
      return dispatch.emitOpError("results of a transpose dispatch come from "
                                  "matrices of one shape, but got ")
             << part.getType() << " beside " << shape.rows << "x"
             << shape.columns;
    Type element = cast<RankedTensorType>(part.getType()).getElementType();
    if (matrix.transposed && element.isInteger(1))
      return dispatch.emitOpError("transposed results have bytes, but got ")
             << part.getType();
  }
  return shape;
}

Value TransposeShape::TileResult::getSource() const {
  Value source = train::ReduceOp(op).getInput();
  while (auto reshape = source.getDefiningOp<tensor::ExpandShapeOp>())
    source = reshape.getSrc();
  return source;
}
