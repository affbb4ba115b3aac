//===- CollectNumerics.cpp - what quantisations do to their tensors -------===//
#include "MetricBuilder.h"
#include "Quantisation.h"
#include "QuantisedUses.h"
#include "StepState.h"
#include "prec/Materialize/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

#include <limits>

namespace mlir::prec {
#define GEN_PASS_DEF_COLLECTNUMERICS
#include "prec/Materialize/Passes.h.inc"
} // namespace mlir::prec

using namespace mlir;
using namespace mlir::prec;

namespace {

struct CollectNumerics
    : public prec::impl::CollectNumericsBase<CollectNumerics> {
  using CollectNumericsBase::CollectNumericsBase;

  void runOnOperation() override;
};

/// Builds what one quantisation did to its tensor.
class Meter : public MetricBuilder {
public:
  explicit Meter(QuantizeOp op)
      : MetricBuilder(op, train::getPhase(op)), op(op) {
    builder.setInsertionPointAfter(op);
  }

  /// amax; mean squares of the elements and of their errors, both by the square
  /// of amax; parts of the elements that underflow and that overflow.
  Value measure();

private:
  Value compare(arith::CmpFPredicate predicate, Value lhs, Value rhs) {
    return create<arith::CmpFOp>(predicate, lhs, rhs);
  }
  Value divide(Value lhs, Value rhs) { return create<arith::DivFOp>(lhs, rhs); }
  Value getQuantised(Value value) {
    return create<FakeQuantizeOp>(wide, value, op.getScale(),
                                  *getFormat(op.getType().getElementType()));
  }
  Value getMean(Value value) {
    Value total = sum(value);
    return divide(total, splat(total.getType(), wide.getNumElements()));
  }

  QuantizeOp op;
  RankedTensorType wide;
};

} // namespace

Value Meter::measure() {
  constexpr double kLargest = std::numeric_limits<float>::max();
  constexpr double kSmallest = std::numeric_limits<float>::min();
  Value x = widen(op.getInput());
  wide = cast<RankedTensorType>(x.getType());
  Value amax = create<AmaxOp>(RankedTensorType::get({}, builder.getF32Type()),
                              x, /*nan_is_infinite=*/false);
  // By amax, so that squares of small gradients are not lost.
  Value unit = broadcast(
      create<arith::MaximumFOp>(amax, splat(amax.getType(), kSmallest)), wide);
  Value quantised = getQuantised(x), zero = splat(wide, 0);
  Value relative = divide(x, unit);
  Value error = divide(create<arith::SubFOp>(x, quantised), unit);
  auto square = [&](Value value) {
    return create<arith::MulFOp>(value, value);
  };
  // What the largest of all numbers becomes is the largest that an element's
  // scale has room for.
  Format format = *getFormat(op.getType().getElementType());
  Value largest = getQuantised(splat(wide, kLargest));
  Value ratio = splat(wide, getSaturationRatio(format));
  Value limit = create<arith::MulFOp>(largest, ratio);
  Value isZero = compare(arith::CmpFPredicate::OEQ, quantised, zero);
  Value isNot = compare(arith::CmpFPredicate::UNE, x, zero);
  Value isBeyond =
      compare(arith::CmpFPredicate::OGT, create<math::AbsFOp>(x), limit);
  Value underflow = create<arith::SelectOp>(isZero, indicate(isNot), zero);
  Value overflow = create<arith::SelectOp>(isZero, zero, indicate(isBeyond));
  return concatenate({amax, getMean(square(relative)), getMean(square(error)),
                      getMean(underflow), getMean(overflow)});
}

/// Returns what was measured, with the uses that it is of.
static LogicalResult returnNumerics(func::FuncOp sample, Value numerics,
                                    ArrayRef<QuantisedUse> uses) {
  Builder builder(sample.getContext());
  SmallVector<Attribute> listed =
      llvm::map_to_vector(uses, [](const QuantisedUse &use) -> Attribute {
        return use.getAttribute();
      });
  auto names = builder.getDictionaryAttr(
      {builder.getNamedAttr(
           train::kPath,
           builder.getStringAttr("numerics/" + uses.front().getName())),
       builder.getNamedAttr(train::kUses, builder.getArrayAttr(listed))});
  return returnValue(sample, withRole(names, train::Role::Numerics), numerics);
}

void CollectNumerics::runOnOperation() {
  ModuleOp module = getOperation();
  auto step = module.lookupSymbol<func::FuncOp>("step");
  if (!step || step.isExternal())
    return;
  // collect_numerics_c1
  if (Operation *present = module.lookupSymbol("sample")) {
    present->emitOpError("numerics must be collected once, but got an @sample "
                         "already");
    return signalPassFailure();
  }
  func::FuncOp sample = step.clone();
  sample.setName("sample");
  module.push_back(sample);
  bool isAny = false;
  for (QuantizeOp op :
       llvm::make_early_inc_range(sample.getOps<QuantizeOp>())) {
    SmallVector<QuantisedUse> uses = findUses(op);
    if (uses.empty())
      continue;
    isAny = true;
    if (failed(returnNumerics(sample, Meter(op).measure(), uses)))
      return signalPassFailure();
  }
  // collect_numerics_c2
  if (!isAny) {
    step.emitOpError("a step whose numerics are collected must quantise what a "
                     "contraction reads, but nothing is quantised");
    signalPassFailure();
  }
}
