//===- DispatchShape.h - iteration space of a dispatch ----------*- C++ -*-===//
#ifndef PREC_LIB_CODEGEN_DISPATCHSHAPE_H
#define PREC_LIB_CODEGEN_DISPATCHSHAPE_H

#include "KernelBuilder.h"

#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"

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

/// Whether nothing above zero is left for `exp` to be taken of: the largest
/// element of a row is taken from its elements, or the logarithm of the sum of
/// their exponentials, which is no less.
bool isOfNonPositive(math::ExpOp exp);

/// Whether exponentials are divided by the sum of them in their row, after the
/// row's largest element was taken from its elements: by one or more.
bool isShareOfRow(arith::DivFOp division);

/// Whether an error of 2^-17 of an exponential vanishes in the results: all
/// that is computed from it is rounded to 16 bits or fewer, or it is summed up
/// with that of the row's largest element, which is one.
bool canBeCoarse(math::ExpOp exp);

/// What a sum over rows picks of each: the element at the position that `index`
/// has for the row, zero if there is none.
struct PickedElement {
  Value element, index;
};
std::optional<PickedElement> findPicked(train::ReduceOp op);

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
};
/// Takes the reductions of columns out of `reductions`.
FailureOr<RowShape> rowsOf(sched::DispatchOp dispatch,
                           ReductionLevels &reductions);

/// What a transpose dispatch yields, before it is transposed: matrices of
/// rows x columns, several of them side by side where a result is joined of
/// them, and one element for each tile of them.
struct TransposeShape {
  struct Matrix {
    unsigned result;
    SmallVector<Value, 2> parts;
    bool transposed;
  };
  struct TileResult {
    unsigned result;
    train::ReduceOp op;
    /// What is reduced, at the positions of the matrix: a tile's elements lie
    /// like its.
    Value getSource();
  };
  int64_t batch = 1, rows = 0, columns = 0;
  int64_t tile = 0; ///< rows and columns of a reduced one; 0: none are
  SmallVector<Matrix> matrices;
  SmallVector<TileResult> tiles;
};
FailureOr<TransposeShape> transposeOf(sched::DispatchOp dispatch);

/// The operation of a scatter-add dispatch, whose result overwrites its init.
FailureOr<train::ScatterAddOp> scatterAddOf(sched::DispatchOp dispatch);

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

/// A dispatch has results, and no tensor of it is empty.
LogicalResult checkTensors(sched::DispatchOp dispatch);

/// Bytes of the narrowest and of the widest element that a dispatch reads or
/// writes often.
int64_t narrowestElement(sched::DispatchOp dispatch);
int64_t widestElement(sched::DispatchOp dispatch);
/// Of the widest element that it writes often.
int64_t widestResult(sched::DispatchOp dispatch);

} // namespace mlir::prec

#endif // PREC_LIB_CODEGEN_DISPATCHSHAPE_H
