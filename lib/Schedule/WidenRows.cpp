//===- WidenRows.cpp - compute rows with the zeros behind them ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets what is computed of a padded matrix be of its size. --prec-pad-products
// reads the result of a padded product as a slice of its columns, and puts
// zeros behind the columns of a gradient that another padded product reads.
// What lies between the two, such as a softmax and its loss, is elementwise or
// reduces rows: it can be computed for all columns, if reductions see neutral
// elements behind the slice and the last values are replaced by zeros. Then one
// kernel reads the product and writes the operand of the next, in rows that
// begin at multiples of 16 bytes.
//
// Values that are widened are found forward from the slice; operands of them
// that come from elsewhere must be constants, indices, or rows and vectors that
// are repeated. A slice whose values reach no such concatenation is left alone.
// Sums of columns are slices of those of all columns, and what reads a widened
// value otherwise reads a slice of it. Time is linear in the operations.
//
// Example: with logits [T, 50257] of a product [T, 50272], max over a row
// becomes the max of select(column < 50257, product, -infinity).
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/PrimitiveBuilder.h"
#include "prec/Dialect/Train/Reductions.h"
#include "prec/Dialect/Train/Slices.h"
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace prec {
#define GEN_PASS_DEF_WIDENROWS
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

/// Whether a slice is the first columns of all rows, not all of them.
static bool isOfFirstColumns(tensor::ExtractSliceOp slice) {
  int64_t last = slice.getType().getRank() - 1;
  return last >= 0 && train::isFirstAlong(slice, last) &&
         slice.getType().getDimSize(last) <
             slice.getSourceType().getDimSize(last);
}

/// Whether a reshape leaves columns what they are.
static bool keepsColumns(Operation *op) {
  if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return false;
  RankedTensorType from = typeOf(op->getOperand(0)),
                   to = typeOf(op->getResult(0));
  return from.getRank() > 1 && to.getRank() > 1 &&
         from.getShape().back() == to.getShape().back();
}

static bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
         llvm::all_of(op->getOperandTypes(), [&](Type type) {
           auto tensor = dyn_cast<RankedTensorType>(type);
           return tensor &&
                  tensor.getShape() == typeOf(op->getResult(0)).getShape();
         });
}

static bool reducesRows(Operation *op) {
  auto reduce = dyn_cast<train::ReduceOp>(op);
  return reduce &&
         reduce.getDims() ==
             ArrayRef<int64_t>{typeOf(reduce.getInput()).getRank() - 1};
}

static bool reducesColumns(Operation *op) {
  auto reduce = dyn_cast<train::ReduceOp>(op);
  return reduce && !llvm::is_contained(reduce.getDims(),
                                       typeOf(reduce.getInput()).getRank() - 1);
}

/// Whether `op` puts zeros behind the columns of its first operand.
static bool padsColumns(Operation *op) {
  auto concat = dyn_cast<tensor::ConcatOp>(op);
  return concat && concat.getInputs().size() == 2 &&
         int64_t(concat.getDim()) == concat.getResultType().getRank() - 1 &&
         matchPattern(concat.getInputs()[1], m_AnyZeroFloat());
}

namespace {

class Widener {
public:
  Widener(tensor::ExtractSliceOp slice, ConstantPool &constants)
      : constants(constants), builder(slice), slice(slice),
        columns(slice.getType().getShape().back()),
        added(slice.getSourceType().getShape().back() - columns) {}

  void run();

private:
  bool find();
  bool canWiden(Value value);
  RankedTensorType widen(RankedTensorType type) const;
  Value getWide(Value value);
  Value createWide(Operation *op);
  Value select(Value wide, TypedAttr behind, Operation *like);
  void reduceWide(train::ReduceOp reduce);

