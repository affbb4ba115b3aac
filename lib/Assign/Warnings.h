//===- Warnings.h - what assignment could not do as asked -------*- C++ -*-===//
#ifndef PREC_LIB_ASSIGN_WARNINGS_H
#define PREC_LIB_ASSIGN_WARNINGS_H

#include "Decided.h"

namespace mlir::prec {

/// One warning a reason, with the shapes it holds for.
void warnOfFallbacks(const DecidedFunction &decided);

} // namespace mlir::prec

#endif // PREC_LIB_ASSIGN_WARNINGS_H
