//===- TokenLookup.h - what rows of experts are looked up of ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_TOKENLOOKUP_H
#define PREC_DIALECT_TRAIN_TOKENLOOKUP_H

#include "prec/Dialect/Train/Train.h"

namespace prec::train {

/// The tokens whose rows a lookup takes.
struct TokenLookup {
  /// Of this rank.
  Value tokens;
  /// What gathers those of all ranks; null where a lookup reads its own.
  ExchangeOp exchange;
};

/// Looks through the exchange, and the view of what it makes, that
/// `--prec-split-experts` puts between tokens and a lookup.
TokenLookup findTokens(GatherOp lookup);

/// The lookups of what `exchange` makes that are marked (`kQuantizedTokens`).
SmallVector<GatherOp> findQuantizedLookups(ExchangeOp exchange);

} // namespace prec::train

#endif // PREC_DIALECT_TRAIN_TOKENLOOKUP_H
