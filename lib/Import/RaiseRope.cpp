//===- RaiseRope.cpp - find rotary position embeddings --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds rotary position embeddings: the halves (a, b) of the last dimension
// become (a cos - b sin, b cos + a sin). Inputs are tensors of whose halves a
// concatenation is made. The region keeps an expression for each half, and a
// value is a rotation if both halves match with the same two tables. A rotation
// is linear, so its gradient is the rotation the other way and is found in the
// same manner: only the sign of the sine tells. Tables that repeat their halves
// are cut to one; the sequence dimension, along which tables have rows, is
// moved next to the last one by a transposition, which vanishes where the graph
// has its inverse.
//
//===----------------------------------------------------------------------===//
#include "Import/ExprRegion.h"
#include "Import/Match.h"
#include "Import/Raise.h"

#include "prec/Dialect/Train/TensorType.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace prec;

namespace {

// From a concatenation back to the halves it is made of.
constexpr size_t kMaxWalk = 16;

bool isHalfOfLastDim(tensor::ExtractSliceOp slice) {
  auto from = slice.getSourceType().getShape(), to = slice.getType().getShape();
  return from.size() == to.size() && !to.empty() &&
         from.drop_back() == to.drop_back() && to.back() * 2 == from.back();
}

/// The matrices that rotations read, each made once for all who read it.
class Tables {
public:
  Value get(Value table, int64_t rows, int64_t columns) {
    auto type = typeOf(table);
    bool doubled = type.getNumElements() == 2 * rows * columns;
    Value &known = tables[{table, columns}];
    if (known)
      return known;
    Value half = doubled ? halves.get(table) : table;
    KeepOrder order;
    OpBuilder builder(table.getContext(), &order);
    builder.setInsertionPointAfterValue(half);
    return known = reshape(builder, table.getLoc(), half, {rows, columns});
  }

private:
  Halves halves;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> tables;
};

/// Tensors of whose halves a concatenation may be a rotation.
void collectInputs(tensor::ConcatOp concat, llvm::SetVector<Value> &inputs) {
  if (concat.getInputs().size() != 2 ||
      static_cast<int64_t>(concat.getDim()) !=
          concat.getResultType().getRank() - 1)
    return;
  llvm::SetVector<Value> worklist(concat.getInputs().begin(),
                                  concat.getInputs().end());
  for (size_t i = 0; i < worklist.size() && i < kMaxWalk; ++i) {
    Operation *op = worklist[i].getDefiningOp();
    auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op);
    if (slice && isHalfOfLastDim(slice)) {
      Value source = slice.getSource();
      inputs.insert(source);
      // A gradient is multiplied by the sine before it is cut in halves.
      if (auto mul = source.getDefiningOp<arith::MulFOp>())
        inputs.insert(mul.operand_begin(), mul.operand_end());
    } else if (op && OpTrait::hasElementwiseMappableTraits(op)) {
      worklist.insert(op->operand_begin(), op->operand_end());
    }
  }
}

/// `value` with two dimensions swapped; what is behind where it is just that.
Value swapDims(OpBuilder &builder, Location loc, Value value, int64_t a,
               int64_t b) {
  if (a == b)
    return value;
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()));
  std::swap(permutation[a], permutation[b]);
  auto before = value.getDefiningOp<train::TransposeOp>();
  if (before && before.getPermutation() == ArrayRef(permutation))
    return before.getInput();
  SmallVector<int64_t> shape =
      applyPermutation(typeOf(value).getShape(), permutation);
  return train::TransposeOp::create(builder, loc, typeOf(value).clone(shape),
                                    value, permutation);
}

/// A layout with the heads before the sequence is what attentions read: their
/// transpositions end here.
void foldTransposes(train::TransposeOp op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    auto next = dyn_cast<train::TransposeOp>(user);
    if (!next || next.getPermutation() != op.getPermutation())
      continue;
    next.getResult().replaceAllUsesWith(op.getInput());
    next.erase();
  }
}

struct Rotation {
  Value cos, sin;
  bool inverse = false;
  int64_t sequence; ///< The dimension that tables have rows for.
};

class RopeInput {
public:
  explicit RopeInput(Value input)
      : type(typeOf(input)),
        region(type, ExprRegion::LastDim::Halves, ~AxisSet(0)), input(input) {
    for (auto [dim, size] : llvm::enumerate(type.getShape().drop_back()))
      if (size != 1)
        dims.push_back(dim);
  }

  static bool isPossible(Value input) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    return type && type.getRank() >= 2 && type.getElementType().isF32() &&
           type.getShape().back() % 2 == 0 && type.getShape().back() > 2 &&
           llvm::any_of(type.getShape().drop_back(),
                        [](int64_t size) { return size > 1; });
  }

  void raise(Tables &tables, RaiseCount &count) {
    if (!region.bind(input))
      return;
    region.close();
    SmallVector<Made> made;
    for (Value value : region.getValues()) {
      auto rotation = match(value);
      if (!rotation)
        continue;
      Operation *op = value.getDefiningOp();
      Value result = find(made, op, *rotation, tables);
      if (!result) {
        made.push_back(create(op, *rotation, tables));
        result = made.back().result;
        (rotation->inverse ? count.backward : count.forward) += 1;
      }
      value.replaceAllUsesWith(result);
    }
    for (const Made &one : made)
      if (auto transpose = one.result.getDefiningOp<train::TransposeOp>())
        foldTransposes(transpose);
  }

