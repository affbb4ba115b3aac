//===- SplitJoinedRows.cpp - rows of matrices side by side ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets a kernel that computes equal matrices, which are put side by side,
// reduce the rows of them all and quantize them. An example are the gradients
// of gate and up: the quantization of both needs the largest element of a row
// of 2 N elements, but the kernel that computes them goes over rows of N. Where
// all of them are computed of one tensor, and the concatenation is read by
// nothing but largest or least elements of its rows and by operations on single
// elements, both are computed for each matrix: largest elements of the
// matrices' rows are compared in the end, and what else is read is put side by
// side then. All numbers have the bits that they had.
//
// Operations are found forward from the concatenation. Their other operands are
// constants, or one value for each row, and do not follow from what is reduced:
// a scale of this step's own amax waits for the whole matrix, which is stored
// then in any case. Time is linear in the operations.
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/PrimitiveBuilder.h"
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Dialect/Train/Tiles.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace prec {
#define GEN_PASS_DEF_SPLITJOINEDROWS
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

class RowSplitter {
public:
  RowSplitter(tensor::ConcatOp concat, ConstantPool &constants)
      : constants(constants), builder(concat), concat(concat),
        type(concat.getResultType()) {}

  void run();

private:
  bool find();
  bool isFound(Operation *op) const {
    return op->getNumResults() == 1 && found.contains(op->getResult(0));
  }
  bool isOfRows(Value value) const;
  bool followsReductions(Value value) const;
  bool isOfElements(Operation *op) const;
  bool reducesRows(Operation *op) const;
  SmallVector<Value> getParts(Value value);
  void splitReduction(train::ReduceOp reduce);
  void joinAgain(Value value);

  ConstantPool &constants;
  OpBuilder builder;
  tensor::ConcatOp concat;
  RankedTensorType type; ///< of it
  /// Values of the concatenation's shape that are computed part by part.
  llvm::SetVector<Value> found;
  llvm::SetVector<Operation *> reductions;
  DenseMap<Value, SmallVector<Value>> parts;
};

struct SplitJoinedRows
    : public prec::impl::SplitJoinedRowsBase<SplitJoinedRows> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!isCompiledGraph(function))
      return;
    ConstantPool constants(function.front());
    for (tensor::ConcatOp concat :
         llvm::to_vector(function.front().getOps<tensor::ConcatOp>()))
      RowSplitter(concat, constants).run();
  }
};

} // namespace

/// Tensors of which `piece` is computed element by element.
static llvm::SmallSetVector<Value, 8> findSources(Value piece) {
  // Longer expressions are stored in between.
  constexpr size_t most = 32;
  llvm::SmallSetVector<Value, 8> sources;
  llvm::SmallSetVector<Value, 32> work;
  work.insert(piece);
  for (size_t i = 0; i < work.size() && work.size() < most; ++i) {
    Operation *op = work[i].getDefiningOp();
    if (op && op->hasTrait<OpTrait::Elementwise>())
      work.insert_range(op->getOperands());
    else if (!op || !op->hasTrait<OpTrait::ConstantLike>())
      sources.insert(work[i]);
  }
  return sources;
}

/// Whether the pieces are equal matrices that one kernel rounds, which reads
/// something that all are computed of, and nothing else reads them.
static bool joinsRounded(tensor::ConcatOp concat) {
  OperandRange pieces = concat.getInputs();
  if (pieces.size() < 2 || !train::isSideBySide(concat) ||
      !llvm::all_of(pieces, [](Value piece) {
        return piece.hasOneUse() && piece.getDefiningOp<arith::TruncFOp>();
      }))
    return false;
  llvm::SmallSetVector<Value, 8> common = findSources(pieces.front());
  for (Value piece : pieces.drop_front()) {
    llvm::SmallSetVector<Value, 8> own = findSources(piece);
    common.remove_if([&](Value source) { return !own.contains(source); });
  }
  return !common.empty();
}

/// Largest and least elements do not depend on the order.
bool RowSplitter::reducesRows(Operation *op) const {
  auto reduce = dyn_cast<train::ReduceOp>(op);
  return reduce && reduce.getKind() != train::ReduceKind::Sum &&
         reduce.getDims() == ArrayRef<int64_t>{type.getRank() - 1};
}

/// Whether `value` follows from a reduction of the concatenation's rows.
bool RowSplitter::followsReductions(Value value) const {
  llvm::SmallSetVector<Operation *, 16> work;
  auto visit = [&](Value of) {
    // What stands in front of the concatenation does not follow from it.
    Operation *op = of.getDefiningOp();
    if (op && !op->isBeforeInBlock(concat))
      work.insert(op);
  };
  visit(value);
  for (size_t i = 0; i < work.size(); ++i) {
    if (work[i] == concat)
      return true;
    llvm::for_each(work[i]->getOperands(), visit);
  }
  return false;
}

