//===- Lookup.h - indices of an operation, and their table ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_LOOKUP_H
#define PREC_DIALECT_TRAIN_LOOKUP_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace prec::train {

/// What an operation reads or writes by index.
struct Lookup {
  mlir::OpOperand *ids;
  /// Indices are below it, and not negative.
  int64_t rows;
  /// Of labels: the one that is no row, and no fault.
  std::optional<int64_t> ignored = std::nullopt;
  /// What has the rows; null where they are a result's.
  Value table = Value();
  /// Whether an index gives the address that is read.
  bool reads = false;
};

} // namespace prec::train

#include "prec/Dialect/Train/LookupOpInterface.h.inc"

#endif // PREC_DIALECT_TRAIN_LOOKUP_H
