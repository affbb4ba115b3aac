//===- ExprRegion.cpp - values of a graph as expressions ----------------------===//
#include "ExprRegion.h"

#include "Match.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::prec;

namespace {

// Composites and their gradients have some dozens of operations.
constexpr size_t kMaxValues = 256;

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

SmallVector<int64_t> axesOf(RankedTensorType space, bool halves) {
  SmallVector<int64_t> sizes;
  for (int64_t size : space.getShape())
    if (size != 1)
      sizes.push_back(size);
  if (halves && !sizes.empty()) {
    sizes.back() /= 2;
    sizes.insert(std::prev(sizes.end()), 2);
  }
  return sizes;
}

} // namespace

ExprRegion::ExprRegion(RankedTensorType space, LastDim lastDim, AxisSet leafAxes)
    : sizes(axesOf(space, lastDim == LastDim::Halves)), leafAxes(leafAxes),
      algebra(sizes) {
  if (space.getRank() == 0 || space.getShape().back() == 1)
    return;
  lastAxes = AxisSet(1) << (sizes.size() - 1);
  if (lastDim == LastDim::Halves) {
    splitAxis = sizes.size() - 2;
    lastAxes |= AxisSet(1) << *splitAxis;
  }
}

std::optional<Layout>
ExprRegion::splitAxes(ArrayRef<unsigned> axes, ArrayRef<int64_t> shape) const {
  Layout groups;
  size_t next = 0;
  for (int64_t size : shape) {
    SmallVector<unsigned, 2> &group = groups.emplace_back();
    int64_t product = 1;
    while (product < size && next < axes.size()) {
      product *= sizes[axes[next]];
      group.push_back(axes[next++]);
    }
    if (product != size)
      return std::nullopt;
  }
  if (next != axes.size())
    return std::nullopt;
  return groups;
}

std::optional<Layout> ExprRegion::assign(ArrayRef<int64_t> shape, bool skipSplit) const {
  SmallVector<unsigned> axes;
  for (unsigned axis = 0; axis < sizes.size(); ++axis)
    if (!skipSplit || axis != splitAxis)
      axes.push_back(axis);
  return splitAxes(axes, shape);
}

std::optional<Layout> ExprRegion::getLayout(ArrayRef<int64_t> shape) const {
  return assign(shape, /*skipSplit=*/false);
}

bool ExprRegion::hasSplit(const Layout &layout) const {
  return splitAxis && llvm::any_of(layout, [&](ArrayRef<unsigned> group) {
           return llvm::is_contained(group, *splitAxis);
         });
}

const Expr *ExprRegion::lookup(Value value) const {
  auto it = known.find(value);
  return it == known.end() ? nullptr : &it->second;
}

const Poly *ExprRegion::lookupPoly(Value value) const {
  const Expr *expr = lookup(value);
  return expr && expr->pieces.size() == 1 ? &expr->pieces.front() : nullptr;
}

std::optional<unsigned> ExprRegion::getLeafAtom(Value value, unsigned piece) const {
  for (auto [i, atom] : llvm::enumerate(algebra.getAtoms()))
    if (atom.kind == Atom::Leaf && atom.leaf == value && atom.piece == piece)
      return i;
  return std::nullopt;
}

const Layout *ExprRegion::getLeafLayout(Value leaf) const {
  auto it = leafLayouts.find(leaf);
  return it == leafLayouts.end() ? nullptr : &it->second;
}

bool ExprRegion::bind(Value value) {
  std::optional<Layout> layout = getLayout(shapeOf(value));
  if (!layout)
    return false;
  AxisSet axes = (AxisSet(1) << sizes.size()) - 1;
  Expr expr;
  expr.layout = *layout;
  if (splitAxis) {
    axes &= ~(AxisSet(1) << *splitAxis);
    expr.pieces.push_back(algebra.leaf(value, 0, axes));
    expr.pieces.push_back(algebra.leaf(value, 1, axes));
  } else {
    expr.pieces.push_back(algebra.leaf(value, 0, axes));
  }
  define(value, std::move(expr));
  return true;
}

void ExprRegion::bindColumns(Value value) {
  unsigned axis = sizes.size() - 1;
  define(value, Expr(algebra.leaf(value, 0, lastAxes), Layout{{axis}}));
}

void ExprRegion::define(Value value, Expr expr) {
  known.insert_or_assign(value, std::move(expr));
  close(value);
}

void ExprRegion::close(Value value) {
  SmallVector<Value> worklist{value};
  for (size_t next = 0; next < worklist.size(); ++next) {
    for (Operation *user : worklist[next].getUsers()) {
      if (user->getNumResults() != 1 || known.size() >= kMaxValues ||
          known.contains(user->getResult(0)))
        continue;
      std::optional<Expr> expr = evaluate(user);
      if (!expr)
        continue;
      Value result = user->getResult(0);
      known.insert({result, std::move(*expr)});
      values.push_back(result);
      worklist.push_back(result);
    }
  }
}

