//===- Storage.h - storage formats of values --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_STORAGE_H
#define PREC_LIB_ASSIGN_STORAGE_H

#include "Assign/Rules/RuleApplication.h"

namespace prec {

/// What the result of a contraction is stored in, before anyone knows what it
/// reads.
Decision decideContractionResult(const Graph &graph,
                                 const Classification &facts,
                                 const Recipe &recipe, RuleApplication &rules,
                                 Assignment &assignment, NodeId contraction);

/// Decides the storage of every value that has no decision yet.
void assignStorage(const Graph &graph, const Classification &facts,
                   const Recipe &recipe, RuleApplication &rules,
                   Assignment &assignment);

} // namespace prec

#endif // PREC_LIB_ASSIGN_STORAGE_H
