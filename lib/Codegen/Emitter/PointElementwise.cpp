//===- PointElementwise.cpp - elementwise operations and conversions ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations and changes of format at a position. Arithmetic is in
// f32: operations that mean the same on every target are cloned onto scalars or
// vectors, without fast-math flags; logarithms and other functions are expanded
// into formulas that CPU and GPU share (MathFunctions.cpp), so their bits are
// the same. NVIDIA GPUs have instructions of their own for exponentials and
// quotients by sums of exponentials. A value of 16 bits or fewer is raw bits in
// registers: a change of format extends them to f32, multiplies by the scale of
// a quantization or the inverse scale of a dequantization, and rounds.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Emitter/FloatConversion.h"
#include "Codegen/Emitter/MathFunctions.h"
#include "Codegen/Emitter/PointOps.h"
#include "Codegen/Emitter/RowSoftmax.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

/// Whether it adds to an exponential, whose error is that of an approximate
/// reciprocal.
static bool isSumWithExponential(Value value) {
  auto sum = value.getDefiningOp<arith::AddFOp>();
  return sum && llvm::any_of(sum->getOperands(), [](Value operand) {
           return operand.getDefiningOp<math::ExpOp>();
         });
}

/// What an NVIDIA GPU has instructions for, or null.
static Value expandForNvptx(Operation *op, ArrayRef<Expr> x) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp exp) {
        if (canBeCoarse(exp))
          return nvptx::coarseExp(x[0]);
        return isOfNonPositive(exp) ? nvptx::expOfNonPositive(x[0])
                                    : nvptx::exp(x[0]);
      })
      .Case([&](arith::DivFOp division) {
        return isSumWithExponential(division.getRhs())
                   ? nvptx::quotient(x[0], x[1])
                   : Value();
      })
      .Default([](Operation *) { return Value(); });
}

Value prec::expandMath(OpBuilder &builder, Operation *op, ValueRange operands,
                       KernelTarget target) {
  auto x = [&](unsigned i) { return Expr(builder, op->getLoc(), operands[i]); };
  if (target == KernelTarget::Nvptx &&
      getElementTypeOrSelf(op->getResult(0)).isF32()) {
    SmallVector<Expr> all;
    for (unsigned i = 0; i < operands.size(); ++i)
      all.push_back(x(i));
    if (Value expanded = expandForNvptx(op, all))
      return expanded;
  }
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp exp) {
        return isOfNonPositive(exp) ? expand::expOfNonPositive(x(0))
                                    : expand::exp(x(0));
      })
      .Case([&](math::Exp2Op) { return expand::exp2(x(0)); })
      .Case([&](math::ExpM1Op) { return expand::expm1(x(0)); })
      .Case([&](math::LogOp) { return expand::log(x(0)); })
      .Case([&](math::Log2Op) { return expand::log2(x(0)); })
      .Case([&](math::Log1pOp) { return expand::log1p(x(0)); })
      .Case([&](math::TanhOp) { return expand::tanh(x(0)); })
      .Case([&](math::ErfOp) { return expand::erf(x(0)); })
      .Case([&](math::RsqrtOp) { return expand::rsqrt(x(0)); })
      .Case([&](math::SinOp) { return expand::sin(x(0)); })
      .Case([&](math::CosOp) { return expand::cos(x(0)); })
      .Case([&](math::Atan2Op) { return expand::atan2(x(0), x(1)); })
      .Case([&](math::PowFOp) { return expand::pow(x(0), x(1)); })
      .Default([](Operation *) { return Value(); });
}

/// Operations that mean the same on a vector, on every target.
static bool isCloned(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::CmpFOp, arith::CmpIOp,
             arith::SelectOp, arith::AddIOp, arith::SubIOp, arith::MulIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ShLIOp,
             arith::ShRSIOp, arith::ShRUIOp, arith::MaxSIOp, arith::MinSIOp,
             arith::MaxUIOp, arith::MinUIOp, arith::DivSIOp, arith::DivUIOp,
             arith::RemSIOp, arith::RemUIOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
             arith::FPToUIOp, arith::BitcastOp, math::AbsFOp, math::AbsIOp,
             math::SqrtOp, math::FmaOp, math::FloorOp, math::CeilOp,
             math::TruncOp, math::RoundEvenOp, math::CopySignOp>(op);
}

/// Moves bits and never computes, so that any format will do.
static bool movesBits(Operation *op) {
  return isa<arith::SelectOp, arith::BitcastOp>(op);
}

