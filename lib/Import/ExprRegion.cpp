//===- ExprRegion.cpp - values of a graph as expressions ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds which values of a graph are expressions of a tensor x, and what
// expressions. It begins with the values that are given (x, and what the caller
// binds or defines) and follows their uses in program order, so an operation is
// evaluated after all that it reads. An operation is in the region if each
// operand is in it, is a constant, an index, or a broadcast of another tensor
// along permitted axes, which becomes a leaf. A layout says for every dimension
// of a value which axes of x it runs over; reshapes regroup axes, reductions
// sum over them. For rotary embedding the last dimension is two halves, and a
// value is two expressions (pieces). A region ends after 256 values or 1024
// visits, so the time for one x is bounded whatever the graph is.
//
// Example: x is 8x4096 with axes r and c; its row sums have layout [r], and
// their broadcast to 8x4096 layout [r, c] again.
//
//===----------------------------------------------------------------------===//
#include "Import/ExprRegion.h"

#include "prec/Dialect/Prec/Describe.h"

#include "Import/Match.h"
#include "Import/Payload.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <set>

using namespace mlir;
using namespace prec;

namespace {

// Composites and their gradients have some dozens of operations.
constexpr size_t kMaxValues = 256, kMaxVisits = 1024;

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

ExprRegion::ExprRegion(RankedTensorType space, LastDim lastDim,
                       AxisSet leafAxes)
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

std::optional<Layout> ExprRegion::splitAxes(ArrayRef<unsigned> axes,
                                            ArrayRef<int64_t> shape) const {
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

std::optional<Layout> ExprRegion::assign(ArrayRef<int64_t> shape,
                                         bool skipSplit) const {
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

std::optional<unsigned> ExprRegion::getLeafAtom(Value value,
                                                unsigned piece) const {
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
  if (!layout || !getElementTypeOrSelf(value.getType()).isF32())
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

bool ExprRegion::bindRows(Value value) {
  SmallVector<unsigned> axes =
      llvm::to_vector(llvm::seq<unsigned>(0, sizes.size() - 1));
  std::optional<Layout> layout = splitAxes(axes, shapeOf(value));
  if (!layout)
    return false;
  define(value, Expr(algebra.leaf(value, 0, (AxisSet(1) << axes.size()) - 1),
                     *layout));
  return true;
}

void ExprRegion::define(Value value, Expr expr) {
  known.insert_or_assign(value, std::move(expr));
  seeds.push_back(value);
}

void ExprRegion::close() {
  // In program order, so that an operation comes after all that it reads.
  auto before = [](Operation *a, Operation *b) {
    return a != b && a->isBeforeInBlock(b);
  };
  std::set<Operation *, decltype(before)> pending(before);
  Block *block = seeds.empty() ? nullptr : seeds.front().getParentBlock();
  auto follow = [&](Value value) {
    for (Operation *user : value.getUsers())
      if (user->getBlock() == block)
        pending.insert(user);
  };
  llvm::for_each(seeds, follow);
  for (size_t visits = 0;
       !pending.empty() && visits < kMaxVisits && values.size() < kMaxValues;
       ++visits) {
    Operation *op = *pending.begin();
    pending.erase(pending.begin());
    if (op->getNumResults() != 1 || known.contains(op->getResult(0)))
      continue;
    std::optional<Expr> expr = evaluate(op);
    if (!expr)
      continue;
    Value result = op->getResult(0);
    known.insert({result, std::move(*expr)});
    values.push_back(result);
    follow(result);
  }
}

std::optional<Layout> ExprRegion::stepBack(Operation *op,
                                           const Layout &layout) const {
  Layout inner;
  if (auto broadcast = dyn_cast<train::BroadcastOp>(op)) {
    for (int64_t dim : broadcast.getDims())
      inner.push_back(layout[dim]);
    return inner;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    for (auto &group : expand.getReassociationIndices()) {
      auto &axes = inner.emplace_back();
      for (int64_t dim : group)
        llvm::append_range(axes, layout[dim]);
    }
    return inner;
  }
  SmallVector<unsigned> axes;
  for (auto &group : layout)
    llvm::append_range(axes, group);
  return splitAxes(axes, shapeOf(cast<tensor::CollapseShapeOp>(op).getSrc()));
}

/// The index of a dimension that runs over one axis.
std::optional<Expr> ExprRegion::meetIndex(Value value, Layout layout) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto iota = dyn_cast<train::IotaOp>(op)) {
      auto &axes = layout[iota.getDim()];
      if (axes.size() != 1)
        return std::nullopt;
      return Expr(algebra.index(axes.front()), {});
    }
    if (!isReshape(op) && !isa<train::BroadcastOp>(op))
      return std::nullopt;
    std::optional<Layout> inner = stepBack(op, layout);
    if (!inner)
      return std::nullopt;
    layout = *inner;
    value = op->getOperand(0);
  }
  return std::nullopt;
}

/// A value broadcast or reshaped to `layout`.
std::optional<Expr> ExprRegion::meetLeaf(Value value, Layout layout) {
  bool repeated = layout.empty();
  Value source = value;
  while (Operation *op = source.getDefiningOp()) {
    if (!isReshape(op) && !isa<train::BroadcastOp>(op))
      break;
    // A new dimension of 1 is a broadcast that did not have to repeat.
    repeated |= !isa<tensor::CollapseShapeOp>(op);
    std::optional<Layout> inner = stepBack(op, layout);
    if (!inner)
      return std::nullopt;
    layout = *inner;
    source = op->getOperand(0);
  }
  if (const Expr *given = lookup(source)) {
    // The shape alone did not tell along which axes it is broadcast.
    if (given->layout != layout)
      return std::nullopt;
    return *given;
  }
  if (!repeated)
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
  expr.pieces.push_back(
      algebra.leaf(source, hasEqualHalves(source) ? 0 : 1, axes));
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
    if (std::isnan(*splat))
      return std::nullopt;
    expr.emplace();
    expr->pieces.push_back(Algebra::constant(*splat));
  } else if (expr = meetIndex(value, layout); !expr) {
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
  if (isa<tensor::ConcatOp>(op))
    return evaluateConcat(op);
  if (isa<tensor::ExtractSliceOp>(op))
    return evaluateSlice(op);
  if (isReshape(op) || isa<train::BroadcastOp, train::ReduceOp>(op)) {
    const Expr *input = lookup(op->getOperand(0));
    return input ? evaluateLayout(op, *input) : std::nullopt;
  }
  return evaluateElementwise(op);
}

void ExprRegion::limit(Value value, int64_t size) {
  const Poly &own = *lookupPoly(value);
  Poly negative = *algebra.apply(kIsNegative, own);
  Poly wrapped = *algebra.add(own, algebra.scale(negative, size));
  limited = Limited{own, std::move(wrapped), size};
}

std::optional<double> ExprRegion::getConstant(Value value) const {
  if (const Poly *poly = lookupPoly(value))
    return Algebra::asConstant(*poly);
  return getSplat(value);
}

/// A comparison of a limited value that has one answer, a bound that it never
/// reaches, and what follows from such answers.
std::optional<Expr> ExprRegion::evaluateLimited(Operation *op,
                                                const Layout &layout) {
  if (!limited)
    return std::nullopt;
  auto makeConstant = [&](bool value) {
    return Expr(Algebra::constant(value ? 1 : 0), layout);
  };
  if (isa<arith::AndIOp, arith::OrIOp>(op)) {
    std::optional<double> lhs = getConstant(op->getOperand(0));
    std::optional<double> rhs = getConstant(op->getOperand(1));
    if (!lhs || !rhs)
      return std::nullopt;
    bool both = *lhs != 0 && *rhs != 0, any = *lhs != 0 || *rhs != 0;
    return makeConstant(isa<arith::AndIOp>(op) ? both : any);
  }
  if (!isa<arith::MaxSIOp, arith::MinSIOp, arith::CmpIOp>(op))
    return std::nullopt;
  const Expr *value = lookup(op->getOperand(0));
  std::optional<double> bound = getSplat(op->getOperand(1));
  if (!value || !bound || value->pieces.size() != 1 ||
      (!Algebra::equal(value->pieces.front(), limited->value) &&
       !Algebra::equal(value->pieces.front(), limited->wrapped)))
    return std::nullopt;
  double last = static_cast<double>(limited->size - 1);
  auto cmp = dyn_cast<arith::CmpIOp>(op);
  if (!cmp)
    return (isa<arith::MaxSIOp>(op) ? *bound <= 0 : *bound >= last)
               ? std::optional(*value)
               : std::nullopt;
  auto answer = [&](bool always, bool never) -> std::optional<Expr> {
    return always || never ? std::optional(makeConstant(always)) : std::nullopt;
  };
  switch (cmp.getPredicate()) {
  // Whether it is below 0 decides what it is then.
  case arith::CmpIPredicate::slt:
    return answer(last < *bound, *bound < 0);
  case arith::CmpIPredicate::sle:
    return answer(last <= *bound, *bound < 0);
  case arith::CmpIPredicate::sgt:
    return answer(*bound < 0, last <= *bound);
  case arith::CmpIPredicate::sge:
    return answer(*bound <= 0, last < *bound);
  default:
    return std::nullopt;
  }
}

std::optional<Expr> ExprRegion::evaluateElementwise(Operation *op) {
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumRegions())
    return std::nullopt;
  const Expr *anchor = nullptr;
  for (Value operand : op->getOperands()) {
    anchor = lookup(operand);
    if (anchor)
      break;
  }
  if (!anchor)
    return std::nullopt;
  Expr result;
  result.layout = anchor->layout;
  if (std::optional<Expr> known = evaluateLimited(op, result.layout))
    return known;
  // What is never selected may be anything.
  if (auto select = dyn_cast<arith::SelectOp>(op))
    if (auto condition = getConstant(select.getCondition()))
      return getOperand(*condition != 0 ? select.getTrueValue()
                                        : select.getFalseValue(),
                        result.layout);
  SmallVector<Expr, 3> operands;
  for (Value operand : op->getOperands()) {
    std::optional<Expr> expr = getOperand(operand, result.layout);
    if (!expr)
      return std::nullopt;
    operands.push_back(std::move(*expr));
  }
  for (size_t piece = 0; piece < operands.front().pieces.size(); ++piece) {
    SmallVector<Poly, 3> polys;
    for (Expr &operand : operands)
      polys.push_back(std::move(operand.pieces[piece]));
    Algebra::MaybePoly poly = applyPayload(algebra, op, polys);
    if (!poly)
      return std::nullopt;
    result.pieces.push_back(std::move(*poly));
  }
  return result;
}
