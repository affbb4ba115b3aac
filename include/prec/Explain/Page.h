//===- Page.h - a precision map as a page -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_EXPLAIN_PAGE_H
#define PREC_EXPLAIN_PAGE_H

#include "prec/Explain/PrecisionMap.h"

namespace prec {

/// Writes one or two maps as one HTML page that needs nothing else. Equal
/// layers are folded, so the size grows with what differs between layers.
void writePage(llvm::raw_ostream &os, llvm::ArrayRef<PrecisionMap> maps);

} // namespace prec

#endif // PREC_EXPLAIN_PAGE_H
