//===- Ranks.h - what ranks give each other ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_RANKS_H
#define PREC_DIALECT_TRAIN_RANKS_H

#include "prec/Dialect/Train/Train.h"

namespace prec::train {

/// Checks the types of an exchange of this kind, whatever dialect it is of.
LogicalResult verifyExchange(Operation *op, ExchangeKind kind);

} // namespace prec::train

#endif // PREC_DIALECT_TRAIN_RANKS_H
