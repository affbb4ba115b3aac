//===- TokenCasts.h - tokens that are quantized before lookups --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_TOKENCASTS_H
#define PREC_LIB_MATERIALIZE_TOKENCASTS_H

#include "Materialize/CastCache.h"

#include "llvm/ADT/SetVector.h"

namespace prec {

/// Quantizes tokens in front of the lookups that are marked so
/// (kQuantizedTokens), and of the exchange that gathers those of all ranks.
/// Operations must come in block order.
class TokenCasts {
public:
  explicit TokenCasts(CastCache &casts) : casts(casts) {}

  /// Sends quantized tokens beside `exchange`, if lookups of these are marked.
  LogicalResult visit(train::ExchangeOp exchange);
  /// Looks up rows of quantized tokens beside a marked `lookup`.
  LogicalResult visit(train::GatherOp lookup);
  /// Erases what looked up tokens as they are. Fails, after an error, where
  /// something else than products in FP8 reads them.
  LogicalResult finish();

private:
  FailureOr<ScaledOperand> quantize(train::GatherOp lookup, Value tokens,
                                    Operation *place);

  CastCache &casts;
  /// By the table of a lookup; with the tag of the products that read rows.
  DenseMap<Value, ScaledOperand> tables;
  /// In block order.
  llvm::SetVector<Operation *> replaced;
};

/// Looks through what TokenCasts puts between quantized tokens and the rows of
/// these that a product reads: `data` and `scaleInv` become those of the
/// tokens. Leaves others as they are, and so a scale of one rank's tokens where
/// those of all are read.
void skipTokenLookups(Value &data, Value &scaleInv);

/// This rank's amax, of one that is of all ranks with other experts; any other
/// value as it is.
Value skipOtherRanks(Value amax);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_TOKENCASTS_H
