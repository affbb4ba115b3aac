//===- DecomposeUpdate.h - what updates of parameters share -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_DECOMPOSE_DECOMPOSEUPDATE_H
#define PREC_LIB_SCHEDULE_DECOMPOSE_DECOMPOSEUPDATE_H

#include "prec/Support/LLVM.h"

#include "Schedule/Decompose/Decompose.h"

namespace prec {

/// What a state would be, and what it was, both f32.
struct StateUpdate {
  Value taken, old;
};

/// Builds the primitives of one update.
class UpdateBuilder {
public:
  UpdateBuilder(train::OptimizerOpInterface op, PrimitiveBuilder &b);

  /// A scalar, for every element of the parameter.
  Value all(Value scalar) {
    return b.broadcastRows(scalar, shapeOf(op.getParameter()));
  }
  Value lerp(const LerpWeight &weight, Value start, Value end);
  /// The results; `update` is called if it is asked for. With a guard, elements
  /// that are not to be written are the old ones.
  Values finish(Value newParameter, ArrayRef<StateUpdate> updates,
                llvm::function_ref<Value()> update);

  /// In f32; the gradient is scaled.
  Value gradient, parameter;

private:
  /// The same of a parameter or state, and the result that it is stored as.
  struct NewState : StateUpdate {
    Value stored;
  };

  /// Takes the old elements where the guard is false or a new one is too large
  /// to be written.
  void keepOld(MutableArrayRef<NewState> all);
  /// The guard, for each element of `condition`, and that.
  Value andGuard(Value condition);

  train::OptimizerOpInterface op;
  PrimitiveBuilder &b;
};

/// Whether each element of `magnitude`, in f32, is finite in the format of
/// `stored` and in those that masters are rounded to: no larger than the
/// largest BF16 number, 3.39e38. False for NaN.
Value isWritable(Value magnitude, Value stored, PrimitiveBuilder &b);

/// From an f32 scalar.
LerpWeight getLerpWeight(Value weight, PrimitiveBuilder &b);

/// An f64 scalar in f32, negative.
inline Value negate(Value scalar, PrimitiveBuilder &b) {
  return b.fromF64(b.create<mlir::arith::NegFOp>(scalar));
}

} // namespace prec

#endif // PREC_LIB_SCHEDULE_DECOMPOSE_DECOMPOSEUPDATE_H
