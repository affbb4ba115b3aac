//===- TrainOps.cpp - verifiers of contractions and data movement ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers, sizes and folds of matmul and of the operations that move
// elements: reduce, broadcast, transpose, iota, gather, sort_ids, scatter_add.
// The comments name the constraints as the documentation of the operations does
// (matmul_c1, ...). Folds remove what changes nothing and make one
// transposition of two, but only without a tag, since a tag may ask for a
// rounding.
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace prec::train;

#define GET_OP_CLASSES
#include "prec/Dialect/Train/TrainOps.cpp.inc"

static std::string toString(ArrayRef<int64_t> dims) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(dims, os);
  return text;
}

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

int64_t MatmulOp::getM() { return typeOf(getResult()).getShape().end()[-2]; }
int64_t MatmulOp::getN() { return typeOf(getResult()).getShape().end()[-1]; }
int64_t MatmulOp::getK() {
  return typeOf(getLhs()).getShape().end()[getTransposeA() ? -2 : -1];
}
int64_t MatmulOp::getBatch() {
  ArrayRef<int64_t> shape = typeOf(getResult()).getShape().drop_back(2);
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

LogicalResult MatmulOp::verify() {
  RankedTensorType lhs = typeOf(getLhs()), rhs = typeOf(getRhs()),
                   result = typeOf(getResult());
  // matmul_c1
  if (lhs.getRank() < 2 || rhs.getRank() != lhs.getRank() ||
      result.getRank() != lhs.getRank())
    return emitOpError("operands and result must have one rank of at least 2, "
                       "but got ")
           << lhs << ", " << rhs << " and " << result;
  // matmul_c2
  if (lhs.getShape().drop_back(2) != rhs.getShape().drop_back(2) ||
      lhs.getShape().drop_back(2) != result.getShape().drop_back(2))
    return emitOpError("batch dimensions must be equal, but got ")
           << lhs << ", " << rhs << " and " << result;
  int64_t m = lhs.getShape().end()[getTransposeA() ? -1 : -2];
  int64_t k = lhs.getShape().end()[getTransposeA() ? -2 : -1];
  int64_t rhsK = rhs.getShape().end()[getTransposeB() ? -1 : -2];
  int64_t n = rhs.getShape().end()[getTransposeB() ? -2 : -1];
  // matmul_c3
  if (k != rhsK)
    return emitOpError("contracted dimensions must be equal, but got ")
           << k << " and " << rhsK;
  // matmul_c4
  if (result.getShape().end()[-2] != m || result.getShape().end()[-1] != n)
    return emitOpError("result must be ")
           << m << "x" << n << ", but got " << result;
  if (!getBias())
    return success();
  // matmul_c5
  if (result.getRank() != 2)
    return emitOpError("a product with a bias must be one matrix, but got ")
           << result;
  // matmul_c6
  if (auto bias = prec::getBiasType(result, /*isScaled=*/false);
      getBias().getType() != bias)
    return emitOpError("bias must be ")
           << bias << ", but got " << getBias().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  RankedTensorType input = typeOf(getInput()), result = typeOf(getResult());
  SmallVector<int64_t> kept;
  llvm::SmallDenseSet<int64_t> dims(getDims().begin(), getDims().end());
  // reduce_c1
  if (dims.size() != getDims().size() || llvm::any_of(dims, [&](int64_t d) {
        return d < 0 || d >= input.getRank();
      }))
    return emitOpError(
               "dims must be distinct dimensions of the input, but got [")
           << toString(getDims()) << "]";
  for (int64_t d = 0; d < input.getRank(); ++d)
    if (!dims.contains(d))
      kept.push_back(input.getDimSize(d));
  // reduce_c2
  if (result.getShape() != ArrayRef(kept) ||
      result.getElementType() != input.getElementType())
    return emitOpError("result must be ")
           << RankedTensorType::get(kept, input.getElementType())
           << ", but got " << result;
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType input = typeOf(getInput()), result = typeOf(getResult());
  // broadcast_c1
  if (int64_t(getDims().size()) != input.getRank())
    return emitOpError("dims must have one entry for each of ")
           << input.getRank() << " input dimensions, but got "
           << getDims().size();
  int64_t previous = -1;
  for (auto [index, dim] : llvm::enumerate(getDims())) {
    // broadcast_c2
    if (dim <= previous || dim >= result.getRank())
      return emitOpError("dims must ascend within the result's dimensions, but "
                         "got ")
             << dim;
    previous = dim;
    // broadcast_c3
    if (input.getDimSize(index) != result.getDimSize(dim))
      return emitOpError("sizes must be equal, but got ")
             << input.getDimSize(index) << " and " << result.getDimSize(dim);
  }
  // broadcast_c4
  if (input.getElementType() != result.getElementType())
    return emitOpError("element type must not change, but got ")
           << input << " and " << result;
  return success();
}

LogicalResult TransposeOp::verify() {
  RankedTensorType input = typeOf(getInput()), result = typeOf(getResult());
  SmallVector<int64_t> sorted(getPermutation());
  llvm::sort(sorted);
  // transpose_c1
  if (sorted != llvm::to_vector(llvm::seq<int64_t>(0, input.getRank())))
    return emitOpError("permutation must be one of the input's dimensions, but "
                       "got [")
           << toString(getPermutation()) << "]";
  // transpose_c2
  SmallVector<int64_t> shape;
  for (int64_t dim : getPermutation())
    shape.push_back(input.getDimSize(dim));
  auto expected = RankedTensorType::get(shape, input.getElementType());
  if (result != expected)
    return emitOpError("result must be ") << expected << ", but got " << result;
  return success();
}

// iota_c1
/// Whether what an operation does to elements is all that it does: a tag may
/// ask for a rounding.
static bool isUntagged(Operation *op) {
  return !prec::getResultTag(op, 0) && !prec::getOperandTag(op, 0);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  return isUntagged(*this) && getInput().getType() == getType()
             ? getInput()
             : OpFoldResult();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (!isUntagged(*this))
    return {};
  if (isIdentityPermutation(getPermutation()))
    return getInput();
  auto before = getInput().getDefiningOp<TransposeOp>();
  if (!before || !isUntagged(before))
    return {};
  SmallVector<int64_t> both =
      applyPermutation(before.getPermutation(), getPermutation());
  setPermutation(both);
  setOperand(before.getInput());
  return getResult();
}

LogicalResult IotaOp::verify() {
  RankedTensorType result = typeOf(getResult());
  int64_t dim = getDim();
  if (dim < 0 || dim >= result.getRank())
    return emitOpError("dim must be a dimension of the result, but got ")
           << dim;
  return success();
}

/// The shape of `ids` followed by that of a row of `table`.
static SmallVector<int64_t> rowShape(RankedTensorType ids,
                                     RankedTensorType table) {
  SmallVector<int64_t> shape(ids.getShape());
  llvm::append_range(shape, table.getShape().drop_front());
  return shape;
}

LogicalResult GatherOp::verify() {
  RankedTensorType table = typeOf(getTable());
  // gather_c1
  if (table.getRank() < 1)
    return emitOpError("table must have rows, but got ") << table;
  // gather_c2
  auto expected = RankedTensorType::get(rowShape(typeOf(getIds()), table),
                                        table.getElementType());
  if (getResult().getType() != expected)
    return emitOpError("result must be ")
           << expected << ", but got " << getResult().getType();
  return success();
}

/// The type of sorted `ids` and their positions.
static RankedTensorType sortedType(RankedTensorType ids) {
  return RankedTensorType::get({2, ids.getNumElements()}, ids.getElementType());
}

LogicalResult SortIdsOp::verify() {
  // sort_ids_c1
  if (getBound() < 1)
    return emitOpError("bound must be positive, but got ") << getBound();
  // sort_ids_c2
  RankedTensorType expected = sortedType(typeOf(getIds()));
  if (getResult().getType() != expected)
    return emitOpError("result must be ")
           << expected << ", but got " << getResult().getType();
  return success();
}

LogicalResult ScatterAddOp::verify() {
  RankedTensorType table = typeOf(getInit());
  // scatter_add_c1
  if (table != getResult().getType())
    return emitOpError("result must have the type of init, but got ")
           << getResult().getType() << " and " << table;
  // scatter_add_c2
  if (table.getRank() < 1 || typeOf(getUpdates()).getShape() !=
                                 ArrayRef(rowShape(typeOf(getIds()), table)))
    return emitOpError(
               "updates must be one row of init for each index, but got ")
           << getUpdates().getType();
  // scatter_add_c3
  RankedTensorType expected = sortedType(typeOf(getIds()));
  if (getSorted() && getSorted().getType() != expected)
    return emitOpError("sorted ids must be ")
           << expected << ", but got " << getSorted().getType();
  return success();
}
