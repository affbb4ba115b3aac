//===- WorkUses.h - who reads parameters in a work format -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_WEIGHTS_WORKUSES_H
#define PREC_LIB_MATERIALIZE_WEIGHTS_WORKUSES_H

#include "prec/Support/LLVM.h"

#include "Materialize/Weights/WorkWeights.h"

namespace prec {

/// A use of a parameter that reads a work weight instead.
struct WorkUse {
  OpOperand *operand;
  WorkSlot slot;
};

/// Uses of a master, also where --prec-narrow-masters widened it.
SmallVector<OpOperand *> getMasterUses(BlockArgument master);

/// The slot that `use` reads; none where it reads the master, whose element
/// type is `master`.
FailureOr<std::optional<WorkSlot>> findSlot(OpOperand &use, Type master);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_WEIGHTS_WORKUSES_H
