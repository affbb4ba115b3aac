//===- PointReduce.cpp - steps of reductions ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of which all families build reductions: the neutral element, the
// combination of two values, the fold of a vector, and the conversions between
// what is stored and what is accumulated (floats in f32, integers as they are).
// A vector is folded in halves, (0 + 4, 1 + 5, ...) and so on, which is one
// order on every target. A maximum ignores NaN, so that an amax is that of the
// other elements.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Emitter/FloatConversion.h"
#include "Codegen/Emitter/PointEmitter.h"
#include "prec/Dialect/Train/Reductions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace prec;
using train::ReduceKind;

Type prec::accumulatorType(Type element) {
  return isa<FloatType>(element) ? Type(Float32Type::get(element.getContext()))
                                 : element;
}

Value prec::toAccumulator(OpBuilder &b, Location loc, Value value, Type element,
                          KernelTarget target) {
  if (auto type = dyn_cast<FloatType>(element))
    return extendToF32(Expr(b, loc, value), type, target);
  return value;
}

Value prec::fromAccumulator(OpBuilder &b, Location loc, Value value,
                            Type element, KernelTarget target) {
  if (auto type = dyn_cast<FloatType>(element))
    return truncateFromF32(Expr(b, loc, value), type, target);
  return value;
}

Value prec::addToRow(OpBuilder &b, Location loc, Value row, Value sum,
                     Type element, KernelTarget target) {
  Value rounded = toAccumulator(
      b, loc, fromAccumulator(b, loc, sum, element, target), element, target);
  Value total = arith::AddFOp::create(
      b, loc, toAccumulator(b, loc, row, element, target), rounded);
  return fromAccumulator(b, loc, total, element, target);
}

Value prec::neutralElement(OpBuilder &b, Location loc, ReduceKind kind,
                           Type type) {
  Attribute attr = train::getNeutral(kind, getElementTypeOrSelf(type));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, loc, cast<TypedAttr>(attr));
}

Value prec::combine(OpBuilder &b, Location loc, ReduceKind kind, Value lhs,
                    Value rhs) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(lhs.getType()));
  switch (kind) {
  case ReduceKind::Sum:
    if (isFloat)
      return arith::AddFOp::create(b, loc, lhs, rhs);
    return arith::AddIOp::create(b, loc, lhs, rhs);
  case ReduceKind::Max:
    if (isFloat)
      return arith::MaxNumFOp::create(b, loc, lhs, rhs);
    return arith::MaxSIOp::create(b, loc, lhs, rhs);
  case ReduceKind::Min:
    if (isFloat)
      return arith::MinNumFOp::create(b, loc, lhs, rhs);
    return arith::MinSIOp::create(b, loc, lhs, rhs);
  }
  llvm_unreachable("covered switch");
}

Value prec::foldLanes(OpBuilder &b, Location loc, ReduceKind kind,
                      Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return value;
  for (int64_t half = vector.getNumElements() / 2; half >= 1; half /= 2) {
    auto sequence = llvm::to_vector(llvm::seq<int64_t>(0, 2 * half));
    Value low = vector::ShuffleOp::create(b, loc, value, value,
                                          ArrayRef(sequence).take_front(half));
    Value high = vector::ShuffleOp::create(b, loc, value, value,
                                           ArrayRef(sequence).drop_front(half));
    value = combine(b, loc, kind, low, high);
  }
  return vector::ExtractOp::create(b, loc, value, 0);
}
