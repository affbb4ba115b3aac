//===- CollectNumerics.cpp - what quantizations and updates do ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the entry point `sample`: a copy of the step that also returns what its
// quantizations and updates did. Behind each quantization the tensor is
// quantized and dequantized in FP32, and amax, mean squares of elements and
// errors, and the shares that underflow and overflow are reduced from it. A
// quantization to E4M3 or E5M2 is measured in both formats: their largest
// values are 7 times a power of two, so scales of the one, times a power of
// two, are exactly those of the other, whatever they are made from. For
// each optimizer the same is done for parameter, gradient and update. Values
// are divided by the amax before they are squared, so that small gradients do
// not underflow. The step itself stays as it is: a caller runs `sample` in its
// place for some steps, and gets the same training.
//
//===----------------------------------------------------------------------===//
#include "Materialize/MetricBuilder.h"
#include "Materialize/Quantization.h"
#include "Materialize/QuantizedUses.h"
#include "Materialize/Weights/StepState.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Materialize/Passes.h"
#include "prec/Numerics/FloatFormat.h"
#include "prec-rt/manifest.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <array>
#include <limits>

namespace prec {
#define GEN_PASS_DEF_COLLECTNUMERICS
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct CollectNumerics
    : public prec::impl::CollectNumericsBase<CollectNumerics> {
  using CollectNumericsBase::CollectNumericsBase;

  void runOnOperation() override;
};

class Meter : public MetricBuilder {
protected:
  using MetricBuilder::MetricBuilder;

  Value getAmax(Value x) {
    return create<AmaxOp>(RankedTensorType::get({}, builder.getF32Type()), x,
                          /*nan_is_infinite=*/false, Scaling::TensorCurrent);
  }
  Value divide(Value lhs, Value rhs) { return create<arith::DivFOp>(lhs, rhs); }
  Value square(Value value) { return create<arith::MulFOp>(value, value); }
  Value getMean(Value value);
  /// In the shape of `like`, what tensors are divided by before their squares
  /// are taken, so that those of small gradients are not lost.
  Value getUnit(Value amax, Type like);
};

Format getFormatOf(QuantizeOp op) {
  return *getFormat(op.getType().getElementType());
}

/// What scales of one format are multiplied by to be those of another.
double getScaleFactor(Format from, Format to) {
  auto getLargest = [](Format format) {
    return findFloatFormat(stringifyFormat(format))->maxFinite;
  };
  return getLargest(to) / getLargest(from);
}

/// In which formats the tensor is measured, its own first.
SmallVector<Format, 2> listFormats(QuantizeOp op) {
  Format format = getFormatOf(op);
  if (!isFp8(format))
    return {format};
  return {format, format == Format::E4M3 ? Format::E5M2 : Format::E4M3};
}

/// Builds what one quantization did to its tensor.
class QuantizationMeter : public Meter {
public:
  /// As if it were to `format`.
  QuantizationMeter(QuantizeOp op, Format format)
      : Meter(op, train::getPhase(op)), op(op), format(format) {
    builder.setInsertionPointAfter(op);
  }

  /// amax; mean squares of the elements and of their errors, both by the square
  /// of amax; parts of the elements that underflow and that overflow.
  Value measure();

private:
  Value compare(arith::CmpFPredicate predicate, Value lhs, Value rhs) {
    return create<arith::CmpFOp>(predicate, lhs, rhs);
  }
  Value getQuantized(Value value) {
    return create<FakeQuantizeOp>(value.getType(), value, scale, format,
                                  op.getScaling());
  }

  QuantizeOp op;
  Format format;
  Value scale;
};

/// Builds what one update does to its parameter.
class UpdateMeter : public Meter {
public:
  explicit UpdateMeter(train::OptimizerOpInterface op)
      : Meter(op, train::Phase::Optimizer), op(getWithUpdate(op)) {}

  /// What rt::ParameterNumeric lists.
  Value measure();

private:
  void set(rt::ParameterNumeric amaxAs, rt::ParameterNumeric squaresAs,
           Value x);

  train::OptimizerOpInterface op;
  std::array<Value, rt::kParameterNumerics> numbers;
};

} // namespace

Value Meter::getMean(Value value) {
  Value total = sum(value);
  auto type = cast<RankedTensorType>(value.getType());
  return divide(total, splat(total.getType(), type.getNumElements()));
}

Value Meter::getUnit(Value amax, Type like) {
  constexpr double kSmallest = std::numeric_limits<float>::min();
  return broadcast(
      create<arith::MaximumFOp>(amax, splat(amax.getType(), kSmallest)), like);
}

