//===- AmaxTiles.cpp - amaxes of what is transposed, too ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether the amax of a tensor is taken of tiles. It is where FP8
// copies of the tensor are transposed, no value of it waits for a reduction of
// its row, and the scale does not depend on this amax (delayed scaling): then
// one kernel in tiles can compute the values, their amax, their copies and the
// transposes. Where several tensors are concatenated and quantized together,
// the copy is split into one of each, so that each is quantized where it is
// computed. So it is where some of them need reductions of their rows, as the
// gradients of norms of queries and keys do: then kernels that go through rows
// quantize them, and what joins the copies transposes them. reduceTiles
// reshapes a matrix to [rows / r, r, columns / c, c] and reduces the r and c.
//
// The matrices of experts, which have a scale each, are rows of a view for
// their quantization. Their amaxes are taken of tiles under the same
// conditions; no tile has rows of two experts.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Decompose/AmaxTiles.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/Tiles.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace prec;

/// Operations that a value's expression, or what a scale is made of, has at
/// most: more are not looked at.
constexpr unsigned kMostVisited = 128;

/// The FP8 copies of `value`, or of what it is put side by side to, that are
/// transposed as a whole.
static void findTransposedCopies(Value value,
                                 SmallVectorImpl<QuantizeOp> &copies) {
  for (OpOperand &use : value.getUses()) {
    Operation *op = use.getOwner();
    auto concat = dyn_cast<tensor::ConcatOp>(op);
    if (isReshape(op) || (concat && train::isSideBySide(concat)))
      findTransposedCopies(op->getResult(0), copies);
    auto copy = dyn_cast<QuantizeOp>(op);
    bool isPlain = copy && use.getOperandNumber() == 0 &&
                   tensorType(copy.getResult()).getRank() == 2 &&
                   !isFine(copy.getScaling());
    if (isPlain && llvm::any_of(copy->getUsers(), [](Operation *user) {
          auto transpose = dyn_cast<train::TransposeOp>(user);
          return transpose && train::swapsLastTwo(transpose);
        }))
      copies.push_back(copy);
  }
}

