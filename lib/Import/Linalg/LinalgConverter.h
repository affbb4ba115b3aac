//===- LinalgConverter.h - one operation of linalg to convert ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_IMPORT_LINALG_LINALGCONVERTER_H
#define PREC_LIB_IMPORT_LINALG_LINALGCONVERTER_H

#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace prec {

using Loops = SmallVector<unsigned>;

/// Places of windows, and steps of a loop that is written out, of one operation
/// at most: each makes some operations.
inline constexpr int64_t kMostPlaces = 1024;

inline RankedTensorType linalgTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// A sum of loops, each times a number, and a number.
struct LinearIndex {
  SmallVector<std::pair<unsigned, int64_t>, 2> terms;
  int64_t offset = 0;
};

/// None of what divides. Loops in `fixed` have that value.
std::optional<LinearIndex> getLinearIndex(
    mlir::AffineExpr expr, unsigned loops,
    const DenseMap<unsigned, int64_t> &fixed = DenseMap<unsigned, int64_t>());

/// The loop of each dimension of an operand; none where one is no loop.
std::optional<Loops> getLoops(mlir::AffineMap map);

/// Numbers of type index count loops and elements, which are fewer than 2^31.
Type getStored(Type scalar);

/// Rewrites one operation; whatever it builds stands in front of it. Everything
/// that fails has emitted an error at the operation.
class LinalgConverter {
public:
  explicit LinalgConverter(Operation *op) : op(op), builder(op) {}

  /// What replaces the results.
  FailureOr<SmallVector<Value>> convert();

  template <typename OpTy, typename... Args> Value create(Args &&...args) {
    auto made =
        OpTy::create(builder, op->getLoc(), std::forward<Args>(args)...);
    train::copyProvenance(op, made);
    return made->getResult(0);
  }
  /// An operation of single elements for tensors of one shape.
  Value createElementwise(mlir::OperationName name, ValueRange operands,
                          RankedTensorType type,
                          ArrayRef<NamedAttribute> attributes);
  Value createLike(Operation *scalar, ValueRange operands);
  /// The same of operands that are tensors once `build` has built them.
  FailureOr<Value>
  createFrom(Operation *scalar,
             llvm::function_ref<FailureOr<Value>(Value)> build);

  // Shapes.
  Value transpose(Value value, ArrayRef<int64_t> permutation);
  /// Each group of dimensions, given by its number of them, as one; none as 1.
  Value join(Value value, ArrayRef<size_t> groups);
  /// The inverse: each dimension as those of its group.
  Value split(Value value, ArrayRef<SmallVector<int64_t>> groups);
  Value dropDims(Value value, ArrayRef<bool> dropped);
  /// With a dimension of 1 in front of dimension `dim`.
  Value addDim(Value value, int64_t dim);
  Value slice(Value value, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
              ArrayRef<int64_t> strides);
  Value concat(int64_t dim, ArrayRef<Value> parts);
  Value splatTensor(Attribute element, RankedTensorType type);
  Value splatInt(int64_t value, ArrayRef<int64_t> shape);

  /// Sums of `init` and updates [n, ...] of its rows, which are the places of
  /// `dims` together: `ids` [n], one for each of them, say which. An update has
  /// the dimensions of a row in its order, and ones anywhere.
  Value addRows(Value init, ArrayRef<int64_t> dims, ArrayRef<Value> ids,
                Value updates);
  /// Whether an element of `type` is the one that `ids`, which has all
  /// dimensions but `along`, says.
  Value buildIsAt(Value ids, size_t along, RankedTensorType type);
  /// A scalar as a tensor of rank 0.
  FailureOr<Value> buildScalar(Value scalar);
  /// A value that has dimensions for `loops`, in this order, as the result that
  /// `init` has the place of.
  FailureOr<Value> fromSpace(Value value, ArrayRef<unsigned> loops,
                             OpOperand &init, mlir::linalg::LinalgOp linalg);