/// Whether elements of `value` are the same within each row.
bool RowSplitter::isOfRows(Value value) const {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_if_present<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  auto broadcast = dyn_cast_if_present<train::BroadcastOp>(op);
  return broadcast &&
         !llvm::is_contained(broadcast.getDims(),
                             typeOf(value).getRank() - 1) &&
         !followsReductions(broadcast.getInput());
}

bool RowSplitter::isOfElements(Operation *op) const {
  if (auto quantize = dyn_cast<QuantizeOp>(op))
    return found.contains(quantize.getInput()) &&
           typeOf(quantize.getScale()).getRank() == 0 &&
           typeOf(quantize.getResult()).getShape() == type.getShape() &&
           !followsReductions(quantize.getScale());
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
         llvm::all_of(op->getOperands(), [&](Value of) {
           return found.contains(of) || isOfRows(of);
         });
}

bool RowSplitter::find() {
  found.insert(concat.getResult());
  for (size_t i = 0; i < found.size(); ++i)
    for (Operation *user : found[i].getUsers()) {
      if (reducesRows(user))
        reductions.insert(user);
      else if (isOfElements(user))
        found.insert(user->getResult(0));
      else if (i == 0)
        return false;
    }
  return !reductions.empty();
}

SmallVector<Value> RowSplitter::getParts(Value value) {
  SmallVector<Value> &known = parts[value];
  if (!known.empty())
    return known;
  Operation *op = value.getDefiningOp();
  if (op == concat)
    return known = SmallVector<Value>(concat.getInputs());
  size_t count = concat.getInputs().size();
  RankedTensorType type = typeOf(concat.getInputs().front())
                              .clone(getElementTypeOrSelf(value.getType()));
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return known = SmallVector<Value>(
               count, constants.get(cast<SplatElementsAttr>(constant.getValue())
                                        .getSplatValue<Attribute>(),
                                    type));
  auto create = [&](ValueRange operands) {
    builder.setInsertionPoint(op);
    Operation *made = builder.clone(*op);
    made->setOperands(operands);
    made->getResult(0).setType(type);
    return made->getResult(0);
  };
  if (!isFound(op))
    return parts[value] = SmallVector<Value>(count, create(op->getOperands()));
  SmallVector<SmallVector<Value>> operands;
  for (Value operand : op->getOperands())
    operands.push_back(typeOf(operand).getRank() == 0
                           ? SmallVector<Value>(count, operand)
                           : getParts(operand));
  SmallVector<Value> made;
  for (size_t part = 0; part < count; ++part)
    made.push_back(create(llvm::map_to_vector(
        operands, [&](const auto &of) -> Value { return of[part]; })));
  return parts[value] = made;
}

void RowSplitter::splitReduction(train::ReduceOp reduce) {
  SmallVector<Value> of = getParts(reduce.getInput());
  builder.setInsertionPoint(reduce);
  bool isMax = reduce.getKind() == train::ReduceKind::Max;
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(reduce.getType()));
  Value result;
  for (Value part : of) {
    auto own =
        train::ReduceOp::create(builder, reduce.getLoc(), reduce.getType(),
                                reduce.getKind(), part, reduce.getDims());
    train::copyProvenance(reduce, own);
    if (!result) {
      result = own;
      continue;
    }
    auto compare = [&](auto make) -> Operation * {
      return decltype(make)::create(builder, reduce.getLoc(), result, own);
    };
    Operation *made = isFloat ? isMax ? compare(arith::MaxNumFOp())
                                      : compare(arith::MinNumFOp())
                      : isMax ? compare(arith::MaxSIOp())
                              : compare(arith::MinSIOp());
    train::copyProvenance(reduce, made);
    result = made->getResult(0);
  }
  reduce.getResult().replaceAllUsesWith(result);
  reduce->erase();
}

/// What else reads `value` reads its parts side by side.
void RowSplitter::joinAgain(Value value) {
  auto isOther = [&](OpOperand &use) { return !isFound(use.getOwner()); };
  if (llvm::none_of(value.getUses(), isOther))
    return;
  SmallVector<Value> of = getParts(value);
  builder.setInsertionPointAfterValue(value);
  auto joined =
      tensor::ConcatOp::create(builder, value.getLoc(), concat.getDim(), of);
  train::copyProvenance(value.getDefiningOp(), joined);
  value.replaceUsesWithIf(joined.getResult(), isOther);
}

void RowSplitter::run() {
  if (!joinsRounded(concat) || !find())
    return;
  for (Operation *reduce : reductions)
    splitReduction(cast<train::ReduceOp>(reduce));
  for (Value value : ArrayRef(found.getArrayRef()).drop_front())
    joinAgain(value);
  for (Value value : llvm::reverse(found))
    if (Operation *op = value.getDefiningOp(); isOpTriviallyDead(op))
      op->erase();
}
