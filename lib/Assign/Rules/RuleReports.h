//===- RuleReports.h - what is wrong with a user's rules --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_RULES_RULEREPORTS_H
#define PREC_LIB_ASSIGN_RULES_RULEREPORTS_H

#include "prec/Support/LLVM.h"

#include "Assign/Decided.h"

namespace prec {

/// Errors at the rules' places, with notes at the other rule and in the graph;
/// fails if there is any.
LogicalResult verifyRules(const RuleSet &rules, const Projection &projection,
                          const Assignment &assignment, MLIRContext *context);

/// Warns of rules that match nothing in any function, and of preferences that
/// are followed nowhere.
void warnOfRules(const RuleSet &rules,
                 const std::vector<DecidedFunction> &decided,
                 MLIRContext *context);

} // namespace prec

#endif // PREC_LIB_ASSIGN_RULES_RULEREPORTS_H
