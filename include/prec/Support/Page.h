//===- Page.h - what pages have in common -----------------------*- C++ -*-===//
#ifndef PREC_SUPPORT_PAGE_H
#define PREC_SUPPORT_PAGE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::prec {

/// Writes JSON as the text of a script element, where "<" may begin its end.
void writeScriptData(llvm::raw_ostream &os, llvm::StringRef json);

} // namespace mlir::prec

#endif // PREC_SUPPORT_PAGE_H
