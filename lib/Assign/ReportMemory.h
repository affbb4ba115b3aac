//===- ReportMemory.h - the memory table of a module ------------*- C++ -*-===//
#ifndef PREC_LIB_ASSIGN_REPORTMEMORY_H
#define PREC_LIB_ASSIGN_REPORTMEMORY_H

#include "Decided.h"

namespace mlir::prec {

/// Prints a table for each function (docs/Memory.md). `ranks` is 1 or more.
void printMemory(llvm::raw_ostream &os, ArrayRef<DecidedFunction> functions,
                 int64_t ranks);
/// Writes the tables as JSON; the file appears only when it is complete.
llvm::Error writeMemory(StringRef fileName, ArrayRef<DecidedFunction> functions,
                        int64_t ranks);

} // namespace mlir::prec

#endif // PREC_LIB_ASSIGN_REPORTMEMORY_H
