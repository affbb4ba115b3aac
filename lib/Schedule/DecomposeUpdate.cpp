//===- DecomposeUpdate.cpp - what updates of parameters share -------------===//
#include "DecomposeUpdate.h"

using namespace mlir;
using namespace mlir::prec;

UpdateBuilder::UpdateBuilder(train::OptimizerOpInterface op,
                             PrimitiveBuilder &b)
    : op(op), b(b) {
  gradient = b.toF32(op.getGradient());
  gradient = b.mul(gradient, all(op.getGradScale()));
  parameter = b.toF32(op.getParameter());
}

Value prec::isWritable(Value value, Value stored, PrimitiveBuilder &b) {
  const llvm::fltSemantics &format = tensorType(stored).getElementType().isF16()
                                         ? llvm::APFloat::IEEEhalf()
                                         : llvm::APFloat::BFloat();
  double largest = llvm::APFloat::getLargest(format).convertToDouble();
  return b.create<arith::CmpFOp>(arith::CmpFPredicate::OLE,
                                 b.create<math::AbsFOp>(value),
                                 b.splatLike(largest, value));
}

Value UpdateBuilder::skipped(Value taken, Value old) {
  if (!op.getGuard())
    return taken;
  Value guard = b.broadcastRows(op.getGuard(), shapeOf(taken));
  return b.select(guard, taken, old);
}

// A guard looks at loss and gradients. Rates and moments that are finite, too,
// may still make an element that is not.
Value UpdateBuilder::guarded(Value taken, Value old) {
  if (!op.getGuard())
    return taken;
  Value guard = b.broadcastRows(op.getGuard(), shapeOf(taken));
  Value isGood = b.create<arith::AndIOp>(
      guard, isWritable(taken, op.getNewParameter(), b));
  return b.select(isGood, taken, old);
}

// torch.lerp starts from the nearer end, and fuses on a CPU.
LerpWeight prec::getLerpWeight(Value weight, PrimitiveBuilder &b) {
  LerpWeight result;
  result.isSmall = b.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, weight,
                                           b.splat(0.5, {}));
  Value other = b.sub(weight, b.splat(1, {}));
  result.weight = b.select(result.isSmall, weight, other);
  return result;
}

Value UpdateBuilder::lerp(const LerpWeight &weight, Value start, Value end) {
  ArrayRef<int64_t> shape = shapeOf(start);
  Value change = b.sub(end, start);
  Value nearer = b.select(b.broadcastRows(weight.isSmall, shape), start, end);
  return b.fma(b.broadcastRows(weight.weight, shape), change, nearer);
}

Values UpdateBuilder::finish(Value newParameter, ArrayRef<Value> newStates,
                             llvm::function_ref<Value()> update) {
  newParameter = guarded(newParameter, parameter);
  Values results = {b.roundTo(newParameter, op.getNewParameter())};
  for (auto [value, result] : llvm::zip_equal(newStates, op.getNewStates()))
    results.push_back(b.roundTo(value, result));
  // Added to any parameter, -0 leaves its bits.
  if (op.getUpdate())
    results.push_back(
        skipped(update(), b.splat(-0.0, shapeOf(op.getParameter()))));
  return results;
}
