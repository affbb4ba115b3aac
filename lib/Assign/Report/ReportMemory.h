//===- ReportMemory.h - the memory table of a module ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_REPORT_REPORTMEMORY_H
#define PREC_LIB_ASSIGN_REPORT_REPORTMEMORY_H

#include "prec/Support/LLVM.h"

#include "Assign/Decided.h"

namespace prec {

/// Prints a table for each function (docs/Memory.md). `ranks` is 1 or more.
void printMemory(llvm::raw_ostream &os, ArrayRef<DecidedFunction> functions,
                 int64_t ranks);
/// Writes the tables as JSON; the file appears only when it is complete.
llvm::Error writeMemory(StringRef fileName, ArrayRef<DecidedFunction> functions,
                        int64_t ranks);

} // namespace prec

#endif // PREC_LIB_ASSIGN_REPORT_REPORTMEMORY_H
