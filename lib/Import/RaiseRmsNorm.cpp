//===- RaiseRmsNorm.cpp - find root mean square normalizations ------------===//
#include "Gradient.h"
#include "Match.h"
#include "Raise.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::prec;

namespace {

/// The region of the input of a norm, and the definition in its algebra.
class RmsNorm {
public:
  explicit RmsNorm(Value input)
      : type(cast<RankedTensorType>(input.getType())),
        region(type, ExprRegion::LastDim::Whole, lastAxis(type)), input(input) {
    valid = region.bind(input) && region.getLastAxes();
    if (valid)
      x = *region.lookupPoly(input);
  }

  /// An axis per dimension that is not 1.
  static AxisSet lastAxis(RankedTensorType type) {
    unsigned axes = llvm::count_if(type.getShape(), [](int64_t size) { return size != 1; });
    return axes ? AxisSet(1) << (axes - 1) : 0;
  }

  Algebra &algebra() { return region.getAlgebra(); }
  double columns() { return type.getShape().back(); }
  AxisSet rows() { return ((AxisSet(1) << region.getNumAxes()) - 1) & ~region.getLastAxes(); }

  Poly rstd(double eps) {
    auto square = algebra().multiply(x, x);
    auto mean = algebra().scale(*algebra().sum(*square, region.getLastAxes()), 1 / columns());
    return *algebra().power(*algebra().add(mean, Algebra::constant(eps)), -0.5);
  }

  /// Every eps for which the graph has the reciprocal root of mean square plus eps.
  SmallVector<double> epsilons() {
    SmallVector<double> found;
    auto square = algebra().sum(*algebra().multiply(x, x), region.getLastAxes());
    for (const Atom &atom : algebra().getAtoms()) {
      // Terms go by factors, so the constant is the first.
      if (atom.kind != Atom::Power || atom.inner.size() != 2 || !atom.inner[0].factors.empty() ||
          !Algebra::sameFactors(atom.inner[1], square->front()))
        continue;
      double eps = atom.inner[0].coefficient / atom.inner[1].coefficient / columns();
      if (eps > 0)
        found.push_back(eps);
    }
    return found;
  }

