//===- QuantisedUses.h - who reads a quantised tensor -----------*- C++ -*-===//
#ifndef PREC_LIB_MATERIALIZE_QUANTISEDUSES_H
#define PREC_LIB_MATERIALIZE_QUANTISEDUSES_H

#include "prec/Dialect/Train/Train.h"

#include <string>

namespace mlir::prec {

/// An operand of a contraction, by the names that a precision map and
/// numerics.json have for it.
struct QuantisedUse {
  std::string path;
  StringRef direction; ///< fprop, dgrad or wgrad
  unsigned operand;
  Format format;
  Scaling scaling;
  MLIRContext *context;

  /// PATH/DIRECTION/OPERAND.
  std::string getName() const;
  /// An entry of `train.uses`.
  DictionaryAttr getAttribute() const;
};

/// PATH/DIRECTION/OPERAND of an operand of `op`.
std::string getUseName(ScaledMatmulOp op, unsigned operand);

/// The contractions of a step that read what `op` quantises, in this step or,
/// where it is a work copy, in the next.
SmallVector<QuantisedUse> findUses(QuantizeOp op);

/// What `op` has one scale for.
Scaling getScaling(QuantizeOp op);

} // namespace mlir::prec

#endif // PREC_LIB_MATERIALIZE_QUANTISEDUSES_H