std::optional<Expr> ExprRegion::meetLeaf(Value value, Layout layout) {
  bool repeated = false;
  Value source = value;
  while (Operation *op = source.getDefiningOp()) {
    Layout inner;
    if (auto broadcast = dyn_cast<train::BroadcastOp>(op)) {
      for (int64_t dim : broadcast.getDims())
        inner.push_back(layout[dim]);
      repeated = true;
    } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      for (auto &group : expand.getReassociationIndices()) {
        auto &axes = inner.emplace_back();
        for (int64_t dim : group)
          llvm::append_range(axes, layout[dim]);
      }
      // Broadcast along dimensions of 1.
      repeated = true;
    } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
      SmallVector<unsigned> axes;
      for (auto &group : layout)
        llvm::append_range(axes, group);
      auto groups = splitAxes(axes, shapeOf(collapse.getSrc()));
      if (!groups)
        return std::nullopt;
      inner = *groups;
    } else {
      break;
    }
    source = op->getOperand(0);
    layout = inner;
  }
  if (!repeated || known.contains(source))
    return std::nullopt;
  AxisSet axes = 0;
  for (auto &group : layout)
    for (unsigned axis : group)
      axes |= AxisSet(1) << axis;
  if (axes & ~leafAxes)
    return std::nullopt;
  auto [it, inserted] = leafLayouts.try_emplace(source, layout);
  if (!inserted && it->second != layout)
    return std::nullopt;
  Expr expr;
  if (!hasSplit(layout)) {
    expr.pieces.push_back(algebra.leaf(source, 0, axes));
    return expr;
  }
  axes &= ~(AxisSet(1) << *splitAxis);
  expr.pieces.push_back(algebra.leaf(source, 0, axes));
  expr.pieces.push_back(algebra.leaf(source, hasEqualHalves(source) ? 0 : 1, axes));
  return expr;
}

std::optional<Expr> ExprRegion::getOperand(Value value, const Layout &layout) {
  std::optional<Expr> expr;
  if (const Expr *given = lookup(value)) {
    if (given->layout != layout)
      return std::nullopt;
    return *given;
  }
  if (std::optional<double> splat = getSplat(value)) {
    expr.emplace();
    expr->pieces.push_back(Algebra::constant(*splat));
  } else {
    expr = meetLeaf(value, layout);
  }
  if (!expr)
    return std::nullopt;
  expr->layout = layout;
  if (hasSplit(layout) && expr->pieces.size() == 1)
    expr->pieces.push_back(Poly(expr->pieces.front()));
  return expr;
}

std::optional<Expr> ExprRegion::evaluate(Operation *op) {
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, math::PowFOp>(op))
    return evaluateBinary(op);
  if (isa<tensor::ConcatOp>(op))
    return evaluateConcat(op);
  if (isa<tensor::ExtractSliceOp>(op))
    return evaluateSlice(op);
  if (op->getNumOperands() != 1)
    return std::nullopt;
  const Expr *input = lookup(op->getOperand(0));
  if (!input)
    return std::nullopt;
  // A copy: the evaluation may add leaves.
  Expr copy = *input;
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, train::BroadcastOp, train::ReduceOp>(op))
    return evaluateLayout(op, copy);
  return evaluateUnary(op, copy);
}

std::optional<Expr> ExprRegion::evaluateUnary(Operation *op, const Expr &input) {
  Expr result;
  result.layout = input.layout;
  for (const Poly &piece : input.pieces) {
    Algebra::MaybePoly poly;
    if (isa<arith::NegFOp>(op))
      poly = algebra.scale(piece, -1);
    else if (isa<math::RsqrtOp>(op))
      poly = algebra.power(piece, -0.5);
    else if (isa<math::SqrtOp>(op))
      poly = algebra.power(piece, 0.5);
    else if (isa<math::ExpOp, math::LogOp, math::SinOp, math::CosOp, math::TanhOp, math::ErfOp, math::AbsFOp>(op))
      poly = algebra.apply(op->getName().getStringRef(), piece);
    if (!poly)
      return std::nullopt;
    result.pieces.push_back(std::move(*poly));
  }
  return result;
}

std::optional<Expr> ExprRegion::evaluateBinary(Operation *op) {
  const Expr *anchor = lookup(op->getOperand(0));
  if (!anchor)
    anchor = lookup(op->getOperand(1));
  if (!anchor)
    return std::nullopt;
  Layout layout = anchor->layout;
  std::optional<Expr> lhs = getOperand(op->getOperand(0), layout);
  std::optional<Expr> rhs = getOperand(op->getOperand(1), layout);
  if (!lhs || !rhs)
    return std::nullopt;
  Expr result;
  result.layout = layout;
  for (auto [a, b] : llvm::zip(lhs->pieces, rhs->pieces)) {
    Algebra::MaybePoly poly;
    if (isa<arith::AddFOp>(op)) {
      poly = algebra.add(a, b);
    } else if (isa<arith::SubFOp>(op)) {
      poly = algebra.subtract(a, b);
    } else if (isa<arith::MulFOp>(op)) {
      poly = algebra.multiply(a, b);
    } else if (isa<arith::DivFOp>(op)) {
      if (auto inverse = algebra.power(b, -1))
        poly = algebra.multiply(a, *inverse);
    } else if (auto exponent = Algebra::asConstant(b)) {
      poly = algebra.power(a, *exponent);
    }
    if (!poly)
      return std::nullopt;
    result.pieces.push_back(std::move(*poly));
  }
  return result;
}

