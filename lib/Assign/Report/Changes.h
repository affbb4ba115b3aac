//===- Changes.h - what would change a decision -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_REPORT_CHANGES_H
#define PREC_LIB_ASSIGN_REPORT_CHANGES_H

#include "Assign/Decided.h"
#include "prec/Explain/PrecisionMap.h"

namespace prec {

/// Adds to each decision what a user can do to have it otherwise, and where its
/// rule comes from.
void addChanges(const DecidedFunction &decided, const Recipe &recipe,
                const Target &target, MapFunction &function);

} // namespace prec

#endif // PREC_LIB_ASSIGN_REPORT_CHANGES_H