  ConstantPool &constants;
  OpBuilder builder;
  tensor::ExtractSliceOp slice;
  int64_t columns, added;
  /// Values of the slice that are computed for all columns.
  llvm::SetVector<Value> found;
  SmallVector<Operation *> reductions, columnReductions, ends;
  DenseMap<Value, Value> wide;
};

struct WidenRows : public prec::impl::WidenRowsBase<WidenRows> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!isCompiledGraph(function))
      return;
    ConstantPool constants(function.front());
    SmallVector<tensor::ExtractSliceOp> slices;
    for (auto slice : function.front().getOps<tensor::ExtractSliceOp>())
      if (isOfFirstColumns(slice))
        slices.push_back(slice);
    for (tensor::ExtractSliceOp slice : slices)
      Widener(slice, constants).run();
  }
};

} // namespace

RankedTensorType Widener::widen(RankedTensorType type) const {
  SmallVector<int64_t> shape(type.getShape());
  shape.back() += added;
  return type.clone(shape);
}

/// Whether what is no value of the slice has columns behind its own.
bool Widener::canWiden(Value value) {
  if (found.contains(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || typeOf(value).getRank() == 0 ||
      typeOf(value).getShape().back() != columns)
    return false;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (auto broadcast = dyn_cast<train::BroadcastOp>(op)) {
    int64_t last = typeOf(value).getRank() - 1;
    return !llvm::is_contained(broadcast.getDims(), last) ||
           broadcast.getDims() == ArrayRef<int64_t>{last};
  }
  return isa<train::IotaOp>(op) ||
         (isElementwise(op) && llvm::all_of(op->getOperands(), [&](Value of) {
            return canWiden(of);
          }));
}

/// Finds what can be widened; false where no zeros follow.
bool Widener::find() {
  found.insert(slice.getResult());
  for (size_t i = 0; i < found.size(); ++i) {
    llvm::SmallSetVector<Operation *, 8> users;
    users.insert_range(found[i].getUsers());
    for (Operation *user : users) {
      if (reducesRows(user))
        reductions.push_back(user);
      else if (reducesColumns(user))
        columnReductions.push_back(user);
      else if (padsColumns(user) &&
               typeOf(user->getResult(0)) == widen(typeOf(found[i])))
        ends.push_back(user);
      else if (keepsColumns(user) ||
               (isElementwise(user) &&
                llvm::all_of(user->getOperands(),
                             [&](Value value) { return canWiden(value); })))
        found.insert(user->getResult(0));
    }
  }
  return !ends.empty();
}

Value Widener::getWide(Value value) {
  Value &known = wide[value];
  if (known)
    return known;
  Operation *op = value.getDefiningOp();
  Value made;
  if (op == slice)
    made = slice.getSource();
  else if (auto constant = dyn_cast<arith::ConstantOp>(op))
    made = constants.get(
        cast<SplatElementsAttr>(constant.getValue()).getSplatValue<Attribute>(),
        widen(typeOf(value)));
  else
    made = createWide(op);
  return wide[value] = made;
}

Value Widener::createWide(Operation *op) {
  RankedTensorType type = widen(typeOf(op->getResult(0)));
  SmallVector<Value> operands;
  if (auto broadcast = dyn_cast<train::BroadcastOp>(op)) {
    Value input = broadcast.getInput();
    if (llvm::is_contained(broadcast.getDims(), type.getRank() - 1)) {
      builder.setInsertionPoint(op);
      RankedTensorType vector = typeOf(input);
      Value zeros = constants.get(builder.getZeroAttr(vector.getElementType()),
                                  vector.clone({added}));
      input = tensor::ConcatOp::create(builder, op->getLoc(), /*dim=*/0,
                                       ValueRange{input, zeros});
      train::copyProvenance(op, input.getDefiningOp());
    }
    operands.push_back(input);
  } else {
    for (Value operand : op->getOperands())
      operands.push_back(getWide(operand));
  }
  builder.setInsertionPoint(op);
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    Value made;
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      made = tensor::ExpandShapeOp::create(builder, op->getLoc(), type,
                                           operands[0],
                                           expand.getReassociationIndices());
    else
      made = tensor::CollapseShapeOp::create(
          builder, op->getLoc(), type, operands[0],
          cast<tensor::CollapseShapeOp>(op).getReassociationIndices());
    train::copyProvenance(op, made.getDefiningOp());
    return made;
  }
  Operation *made = builder.clone(*op);
  made->setOperands(operands);
  made->getResult(0).setType(type);
  return made->getResult(0);
}

