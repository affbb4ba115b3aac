//===- SplitParameter.h - a parameter that has work weights -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_WEIGHTS_SPLITPARAMETER_H
#define PREC_LIB_MATERIALIZE_WEIGHTS_SPLITPARAMETER_H

#include "prec/Support/LLVM.h"

#include "Materialize/Weights/WorkUses.h"

namespace prec {

/// A parameter that has work weights, or several that are concatenated in
/// copies that they share.
struct SplitParameter {
  SmallVector<BlockArgument, 1> arguments;
  /// Along which dimension.
  int64_t joinDim = 0;
  /// Of zeros behind them in copies, along that dimension.
  int64_t padding = 0;
  /// Of copies of several parameters that of their names joined.
  StringAttr path;
  /// Names of the parameters.
  SmallVector<StringAttr, 1> members;
  SmallVector<WorkUse> uses;
  /// Sorted, without repetition.
  SmallVector<WorkSlot> slots;
  ScaleRule rule;
  /// The results that are the updated masters; none of frozen ones.
  SmallVector<unsigned, 1> updatedResults;
  /// Whether nothing but the copies is kept.
  bool isStaged = false;

  Location getLoc() const { return arguments.front().getLoc(); }

  /// What work weights are made from.
  RankedTensorType getWideType() const;

  /// Names by which a slot is bound in all functions alike. What several
  /// parameters share is the first one's, and names them all.
  SmallVector<NamedAttribute> getNames(Builder &builder, const WorkSlot &slot,
                                       train::Role role) const;

  /// Sets the rule and the slots that the uses need. Unless `keepTransposed`,
  /// transposed copies with the bytes of a direct one are left out.
  LogicalResult addSlots(bool keepTransposed);

private:
  LogicalResult setRule();
  void readDirectCopies();
};

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_WEIGHTS_SPLITPARAMETER_H
