//===- DispatchShape.h - iteration space of a dispatch ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_DISPATCHSHAPE_H
#define PREC_LIB_CODEGEN_DISPATCHSHAPE_H

#include "Codegen/Emitter/KernelBuilder.h"

#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

#include "llvm/ADT/SetVector.h"

namespace prec {

/// Reductions in the order they have to be done: those of one level need only
/// results of earlier ones.
struct ReductionLevels {
  SmallVector<SmallVector<train::ReduceOp>> levels;
  /// Elements that are kept, and those that each of them is made of.
  static int64_t keptOf(train::ReduceOp op);
  static int64_t reducedOf(train::ReduceOp op);
};

ReductionLevels findReductions(sched::DispatchOp dispatch);

/// One level of reductions over leading dimensions, or over those behind
/// `groups` kept ones, of equal extents.
struct ColumnShape {
  int64_t groups, rows, columns;
};
FailureOr<ColumnShape> columnsOf(sched::DispatchOp dispatch,
                                 const ReductionLevels &reductions);

/// Reductions over trailing dimensions of the same rows, and over the rows of
/// each of several groups, whose results are yielded.
struct RowShape {
  int64_t rows = 0;
  SmallVector<train::ReduceOp> columnReductions;
  SmallVector<unsigned> columnResults; ///< where they are yielded
  ColumnShape groups{};                ///< their extents, if there are any
  /// Lengths of the lines that are reduced, of rows and of groups of them.
  llvm::SmallSetVector<int64_t, 4> lines;

  /// Elements of a row that are walked for a yielded value: those of one part
  /// where it puts side by side what has the length of a line.
  int64_t lineOf(Value yielded) const;
  /// What is computed at each of these: the value, or its parts.
  SmallVector<Value, 2> valuesOf(Value yielded) const;
};
/// Takes the reductions of columns out of `reductions`.
FailureOr<RowShape> rowsOf(sched::DispatchOp dispatch,
                           ReductionLevels &reductions);

/// The operation of a scatter-add dispatch, whose result overwrites its init.
FailureOr<train::ScatterAddOp> scatterAddOf(sched::DispatchOp dispatch);
/// The operation of a sort dispatch.
FailureOr<train::SortIdsOp> sortIdsOf(sched::DispatchOp dispatch);

int64_t elementsOf(Value tensor);

/// What `value` puts side by side, or itself.
SmallVector<Value, 2> partsOf(Value value);

/// The column of the whole that `column` of one of `parts` matrices side by
/// side is.
Digit columnOfPart(KernelBuilder &k, Digit column, unsigned part,
                   unsigned parts);

/// Elements that an elementwise dispatch computes of each result, or of each
/// part of one that is joined of several.
FailureOr<int64_t> walkedElementsOf(sched::DispatchOp dispatch);

/// Inputs that are read where `values` of so many elements are computed,
/// element by element.
llvm::SmallSetVector<BlockArgument, 4> findElementInputs(ArrayRef<Value> values,
                                                         int64_t elements);

/// A table of which a dispatch looks up rows, each of them several times.
struct RepeatedRows {
  int64_t columns = 0; ///< of a row; 0: there is no such table
  int64_t bytes = 0;   ///< of the table
};
/// The largest table that is looked up for `elements` elements.
RepeatedRows findRepeatedRows(sched::DispatchOp dispatch, int64_t elements);

/// A dispatch has results, and no tensor of it is empty.
LogicalResult checkTensors(sched::DispatchOp dispatch);

/// Bytes of the narrowest and of the widest element that a dispatch reads or
/// writes often.
int64_t narrowestElement(sched::DispatchOp dispatch);
int64_t widestElement(sched::DispatchOp dispatch);
/// Of the widest element that it writes often.
int64_t widestResult(sched::DispatchOp dispatch);

} // namespace prec

#endif // PREC_LIB_CODEGEN_DISPATCHSHAPE_H
