//===- TilePieces.cpp - what a tile's columns are put together of ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out whether a tile kernel may compute only a part of what is
// concatenated. findJoined: if the matrix is a concatenation of columns and
// every operand is a whole number of tiles wide, each block lies in one operand
// and needs no other. findHalves: if heads are concatenated from two halves, as
// rotary embedding does, a thread may compute both halves of a head, which read
// the same angles. Both hold only if nothing in the kernel reads the
// concatenation at another position than the one that is computed, which
// staysInPlace checks use by use.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/TilePieces.h"
#include "Codegen/DispatchShape.h"

#include "prec/Dialect/Train/Tiles.h"

using namespace mlir;
using namespace prec;

static int64_t widthOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().back();
}

/// Whether the elements of `value` are only read where they lie in the matrix,
/// or in the piece of `joined` that they are.
static bool staysInPlace(Value value, Operation *joined = nullptr) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *op = use.getOwner();
    if (op == joined ||
        isa<sched::YieldOp, train::TransposeOp, train::ReduceOp>(op))
      return true;
    bool keeps = op->hasTrait<OpTrait::Elementwise>() ||
                 isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op) ||
                 (isa<QuantizeOp>(op) && use.getOperandNumber() == 0);
    return keeps && staysInPlace(op->getResult(0), joined);
  });
}

tensor::ConcatOp prec::findJoined(sched::DispatchOp dispatch,
                                  const TransposeShape &shape, int64_t tile) {
  for (auto op : dispatch.getBody().front().getOps<tensor::ConcatOp>()) {
    auto isInTiles = [&](Value piece) { return widthOf(piece) % tile == 0; };
    if (train::joinsColumns(op) &&
        op.getResultType().getShape().back() == shape.columns &&
        elementsOf(op) == shape.batch * shape.rows * shape.columns &&
        llvm::all_of(op.getInputs(), isInTiles) && staysInPlace(op))
      return op;
  }
  return {};
}

Halves prec::findHalves(sched::DispatchOp dispatch, const TransposeShape &shape,
                        int64_t tile, tensor::ConcatOp joined) {
  Halves halves;
  if (shape.columns % tile)
    return halves;
  for (auto op : dispatch.getBody().front().getOps<tensor::ConcatOp>()) {
    if (op == joined)
      continue;
    int64_t width = widthOf(op.getInputs().front());
    bool isPair = op.getInputs().size() == 2 &&
                  int64_t(op.getDim()) == op.getResultType().getRank() - 1 &&
                  widthOf(op.getInputs().back()) == width &&
                  tile % (2 * width) == 0;
    // Pieces start where tiles do, and so where heads do.
    bool isWhole =
        joined ? llvm::any_of(joined.getInputs(),
                              [&](Value piece) {
                                return elementsOf(piece) == elementsOf(op);
                              })
               : elementsOf(op) == shape.batch * shape.rows * shape.columns;
    bool isOfOneWidth = halves.joins.empty() || halves.width == width;
    if (!isPair || !isWhole || !isOfOneWidth || !staysInPlace(op, joined))
      return {};
    halves.width = width;
    halves.joins.push_back(op);
  }
  return halves;
}

bool prec::hasRowTables(sched::DispatchOp dispatch, const TransposeShape &shape,
                        int64_t tile) {
  int64_t rows = shape.batch * shape.rows;
  return llvm::any_of(dispatch.getBody().getArguments(), [&](Value input) {
    int64_t elements = elementsOf(input);
    return elements > rows && elements <= rows * tile && elements % rows == 0;
  });
}
