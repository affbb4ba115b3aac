//===- QuantizedUses.h - who reads a quantized tensor -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_QUANTIZEDUSES_H
#define PREC_LIB_MATERIALIZE_QUANTIZEDUSES_H

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

#include <string>

namespace prec {

/// An operand of a contraction, by the names that a precision map and
/// numerics.json have for it.
struct QuantizedUse {
  std::string path;
  StringRef direction; ///< fprop, dgrad or wgrad
  unsigned operand;
  Format format;
  Scaling scaling;
  MLIRContext *context;

  /// PATH/DIRECTION/OPERAND.
  std::string getName() const;
  /// An entry of `prec_train.uses`.
  DictionaryAttr getAttribute() const;
};

/// PATH/DIRECTION/OPERAND of an operand of `op`.
FailureOr<std::string> getUseName(ScaledMatmulOp op, unsigned operand);

/// The contractions of a step that read what `op` quantizes, in this step or,
/// where it is a work weight, in the next.
FailureOr<SmallVector<QuantizedUse>> findUses(QuantizeOp op);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_QUANTIZEDUSES_H
