//===- RaiseCrossEntropy.cpp - find cross entropies of class labels -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds cross entropies of class labels, mean over rows of (log(sum(exp(x))) -
// x[label]). A graph picks x[label] by comparing the label with the index of
// every column. There are many ways to write the loss, so all are tried that
// follow from a few choices: with or without an ignored label, that label
// replaced by 0 or not, labels below 0 counted from the end or not, the
// log-softmax picked from or the logit alone, the number of counted rows
// clamped or not. For labels that are columns or ignored all of them agree,
// also where the graph treats labels that are no columns, as by a bound or a
// NaN. Inputs are those of softmaxes; labels are what is compared with a column
// index. The gradient is searched as (softmax - onehot) / count, times a
// constant or a scalar of the graph.
//
//===----------------------------------------------------------------------===//
#include "Import/Gradient.h"
#include "Import/Match.h"
#include "Import/Raise.h"

#include "prec/Dialect/Train/TensorType.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>
#include <limits>
#include <vector>

using namespace mlir;
using namespace prec;

namespace {

/// A way to write the loss; they agree for labels that are columns or ignored.
struct Definition {
  int32_t ignoreIndex;
  Poly loss;
  Poly gradient; ///< For a gradient of 1 of the loss.
};

class LossRegion {
public:
  /// Labels that are all taken for columns are compared with none.
  LossRegion(Value logits, Value labels, bool areColumns)
      : type(typeOf(logits)), region(type, ExprRegion::LastDim::Whole, 0),
        logits(logits), labels(labels),
        valid(type.getRank() > 1 && type.getShape().back() > 1 &&
              region.bind(logits) && region.getNumAxes() > 1 &&
              region.bindRows(labels)) {
    if (!valid)
      return;
    if (areColumns)
      region.limit(labels, type.getShape().back());
    Algebra &algebra = region.getAlgebra();
    exponential = *algebra.apply(math::ExpOp::getOperationName(),
                                 *region.lookupPoly(logits));
    sum = *algebra.sum(exponential, columns());
    lse = *algebra.apply(math::LogOp::getOperationName(), sum);
    maximum = *algebra.max(*region.lookupPoly(logits), columns());
  }

  AxisSet columns() const { return region.getLastAxes(); }
  AxisSet rows() const { return (AxisSet(1) << (region.getNumAxes() - 1)) - 1; }
  int64_t getNumRows() const {
    return type.getNumElements() / type.getShape().back();
  }

  std::vector<Definition> getDefinitions() {
    std::vector<Definition> found;
    // Labels are columns: this one is none.
    addDefinitions(std::numeric_limits<int32_t>::min(), Algebra::constant(1),
                   found);
    std::vector<Atom> atoms(region.getAlgebra().getAtoms());
    for (const Atom &atom : atoms)
      if (std::optional<int32_t> ignored = getComparedLabel(atom))
        addDefinitions(*ignored,
                       region.getAlgebra().subtract(Algebra::constant(1),
                                                    isLabel(*ignored)),
                       found);
    return found;
  }

  RankedTensorType type;
  ExprRegion region;
  Value logits, labels;
  bool valid;
  Poly exponential, sum, lse, maximum;

private:
  Algebra::MaybePoly isLabel(int32_t label) {
    Algebra &algebra = region.getAlgebra();
    return algebra.isZero(
        algebra.subtract(*region.lookupPoly(labels), Algebra::constant(label)));
  }

  /// The constant that an atom compares labels with.
  std::optional<int32_t> getComparedLabel(const Atom &atom) {
    if (atom.kind != Atom::Function || atom.function != kIsZero ||
        atom.inner.size() > 2 ||
        !Algebra::sameFactors(atom.inner.back(),
                              region.lookupPoly(labels)->front()))
      return std::nullopt;
    if (atom.inner.size() == 1)
      return 0;
    if (!atom.inner.front().factors.empty())
      return std::nullopt;
    double label = std::nearbyint(-atom.inner.front().coefficient /
                                  atom.inner.back().coefficient);
    return static_cast<int32_t>(label);
  }

  /// An index as Python takes it, if the graph compares it with 0.
  Algebra::MaybePoly fromEnd(const Poly &index) {
    Algebra &algebra = region.getAlgebra();
    size_t before = algebra.getAtoms().size();
    Algebra::MaybePoly negative = algebra.apply(kIsNegative, index);
    if (!negative || algebra.getAtoms().size() != before)
      return std::nullopt;
    return algebra.add(index, algebra.scale(*negative, type.getShape().back()));
  }

