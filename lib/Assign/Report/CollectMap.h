//===- CollectMap.h - decisions as a precision map --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_REPORT_COLLECTMAP_H
#define PREC_LIB_ASSIGN_REPORT_COLLECTMAP_H

#include "Assign/Decided.h"
#include "Assign/Report/BeatenFormats.h"
#include "prec/Explain/PrecisionMap.h"
#include "prec/Support/LLVM.h"

namespace prec {

/// Every decision, with what was beaten and what would change it. `bounds` may
/// be null.
PrecisionMap collectMap(ArrayRef<DecidedFunction> functions,
                        const Recipe &recipe, const Target &target,
                        const BoundInputs *bounds);

/// One function, without what would change its decisions; without `beaten` also
/// without what values are not stored in.
MapFunction collectFunction(const DecidedFunction &decided,
                            const BeatenFormats *beaten = nullptr);

} // namespace prec

#endif // PREC_LIB_ASSIGN_REPORT_COLLECTMAP_H
