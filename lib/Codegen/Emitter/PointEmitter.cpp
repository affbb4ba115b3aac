//===- PointEmitter.cpp - values of a dispatch body at a position ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of a tensor in a dispatch body at a position. A kernel asks for its
// results; `emit` asks for the operands at the positions where they are needed,
// down to loads, and remembers each value by its tensor and canonical position.
// So a value that two results need is computed once, and nothing in between is
// stored. Reshapes keep the position, since digits do not depend on the shape.
// A family that has finished a reduction binds its value, which later requests
// then find. Where a vector cannot be had (a dimension ends inside the lanes),
// the value is built from its lanes one by one; that is remembered, and the
// kernel is built again with fewer lanes.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Emitter/PointEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

PointEmitter::PointEmitter(KernelBuilder &kernel, sched::DispatchOp dispatch,
                           ArrayRef<Value> inputs, ArrayRef<Value> results)
    : kernel(kernel), dispatch(dispatch), inputs(inputs), results(results) {}

InFlightDiagnostic PointEmitter::unsupported(Operation *op) {
  return op->emitError("dispatch bodies must be generated, but got '")
         << op->getName() << "'";
}

Expr PointEmitter::expr(unsigned depth, Value value) {
  return Expr(kernel.moveTo(depth), kernel.loc(), value);
}
Expr PointEmitter::expr(Value value) {
  return expr(kernel.depthOf(value), value);
}

static KernelBuilder::Key keyOf(Value tensor, ArrayRef<Digit> at) {
  KernelBuilder::Key key{4, uintptr_t(tensor.getAsOpaquePointer())};
  for (const Digit &digit : at) {
    key.push_back(uintptr_t(digit.extent));
    key.push_back(uintptr_t(digit.value.getAsOpaquePointer()));
    key.push_back(uintptr_t(digit.lanes));
  }
  return key;
}

void PointEmitter::bind(Value tensor, ArrayRef<Digit> at, Value value) {
  Position position = kernel.canonical(at);
  kernel.remember(kernel.depthOf(value), keyOf(tensor, position), value);
}

Value PointEmitter::emit(Value tensor, ArrayRef<Digit> at) {
  Position position = kernel.canonical(at);
  KernelBuilder::Key key = keyOf(tensor, position);
  if (Value known = kernel.lookup(key))
    return known;
  Value value = compute(tensor, position);
  if (value)
    kernel.remember(kernel.depthOf(value), key, value);
  return value;
}

Value PointEmitter::compute(Value tensor, ArrayRef<Digit> at) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return load(argument.getArgNumber(), at);
  Operation *op = tensor.getDefiningOp();
  kernel.setLoc(op->getLoc());
  return computeOp(op, at);
}

Value PointEmitter::computeOp(Operation *op, ArrayRef<Digit> at) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
          [&](auto reshape) { return emit(reshape.getSrc(), at); })
      .Case([&](train::BroadcastOp o) { return broadcast(o, at); })
      .Case([&](train::TransposeOp o) { return transpose(o, at); })
      .Case([&](tensor::ExtractSliceOp o) { return slice(o, at); })
      .Case([&](tensor::ConcatOp o) { return concat(o, at); })
      .Case([&](train::IotaOp o) { return iota(o, at); })
      .Case([&](train::GatherOp o) { return gather(o, at); })
      .Case([&](train::ReduceOp o) { return reduce(o, at); })
      .Case([&](arith::ConstantOp o) { return constant(o, at); })
      .Case<arith::ExtFOp, arith::TruncFOp, prec::QuantizeOp,
            prec::DequantizeOp>([&](auto o) { return convert(o, at); })
      .Default([&](Operation *o) { return elementwise(o, at); });
}

/// Lanes that end in the middle of a dimension: one by one.
Value PointEmitter::perLane(Value tensor, ArrayRef<Digit> at, bool isBroken) {
  brokenLanes |= isBroken;
  SmallVector<Value> lanes;
  for (int64_t lane = 0, count = lanesOf(at); lane < count; ++lane) {
    Value value = emit(tensor, kernel.lane(at, lane));
    if (!value)
      return {};
    lanes.push_back(value);
  }
  unsigned depth = 0;
  for (Value lane : lanes)
    depth = std::max(depth, kernel.depthOf(lane));
  return vector::FromElementsOp::create(
      kernel.at(depth), kernel.loc(),
      VectorType::get(int64_t(lanes.size()), lanes.front().getType()), lanes);
}

Value PointEmitter::spread(Value value, ArrayRef<Digit> at) {
  int64_t lanes = lanesOf(at);
  if (!value || lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  KernelBuilder::Key key{5, uintptr_t(value.getAsOpaquePointer()),
                         uintptr_t(lanes)};
  if (Value known = kernel.lookup(key))
    return known;
  unsigned depth = kernel.depthOf(value);
  Value result = vector::BroadcastOp::create(
      kernel.at(depth), kernel.loc(), VectorType::get(lanes, value.getType()),
      value);
  kernel.remember(depth, key, result);
  return result;
}
