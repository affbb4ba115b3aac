//===- Contract.cpp - enumerations that the runtime shares ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Those of the dialects are those of prec-rt/enums.def: one value is cast to
// the other where a module is emitted.
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/Train.h"
#include "prec-rt/manifest.h"

namespace prec {

#define PREC_ROLE(SYMBOL, Symbol, name, spelling, segment)                     \
  static_assert(static_cast<int>(train::Role::Symbol) ==                       \
                static_cast<int>(rt::Role::name));
#include "prec-rt/enums.def"
static_assert(train::getMaxEnumValForRole() == std::size(rt::kRoles));

#define PREC_SEGMENT(Symbol, name)                                             \
  static_assert(static_cast<int>(sched::Segment::Symbol) ==                    \
                static_cast<int>(rt::Segment::name));
#include "prec-rt/enums.def"
static_assert(sched::getMaxEnumValForSegment() + 1 == std::size(rt::kSegments));

#define PREC_ACCUMULATOR(Symbol, name)                                         \
  static_assert(static_cast<int>(Accumulator::Symbol) ==                       \
                static_cast<int>(rt::Accumulator::name));
#include "prec-rt/enums.def"
static_assert(getMaxEnumValForAccumulator() + 1 ==
              std::size(rt::kAccumulators));

} // namespace prec