Value QuantizationMeter::measure() {
  constexpr double kLargest = std::numeric_limits<float>::max();
  // That of a microscaled block of zeros.
  constexpr double kLargestScale = 0x1p127;
  Value x = widen(op.getInput());
  Type wide = x.getType();
  scale = op.getScale();
  Type scales = scale.getType();
  if (double factor = getScaleFactor(getFormatOf(op), format); factor != 1)
    scale = create<arith::MinimumFOp>(
        create<arith::MulFOp>(scale, splat(scales, factor)),
        splat(scales, kLargestScale));
  Value amax = getAmax(x);
  Value unit = getUnit(amax, wide);
  Value quantized = getQuantized(x), zero = splat(wide, 0);
  Value relative = divide(x, unit);
  Value error = divide(create<arith::SubFOp>(x, quantized), unit);
  // What the largest of all numbers becomes is the largest that an element's
  // scale has room for.
  Value largest = getQuantized(splat(wide, kLargest));
  Value ratio = splat(wide, getSaturationRatio(format));
  Value limit = create<arith::MulFOp>(largest, ratio);
  Value isZero = compare(arith::CmpFPredicate::OEQ, quantized, zero);
  Value isNot = compare(arith::CmpFPredicate::UNE, x, zero);
  Value isBeyond =
      compare(arith::CmpFPredicate::OGT, create<math::AbsFOp>(x), limit);
  Value underflow = create<arith::SelectOp>(isZero, indicate(isNot), zero);
  Value overflow = create<arith::SelectOp>(isZero, zero, indicate(isBeyond));
  std::array<Value, rt::kUseNumerics> numbers;
  auto set = [&](rt::UseNumeric what, Value value) {
    numbers[static_cast<size_t>(what)] = value;
  };
  set(rt::UseNumeric::Amax, amax);
  set(rt::UseNumeric::Squares, getMean(square(relative)));
  set(rt::UseNumeric::ErrorSquares, getMean(square(error)));
  set(rt::UseNumeric::Underflow, getMean(underflow));
  set(rt::UseNumeric::Overflow, getMean(overflow));
  return concatenate(numbers);
}

void UpdateMeter::set(rt::ParameterNumeric amaxAs,
                      rt::ParameterNumeric squaresAs, Value x) {
  Value amax = getAmax(x);
  numbers[static_cast<size_t>(amaxAs)] = amax;
  numbers[static_cast<size_t>(squaresAs)] =
      getMean(square(divide(x, getUnit(amax, x.getType()))));
}

Value UpdateMeter::measure() {
  using Which = rt::ParameterNumeric;
  // The optimizer writes where the old parameter lies.
  builder.setInsertionPoint(op);
  set(Which::Amax, Which::Squares, widen(op.getParameter()));
  Value gradient = widen(op.getGradient());
  set(Which::GradientAmax, Which::GradientSquares,
      create<arith::MulFOp>(gradient,
                            broadcast(op.getGradScale(), gradient.getType())));
  builder.setInsertionPointAfter(op);
  set(Which::UpdateAmax, Which::UpdateSquares, op.getUpdate());
  return concatenate(numbers);
}

/// Returns what was measured, and of what: `key` with `value`.
static LogicalResult returnNumerics(func::FuncOp sample, Value numerics,
                                    const Twine &name, StringRef key,
                                    Attribute value) {
  Builder builder(sample.getContext());
  auto names = builder.getDictionaryAttr(
      {builder.getNamedAttr(train::kPath,
                            builder.getStringAttr("numerics/" + name)),
       builder.getNamedAttr(key, value)});
  return returnValue(sample, withRole(names, train::Role::Numerics), numerics);
}

/// Products of one module may read operands of one name, as those of experts
/// do. Each is measured: the second and later ones are NAME:2 and so on.
static LogicalResult collectUses(func::FuncOp sample) {
  Builder builder(sample.getContext());
  llvm::StringMap<unsigned> counts;
  for (QuantizeOp op :
       llvm::make_early_inc_range(sample.getOps<QuantizeOp>())) {
    FailureOr<SmallVector<QuantizedUse>> uses = findUses(op);
    if (failed(uses))
      return failure();
    if (uses->empty())
      continue;
    for (Format format : listFormats(op)) {
      SmallVector<Attribute> listed =
          llvm::map_to_vector(*uses, [&](QuantizedUse use) -> Attribute {
            use.format = format;
            return use.getAttribute();
          });
      std::string name = uses->front().getName();
      if (format != getFormatOf(op))
        name += "/" + stringifyFormat(format).str();
      if (unsigned count = ++counts[name]; count > 1)
        name += ":" + std::to_string(count);
      if (failed(returnNumerics(sample, QuantizationMeter(op, format).measure(),
                                name, train::kUses,
                                builder.getArrayAttr(listed))))
        return failure();
    }
  }
  return success();
}

static LogicalResult collectUpdates(func::FuncOp sample) {
  Builder builder(sample.getContext());
  for (const TrainedParameter &trained : findTrained(sample))
    if (trained.optimizer &&
        failed(returnNumerics(sample, UpdateMeter(trained.optimizer).measure(),
                              trained.path, train::kParamOf,
                              builder.getStringAttr(trained.path))))
      return failure();
  return success();
}

void CollectNumerics::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<func::FuncOp> found = getStepGraph(module);
  if (failed(found))
    return signalPassFailure();
  func::FuncOp step = *found;
  // collect_numerics_c1
  if (func::FuncOp present = findEntry(module, Entry::Sample)) {
    present.emitOpError("numerics must be collected once, but got \"sample\" "
                        "already");
    return signalPassFailure();
  }
  func::FuncOp sample = step.clone();
  module.push_back(sample);
  makeEntry(sample, Entry::Sample);
  if (failed(collectUses(sample)) || failed(collectUpdates(sample)))
    return signalPassFailure();
  // collect_numerics_c2
  if (sample.getNumResults() == step.getNumResults()) {
    step.emitOpError("a step whose numerics are collected must quantize what a "
                     "contraction reads or update a parameter by an "
                     "optimizer, but does neither");
    signalPassFailure();
  }
}
