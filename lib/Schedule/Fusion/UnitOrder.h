//===- UnitOrder.h - in which order units are computed ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_FUSION_UNITORDER_H
#define PREC_LIB_SCHEDULE_FUSION_UNITORDER_H

#include "prec/Support/LLVM.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace prec {

/// A unit of FusionUnits.h as its order sees it.
struct OrderedUnit {
  unsigned position = 0;   ///< in the program
  bool recomputed = false; ///< computed again, to be kept for a short time
  llvm::SmallVector<unsigned, 4> reads; ///< other units, each once
};

/// A topological order that keeps to the program where it can.
std::vector<unsigned> orderUnits(llvm::ArrayRef<OrderedUnit> units);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_FUSION_UNITORDER_H
