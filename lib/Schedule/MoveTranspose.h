//===- MoveTranspose.h - moves transposes past operations -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transposition that keeps the last dimension commutes with elementwise
// operations and with rope. The permutations here are those of
// prec_train.transpose.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_SCHEDULE_MOVETRANSPOSE_H
#define PREC_LIB_SCHEDULE_MOVETRANSPOSE_H

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

#include <map>

namespace prec {

using Permutation = SmallVector<int64_t>;

bool isIdentity(ArrayRef<int64_t> permutation);
Permutation invert(ArrayRef<int64_t> permutation);

/// The value of which `value` is the transposition, through what commutes with
/// it, and how: built in front of `value` if some has to be computed in
/// another order. Null if there is none, or if it would be computed twice.
Value getUntransposed(Value value, Permutation &permutation);

/// Elements that are read in each order by what uses `value`, by the
/// permutation that would give it. Uses that `isNeutral` holds for read in any.
std::map<Permutation, int64_t>
countWishes(Value value, llvm::function_ref<bool(Operation *)> isNeutral);

/// Makes users of `value`, a transposition, read what it transposes, where
/// they commute with it.
void moveToUsers(train::TransposeOp value);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_MOVETRANSPOSE_H
