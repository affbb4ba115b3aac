//===- DispatchShape.h - iteration space of a dispatch ----------*- C++ -*-===//
#ifndef PREC_LIB_CODEGEN_DISPATCHSHAPE_H
#define PREC_LIB_CODEGEN_DISPATCHSHAPE_H

#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::prec {

/// Reductions in the order they have to be done: those of one level need only
/// results of earlier ones.
struct ReductionLevels {
  SmallVector<SmallVector<train::ReduceOp>> levels;
  /// Elements that are kept, and those that each of them is made of.
  static int64_t keptOf(train::ReduceOp op);
  static int64_t reducedOf(train::ReduceOp op);
};

ReductionLevels findReductions(sched::DispatchOp dispatch);

/// The reduction to the largest element of a row that `exp` takes from its
/// elements, which leaves nothing above zero; null for other exponentials.
train::ReduceOp findLargestOf(math::ExpOp exp);

/// Reductions run over trailing dimensions of the same rows.
FailureOr<int64_t> rowsOf(sched::DispatchOp dispatch,
                          const ReductionLevels &reductions);

/// One level of reductions over leading dimensions, or over those behind
/// `groups` kept ones, of equal extents.
struct ColumnShape {
  int64_t groups, rows, columns;
};
FailureOr<ColumnShape> columnsOf(sched::DispatchOp dispatch,
                                 const ReductionLevels &reductions);

/// What a transpose dispatch yields, before it is swapped: matrices of
/// rows x columns. Results that are not swapped are written as they are.
struct TransposeShape {
  int64_t batch, rows, columns;
  SmallVector<Value> sources;
  SmallVector<bool> transposed;
};
FailureOr<TransposeShape> transposeOf(sched::DispatchOp dispatch);

/// The operation of a scatter-add dispatch, whose result overwrites its init.
FailureOr<train::ScatterAddOp> scatterAddOf(sched::DispatchOp dispatch);

int64_t elementsOf(Value tensor);

/// A dispatch has results, and no tensor of it is empty.
LogicalResult checkTensors(sched::DispatchOp dispatch);

/// Bytes of the narrowest and of the widest element that a dispatch reads or
/// writes often.
int64_t narrowestElement(sched::DispatchOp dispatch);
int64_t widestElement(sched::DispatchOp dispatch);

} // namespace mlir::prec

#endif // PREC_LIB_CODEGEN_DISPATCHSHAPE_H
