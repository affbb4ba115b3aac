//===- PrecisionMap.h - decisions as JSON -----------------------*- C++ -*-===//
#ifndef PREC_LIB_ASSIGN_PRECISIONMAP_H
#define PREC_LIB_ASSIGN_PRECISIONMAP_H

#include "Decided.h"

namespace mlir::prec {

/// Writes every decision to a file (docs/Recipes.md, "The precision map"); the
/// file appears only when it is complete.
llvm::Error writePrecisionMap(llvm::StringRef fileName,
                              ArrayRef<DecidedFunction> functions,
                              const Recipe &recipe, const Target &target);

} // namespace mlir::prec

#endif // PREC_LIB_ASSIGN_PRECISIONMAP_H
