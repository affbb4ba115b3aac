//===- RaiseRope.cpp - find rotary position embeddings --------------------===//
//
// A rotation of halves is linear, so its gradient is the rotation the other way
// and is found in the same manner: only the sign of the sine tells.
//
//===----------------------------------------------------------------------===//
#include "ExprRegion.h"
#include "Match.h"
#include "Raise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::prec;

namespace {

// From a concatenation back to the halves it is made of.
constexpr size_t kMaxWalk = 16;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

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

struct Rotation {
  Value cos, sin;
  bool inverse = false;
};

class RopeInput {
public:
  explicit RopeInput(Value input)
      : type(typeOf(input)),
        region(type, ExprRegion::LastDim::Halves, tableAxes(type)),
        input(input) {}

  static bool isPossible(Value input) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    return type && type.getRank() >= 2 && type.getElementType().isF32() &&
           type.getShape().back() % 2 == 0 && type.getShape().back() > 2 &&
           type.getShape()[type.getRank() - 2] > 1;
  }

  void raise(Tables &tables, RaiseCount &count) {
    if (!region.bind(input))
      return;
    region.close();
    SmallVector<train::RopeOp> made;
    for (Value value : region.getValues()) {
      auto rotation = match(value);
      if (!rotation)
        continue;
      Operation *op = value.getDefiningOp();
      train::RopeOp rope = find(made, op, *rotation, tables);
      if (!rope) {
        rope = create(op, *rotation, tables);
        made.push_back(rope);
        (train::getPhase(op) == train::Phase::Backward ? count.backward
                                                       : count.forward) += 1;
      }
      value.replaceAllUsesWith(rope.getResult());
    }
  }

private:
  /// The sequence, and both axes of the last dimension.
  static AxisSet tableAxes(RankedTensorType type) {
    unsigned axes =
        llvm::count_if(type.getShape(), [](int64_t size) { return size != 1; });
    return AxisSet(7) << (axes - 2);
  }

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
    if (!Algebra::equal(*first, expr->pieces[0]) ||
        !Algebra::equal(*second, expr->pieces[1]) || !isTable(*cos) ||
        !isTable(*sin))
      return std::nullopt;
    rotation.cos = cos->leaf;
    rotation.sin = sin->leaf;
    return rotation;
  }

  /// Whether the elements are those of a [sequence, half or whole] matrix.
  bool isTable(const Atom &atom) const {
    int64_t sequence = type.getShape()[type.getRank() - 2],
            columns = type.getShape().back();
    int64_t size = typeOf(atom.leaf).getNumElements();
    SmallVector<unsigned> axes;
    for (auto &group : *region.getLeafLayout(atom.leaf))
      llvm::append_range(axes, group);
    return atom.piece == 0 && llvm::is_sorted(axes) &&
           ((size == sequence * columns && axes.size() == 3 &&
             hasEqualHalves(atom.leaf)) ||
            (size * 2 == sequence * columns && axes.size() == 2 &&
             axes.back() == region.getNumAxes() - 1));
  }

  Value getTable(Value table, Tables &tables) {
    return tables.get(table, type.getShape()[type.getRank() - 2],
                      type.getShape().back() / 2);
  }

  /// An equal rotation that was made before `op`, in the same phase.
  train::RopeOp find(ArrayRef<train::RopeOp> made, Operation *op,
                     const Rotation &rotation, Tables &tables) {
    for (train::RopeOp rope : made)
      if (rope.getInverse() == rotation.inverse &&
          rope.getCos() == getTable(rotation.cos, tables) &&
          rope.getSin() == getTable(rotation.sin, tables) &&
          train::getPhase(rope) == train::getPhase(op) &&
          rope->isBeforeInBlock(op))
        return rope;
    return {};
  }

  train::RopeOp create(Operation *op, const Rotation &rotation,
                       Tables &tables) {
    Value cos = getTable(rotation.cos, tables),
          sin = getTable(rotation.sin, tables);
    KeepOrder order;
    OpBuilder builder(op, &order);
    auto made =
        train::RopeOp::create(builder, op->getLoc(), type, input, cos, sin,
                              rotation.inverse, ArrayAttr(), ArrayAttr());
    train::copyProvenance(op, made);
    return made;
  }

  RankedTensorType type;
  ExprRegion region;
  Value input;
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
