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

#include "Codegen/DispatchShape.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace prec;

PointEmitter::PointEmitter(KernelBuilder &kernel, sched::DispatchOp dispatch,
                           ArrayRef<Value> inputs, ArrayRef<Value> results)
    : kernel(kernel), dispatch(dispatch), inputs(inputs), results(results),
      buffers(kernel) {}

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
  Value value = laneOfReduction(tensor, key);
  if (!value)
    value = compute(tensor, position);
  if (value)
    kernel.remember(kernel.depthOf(value), key, value);
  return value;
}

Value PointEmitter::laneOfReduction(Value tensor,
                                    const KernelBuilder::Key &key) {
  for (const Position &position : reducedVectors.lookup(tensor)) {
    Value vector = kernel.lookup(keyOf(tensor, position));
    if (!vector)
      continue;
    for (int64_t lane = 0, count = lanesOf(position); lane < count; ++lane)
      if (keyOf(tensor, kernel.canonical(kernel.lane(position, lane))) == key)
        return vector::ExtractOp::create(kernel.at(kernel.depthOf(vector)),
                                         kernel.loc(), vector, lane);
  }
  return {};
}

Value PointEmitter::compute(Value tensor, ArrayRef<Digit> at) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return loadFrom(inputs[argument.getArgNumber()],
                    typeOf(tensor).getElementType(), at);
  Operation *op = tensor.getDefiningOp();
  kernel.setLoc(op->getLoc());
  return emitOp(*this, op, at);
}

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

Value PointEmitter::pointerTo(BlockArgument input, ArrayRef<Digit> at) {
  return buffers.pointerTo(inputs[input.getArgNumber()],
                           typeOf(input).getElementType(), at);
}

LogicalResult PointEmitter::store(unsigned result, ArrayRef<Digit> at,
                                  Value value) {
  Type element = typeOf(dispatch.getResult(result)).getElementType();
  buffers.store(results[result], element, at, spread(value, at));
  return success();
}

Value PointEmitter::emitId(train::SortIdsOp op, Digit position) {
  Value id = emit(op.getIds(), position);
  if (!id)
    return {};
  return minUnsigned(expr(id), expr(id).integer(op.getBound() - 1));
}

LogicalResult PointEmitter::emitResults(ArrayRef<unsigned> results,
                                        ArrayRef<Digit> at) {
  int64_t walked = 1;
  for (const Digit &digit : at)
    walked *= digit.extent;
  SmallVector<SmallVector<Value, 2>> values;
  Operation *yield = dispatch.getBody().front().getTerminator();
  for (unsigned result : results) {
    Value whole = yield->getOperand(result);
    bool isWhole = elementsOf(whole) == walked;
    values.emplace_back();
    for (Value part : isWhole ? SmallVector<Value, 2>{whole} : partsOf(whole)) {
      values.back().push_back(emit(part, at));
      if (!values.back().back())
        return failure();
    }
  }
  for (auto [result, parts] : llvm::zip(results, values))
    for (auto [part, value] : llvm::enumerate(parts))
      if (failed(storePart(result, at, part, parts.size(), value)))
        return failure();
  return success();
}

LogicalResult PointEmitter::storePart(unsigned result, ArrayRef<Digit> at,
                                      unsigned part, unsigned parts,
                                      Value value) {
  if (parts == 1)
    return store(result, at, value);
  RankedTensorType type = typeOf(dispatch.getResult(result));
  int64_t columns = type.getShape().back() / parts;
  auto groups =
      kernel.split(at, {type.getNumElements() / parts / columns, columns});
  auto column = groups ? kernel.merge((*groups)[1]) : std::nullopt;
  if (!column) {
    // Single elements have a column; nothing else is kept of this try.
    brokenLanes = true;
    return success();
  }
  Digit whole = columnOfPart(kernel, *column, part, parts);
  return store(result, kernel.concat({(*groups)[0], Position{whole}}),
               spread(value, at));
}

Value PointEmitter::emitTerm(Value source, ArrayRef<Digit> at) {
  Value value = spread(emit(source, at), at);
  if (!value)
    return {};
  return toAccumulator(kernel.at(kernel.depthOf(value)), kernel.loc(), value,
                       typeOf(source).getElementType(), kernel.target);
}

Value PointEmitter::emitTerm(train::ReduceOp op, ArrayRef<Digit> at) {
  return emitTerm(op.getInput(), at);
}

void PointEmitter::bindReduction(train::ReduceOp op, ArrayRef<Digit> at,
                                 Value sum) {
  if (lanesOf(at) > 1)
    reducedVectors[op.getResult()].push_back(kernel.canonical(at));
  bind(op.getResult(), at,
       fromAccumulator(kernel.here(), kernel.loc(), sum,
                       typeOf(op.getResult()).getElementType(), kernel.target));
}
