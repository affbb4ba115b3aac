//===- Explain.h - why a tensor has its format ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_EXPLAIN_EXPLAIN_H
#define PREC_EXPLAIN_EXPLAIN_H

#include "prec/Explain/PrecisionMap.h"

namespace prec {

/// The part of a map that a query asks about: "all", a path (of a tensor, or of
/// a module with all that is in it), or a pattern of paths with '*'. An
/// argument comes with the operations that read it. The error says what the
/// query may be and names the nearest path.
llvm::Expected<PrecisionMap> selectDecisions(const PrecisionMap &map,
                                             llvm::StringRef query);

/// Format, winner, losers, and what would change each decision, as text.
void printExplanation(llvm::raw_ostream &os, const PrecisionMap &map);

/// Why a candidate was not taken, as a clause.
std::string getLossReason(const MapChoice &choice, unsigned candidate);

} // namespace prec

#endif // PREC_EXPLAIN_EXPLAIN_H