/// Whether some operation that `value` is made of fulfils `predicate`, or too
/// many were looked at. What `isEnd` holds for is not looked into.
static bool anyBehind(Value value, function_ref<bool(Operation *)> isEnd,
                      function_ref<bool(Operation *)> predicate) {
  llvm::SmallPtrSet<Operation *, 32> seen;
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (predicate(op) || seen.size() > kMostVisited)
      return true;
    if (!isEnd(op))
      llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// What is defined before an amax is cannot wait for it.
static bool waitsFor(Value scale, AmaxOp amax) {
  Operation *op = scale.getDefiningOp();
  return op &&
         (op->getBlock() != amax->getBlock() || !op->isBeforeInBlock(amax));
}

bool prec::needsRows(Value value) {
  return anyBehind(
      value,
      [](Operation *op) {
        if (tensorType(op->getResult(0)).getNumElements() == 1)
          return true;
        return !op->hasTrait<OpTrait::Elementwise>() && !isReshape(op) &&
               !isa<tensor::ConcatOp, tensor::ExtractSliceOp,
                    train::BroadcastOp, train::TransposeOp>(op);
      },
      [](Operation *op) {
        return isa<train::ReduceOp>(op) &&
               tensorType(op->getResult(0)).getNumElements() > 1;
      });
}

static bool hasTiles(Value value) {
  RankedTensorType type = tensorType(value);
  if (type.getRank() < 2)
    return false;
  int64_t columns = type.getShape().back();
  return train::hasTiles(type.getNumElements() / columns, columns);
}

/// The values that `value` is made of, side by side, down to `parts`.
static void collectSides(Value value, ArrayRef<Value> parts,
                         SmallVectorImpl<Value> &sides) {
  Operation *op = value.getDefiningOp();
  auto concat = dyn_cast_or_null<tensor::ConcatOp>(op);
  if (llvm::is_contained(parts, value) || !op ||
      (!isReshape(op) && !(concat && train::isSideBySide(concat))))
    return sides.push_back(value);
  for (Value operand : op->getOperands())
    collectSides(operand, parts, sides);
}

/// Whether `copy` is one of `parts` side by side, in the rows that they have.
static bool isCopyOf(QuantizeOp copy, ArrayRef<Value> parts) {
  SmallVector<Value> sides;
  collectSides(copy.getInput(), parts, sides);
  return ArrayRef(sides) == parts &&
         shapeOf(copy.getResult()).back() ==
             int64_t(parts.size()) * shapeOf(parts.front()).back();
}

/// What makes a matrix of a tensor: its last dimension stays.
static SmallVector<ReassociationIndices> matrixGroups(Value value) {
  int64_t rank = tensorType(value).getRank();
  SmallVector<ReassociationIndices> groups(2);
  groups[0] = llvm::to_vector<2>(llvm::seq<int64_t>(0, rank - 1));
  groups[1] = {rank - 1};
  return groups;
}

/// Makes a copy of `parts` side by side of a copy of each.
static void splitCopy(QuantizeOp copy, ArrayRef<Value> parts) {
  OpBuilder b(copy);
  SmallVector<Value> copies;
  Type element = tensorType(copy.getResult()).getElementType();
  for (Value part : parts) {
    Value matrix = part;
    if (tensorType(part).getRank() > 2)
      matrix = tensor::CollapseShapeOp::create(b, copy.getLoc(), part,
                                               matrixGroups(part));
    auto type = RankedTensorType::get(shapeOf(matrix), element);
    copies.push_back(QuantizeOp::create(
        b, copy.getLoc(), type, matrix, copy.getScale(), copy.getSeed(),
        copy.getStreamAttr(), copy.getScalingAttr()));
    train::copyProvenance(copy, copies.back().getDefiningOp());
  }
  auto joined = tensor::ConcatOp::create(
      b, copy.getLoc(), copy.getResult().getType(), /*dim=*/int64_t(1), copies);
  train::copyProvenance(copy, joined);
  copy.getResult().replaceAllUsesWith(joined);
}

bool prec::splitIntoTiles(AmaxOp amax, ArrayRef<Value> parts) {
  SmallVector<QuantizeOp> copies;
  findTransposedCopies(parts.front(), copies);
  auto fits = [&](Value part) {
    return part.getType() == parts.front().getType() && hasTiles(part) &&
           !needsRows(part);
  };
  auto isReady = [&](QuantizeOp copy) {
    return isCopyOf(copy, parts) && !waitsFor(copy.getScale(), amax);
  };
  if (copies.empty() || !llvm::all_of(copies, isReady) ||
      !llvm::all_of(parts, fits))
    return false;
  if (parts.size() > 1)
    for (QuantizeOp copy : copies)
      splitCopy(copy, parts);
  return true;
}

/// The matrices behind each other that are the rows of `rows`; null if they are
/// not.
static Value getMatrices(Value rows) {
  auto view = rows.getDefiningOp<tensor::CollapseShapeOp>();
  SmallVector<ReassociationIndices> groups = {{0}, {1, 2}};
  return view && view.getReassociationIndices() == groups ? view.getSrc()
                                                          : Value();
}

/// The transposition of `copy`, whose rows are matrices, matrix by matrix; null
/// if there is none.
static Operation *findTranspositionOfMatrices(QuantizeOp copy) {
  for (Operation *user : copy->getUsers())
    if (isa<tensor::ExpandShapeOp>(user))
      for (Operation *reader : user->getUsers())
        if (auto transpose = dyn_cast<train::TransposeOp>(reader);
            transpose && train::swapsLastTwo(transpose))
          return transpose;
  return nullptr;
}

MatricesInTiles prec::findMatricesInTiles(AmaxOp amax) {
  Value matrices = getMatrices(amax.getInput());
  if (!matrices || amax.getScaling() != Scaling::Row)
    return {};
  ArrayRef<int64_t> shape = shapeOf(matrices);
  if (!train::hasTiles(shape[1], shape[2]) || needsRows(matrices))
    return {};
  Operation *last = nullptr;
  for (Operation *view : matrices.getUsers()) {
    if (!isa<tensor::CollapseShapeOp>(view) ||
        getMatrices(view->getResult(0)) != matrices)
      continue;
    for (Operation *user : view->getUsers()) {
      auto copy = dyn_cast<QuantizeOp>(user);
      if (!copy || copy.getInput() != view->getResult(0) ||
          copy.getScaling() != Scaling::Row)
        continue;
      Operation *transpose = findTranspositionOfMatrices(copy);
      if (!transpose)
        continue;
      if (waitsFor(copy.getScale(), amax))
        return {};
      if (!last || last->isBeforeInBlock(transpose))
        last = transpose;
    }
  }
  return last ? MatricesInTiles{matrices, last} : MatricesInTiles{};
}

void prec::splitIntoPieces(AmaxOp amax) {
  auto joined = amax.getInput().getDefiningOp<tensor::ConcatOp>();
  if (!joined || !train::joinsColumns(joined) ||
      joined.getResultType().getRank() != 2)
    return;
  SmallVector<Value> pieces(joined.getInputs());
  for (Operation *user : llvm::to_vector(joined->getUsers()))
    if (auto copy = dyn_cast<QuantizeOp>(user);
        copy && !copy.getSeed() && !isFine(copy.getScaling()) &&
        !waitsFor(copy.getScale(), amax))
      splitCopy(copy, pieces);
}

Value prec::reduceTiles(Value magnitude, PrimitiveBuilder &b) {
  if (tensorType(magnitude).getRank() > 2)
    magnitude =
        b.create<tensor::CollapseShapeOp>(magnitude, matrixGroups(magnitude));
  ArrayRef<int64_t> shape = shapeOf(magnitude);
  int64_t rows = train::chooseTileRows(shape[0]),
          columns = train::chooseTileColumns(shape[1]);
  auto tiled = tensorType(magnitude).clone(
      {shape[0] / rows, rows, shape[1] / columns, columns});
  Value tiles = b.create<tensor::ExpandShapeOp>(
      tiled, magnitude, SmallVector<ReassociationIndices>{{0, 1}, {2, 3}});
  return b.reduce(train::ReduceKind::Max, tiles, {1, 3});
}

Value prec::reduceTilesOfMatrices(Value magnitude, PrimitiveBuilder &b) {
  ArrayRef<int64_t> shape = shapeOf(magnitude);
  int64_t rows = train::chooseTileRows(shape[1]),
          columns = train::chooseTileColumns(shape[2]);
  auto tiled = tensorType(magnitude).clone(
      {shape[0], shape[1] / rows, rows, shape[2] / columns, columns});
  Value tiles = b.create<tensor::ExpandShapeOp>(
      tiled, magnitude, SmallVector<ReassociationIndices>{{0}, {1, 2}, {3, 4}});
  return b.reduce(train::ReduceKind::Max, tiles, {2, 4});
}