/// `wide` with another value behind the columns of the slice.
Value Widener::select(Value wide, TypedAttr behind, Operation *like) {
  builder.setInsertionPoint(like);
  RankedTensorType type = typeOf(wide);
  RankedTensorType indices = type.clone(builder.getI32Type());
  auto note = [&](Operation *op) {
    train::copyProvenance(like, op);
    return op->getResult(0);
  };
  Value index =
      note(train::IotaOp::create(builder, like->getLoc(), indices,
                                 type.getRank() - 1, ArrayAttr(), ArrayAttr()));
  Value isInside = note(arith::CmpIOp::create(
      builder, like->getLoc(), arith::CmpIPredicate::slt, index,
      constants.get(builder.getI32IntegerAttr(columns), indices)));
  return note(arith::SelectOp::create(builder, like->getLoc(), isInside, wide,
                                      constants.get(behind, type)));
}

/// Those of all columns, of which others read the first.
void Widener::reduceWide(train::ReduceOp reduce) {
  Value all = getWide(reduce.getInput());
  builder.setInsertionPoint(reduce);
  auto sums = train::ReduceOp::create(builder, reduce.getLoc(),
                                      widen(typeOf(reduce.getResult())),
                                      reduce.getKind(), all, reduce.getDims());
  Value part = train::createSlice(builder, reduce.getLoc(),
                                  typeOf(reduce.getResult()), sums);
  train::copyProvenance(reduce, sums);
  train::copyProvenance(reduce, part.getDefiningOp());
  reduce.replaceAllUsesWith(part);
  reduce.erase();
}

void Widener::run() {
  if (!find())
    return;
  llvm::SmallPtrSet<Operation *, 8> rewritten;
  rewritten.insert_range(reductions);
  rewritten.insert_range(ends);
  for (Operation *op : reductions) {
    auto reduce = cast<train::ReduceOp>(op);
    TypedAttr neutral = train::getNeutral(
        reduce.getKind(), typeOf(reduce.getInput()).getElementType());
    Value all = getWide(reduce.getInput());
    reduce.getInputMutable().assign(select(all, neutral, reduce));
  }
  for (Operation *op : ends) {
    Value padded = op->getOperand(0);
    TypedAttr zero = builder.getZeroAttr(typeOf(padded).getElementType());
    Value selected = select(getWide(padded), zero, op);
    op->getResult(0).replaceAllUsesWith(selected);
    op->erase();
    wide[padded] = selected;
  }
  for (Operation *op : columnReductions)
    reduceWide(cast<train::ReduceOp>(op));
  // What else reads a value reads it as a slice, of the padded one if there is
  // one: only that is stored.
  for (Value value : found) {
    auto isOther = [&](OpOperand &use) {
      Operation *user = use.getOwner();
      return user->getNumResults() != 1 || !found.contains(user->getResult(0));
    };
    if (value == slice.getResult() || llvm::none_of(value.getUses(), isOther))
      continue;
    Value all = getWide(value);
    builder.setInsertionPointAfterValue(all);
    Value part =
        train::createSlice(builder, value.getLoc(), typeOf(value), all);
    train::copyProvenance(value.getDefiningOp(), part.getDefiningOp());
    value.replaceUsesWithIf(part, isOther);
  }
  for (Value value : llvm::reverse(found))
    if (Operation *op = value.getDefiningOp(); isOpTriviallyDead(op))
      op->erase();
}