  RankedTensorType type;
  ExprRegion region;
  Value input;
  Poly x;
  bool valid;
};

/// A parameter over the last dimension: gamma.
bool isColumnVector(const ExprRegion &region, Value leaf, int64_t columns) {
  return cast<RankedTensorType>(leaf.getType()).getShape() == ArrayRef<int64_t>{columns} && columns != 1 &&
         region.getLeafLayout(leaf);
}

unsigned raiseForward(Value input) {
  RmsNorm norm(input);
  if (!norm.valid)
    return 0;
  unsigned raised = 0;
  for (double eps : norm.epsilons()) {
    auto normalized = norm.algebra().multiply(norm.x, norm.rstd(eps));
    SmallVector<Value> gammas;
    for (const Atom &atom : norm.algebra().getAtoms())
      if (atom.kind == Atom::Leaf && isColumnVector(norm.region, atom.leaf, norm.columns()))
        gammas.push_back(atom.leaf);
    for (Value gamma : gammas) {
      auto target = norm.algebra().multiply(*normalized,
                                            norm.algebra().leaf(gamma, 0, norm.region.getLastAxes()));
      // One operation a phase: what is recomputed stays recomputed.
      llvm::SmallDenseMap<train::Phase, Value> results;
      for (Value value : norm.region.getValues()) {
        const Poly *poly = norm.region.lookupPoly(value);
        if (!poly || value.getType() != input.getType() || value.use_empty() || !Algebra::equal(*poly, *target))
          continue;
        Operation *op = value.getDefiningOp();
        Value &result = results[train::getPhase(op)];
        if (!result || op->isBeforeInBlock(result.getDefiningOp())) {
          OpBuilder builder(op);
          SmallVector<int64_t> rows(norm.type.getShape().drop_back());
          auto made = train::RmsNormOp::create(builder, op->getLoc(),
                                               TypeRange{input.getType(), norm.type.clone(rows)}, input, gamma,
                                               builder.getF32FloatAttr(eps), ArrayAttr(), ArrayAttr());
          train::copyProvenance(op, made);
          result = made.getResult();
          ++raised;
        }
        value.replaceAllUsesWith(result);
      }
    }
  }
  return raised;
}

/// Finds the gradient of `op` for one incoming gradient, and replaces it.
bool raiseBackward(train::RmsNormOp op, Value grad) {
  RmsNorm norm(op.getInput());
  ExprRegion &region = norm.region;
  Algebra &algebra = region.getAlgebra();
  Poly rstd = norm.rstd(op.getEps().convertToDouble());
  region.bindColumns(op.getGamma());
  Layout layout = *region.getLayout(norm.type.getShape());
  layout.pop_back();
  region.define(op.getRstd(), Expr(rstd, layout));
  if (region.lookup(grad) || !region.bind(grad))
    return false;

  Poly dy = *region.lookupPoly(grad), gamma = *region.lookupPoly(op.getGamma());
  auto n = algebra.multiply(norm.x, rstd);
  auto h = algebra.multiply(dy, gamma);
  auto mean = algebra.scale(*algebra.sum(*algebra.multiply(*h, *n), region.getLastAxes()), 1 / norm.columns());
  auto inner = algebra.subtract(*h, *algebra.multiply(*n, mean));
  auto site = GradientSite::find(region, *algebra.multiply(rstd, *inner));
  if (!site)
    return false;
  auto gammaTarget = algebra.sum(*algebra.multiply(dy, *n), norm.rows());
  SmallVector<Value> gammaGrads = findParameterGradient(region, *gammaTarget, op.getGamma());

  Operation *first = site->getFirst();
  for (Value value : gammaGrads)
    first = firstOf(first, value.getDefiningOp());
  if (!op->isBeforeInBlock(first))
    return false;
  OpBuilder builder(first);
  Location loc = site->getOrigin()->getLoc();
  Value shaped = reshape(builder, loc, grad, norm.type.getShape());
  auto made = train::RmsNormGradOp::create(builder, loc, TypeRange{norm.type, op.getGamma().getType()}, shaped,
                                           op.getInput(), op.getGamma(), op.getRstd(), ArrayAttr(), ArrayAttr());
  train::copyProvenance(site->getOrigin(), made);
  if (Attribute seq = op->getAttr(train::kSeq))
    made->setAttr(train::kSeq, seq);
  site->replace(builder, made.getGradInput());
  replaceValues(builder, gammaGrads, made.getGradGamma());
  return true;
}

SmallVector<Value> getCandidates(train::RmsNormOp op) {
  RmsNorm norm(op.getInput());
  if (!norm.valid || norm.columns() == 1)
    return {};
  norm.region.bindColumns(op.getGamma());
  return getGradientCandidates(norm.region, norm.type.getShape());
}

} // namespace

RaiseCount prec::raiseRmsNorm(func::FuncOp function) {
  RaiseCount count;
  Block &block = function.front();
  llvm::SetVector<Value> inputs;
  for (auto reduce : block.getOps<train::ReduceOp>())
    if (reduce.getKind() == train::ReduceKind::Sum && reducesLastDim(reduce))
      if (Value input = getSquared(reduce.getInput()))
        inputs.insert(input);
  for (Value input : inputs)
    count.forward += raiseForward(input);
  eraseDead(block);

  // The last computation of a norm is the one its gradient is nearest to.
  SmallVector<train::RmsNormOp> norms(block.getOps<train::RmsNormOp>());
  for (train::RmsNormOp norm : llvm::reverse(norms)) {
    for (Value grad : getCandidates(norm)) {
      if (!raiseBackward(norm, grad))
        continue;
      ++count.backward;
      break;
    }
  }
  return count;
}
