//===- Gradient.cpp - finding the backward of a composite -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces what a graph computes by a composite: raiseForward for the composite
// itself, raiseGradient for its gradient. Both compare the expression of each
// value in the region with a target. A gradient is more difficult in two ways.
// Which value is the incoming gradient is not known, so each value that the
// region multiplies with from outside is a candidate, at most 16. And the
// gradient of an input may be added in several terms to a longer sum, x' = (a +
// g1) + g2 with g1 + g2 the target: then the terms are found one by one, and
// the composite takes the place of the last one, provided that nobody else
// reads the partial sums in between.
//
//===----------------------------------------------------------------------===//
#include "Import/Gradient.h"

#include "Import/Match.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace prec;

namespace {

// One or two of them are the gradient; more come from shared parameters.
constexpr size_t kMaxCandidates = 16;
// A residual stream adds one gradient a branch.
constexpr unsigned kMaxChain = 64;

/// Whether the terms are a selection of the target's, whatever the
/// coefficients.
bool isPartOf(const Poly &poly, const Poly &target) {
  return !poly.empty() && llvm::all_of(poly, [&](const Term &term) {
    return llvm::any_of(target, [&](const Term &other) {
      return Algebra::sameFactors(term, other);
    });
  });
}

bool isWhole(const ExprRegion &region, Value value) {
  const Expr *expr = region.lookup(value);
  return region.getLayout(cast<RankedTensorType>(value.getType()).getShape()) ==
         expr->layout;
}

} // namespace

/// The earlier of two operations of a block; either may be null.
static Operation *firstOf(Operation *a, Operation *b) {
  if (!a || !b)
    return a ? a : b;
  return a->isBeforeInBlock(b) ? a : b;
}

SmallVector<Value> prec::getGradientCandidates(const ExprRegion &region) {
  llvm::SetVector<Value> found;
  for (Value value :
       llvm::concat<const Value>(region.getSeeds(), region.getValues())) {
    for (Operation *user : value.getUsers()) {
      if (!isa<arith::MulFOp, arith::DivFOp>(user) ||
          region.lookup(user->getResult(0)))
        continue;
      for (Value operand : user->getOperands())
        if (!region.lookup(operand) &&
            region.getLayout(
                cast<RankedTensorType>(operand.getType()).getShape()))
          found.insert(operand);
    }
    if (found.size() >= kMaxCandidates)
      break;
  }
  SmallVector<Value> candidates = found.takeVector();
  llvm::stable_sort(candidates, [](Value a, Value b) {
    Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
    if (!x || !y)
      return !x && y;
    return x != y && x->isBeforeInBlock(y);
  });
  return candidates;
}

std::optional<GradientSite> GradientSite::find(ExprRegion &region,
                                               const Poly &target) {
  GradientSite site;
  for (Value value : region.getValues()) {
    const Poly *poly = region.lookupPoly(value);
    if (!poly || !isWhole(region, value) || value.use_empty() ||
        !Algebra::equal(*poly, target))
      continue;
    site.whole.push_back(value);
    site.first = firstOf(site.first, value.getDefiningOp());
  }
  if (site.whole.empty())
    return findSum(region, target);
  site.origin = site.first;
  return site;
}

std::optional<GradientSite> GradientSite::findSum(ExprRegion &region,
                                                  const Poly &target) {
  GradientSite site;
  Algebra::MaybePoly total = Poly();
  llvm::SetVector<Operation *> additions;
  for (Value value : region.getValues()) {
    const Poly *poly = region.lookupPoly(value);
    if (!poly || !isWhole(region, value) || !isPartOf(*poly, target))
      continue;
    OpOperand *outside = nullptr;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (user->getNumResults() == 1 && region.lookup(user->getResult(0)))
        continue;
      if (outside || !isa<arith::AddFOp>(user))
        return std::nullopt;
      outside = &use;
    }
    if (!outside)
      continue;
    total = region.getAlgebra().add(*total, *poly);
    if (!total || !additions.insert(outside->getOwner()))
      return std::nullopt;
    site.summands.push_back(outside);
    site.first = firstOf(site.first, value.getDefiningOp());
  }
  if (site.summands.size() < 2 || !Algebra::equal(*total, target))
    return std::nullopt;
  llvm::sort(site.summands, [](OpOperand *a, OpOperand *b) {
    return a->getOwner()->isBeforeInBlock(b->getOwner());
  });
  // Only the next addition may read a partial sum.
  Operation *next = site.summands.front()->getOwner();
  size_t met = 1;
  for (unsigned i = 0; i < kMaxChain && met < additions.size(); ++i) {
    if (!next->hasOneUse())
      return std::nullopt;
    next = *next->user_begin();
    if (!isa<arith::AddFOp>(next))
      return std::nullopt;
    met += additions.contains(next);
  }
  if (met != additions.size())
    return std::nullopt;
  site.origin = site.summands.front()->get().getDefiningOp();
  return site;
}

