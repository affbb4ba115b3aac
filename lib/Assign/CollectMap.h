//===- CollectMap.h - decisions as a precision map --------------*- C++ -*-===//
#ifndef PREC_LIB_ASSIGN_COLLECTMAP_H
#define PREC_LIB_ASSIGN_COLLECTMAP_H

#include "Decided.h"
#include "prec/Explain/PrecisionMap.h"

namespace mlir::prec {

/// Every decision, with what was beaten and what would change it.
PrecisionMap collectMap(ArrayRef<DecidedFunction> functions,
                        const Recipe &recipe, const Target &target);

/// One function, without what would change its decisions.
MapFunction collectFunction(const DecidedFunction &decided);

} // namespace mlir::prec

#endif // PREC_LIB_ASSIGN_COLLECTMAP_H
