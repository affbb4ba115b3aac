//===- AmaxTiles.h - amaxes of what is transposed, too ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value whose FP8 copy is written in both layouts passes through square tiles
// of fast memory. Its amax is taken tile by tile there, if the scale of the
// copy does not wait for it (delayed scaling).
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_SCHEDULE_DECOMPOSE_AMAXTILES_H
#define PREC_LIB_SCHEDULE_DECOMPOSE_AMAXTILES_H

#include "prec/Dialect/Train/PrimitiveBuilder.h"

#include "prec/Dialect/Prec/Prec.h"
#include "prec/Support/LLVM.h"

namespace prec {

/// Whether the kernel that computes `parts`, the values that `amax` is of, can
/// write FP8 copies of them in both layouts. If so, a copy of several parts
/// side by side has become copies side by side.
bool splitIntoTiles(AmaxOp amax, ArrayRef<Value> parts);

/// Matrices behind each other, [matrices, rows, columns], of which the kernel
/// that computes them can write FP8 copies in both layouts.
struct MatricesInTiles {
  Value matrices;            ///< or null: it cannot
  Operation *last = nullptr; ///< operation that makes a copy
};
/// Those whose amaxes `amax` is.
MatricesInTiles findMatricesInTiles(AmaxOp amax);

/// Makes copies of the matrices whose columns `amax` is of, side by side, of a
/// copy of each, unless their scale waits for `amax`.
void splitIntoPieces(AmaxOp amax);

/// Whether whole rows of what `value` is made of have to be known before an
/// element of it is.
bool needsRows(Value value);

/// The largest element of each tile of the matrix that `magnitude` is.
Value reduceTiles(Value magnitude, PrimitiveBuilder &b);

/// The same of each matrix: [matrices, row tiles, column tiles].
Value reduceTilesOfMatrices(Value magnitude, PrimitiveBuilder &b);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_DECOMPOSE_AMAXTILES_H
