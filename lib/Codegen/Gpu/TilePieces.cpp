//===- TilePieces.cpp - what a tile's columns are put together of ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out whether a tile kernel may compute only a part of what is
// concatenated. findJoined: if the matrix, or each of equal parts of its
// columns, is a concatenation of columns and every operand is a whole number of
// tiles wide, each block lies in one operand and needs no other. Heads that
// have query, key and value beside each other are such parts. findHalves: if
// heads are concatenated from two halves, as rotary embedding does, a thread
// may compute both halves of a head, which read the same angles. Both hold only
// if nothing in the kernel reads the concatenation at another position than the
// one that is computed, which staysInPlace checks use by use.
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

/// Whether the last `width` elements of a row, or of each part of it, stay
/// where they are beside each other.
static bool keepsLast(train::TransposeOp op, int64_t width) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  auto type = cast<RankedTensorType>(op.getInput().getType());
  int64_t kept = 1, dim = type.getRank();
  while (dim > 0 && permutation[dim - 1] == dim - 1)
    kept *= type.getDimSize(--dim);
  return kept % width == 0;
}

/// Whether the elements of `value` are only read where they lie in the matrix,
/// or in the piece of `joined` that they are. Whole rows of `width` elements
/// may be moved.
static bool staysInPlace(Value value, int64_t width,
                         Operation *joined = nullptr) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *op = use.getOwner();
    auto transpose = dyn_cast<train::TransposeOp>(op);
    bool isResult = transpose && !keepsLast(transpose, width);
    if (op == joined || isResult || isa<sched::YieldOp, train::ReduceOp>(op))
      return true;
    bool keeps = transpose || op->hasTrait<OpTrait::Elementwise>() ||
                 isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op) ||
                 (isa<QuantizeOp>(op) && use.getOperandNumber() == 0);
    return keeps && staysInPlace(op->getResult(0), width, joined);
  });
}

tensor::ConcatOp prec::findJoined(sched::DispatchOp dispatch,
                                  const TransposeShape &shape, int64_t tile) {
  for (auto op : dispatch.getBody().front().getOps<tensor::ConcatOp>()) {
    auto isInTiles = [&](Value piece) { return widthOf(piece) % tile == 0; };
    int64_t width = widthOf(op.getResult());
    if (train::joinsColumns(op) && shape.columns % width == 0 &&
        elementsOf(op) == shape.batch * shape.rows * shape.columns &&
        llvm::all_of(op.getInputs(), isInTiles) &&
        staysInPlace(op.getResult(), width))
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
    if (!isPair || !isWhole || !isOfOneWidth ||
        !staysInPlace(op.getResult(), widthOf(op.getResult()), joined))
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
