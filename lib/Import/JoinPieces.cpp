//===- JoinPieces.cpp - sums of tensors that are zero but for pieces ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of what is cut into pieces is, as frameworks write it, a sum of
// one tensor for each piece: the piece's gradient between zeros. Where no two
// of them overlap, the sum is their concatenation: x + 0 is x, but for the sign
// of zero. So a product's output that is cut into queries, keys and values has
// one gradient that is read once, and not three that are written, read and
// added.
//
// Example along a dimension of 128:
//
//   [0: 96, a: 32] + [0: 64, b: 32, 0: 32]  is  [0: 64, b: 32, a: 32]
//
//===----------------------------------------------------------------------===//
#include "Import/Raise.h"

#include "prec/Dialect/Train/TensorType.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace prec;

namespace {
/// Consecutive elements along the dimension of a concatenation.
struct Piece {
  Value value; ///< null: zeros
  int64_t size;
};
} // namespace

static SmallVector<Piece> getPieces(tensor::ConcatOp concat) {
  SmallVector<Piece> pieces;
  for (Value input : concat.getInputs()) {
    const bool isZero = matchPattern(input, m_AnyZeroFloat());
    const int64_t size = typeOf(input).getDimSize(concat.getDim());
    if (isZero && !pieces.empty() && !pieces.back().value)
      pieces.back().size += size;
    else
      pieces.push_back({isZero ? Value() : input, size});
  }
  return pieces;
}

/// The sum of two tensors of the same size, or nothing where pieces overlap.
static std::optional<SmallVector<Piece>> addPieces(SmallVector<Piece> lhs,
                                                   SmallVector<Piece> rhs) {
  SmallVector<Piece> sum;
  size_t i = 0, j = 0;
  while (i < lhs.size() && j < rhs.size()) {
    Piece &a = lhs[i], &b = rhs[j];
    // A piece stays in one; of zeros any part may be taken.
    if ((a.value && b.value) || (a.value && a.size > b.size) ||
        (b.value && b.size > a.size))
      return std::nullopt;
    const int64_t size = std::min(a.size, b.size);
    sum.push_back({a.value ? a.value : b.value, size});
    a.size -= size;
    b.size -= size;
    i += a.size == 0;
    j += b.size == 0;
  }
  return sum;
}

static void join(arith::AddFOp add) {
  auto lhs = add.getLhs().getDefiningOp<tensor::ConcatOp>();
  auto rhs = add.getRhs().getDefiningOp<tensor::ConcatOp>();
  if (!lhs || !rhs || lhs.getDim() != rhs.getDim())
    return;
  std::optional<SmallVector<Piece>> sum =
      addPieces(getPieces(lhs), getPieces(rhs));
  if (!sum)
    return;
  OpBuilder builder(add);
  SmallVector<Value> inputs;
  for (const Piece &piece : *sum) {
    if (piece.value) {
      inputs.push_back(piece.value);
      continue;
    }
    SmallVector<int64_t> shape(typeOf(add.getResult()).getShape());
    shape[lhs.getDim()] = piece.size;
    RankedTensorType type = typeOf(add.getResult()).clone(shape);
    inputs.push_back(arith::ConstantOp::create(builder, add.getLoc(),
                                               builder.getZeroAttr(type)));
  }
  auto joined = tensor::ConcatOp::create(builder, add.getLoc(), add.getType(),
                                         lhs.getDim(), inputs);
  train::copyProvenance(add, joined);
  add.replaceAllUsesWith(joined.getResult());
  add.erase();
}

void prec::joinPieces(func::FuncOp function) {
  for (Operation &op : llvm::make_early_inc_range(function.front()))
    if (auto add = dyn_cast<arith::AddFOp>(op))
      join(add);
}