private:
  struct Made {
    train::RopeOp rope;
    Value result; ///< In the layout of the input.
  };

  const Atom *findTable(const Term &term, unsigned input) {
    if (term.factors.size() != 2)
      return nullptr;
    for (unsigned i : {0, 1}) {
      const Atom &table =
          region.getAlgebra().getAtoms()[term.factors[1 - i].atom];
      if (term.factors[i].atom == input && term.factors[i].exponent == 1 &&
          term.factors[1 - i].exponent == 1 && table.kind == Atom::Leaf &&
          table.leaf && table.leaf != this->input)
        return &table;
    }
    return nullptr;
  }

  std::optional<Rotation> match(Value value) {
    const Expr *expr = region.lookup(value);
    if (value.getType() != type || expr->pieces.size() != 2 ||
        expr->pieces[0].size() != 2 || value.use_empty())
      return std::nullopt;
    Algebra &algebra = region.getAlgebra();
    const Expr *whole = region.lookup(input);
    const Poly &low = whole->pieces[0], &high = whole->pieces[1];
    Rotation rotation;
    std::optional<Atom> cos, sin;
    for (const Term &term : expr->pieces[0]) {
      if (const Atom *table =
              findTable(term, low.front().factors.front().atom)) {
        cos = *table;
      } else if (const Atom *table =
                     findTable(term, high.front().factors.front().atom)) {
        sin = *table;
        rotation.inverse = term.coefficient > 0;
      }
    }
    if (!cos || !sin)
      return std::nullopt;
    Poly c = algebra.leaf(cos->leaf, cos->piece, cos->axes),
         s = algebra.leaf(sin->leaf, sin->piece, sin->axes);
    if (rotation.inverse)
      s = algebra.scale(s, -1);
    auto first =
        algebra.subtract(*algebra.multiply(low, c), *algebra.multiply(high, s));
    auto second =
        algebra.add(*algebra.multiply(high, c), *algebra.multiply(low, s));
    auto rows = getSequence(*cos);
    if (!Algebra::equal(*first, expr->pieces[0]) ||
        !Algebra::equal(*second, expr->pieces[1]) || !rows ||
        rows != getSequence(*sin))
      return std::nullopt;
    rotation.sequence = *rows;
    rotation.cos = cos->leaf;
    rotation.sin = sin->leaf;
    return rotation;
  }

  /// The dimension that the rows of a [sequence, half or whole] matrix go with;
  /// nothing where the elements are not those of one.
  std::optional<int64_t> getSequence(const Atom &atom) const {
    SmallVector<unsigned> axes;
    for (auto &group : *region.getLeafLayout(atom.leaf))
      llvm::append_range(axes, group);
    if (atom.piece != 0 || !llvm::is_sorted(axes) || axes.size() < 2 ||
        axes.front() >= dims.size() || axes.back() != region.getNumAxes() - 1)
      return std::nullopt;
    int64_t sequence = dims[axes.front()];
    int64_t whole = type.getDimSize(sequence) * type.getShape().back();
    int64_t size = typeOf(atom.leaf).getNumElements();
    if ((size == whole && axes.size() == 3 && axes[1] == dims.size() &&
         hasEqualHalves(atom.leaf)) ||
        (size * 2 == whole && axes.size() == 2))
      return sequence;
    return std::nullopt;
  }

  Value getTable(Value table, const Rotation &rotation, Tables &tables) {
    return tables.get(table, type.getDimSize(rotation.sequence),
                      type.getShape().back() / 2);
  }

  /// An equal rotation that was made before `op`, in the same phase.
  Value find(ArrayRef<Made> made, Operation *op, const Rotation &rotation,
             Tables &tables) {
    for (auto [rope, result] : made)
      if (rope.getInverse() == rotation.inverse &&
          rope.getCos() == getTable(rotation.cos, rotation, tables) &&
          rope.getSin() == getTable(rotation.sin, rotation, tables) &&
          train::getPhase(rope) == train::getPhase(op) &&
          rope->isBeforeInBlock(op))
        return result;
    return {};
  }

  Made create(Operation *op, const Rotation &rotation, Tables &tables) {
    Value cos = getTable(rotation.cos, rotation, tables),
          sin = getTable(rotation.sin, rotation, tables);
    KeepOrder order;
    OpBuilder builder(op, &order);
    Location loc = op->getLoc();
    int64_t rows = type.getRank() - 2;
    Value source = swapDims(builder, loc, input, rotation.sequence, rows);
    auto rope =
        train::RopeOp::create(builder, loc, source.getType(), source, cos, sin,
                              rotation.inverse, ArrayAttr(), ArrayAttr());
    Value result =
        swapDims(builder, loc, rope.getResult(), rotation.sequence, rows);
    train::copyProvenance(op, rope);
    for (Value moved : {source, result})
      if (moved != input && moved != rope.getResult())
        train::copyProvenance(op, moved.getDefiningOp());
    return {rope, result};
  }

  RankedTensorType type;
  ExprRegion region;
  Value input;
  SmallVector<int64_t> dims; ///< By axis, without the last dimension.
};

} // namespace

RaiseCount prec::raiseRope(func::FuncOp function) {
  Block &block = function.front();
  llvm::SetVector<Value> inputs;
  for (auto concat : block.getOps<tensor::ConcatOp>())
    collectInputs(concat, inputs);
  Tables tables;
  RaiseCount count;
  for (Value input : inputs)
    if (RopeInput::isPossible(input))
      RopeInput(input).raise(tables, count);
  eraseDead(block);
  return count;
}
