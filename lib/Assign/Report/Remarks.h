//===- Remarks.h - decisions as remarks -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_REPORT_REMARKS_H
#define PREC_LIB_ASSIGN_REPORT_REMARKS_H

#include "Assign/Decided.h"
#include "prec/Assign/Recipe.h"

namespace prec {

/// One remark for each decision, for the ecosystem's tools: of category
/// "assign-precision:CLASS", passed where a contraction runs as recipe and
/// rules want, missed where it does not, analysis for everything else. Costs
/// nothing where nobody listens. `bounds` may be null.
void emitRemarks(const DecidedFunction &decided, const Recipe &recipe,
                 const BoundInputs *bounds);

} // namespace prec

#endif // PREC_LIB_ASSIGN_REPORT_REMARKS_H
