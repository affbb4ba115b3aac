//===- TouchedParts.h - what a kernel needs of its inputs -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_EMIT_TOUCHEDPARTS_H
#define PREC_LIB_EMIT_TOUCHEDPARTS_H

#include "prec/Dialect/Sched/Sched.h"
#include "prec/Support/LLVM.h"

#include <optional>

namespace prec {

/// Runs of `length` elements, each `stride` behind the one before.
struct Runs {
  int64_t first = 0, length = 0, stride = 0, count = 1;
};

/// What `dispatch` needs of each of its inputs, in elements of it; nothing
/// where that is all of it. Of rows that ids choose, as many first ones as
/// there are ids.
SmallVector<std::optional<Runs>> findTouchedParts(sched::DispatchOp dispatch);

} // namespace prec

#endif // PREC_LIB_EMIT_TOUCHEDPARTS_H
