//===- LayerPlacements.h - how operations carry a division ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_IMPORT_LAYERPLACEMENTS_H
#define PREC_LIB_IMPORT_LAYERPLACEMENTS_H

#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace prec {

/// What each rank has of a tensor: all of it, its slice of one dimension, which
/// parameters are divided along, a term of the sum that the tensor is, or its
/// rows: consecutive ones, of what would be whole, and is gathered where it is
/// read whole.
struct Placement {
  enum class Kind { Whole, Split, Partial, Rows };
  Kind kind = Kind::Whole;
  int64_t dim = 0;
  /// Sizes of the consecutive parts of the whole dimension, of each of which a
  /// rank has its slice, such as queries, keys and values; none where there is
  /// one part.
  SmallVector<int64_t> parts = {};

  static Placement whole() { return {}; }
  /// One part is none.
  static Placement split(int64_t dim, ArrayRef<int64_t> parts = {}) {
    Placement split{Kind::Split, dim};
    if (parts.size() > 1)
      split.parts.assign(parts.begin(), parts.end());
    return split;
  }
  static Placement partial() { return {Kind::Partial, 0}; }
  static Placement rows(int64_t dim) { return {Kind::Rows, dim}; }

  /// Where the divided dimension has become another.
  Placement along(int64_t other) const { return split(other, parts); }

  bool isWhole() const { return kind == Kind::Whole; }
  bool isSplit() const { return kind == Kind::Split; }
  bool isPartial() const { return kind == Kind::Partial; }
  bool isRows() const { return kind == Kind::Rows; }
  bool operator==(const Placement &other) const {
    return kind == other.kind && dim == other.dim && parts == other.parts;
  }
};

/// How one operation is computed by ranks: what it needs of its operands, and
/// what comes out.
struct OpPlacements {
  SmallVector<Placement> operands, results;
};

/// Why an operation is not computed of slices.
struct Refusal {
  std::string why;
  /// The operand whose division it is for; none where it is for all.
  std::optional<unsigned> operand = {};
  /// Where the divided dimension of the first operand would have to be cut into
  /// parts.
  SmallVector<int64_t> cuts = {};
};

/// The placements with which `op` is computed where ranks have its operands as
/// `given`. An operand that is needed whole where its parts are given must be
/// added up before; one that is needed divided where it is whole, cut. Nothing
/// where the operation is not computed of slices; then `refusal` says why.
std::optional<OpPlacements> placeOperation(Operation *op,
                                           ArrayRef<Placement> given,
                                           int64_t ranks, Refusal &refusal);

/// The dimension of rows that ranks have slices of: the first one that is not
/// 1, so that a slice is of consecutive elements. Nothing where `ranks` slices
/// of it are not of one length.
std::optional<int64_t> findRows(RankedTensorType type, int64_t ranks);

/// The placements with which `op` is computed of rows, where ranks have its
/// operands as `given`: what is partial is added up as rows, and a rank's rows
/// are taken of what is whole. Nothing where it is not computed of rows.
std::optional<OpPlacements>
placeOnRows(Operation *op, ArrayRef<Placement> given, int64_t ranks);

/// Fails where a module has other compiled graphs than the step, of which
/// `divided` ("layers") are divided: they would read slices as whole tensors.
LogicalResult verifyStepIsAlone(mlir::func::FuncOp step, StringRef divided);

} // namespace prec

#endif // PREC_LIB_IMPORT_LAYERPLACEMENTS_H
