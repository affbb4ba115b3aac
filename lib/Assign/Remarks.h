//===- Remarks.h - decisions as remarks -------------------------*- C++ -*-===//
#ifndef PREC_LIB_ASSIGN_REMARKS_H
#define PREC_LIB_ASSIGN_REMARKS_H

#include "Decided.h"

namespace mlir::prec {

/// One remark for each decision, for the ecosystem's tools: of category
/// "assign-precision:CLASS", passed where a contraction runs as recipe and
/// rules want, missed where it does not, analysis for everything else. Costs
/// nothing where nobody listens.
void emitRemarks(const DecidedFunction &decided);

} // namespace mlir::prec

#endif // PREC_LIB_ASSIGN_REMARKS_H
