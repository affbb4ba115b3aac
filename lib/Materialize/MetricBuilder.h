//===- MetricBuilder.h - what metrics are computed of -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_METRICBUILDER_H
#define PREC_LIB_MATERIALIZE_METRICBUILDER_H

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace prec {

/// Builds f32 arithmetic on tensors before an operation, in a phase.
class MetricBuilder {
public:
  MetricBuilder(Operation *before, train::Phase phase)
      : builder(before), loc(NameLoc::get(builder.getStringAttr("metrics"))),
        phase(train::PhaseAttr::get(before->getContext(), phase)) {}

  template <typename OpTy, typename... Args> Value create(Args &&...args) {
    auto op = OpTy::create(builder, loc, std::forward<Args>(args)...);
    op->setAttr(train::kPhase, phase);
    return op->getResult(0);
  }

  /// A constant of the shape of `like`.
  Value splat(Type like, double value);
  /// `value` in f32.
  Value widen(Value value);
  /// A scalar in the shape of `like`.
  Value broadcast(Value scalar, Type like);
  /// 1 where the elements of `isSet` are, else 0.
  Value indicate(Value isSet);
  /// Of so many leading dimensions; the last first, so that rows stay in the
  /// kernel that computes what is reduced.
  Value reduceTo(train::ReduceKind kind, Value value, int64_t rank);
  /// Of all elements.
  Value sum(Value value);
  /// Scalars as a vector.
  Value concatenate(ArrayRef<Value> scalars);

protected:
  OpBuilder builder;
  Location loc;
  train::PhaseAttr phase;
};

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_METRICBUILDER_H
