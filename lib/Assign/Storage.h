//===- Storage.h - storage formats of values --------------------*- C++ -*-===//
#ifndef PREC_LIB_ASSIGN_STORAGE_H
#define PREC_LIB_ASSIGN_STORAGE_H

#include "prec/Assign/Assignment.h"

namespace mlir::prec {

/// Fills `assignment.values`.
void assignStorage(const Graph &graph, const Classification &facts,
                   const Recipe &recipe, Assignment &assignment);

} // namespace mlir::prec

#endif // PREC_LIB_ASSIGN_STORAGE_H
