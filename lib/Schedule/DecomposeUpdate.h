//===- DecomposeUpdate.h - what updates of parameters share -----*- C++ -*-===//
#ifndef PREC_LIB_SCHEDULE_DECOMPOSEUPDATE_H
#define PREC_LIB_SCHEDULE_DECOMPOSEUPDATE_H

#include "Decompose.h"

namespace mlir::prec {

/// Builds the primitives of one update.
class UpdateBuilder {
public:
  UpdateBuilder(train::OptimizerOpInterface op, PrimitiveBuilder &b);

  /// A scalar, for every element of the parameter.
  Value all(Value scalar) {
    return b.broadcastRows(scalar, shapeOf(op.getParameter()));
  }
  /// `taken`, or `old` where the guard is false or `taken` is not writable.
  /// Updates read guarded states, which are stored in any case.
  Value guarded(Value taken, Value old);
  Value lerp(const LerpWeight &weight, Value start, Value end);
  /// The results; `update` is called if it is asked for.
  Values finish(Value newParameter, ArrayRef<Value> newStates,
                llvm::function_ref<Value()> update);

  /// In f32; the gradient is scaled.
  Value gradient, parameter;

private:
  /// `taken`, or `old` where the guard is false.
  Value skipped(Value taken, Value old);

  train::OptimizerOpInterface op;
  PrimitiveBuilder &b;
};

/// Whether each element of `value`, in f32, is finite in the format of `stored`
/// and in those that masters are rounded to: no larger than the largest BF16
/// number, 3.39e38. False for NaN.
Value isWritable(Value value, Value stored, PrimitiveBuilder &b);

/// From an f32 scalar.
LerpWeight getLerpWeight(Value weight, PrimitiveBuilder &b);

/// An f64 scalar in f32, negative.
inline Value negate(Value scalar, PrimitiveBuilder &b) {
  return b.fromF64(b.create<arith::NegFOp>(scalar));
}

} // namespace mlir::prec

#endif // PREC_LIB_SCHEDULE_DECOMPOSEUPDATE_H