/// Replaces all uses of values by `by`, reshaped as they are.
static void replaceValues(OpBuilder &builder, ArrayRef<Value> values,
                          Value by) {
  for (Value value : values) {
    // What the builder stood at may have been erased.
    builder.setInsertionPointAfterValue(by);
    Value shaped = reshape(builder, by.getLoc(), by,
                           cast<RankedTensorType>(value.getType()).getShape());
    value.replaceAllUsesWith(shaped);
    eraseDeadFrom(value.getDefiningOp());
  }
}

void GradientSite::replace(OpBuilder &builder, Value gradient) const {
  if (!whole.empty())
    return replaceValues(builder, whole, gradient);
  OpOperand *last = summands.back();
  SmallVector<Operation *> dead;
  for (OpOperand *summand : ArrayRef(summands).drop_back()) {
    Operation *addition = summand->getOwner();
    addition->getResult(0).replaceAllUsesWith(
        addition->getOperand(1 - summand->getOperandNumber()));
    dead.push_back(addition);
  }
  dead.push_back(last->get().getDefiningOp());
  builder.setInsertionPointAfterValue(gradient);
  last->set(reshape(builder, gradient.getLoc(), gradient,
                    cast<RankedTensorType>(last->get().getType()).getShape()));
  for (Operation *op : dead)
    eraseDeadFrom(op);
}

static SmallVector<Value>
findParameterGradient(const ExprRegion &region,
                      const ParameterGradient &wanted) {
  SmallVector<Value> found;
  for (Value value : region.getValues()) {
    const Poly *poly = region.lookupPoly(value);
    if (poly && !value.use_empty() && Algebra::equal(*poly, wanted.target) &&
        cast<RankedTensorType>(value.getType()).getNumElements() ==
            cast<RankedTensorType>(wanted.parameter.getType()).getNumElements())
      found.push_back(value);
  }
  return found;
}

/// Additions of a value that is 0 by its mathematics, such as what a centered
/// tensor sends back through its mean.
static SmallVector<OpOperand *> findZeroSummands(const ExprRegion &region) {
  SmallVector<OpOperand *> found;
  for (Value value : region.getValues()) {
    const Poly *poly = region.lookupPoly(value);
    if (!poly || !poly->empty() || !isWhole(region, value))
      continue;
    for (OpOperand &use : value.getUses())
      if (isa<arith::AddFOp>(use.getOwner()) &&
          !region.lookup(use.getOwner()->getResult(0)))
        found.push_back(&use);
  }
  return found;
}

bool prec::raiseGradient(
    ExprRegion &region, Operation *forward, const Poly &target,
    ArrayRef<ParameterGradient> parameters,
    llvm::function_ref<Operation *(OpBuilder &, Location)> make) {
  auto site = GradientSite::find(region, target);
  if (!site)
    return false;
  Operation *first = site->getFirst();
  SmallVector<SmallVector<Value>> found;
  for (const ParameterGradient &wanted : parameters) {
    found.push_back(findParameterGradient(region, wanted));
    for (Value value : found.back())
      first = firstOf(first, value.getDefiningOp());
  }
  if (!forward->isBeforeInBlock(first))
    return false;
  KeepOrder order;
  OpBuilder builder(first, &order);
  Operation *origin = site->getOrigin();
  Operation *made = make(builder, origin->getLoc());
  train::copyProvenance(origin, made);
  if (Attribute seq = forward->getAttr(train::kSeq))
    made->setAttr(train::kSeq, seq);
  SmallVector<OpOperand *> zeros = findZeroSummands(region);
  site->replace(builder, made->getResult(0));
  for (auto [i, values] : llvm::enumerate(found))
    replaceValues(builder, values, made->getResult(i + 1));
  for (OpOperand *zero : zeros) {
    Operation *addition = zero->getOwner();
    addition->getResult(0).replaceAllUsesWith(
        addition->getOperand(1 - zero->getOperandNumber()));
    eraseDeadFrom(addition);
  }
  return true;
}

unsigned prec::raiseForward(
    ExprRegion &region, const Poly &target, Type type,
    llvm::function_ref<Operation *(OpBuilder &, Location)> make) {
  Operation *made[2] = {nullptr, nullptr};
  unsigned raised = 0;
  for (Value value : region.getValues()) {
    const Poly *poly = region.lookupPoly(value);
    if (!poly || value.getType() != type || value.use_empty() ||
        !Algebra::equal(*poly, target))
      continue;
    Operation *op = value.getDefiningOp();
    Operation *&composite =
        made[train::getPhase(op) == train::Phase::Recompute];
    if (!composite || op->isBeforeInBlock(composite)) {
      KeepOrder order;
      OpBuilder builder(op, &order);
      composite = make(builder, op->getLoc());
      train::copyProvenance(op, composite);
      ++raised;
    }
    value.replaceAllUsesWith(composite->getResult(0));
  }
  return raised;
}
