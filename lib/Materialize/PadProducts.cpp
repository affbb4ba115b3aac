//===- PadProducts.cpp - sizes that tensor cores can take -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Library products of 16-bit matrices run at a third of their speed or less
// where the rows of a matrix do not begin at multiples of 16 bytes, as those of
// logits of 50,257 or 100,278 classes. Such a product becomes one of the next
// larger sizes: its operands get zeros behind their rows or columns, and its
// result is read as a slice. Zeros add nothing to a sum, so the values are
// those of the product before.
//
// A weight that needs rows of zeros gets them without a copy: they are a state
// of the step, which lies behind the weight (JoinArguments.cpp). Other operands
// are concatenated with zeros, which the kernel that makes an operand writes
// itself where it can. What several products read is padded once.
//
// Example: of 50,257 classes, the logits x W' [T, 50257], the gradient of x,
// dy W, and that of W, dy' x [50257, D], have 50,272 rows of W and columns of
// dy. Time is linear in the products.
//
//===----------------------------------------------------------------------===//
#include "Materialize/Weights/StepState.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Prec/PaddedSize.h"
#include "prec/Dialect/Train/Slices.h"
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Materialize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace prec {
#define GEN_PASS_DEF_PADPRODUCTS
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

/// Columns come in so many: of 16-bit elements half would do; FP8 wants all.
static constexpr int64_t kMultiple = 16;
/// Library products are slow where these many elements do not divide a row.
static constexpr int64_t kAligned = 8;
/// Of a product with fewer operations a launch costs more than is saved.
static constexpr double kLeastFlops = 1e9;
/// Of an element of 16 bits.
static constexpr int64_t kBytes = 2;
/// What lies behind another begins at multiples of so many bytes.
static constexpr int64_t kBehindAlignment = 256;

namespace {

/// Rows and columns that a matrix gets.
struct Added {
  int64_t rows = 0, columns = 0;
  explicit operator bool() const { return rows != 0 || columns != 0; }
};

class Padder {
public:
  explicit Padder(func::FuncOp step) : step(step), builder(step) {}

  LogicalResult pad(train::MatmulOp op);

private:
  FailureOr<Value> get(Value matrix, Added added);
  bool isWeight(Value matrix);
  FailureOr<Value> addRows(Value matrix, int64_t rows, Operation *like);
  Value createZeros(RankedTensorType type, Operation *like);
  Value concatenate(Value matrix, Value zeros, int64_t dim, Operation *like);

  func::FuncOp step;
  OpBuilder builder;
  DenseMap<std::pair<Value, std::pair<int64_t, int64_t>>, Value> padded;
};

struct PadProducts : public prec::impl::PadProductsBase<PadProducts> {
  using PadProductsBase::PadProductsBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> step = getStepGraph(getOperation());
    if (failed(step))
      return signalPassFailure();
    Padder padder(*step);
    for (auto op : llvm::make_early_inc_range(step->getOps<train::MatmulOp>()))
      if (failed(padder.pad(op)))
        return signalPassFailure();
  }
};

} // namespace

/// What makes `size` a multiple; 0 if it is one, or if it were much.
static int64_t getAdded(int64_t size) {
  int64_t added = llvm::alignTo(size, kMultiple) - size;
  return size % kAligned == 0 || added * kMostPadded > size ? 0 : added;
}

static bool isOf16Bits(Value matrix) {
  Type type = typeOf(matrix).getElementType();
  return typeOf(matrix).getRank() == 2 && (type.isBF16() || type.isF16());
}

/// A master or a copy of one.
bool Padder::isWeight(Value matrix) {
  auto argument = dyn_cast<BlockArgument>(matrix);
  auto role = argument ? step.getArgAttrOfType<train::RoleAttr>(
                             argument.getArgNumber(), train::kRole)
                       : train::RoleAttr();
  return role && step.getArgAttr(argument.getArgNumber(), train::kPath) &&
         (role.getValue() == train::Role::Parameter ||
          role.getValue() == train::Role::FrozenParameter ||
          role.getValue() == train::Role::WorkWeight);
}