  Operation *getOp() const { return op; }
  OpBuilder &getBuilder() { return builder; }

private:
  FailureOr<SmallVector<Value>> convertSoftmax(mlir::linalg::SoftmaxOp softmax);
  FailureOr<SmallVector<Value>>
  convertStructured(mlir::linalg::LinalgOp linalg);
  FailureOr<SmallVector<Value>> convertProduct(mlir::linalg::LinalgOp linalg);
  FailureOr<SmallVector<Value>> convertLoops(mlir::linalg::LinalgOp linalg);
  FailureOr<SmallVector<Value>> convertPad(mlir::tensor::PadOp pad);
  FailureOr<SmallVector<Value>>
  convertInsert(mlir::tensor::InsertSliceOp insert);
  FailureOr<SmallVector<Value>> convertGather(mlir::tensor::GatherOp gather);
  FailureOr<SmallVector<Value>> convertScatter(mlir::tensor::ScatterOp scatter);
  FailureOr<SmallVector<Value>> convertLoop(mlir::scf::ForOp loop);
  FailureOr<Value> arrange(OpOperand &operand, mlir::linalg::LinalgOp linalg,
                           ArrayRef<unsigned> batch, ArrayRef<unsigned> free,
                           ArrayRef<unsigned> contracted, bool freeIsFirst,
                           bool &isSwapped);
  Value spreadAlong(Value list, size_t along, RankedTensorType type);
  Value buildRowIds(Value indices, ArrayRef<int64_t> dims,
                    ArrayRef<int64_t> shape);

  Operation *op;
  OpBuilder builder;
};

/// Of the places [n] in each dimension of a tensor: the dimension whose place
/// is computed, where all others count its lines along it in their order.
std::optional<size_t> findOnlyComputed(ArrayRef<Value> ids,
                                       ArrayRef<int64_t> shape);

/// A convolution, if it is one that prec_train has; nothing, without an error,
/// if it is another sum over windows.
std::optional<Value> convertConvolution(mlir::linalg::LinalgOp linalg,
                                        LinalgConverter &c);

/// What zeros surround, and how many of them in each dimension.
struct ZeroPadding {
  Value source;
  SmallVector<int64_t> low, high;
};

/// Of a `tensor.pad`, or of what is inserted into zeros.
std::optional<ZeroPadding> findZeroPadding(Value value);

/// What a payload computes, as tensors that have a dimension for each of some
/// loops. All others have one value.
class PayloadEvaluator {
public:
  PayloadEvaluator(LinalgConverter &converter, mlir::linalg::LinalgOp linalg,
                   const DenseMap<unsigned, int64_t> &fixed);

  /// A scalar of the payload, for all elements.
  FailureOr<Value> evaluate(Value scalar);
  /// A tensor at the place that `indices` say.
  FailureOr<Value> read(Value tensor, ArrayRef<mlir::AffineExpr> indices);
  /// Takes `value` for what a scalar is.
  void bind(Value scalar, Value value) { values[scalar] = value; }

  ArrayRef<unsigned> getLoops() const { return loops; }
  ArrayRef<int64_t> getShape() const { return shape; }

private:
  FailureOr<Value> evaluate(Operation *payload, Value result);
  /// Both branches are computed, and one is selected.
  FailureOr<Value> choose(mlir::scf::IfOp branch, Value result);
  bool isInPayload(Operation *inner);
  FailureOr<Value> lookUp(mlir::tensor::ExtractOp extract);
  std::optional<size_t> findPicked(ArrayRef<mlir::AffineExpr> places,
                                   const llvm::SmallDenseSet<unsigned> &read,
                                   RankedTensorType type);
  FailureOr<Value> pick(mlir::tensor::ExtractOp extract,
                        ArrayRef<mlir::AffineExpr> places, size_t along);
  Value spread(Value value, Loops own);
  /// The loops that a scalar depends on.
  void collectLoops(Value scalar, llvm::SmallDenseSet<unsigned> &found);

  LinalgConverter &c;
  mlir::linalg::LinalgOp linalg;
  DenseMap<unsigned, int64_t> fixed;
  Loops loops;
  SmallVector<int64_t> shape, ranges;
  DenseMap<Value, Value> values;
};

} // namespace prec

#endif // PREC_LIB_IMPORT_LINALG_LINALGCONVERTER_H
