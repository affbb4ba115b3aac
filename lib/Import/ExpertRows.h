//===- ExpertRows.h - rows that a rank's experts compute --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_IMPORT_EXPERTROWS_H
#define PREC_LIB_IMPORT_EXPERTROWS_H

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

#include "llvm/ADT/SetVector.h"

#include <string>

namespace prec {

/// Ranks along the axis of experts, and how many rows of a layer's experts a
/// rank has room for: the number that it has if all get alike, times `room`.
struct ExpertMesh {
  int64_t ranks = 1;
  double room = 1.25;
  /// The axes along which ranks have batches of their own, and how many there
  /// are along these.
  std::string batches;
  int64_t batchRanks = 1;
  /// Has room for all rows, by the operations that fewer have, of which those
  /// in front of the backward that compute rows are marked
  /// (train::kExpertRows).
  bool isCrowded = false;

  /// Rows of a layer of which a rank's own tokens make so many pairs.
  int64_t getRows(int64_t pairs) const;
};

/// The products of one layer's experts, which have their `ends` in common.
struct ExpertLayer {
  Value ends;
  SmallVector<Operation *> products;
};

/// Rewrites the rows of one layer: from those of this rank's tokens, for all
/// experts, to those of all ranks' tokens, for this rank's experts.
///
/// A layer sorts *pairs* of a token and one of its experts by expert, pair
/// `token * K + k`; a *row* is what is looked up of a pair in that order.
/// Values of rows are rewritten on demand, from what leaves them: lookups that
/// bring pairs back into the order of tokens, and gradients of matrices.
class ExpertRows {
public:
  ExpertRows(const ExpertLayer &layer, const ExpertMesh &mesh)
      : layer(layer), mesh(mesh) {}

  /// Fails, after an error, where the layer's rows are not looked up of sorted
  /// pairs or are computed by something else than row by row.
  LogicalResult run();

  /// Gradients of a rank's matrices, instead of those of all, and still of the
  /// types of these.
  SmallVector<std::pair<Value, Value>> gradients;
  /// 1, or 0 where this rank's experts got more rows than there is room for.
  Value hasRoom;
  int64_t getRoom() const { return rows; }
  /// Whether there may be more rows than that.
  bool mayLackRoom() const { return rows < mesh.ranks * pairs; }
  /// Bytes in f32 that this rank gets of one other.
  double bytes = 0;

private:
  struct Index {
    /// What the number of a pair is divided by; 0 where it is no such index.
    int64_t divisor = 0;
  };
  LogicalResult findSort();
  void dispatch();
  Index matchOrder(Value ids) const;
  bool isInverse(Value ids) const;
  Value gatherRanks(Value table);
  Value enter(train::GatherOp gather, int64_t divisor);
  FailureOr<Value> map(Value value);
  FailureOr<Value> mapOperation(Operation *op);
  FailureOr<Value> clone(Operation *op, ArrayRef<unsigned> ofRows);
  LogicalResult leave(train::GatherOp gather);
  LogicalResult refuse(Operation *op, const Twine &why);
  /// Where operations are made, and which one they are made from.
  struct Place {
    Place(Operation *op) : before(op), from(op) {}
    Place(Operation *before, Operation *from) : before(before), from(from) {}
    Operation *before, *from;
  };
  template <typename OpTy, typename... Args>
  Value create(Place at, Args &&...args) {
    OpBuilder builder(at.before);
    auto op =
        OpTy::create(builder, at.from->getLoc(), std::forward<Args>(args)...);
    train::copyProvenance(at.from, op);
    return op->getResult(0);
  }
  Value mark(Value value) const;

  Value exchange(train::ExchangeKind kind, Type type, Value input, Place at);

  const ExpertLayer &layer;
  ExpertMesh mesh;
  train::SortIdsOp sort;
  /// Of this rank's tokens: pairs; of all ranks' tokens: those that this rank
  /// has room for.
  int64_t pairs = 0, rows = 0, experts = 0;
  /// Of all ranks' pairs: the row of each here, and whether it has one. Of
  /// rows: the pair. Of experts: where their rows end.
  Value row, isHere, pair, ends;
  DenseMap<Value, Value> mapped, gathered;
  /// Of rows by what the pair's number is divided by.
  DenseMap<int64_t, Value> places;
};

} // namespace prec

#endif // PREC_LIB_IMPORT_EXPERTROWS_H
