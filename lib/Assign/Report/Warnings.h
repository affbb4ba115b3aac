//===- Warnings.h - what assignment could not do as asked -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_REPORT_WARNINGS_H
#define PREC_LIB_ASSIGN_REPORT_WARNINGS_H

#include "prec/Support/LLVM.h"

#include "Assign/Decided.h"

namespace prec {

/// One warning a reason, with the shapes it holds for.
void warnOfFallbacks(const DecidedFunction &decided);
/// Counts the operations of which nothing is known, by name.
void warnOfUnknown(const DecidedFunction &decided);
/// A function without roles that looks like a step which trains: its masters,
/// moments and gradients are not known as such.
void warnOfMissingRoles(const DecidedFunction &decided);
/// Rules, patterns and times of a policy that match nothing.
void warnOfUnused(Location loc, const PolicyChoices &choices);

} // namespace prec

#endif // PREC_LIB_ASSIGN_REPORT_WARNINGS_H