Value prec::emitElementwise(PointEmitter &emitter, Operation *op,
                            ArrayRef<Digit> at) {
  KernelBuilder &kernel = emitter.getKernel();
  auto isSmallFloat = [](Value value) {
    auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value));
    return type && type.getWidth() < 32;
  };
  bool known = op->getNumResults() == 1 &&
               (isCloned(op) || isa<math::MathDialect>(op->getDialect()));
  if (!known ||
      (!movesBits(op) && (llvm::any_of(op->getOperands(), isSmallFloat) ||
                          isSmallFloat(op->getResult(0))))) {
    InFlightDiagnostic diagnostic = reportUngenerated(op);
    if (known)
      diagnostic << " on " << getElementTypeOrSelf(op->getOperands().back())
                 << ": arithmetic is in f32";
    return {};
  }
  if (auto difference = dyn_cast<arith::SubFOp>(op))
    if (std::optional<Value> value = subtractOneHot(emitter, difference, at))
      return *value;
  if (auto division = dyn_cast<arith::DivFOp>(op))
    if (std::optional<Value> value = divideByRowSum(emitter, division, at))
      return *value;
  SmallVector<Value> operands;
  unsigned depth = 0;
  for (Value operand : op->getOperands()) {
    // `arith.select` may have one condition for all.
    if (!isa<RankedTensorType>(operand.getType())) {
      reportUngenerated(op) << " with a scalar operand";
      return {};
    }
    Value value = emitter.emit(operand, at);
    if (!value)
      return {};
    operands.push_back(value);
    depth = std::max(depth, kernel.depthOf(value));
  }
  OpBuilder b = kernel.at(depth);
  kernel.setLoc(op->getLoc());
  if (!isCloned(op) && getElementTypeOrSelf(op->getResult(0)).isF64() &&
      !isa<math::PowFOp>(op)) {
    reportUngenerated(op) << " of f64";
    return {};
  }
  Value expanded = expandMath(b, op, operands, kernel.target);
  if (!expanded && !isCloned(op))
    reportUngenerated(op);
  if (expanded || !isCloned(op))
    return expanded;
  Type type = withLanesOf(registerType(getElementTypeOrSelf(op->getResult(0))),
                          operands[0].getType());
  OperationState state(op->getLoc(), op->getName(), operands, type);
  // Only what says which comparison it is: fast-math flags would let targets
  // differ.
  for (StringRef name : {"predicate"})
    if (Attribute attr = op->getPropertiesAsAttribute()
                             ? op->getInherentAttr(name).value_or(Attribute())
                             : Attribute())
      state.addAttribute(name, attr);
  return b.create(state)->getResult(0);
}

/// What a change of format makes of its operand before it rounds, between f32
/// and the formats that have fewer bits.
static Value emitScaled(PointEmitter &emitter, Operation *op,
                        ArrayRef<Digit> at) {
  KernelBuilder &kernel = emitter.getKernel();
  Value input = emitter.emit(op->getOperand(0), at);
  if (!input)
    return {};
  Value factor;
  if (isa<prec::QuantizeOp, prec::DequantizeOp>(op)) {
    factor = emitter.spread(emitter.emit(op->getOperand(1), {}), at);
    if (!factor)
      return {};
  }
  kernel.setLoc(op->getLoc());
  unsigned depth = kernel.depthOf(input);
  if (factor)
    depth = std::max(depth, kernel.depthOf(factor));
  auto from = cast<FloatType>(getElementTypeOrSelf(op->getOperand(0)));
  Expr value = extendToF32(emitter.expr(depth, input), from, kernel.target);
  return factor ? value * emitter.expr(depth, factor) : value;
}

/// Changes of format: `arith.extf`, `arith.truncf`, and the scaled ones.
Value prec::emitConversion(PointEmitter &emitter, Operation *op,
                           ArrayRef<Digit> at) {
  KernelBuilder &kernel = emitter.getKernel();
  auto from = cast<FloatType>(getElementTypeOrSelf(op->getOperand(0)));
  auto to = cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  bool wide = from.isF64() || to.isF64();
  if (wide && (from.getWidth() < 32 || to.getWidth() < 32)) {
    reportUngenerated(op) << " between f64 and a small format";
    return {};
  }
  if (wide) {
    Value input = emitter.emit(op->getOperand(0), at);
    kernel.setLoc(op->getLoc());
    return input ? emitter.expr(kernel.depthOf(input), input).convert(to)
                 : Value();
  }
  Value value = emitScaled(emitter, op, at);
  if (!value)
    return {};
  return truncateFromF32(emitter.expr(value), to, kernel.target);
}

/// The operation that gives `tensor` its elements.
static Operation *findProducer(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

bool prec::isRounded(Value tensor) {
  Operation *op = findProducer(tensor);
  return isa_and_nonnull<arith::TruncFOp, prec::QuantizeOp>(op) &&
         !getElementTypeOrSelf(op->getOperand(0)).isF64() &&
         getElementTypeOrSelf(tensor).getIntOrFloatBitWidth() < 32;
}

Value prec::emitUnrounded(PointEmitter &emitter, Value tensor,
                          ArrayRef<Digit> at) {
  KernelBuilder &kernel = emitter.getKernel();
  Position position = kernel.canonical(at);
  return emitter.spread(emitScaled(emitter, findProducer(tensor), position),
                        position);
}
