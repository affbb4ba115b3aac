//===- Ranks.h - what ranks give each other ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_RANKS_H
#define PREC_DIALECT_TRAIN_RANKS_H

#include "prec/Dialect/Train/Train.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace prec::train {

/// Axes of a mesh: along the first two ranks have batches of their own, along
/// the second one experts of their own, too, along the third parts of the same
/// layers.
constexpr StringLiteral kBatchAxis = "dp", kExpertAxis = "ep",
                        kLayerAxis = "tp";

/// How many ranks there are along each axis of a mesh, in the order of names:
/// ranks that differ along the last axis alone have consecutive numbers.
struct Mesh {
  SmallVector<std::pair<std::string, int64_t>> axes;

  /// 1 of an axis that it does not have.
  int64_t getSize(StringRef axis) const;
  /// The axes along which ranks have batches of their own, as one: "dp", "ep",
  /// or "dp,ep" of all ranks that differ along these; empty if there are none.
  std::string getBatchAxes() const;
};

/// Reads `dp=2,tp=2`. Fails, with an error that `emitError` begins, at axes
/// that are not known (dp: ranks have batches of their own; ep: and experts;
/// tp: they have parts of layers), come twice, or have no ranks.
FailureOr<Mesh> parseMesh(StringRef text,
                          function_ref<InFlightDiagnostic()> emitError);

/// Of an exchange: why it is sent in its format, where that is not the one in
/// which it is computed for itself.
inline constexpr StringLiteral kSentAs = "prec_train.sent_as";
void setSentAs(Operation *exchange, const Twine &why);
/// To an exchange of the same format, if `from` has it.
void copySentAs(Operation *from, Operation *to);

/// Why an exchange is sent in its format, for people.
std::string getSentAs(Operation *exchange);

/// [S] of each rank as the largest of all, element by element. `note` is given
/// the operations that are made.
Value createLargest(OpBuilder &builder, Location loc, Value own, StringRef axis,
                    int64_t ranks, function_ref<void(Operation *)> note);

/// Adds an axis to the mesh of a module.
void addAxis(ModuleOp module, StringRef axis, int64_t ranks);

/// How many ranks an axis of a module's mesh has, or several axes, joined by
/// commas in the order of the mesh; nothing of what it does not have.
std::optional<int64_t> getAxisSize(DictionaryAttr mesh, StringRef axes);

/// Checks the types of an exchange of this kind, whatever dialect it is of.
LogicalResult verifyExchange(Operation *op, ExchangeKind kind);

} // namespace prec::train

#endif // PREC_DIALECT_TRAIN_RANKS_H