std::optional<Expr> ExprRegion::evaluateConcat(Operation *op) {
  auto concat = cast<tensor::ConcatOp>(op);
  int64_t last = concat.getResultType().getRank() - 1;
  if (!splitAxis || concat.getInputs().size() != 2 || static_cast<int64_t>(concat.getDim()) != last ||
      concat.getInputs()[0].getType() != concat.getInputs()[1].getType())
    return std::nullopt;
  const Expr *anchor = lookup(concat.getInputs()[0]);
  if (!anchor)
    anchor = lookup(concat.getInputs()[1]);
  unsigned half = sizes.size() - 1;
  if (!anchor || anchor->layout.back() != SmallVector<unsigned, 2>{half})
    return std::nullopt;
  Expr result;
  Layout layout = anchor->layout;
  for (Value input : concat.getInputs()) {
    std::optional<Expr> expr = getOperand(input, layout);
    if (!expr)
      return std::nullopt;
    result.pieces.push_back(std::move(expr->pieces.front()));
  }
  result.layout = layout;
  result.layout.back() = {*splitAxis, half};
  return result;
}

std::optional<Expr> ExprRegion::evaluateSlice(Operation *op) {
  auto slice = cast<tensor::ExtractSliceOp>(op);
  const Expr *input = lookup(slice.getSource());
  if (!splitAxis || !input || slice.getType().getRank() != slice.getSourceType().getRank() ||
      !llvm::all_equal(slice.getStaticStrides()) || slice.getStaticStrides().front() != 1)
    return std::nullopt;
  unsigned half = sizes.size() - 1;
  ArrayRef<int64_t> from = slice.getSourceType().getShape(), to = slice.getType().getShape();
  if (input->layout.back() != SmallVector<unsigned, 2>{*splitAxis, half} ||
      from.drop_back() != to.drop_back() || to.back() * 2 != from.back())
    return std::nullopt;
  int64_t offset = slice.getStaticOffsets().back();
  if (offset != 0 && offset != to.back())
    return std::nullopt;
  Expr result;
  result.layout = input->layout;
  result.layout.back() = {half};
  result.pieces.push_back(input->pieces[offset != 0]);
  return result;
}

std::optional<Expr> ExprRegion::evaluateLayout(Operation *op, const Expr &input) {
  Expr result;
  result.pieces = input.pieces;
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    for (auto &group : collapse.getReassociationIndices()) {
      auto &axes = result.layout.emplace_back();
      for (int64_t dim : group)
        llvm::append_range(axes, input.layout[dim]);
    }
    return result;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    for (auto [axes, group] : llvm::zip(input.layout, expand.getReassociationIndices())) {
      auto groups = splitAxes(axes, shape.slice(group.front(), group.size()));
      if (!groups)
        return std::nullopt;
      llvm::append_range(result.layout, *groups);
    }
    return result;
  }
  if (auto broadcast = dyn_cast<train::BroadcastOp>(op)) {
    auto agrees = [&](const std::optional<Layout> &layout) {
      if (!layout)
        return false;
      for (auto [axes, dim] : llvm::zip(input.layout, broadcast.getDims()))
        if ((*layout)[dim] != axes)
          return false;
      return true;
    };
    std::optional<Layout> layout = assign(shape, false);
    if (!agrees(layout))
      layout = assign(shape, true);
    if (!agrees(layout)) {
      // New dimensions of extent 1 need no axis.
      layout.emplace(shape.size());
      int64_t product = 1;
      for (auto [axes, dim] : llvm::zip(input.layout, broadcast.getDims())) {
        (*layout)[dim] = axes;
        product *= shape[dim];
      }
      if (product != cast<RankedTensorType>(broadcast.getType()).getNumElements())
        return std::nullopt;
    }
    result.layout = *layout;
    if (hasSplit(*layout) && result.pieces.size() == 1)
      result.pieces.push_back(Poly(result.pieces.front()));
    return result;
  }
  auto reduce = cast<train::ReduceOp>(op);
  if (result.pieces.size() != 1 || reduce.getKind() == train::ReduceKind::Min)
    return std::nullopt;
  AxisSet axes = 0;
  for (auto [dim, group] : llvm::enumerate(input.layout)) {
    if (!llvm::is_contained(reduce.getDims(), static_cast<int64_t>(dim))) {
      result.layout.push_back(group);
      continue;
    }
    for (unsigned axis : group)
      axes |= AxisSet(1) << axis;
  }
  auto poly = reduce.getKind() == train::ReduceKind::Sum ? algebra.sum(input.pieces.front(), axes)
                                                         : algebra.max(input.pieces.front(), axes);
  if (!poly)
    return std::nullopt;
  result.pieces.front() = std::move(*poly);
  return result;
}
