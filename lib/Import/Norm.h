//===- Norm.h - what normalizations have in common --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_IMPORT_NORM_H
#define PREC_LIB_IMPORT_NORM_H

#include "prec/Support/LLVM.h"

#include "Import/ExprRegion.h"

namespace prec {

/// The region of a tensor whose last dimension is normalized. Vectors over that
/// dimension may be leaves.
class NormRegion {
public:
  explicit NormRegion(Value input);

  /// False where there is no last dimension to normalize.
  bool isValid() const { return valid; }
  ExprRegion &getRegion() { return region; }
  Algebra &algebra() { return region.getAlgebra(); }
  Value getInput() const { return input; }
  RankedTensorType getType() const { return type; }
  /// The type of a number for each row.
  RankedTensorType getRowType() const;

  /// The input, and its sum and mean over a row.
  const Poly &x() const { return *region.lookupPoly(input); }
  Poly sum(const Poly &poly);
  Poly mean(const Poly &poly);
  /// The sum over rows.
  Poly sumRows(const Poly &poly);

  /// Every eps > 0 for which the graph has a root of `base + eps`.
  SmallVector<double> getEpsilons(const Poly &base);
  /// Vectors over the last dimension that the region met.
  SmallVector<Value> getColumnVectors() const;
  Poly columnVector(Value value);
  /// Says what a number for each row is.
  void defineRows(Value value, const Poly &poly);

private:
  RankedTensorType type;
  ExprRegion region;
  Value input;
  bool valid;
};

/// Inputs of sums of squares over the last dimension, in program order.
SmallVector<Value> getSquaredInputs(Block &block);

} // namespace prec

#endif // PREC_LIB_IMPORT_NORM_H
