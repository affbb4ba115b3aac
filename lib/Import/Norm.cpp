//===- Norm.cpp - what normalizations have in common ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Import/Norm.h"

#include "Import/Match.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace prec;

static AxisSet getLastAxis(RankedTensorType type) {
  // Dimensions of 1 have no axis.
  unsigned axes =
      llvm::count_if(type.getShape(), [](int64_t size) { return size != 1; });
  return axes ? AxisSet(1) << (axes - 1) : 0;
}

NormRegion::NormRegion(Value input)
    : type(cast<RankedTensorType>(input.getType())),
      region(type, ExprRegion::LastDim::Whole, getLastAxis(type)), input(input),
      valid(type.getRank() > 0 && type.getShape().back() > 1 &&
            region.bind(input)) {}

RankedTensorType NormRegion::getRowType() const {
  return type.clone(type.getShape().drop_back());
}

Poly NormRegion::sum(const Poly &poly) {
  return *algebra().sum(poly, region.getLastAxes());
}

Poly NormRegion::mean(const Poly &poly) {
  return algebra().scale(sum(poly), 1.0 / type.getShape().back());
}

Poly NormRegion::sumRows(const Poly &poly) {
  AxisSet all = (AxisSet(1) << region.getNumAxes()) - 1;
  return *algebra().sum(poly, all & ~region.getLastAxes());
}

SmallVector<double> NormRegion::getEpsilons(const Poly &base) {
  SmallVector<double> found;
  for (const Atom &atom : algebra().getAtoms()) {
    // Terms go by factors, so a constant is the first.
    if (atom.kind != Atom::Power || atom.inner.size() != base.size() + 1 ||
        !atom.inner.front().factors.empty())
      continue;
    double ratio = base.front().coefficient / atom.inner[1].coefficient;
    Poly rest(ArrayRef(atom.inner).drop_front());
    double eps = ratio * atom.inner.front().coefficient;
    if (Algebra::equal(algebra().scale(rest, ratio), base) && eps > 0)
      found.push_back(eps);
  }
  return found;
}

SmallVector<Value> NormRegion::getColumnVectors() const {
  SmallVector<Value> found;
  for (const Atom &atom : region.getAlgebra().getAtoms())
    if (atom.kind == Atom::Leaf && region.getLeafLayout(atom.leaf) &&
        cast<RankedTensorType>(atom.leaf.getType()).getShape() ==
            type.getShape().take_back())
      found.push_back(atom.leaf);
  return found;
}

Poly NormRegion::columnVector(Value value) {
  return algebra().leaf(value, 0, region.getLastAxes());
}

void NormRegion::defineRows(Value value, const Poly &poly) {
  Layout layout = *region.getLayout(type.getShape());
  layout.pop_back();
  region.define(value, Expr(poly, layout));
}

SmallVector<Value> prec::getSquaredInputs(Block &block) {
  llvm::SetVector<Value> inputs;
  for (auto reduce : block.getOps<train::ReduceOp>())
    if (reduce.getKind() == train::ReduceKind::Sum && reducesLastDim(reduce))
      if (Value input = getSquared(reduce.getInput()))
        inputs.insert(input);
  return inputs.takeVector();
}
