//===- Frontier.h - what an update reads of its batch -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_FRONTIER_H
#define PREC_LIB_MATERIALIZE_FRONTIER_H

#include "Materialize/CountedLabels.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace prec {

/// What the update of a step reads of its batch.
class Frontier {
public:
  /// Fails, after an error, where a step cannot be cut there.
  LogicalResult find(mlir::func::FuncOp step);

  /// Whether forward or backward computes `value` from the batch.
  bool isOfBatch(Value value) const;

  /// Gradients and losses, in the format in which they are computed.
  llvm::SetVector<Value> terms;
  /// Amaxes, by the operation that records them.
  llvm::MapVector<RecordAmaxOp, SmallVector<Value>> amaxes;

private:
  LogicalResult visit(Operation *op);
  LogicalResult addTerm(mlir::OpOperand &use);

  llvm::DenseSet<Value> ofBatch;
  bool hasUpdate = false;
};

/// Where the optimizer and the caller read a term, as it is or widened.
SmallVector<mlir::OpOperand *> findReads(Value term);

/// The labels that the parts of a batch (micro-batches, or those of ranks) are
/// weighted by. Nothing where all are alike: where `isEqual` asks for it, or
/// where the loss is no mean over one number of labels, which a remark of
/// `pass` says; then the module says why.
std::optional<CountedLabels> findWeights(mlir::func::FuncOp step,
                                         const Frontier &frontier, bool isEqual,
                                         llvm::StringLiteral pass);

/// Makes roundings at random outside of the optimizer draw the bits of the part
/// of the batch with this number, an i32 that `number` builds; those of a step
/// where it is 0. The seed of a dropout counts parts by itself.
void drawOwnBits(mlir::func::FuncOp function,
                 llvm::function_ref<Value(OpBuilder &, Location, Type)> number);

/// Names of what the micro-batches of a step leave for its update: state that
/// no binding has, under a number for each term, or one of these.
inline constexpr StringLiteral kAccumulated = "accumulated";
inline constexpr StringLiteral kMicroBatches = "micro_batches";
/// The sum of their weights, and the labels of one of weight 1.
inline constexpr StringLiteral kWeights = "weights";
inline constexpr StringLiteral kUnitLabels = "unit_labels";
/// Before the number of what records the largest of several.
inline constexpr StringLiteral kAmaxes = "amax.";

/// Names of such a state.
DictionaryAttr getAccumulatedNames(mlir::MLIRContext *context,
                                   const Twine &name);
/// Makes one an argument of a function, which another one has, too.
mlir::BlockArgument addAccumulated(mlir::func::FuncOp function, Type type,
                                   const Twine &name);
/// The slot of an argument that is one.
std::optional<StringRef> getAccumulatedSlot(mlir::func::FuncOp function,
                                            unsigned argument);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_FRONTIER_H
