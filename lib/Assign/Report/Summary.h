//===- Summary.h - decisions as a table -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_REPORT_SUMMARY_H
#define PREC_LIB_ASSIGN_REPORT_SUMMARY_H

#include "prec/Support/LLVM.h"

#include "Assign/Decided.h"

namespace prec {

/// Prints tensors, bytes and FLOPs by format, and a line for every class. The
/// notes (" (the default)", say) follow the names of recipe and target.
void printSummary(llvm::raw_ostream &os, const DecidedFunction &decided,
                  StringRef recipeNote, StringRef targetNote,
                  const Recipe &recipe, const Target &target);

} // namespace prec

#endif // PREC_LIB_ASSIGN_REPORT_SUMMARY_H