Value Padder::createZeros(RankedTensorType type, Operation *like) {
  auto zeros = arith::ConstantOp::create(builder, like->getLoc(),
                                         builder.getZeroAttr(type));
  train::copyProvenance(like, zeros);
  return zeros;
}

Value Padder::concatenate(Value matrix, Value zeros, int64_t dim,
                          Operation *like) {
  auto concat = tensor::ConcatOp::create(builder, like->getLoc(), dim,
                                         ValueRange{matrix, zeros});
  train::copyProvenance(like, concat);
  return concat;
}

/// Rows of zeros behind a weight are a state that nothing changes.
FailureOr<Value> Padder::addRows(Value matrix, int64_t rows, Operation *like) {
  RankedTensorType type = typeOf(matrix);
  RankedTensorType zeros = type.clone({rows, type.getDimSize(1)});
  if (!isWeight(matrix) ||
      type.getNumElements() * kBytes % kBehindAlignment != 0)
    return concatenate(matrix, createZeros(zeros, like), /*dim=*/0, like);
  NamedAttrList list(
      step.getArgAttrDict(cast<BlockArgument>(matrix).getArgNumber()));
  Attribute path = list.get(train::kPath);
  auto slot = dyn_cast_if_present<StringAttr>(list.get(train::kSlot));
  DictionaryAttr own = builder.getDictionaryAttr(
      {builder.getNamedAttr(train::kPath, path),
       builder.getNamedAttr(train::kParamOf, path),
       builder.getNamedAttr(
           train::kSlot,
           builder.getStringAttr(Twine(slot ? slot.getValue() : "master") +
                                 "_zeros"))});
  own = withRole(own, train::Role::WorkWeight);
  FailureOr<BlockArgument> state =
      addState(step, own, builder.getZeroAttr(zeros));
  if (failed(state))
    return failure();
  return concatenate(matrix, *state, /*dim=*/0, like);
}

/// `matrix` with zeros, as soon as it is there.
FailureOr<Value> Padder::get(Value matrix, Added added) {
  if (!added)
    return matrix;
  Value &known = padded[{matrix, {added.rows, added.columns}}];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(matrix);
  // Zeros are made where the first product reads them.
  Operation *like = *matrix.user_begin();
  if (Operation *maker = matrix.getDefiningOp())
    like = maker;
  Value result = matrix;
  if (added.columns)
    result = concatenate(
        result,
        createZeros(
            typeOf(result).clone({typeOf(result).getDimSize(0), added.columns}),
            like),
        /*dim=*/1, like);
  if (added.rows) {
    FailureOr<Value> longer = addRows(result, added.rows, like);
    if (failed(longer))
      return failure();
    result = *longer;
  }
  padded[{matrix, {added.rows, added.columns}}] = result;
  return result;
}

LogicalResult Padder::pad(train::MatmulOp op) {
  if (!isOf16Bits(op.getLhs()) || !isOf16Bits(op.getRhs()) || op.getBias() ||
      2.0 * op.getM() * op.getN() * op.getK() < kLeastFlops)
    return success();
  // Only what is a column of a matrix as it is stored has to be aligned.
  bool a = op.getTransposeA(), b = op.getTransposeB();
  int64_t m = a ? getAdded(op.getM()) : 0;
  int64_t n = getAdded(op.getN());
  int64_t k = a && !b ? 0 : getAdded(op.getK());
  if (m == 0 && n == 0 && k == 0)
    return success();
  FailureOr<Value> lhs = get(op.getLhs(), a ? Added{k, m} : Added{m, k});
  FailureOr<Value> rhs = get(op.getRhs(), b ? Added{n, k} : Added{k, n});
  if (failed(lhs) || failed(rhs))
    return failure();
  op.getLhsMutable().assign(*lhs);
  op.getRhsMutable().assign(*rhs);
  if (m == 0 && n == 0)
    return success();
  RankedTensorType type = typeOf(op.getResult());
  op.getResult().setType(
      type.clone({type.getDimSize(0) + m, type.getDimSize(1) + n}));
  builder.setInsertionPointAfter(op);
  auto slice = train::createSlice(builder, op.getLoc(), type, op.getResult());
  train::copyProvenance(op, slice);
  op.getResult().replaceAllUsesExcept(slice, slice);
  return success();
}