  /// Nothing is added where there is no such expression.
  void addDefinitions(int32_t ignoreIndex, const Algebra::MaybePoly &counted,
                      std::vector<Definition> &found) {
    Algebra &algebra = region.getAlgebra();
    const Poly &label = *region.lookupPoly(labels);
    Algebra::MaybePoly count = algebra.sum(counted, rows());
    if (!count)
      return;
    std::vector<Algebra::MaybePoly> counts{count};
    if (!Algebra::asConstant(*count))
      counts.push_back(
          algebra.apply(arith::MaximumFOp::getOperationName(), count));
    // An ignored label may be replaced by 0 first.
    std::vector<Poly> classes{label};
    if (!Algebra::asConstant(*counted))
      if (auto replaced = algebra.multiply(label, counted))
        classes.push_back(*replaced);
    // A label below 0 counts from the end, where there is one.
    for (size_t i = 0, n = classes.size(); i < n; ++i)
      if (auto wrapped = fromEnd(classes[i]))
        classes.push_back(*wrapped);
    auto softmax = algebra.multiply(exponential, algebra.power(sum, -1));
    for (const Poly &index : classes) {
      auto onehot = algebra.isZero(
          algebra.subtract(index, algebra.index(region.getNumAxes() - 1)));
      auto picked = algebra.sum(
          algebra.multiply(onehot, *region.lookupPoly(logits)), columns());
      // The log-softmax is picked from as a whole, or the logit alone.
      for (const Algebra::MaybePoly &one :
           {Algebra::MaybePoly(Algebra::constant(1)),
            algebra.sum(onehot, columns())}) {
        auto row = algebra.subtract(algebra.multiply(lse, one), picked);
        auto slope = algebra.subtract(algebra.multiply(softmax, one), onehot);
        for (const Algebra::MaybePoly &total : counts) {
          auto weight = algebra.power(total, -1);
          auto loss = algebra.multiply(
              algebra.sum(algebra.multiply(counted, row), rows()), weight);
          auto gradient =
              algebra.multiply(algebra.multiply(counted, slope), weight);
          if (loss && gradient)
            found.push_back({ignoreIndex, *loss, *gradient});
        }
      }
    }
  }
};

Value makeLabels(OpBuilder &builder, Location loc, const LossRegion &loss) {
  return reshape(builder, loc, loss.labels, {loss.getNumRows()});
}

unsigned raisePair(Value logits, Value labels, bool areColumns) {
  LossRegion loss(logits, labels, areColumns);
  if (!loss.valid)
    return 0;
  loss.region.close();
  auto scalar = RankedTensorType::get({}, loss.type.getElementType());
  unsigned raised = 0;
  for (const Definition &definition : loss.getDefinitions()) {
    raised +=
        raiseForward(loss.region, definition.loss, scalar,
                     [&](OpBuilder &builder, Location loc) {
                       int64_t rows = loss.getNumRows();
                       Value matrix =
                           reshape(builder, loc, logits,
                                   {rows, loss.type.getShape().back()});
                       return train::CrossEntropyOp::create(
                           builder, loc,
                           TypeRange{scalar, loss.type.clone({rows}),
                                     loss.type.clone({rows})},
                           matrix, makeLabels(builder, loc, loss),
                           builder.getI32IntegerAttr(definition.ignoreIndex),
                           /*axis=*/StringAttr(), /*ranks=*/IntegerAttr(),
                           ArrayAttr(), ArrayAttr());
                     });
  }
  return raised;
}

/// The number that makes `target` a value of the region.
std::optional<double> getFactor(const ExprRegion &region, const Poly &target) {
  for (Value value : region.getValues()) {
    const Poly *poly = region.lookupPoly(value);
    if (!poly || value.use_empty() || poly->size() != target.size())
      continue;
    double factor = poly->front().coefficient / target.front().coefficient;
    if (Algebra::equal(*poly, region.getAlgebra().scale(target, factor)))
      return factor;
  }
  return std::nullopt;
}

/// A loss's gradient is mostly 1, or the number that the loss is scaled by.
bool raiseGradientOf(train::CrossEntropyOp op, Value logits, Value labels,
                     bool areColumns) {
  LossRegion loss(logits, labels, areColumns);
  if (!loss.valid ||
      loss.type.getShape().back() != typeOf(op.getLogits()).getShape().back())
    return false;
  ExprRegion &region = loss.region;
  if (auto layout = region.getLayout(typeOf(op.getLogits()).getShape());
      layout && op.getLogits() != logits)
    region.define(op.getLogits(), Expr(*region.lookupPoly(logits), *layout));
  Layout rows{{}};
  for (unsigned axis = 0; axis + 1 < region.getNumAxes(); ++axis)
    rows.front().push_back(axis);
  region.define(op.getMaximum(), Expr(loss.maximum, rows));
  if (auto logSum = region.getAlgebra().subtract(loss.lse, loss.maximum))
    region.define(op.getLogSum(), Expr(*logSum, rows));
  region.close();

  auto raise = [&](const Poly &target,
                   llvm::function_ref<Value(OpBuilder &, Location)> makeGrad) {
    return raiseGradient(
        region, op, target, {}, [&](OpBuilder &builder, Location loc) {
          return train::CrossEntropyGradOp::create(
              builder, loc, op.getLogits().getType(), makeGrad(builder, loc),
              op.getLogits(), op.getLabels(), op.getMaximum(), op.getLogSum(),
              op.getIgnoreIndexAttr(), op.getAxisAttr(), op.getRanksAttr(),
              ArrayAttr(), ArrayAttr());
        });
  };
  std::vector<Atom> atoms(region.getAlgebra().getAtoms());
  for (const Definition &definition : loss.getDefinitions()) {
    if (definition.ignoreIndex != static_cast<int32_t>(op.getIgnoreIndex()))
      continue;
    double factor = getFactor(region, definition.gradient).value_or(1);
    if (raise(region.getAlgebra().scale(definition.gradient, factor),
              [&](OpBuilder &builder, Location loc) -> Value {
                auto type = RankedTensorType::get({}, builder.getF32Type());
                return arith::ConstantOp::create(
                    builder, loc,
                    DenseElementsAttr::get(type, static_cast<float>(factor)));
              }))
      return true;
    for (const Atom &atom : atoms) {
      if (atom.kind != Atom::Leaf || !atom.leaf || atom.axes ||
          typeOf(atom.leaf).getRank())
        continue;
      auto target = region.getAlgebra().multiply(
          definition.gradient, region.getAlgebra().leaf(atom.leaf, 0, 0));
      if (target &&
          raise(*target, [&](OpBuilder &, Location) { return atom.leaf; }))
        return true;
    }
  }
  return false;
}

// An ignored label is replaced, then one below 0, then those that are no
// columns.
constexpr size_t kMaxSources = 8;

bool raiseGradientOf(train::CrossEntropyOp op) {
  for (bool areColumns : {false, true})
    for (Value logits : getLayoutChain(op.getLogits()))
      for (Value labels : getLayoutChain(op.getLabels()))
        if (raiseGradientOf(op, logits, labels, areColumns))
          return true;
  return false;
}

/// Labels: what is compared with the columns' indices, or made into that.
void collectLabels(arith::CmpIOp cmp, llvm::SetVector<Value> &labels) {
  bool first =
      isa_and_nonnull<train::IotaOp>(skipLayout(cmp.getLhs()).getDefiningOp());
  bool second =
      isa_and_nonnull<train::IotaOp>(skipLayout(cmp.getRhs()).getDefiningOp());
  if (cmp.getPredicate() != arith::CmpIPredicate::eq || first == second)
    return;
  SmallVector<Value> sources{first ? cmp.getRhs() : cmp.getLhs()};
  for (size_t i = 0; i < sources.size() && i < kMaxSources; ++i)
    if (Operation *made = skipLayout(sources[i]).getDefiningOp();
        isa_and_present<arith::SelectOp, arith::MaxSIOp, arith::MinSIOp>(made))
      for (Value operand : llvm::reverse(made->getOperands().take_back(2)))
        sources.push_back(operand);
  // First what all others are made from.
  for (Value source : llvm::reverse(sources)) {
    SmallVector<Value> chain = getLayoutChain(source);
    labels.insert(chain.rbegin(), chain.rend());
  }
}

bool isPossible(Value logits, Value labels) {
  RankedTensorType type = typeOf(logits);
  return type.getRank() > 1 && typeOf(labels).getElementType().isInteger(32) &&
         typeOf(labels).getNumElements() * type.getShape().back() ==
             type.getNumElements();
}

} // namespace

RaiseCount prec::raiseCrossEntropy(func::FuncOp function) {
  RaiseCount count;
  Block &block = function.front();
  llvm::SetVector<Value> labels;
  for (auto cmp : block.getOps<arith::CmpIOp>())
    collectLabels(cmp, labels);
  llvm::SetVector<Value> logits;
  if (!labels.empty())
    logits = getSoftmaxInputs(block);
  // What is right for all labels comes first.
  for (bool areColumns : {false, true})
    for (Value input : logits)
      for (Value source : getLayoutChain(input))
        for (Value label : labels)
          if (isPossible(source, label))
            count.forward += raisePair(source, label, areColumns);
  eraseDead(block);

  SmallVector<train::CrossEntropyOp> losses(
      block.getOps<train::CrossEntropyOp>());
  for (train::CrossEntropyOp loss : llvm::reverse(losses))
    count.backward += raiseGradientOf(loss);
  return count;
}
