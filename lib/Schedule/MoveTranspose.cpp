//===- MoveTranspose.cpp - transpositions past what they commute with -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves transpositions past operations that commute with them: elementwise
// operations with one operand that is no constant, and rotary embedding, whose
// tables are repeated for the other order. Two directions are used around
// attention. getUntransposed goes back from a value to a transposition and
// computes what lies between in the other order; moveToUsers moves a
// transposition forward to its readers until it meets its inverse, and both
// vanish. countWishes counts, by elements, in which order readers want a value.
//
//===----------------------------------------------------------------------===//
#include "Schedule/MoveTranspose.h"

#include "prec/Dialect/Train/PrimitiveBuilder.h"
#include "Schedule/Rows/StridedView.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace prec;

bool prec::isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size()));
}

Permutation prec::invert(ArrayRef<int64_t> permutation) {
  Permutation inverse(permutation.size());
  for (auto [index, dim] : llvm::enumerate(permutation))
    inverse[dim] = index;
  return inverse;
}

static bool keepsLast(ArrayRef<int64_t> permutation) {
  return !permutation.empty() &&
         permutation.back() == int64_t(permutation.size()) - 1;
}

static bool isSplat(Value value) {
  SplatElementsAttr splat;
  return matchPattern(value, m_Constant(&splat));
}

/// The operand that decides in which order `op` computes; -1 if it does not
/// commute with transpositions.
static int getLeadOperand(Operation *op) {
  if (isa_and_present<train::RopeOp>(op))
    return 0;
  if (!op || !op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1)
    return -1;
  int lead = -1;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    if (isSplat(operand))
      continue;
    if (lead >= 0)
      return -1;
    lead = index;
  }
  return lead;
}

/// A table of rows of dimension `from` of `shape`, repeated for the dimensions
/// behind it but the last.
static Value repeatRows(OpBuilder &b, Operation *from, Value table,
                        ArrayRef<int64_t> shape, int64_t dim) {
  int64_t columns = shapeOf(table)[1], rank = shape.size();
  SmallVector<int64_t> repeated(shape.slice(dim, rank - 1 - dim));
  int64_t last = repeated.size();
  if (last == 1)
    return table;
  repeated.push_back(columns);
  auto type = tensorType(table).clone(repeated);
  auto spread = train::BroadcastOp::create(b, from->getLoc(), type, table,
                                           ArrayRef<int64_t>{0, last});
  train::copyProvenance(from, spread);
  SmallVector<ReassociationIndices> groups = {
      llvm::to_vector<2>(llvm::seq<int64_t>(0, last)), {last}};
  auto flat =
      tensor::CollapseShapeOp::create(b, from->getLoc(), spread, groups);
  train::copyProvenance(from, flat);
  return flat;
}

/// rope of `input`, of which `permutation` makes the input of `op`.
static Value rotate(OpBuilder &b, train::RopeOp op, Value input,
                    ArrayRef<int64_t> permutation) {
  RankedTensorType type = tensorType(input);
  int64_t rank = type.getRank(), rows = permutation[rank - 2];
  Value cos = repeatRows(b, op, op.getCos(), type.getShape(), rows);
  Value sin = repeatRows(b, op, op.getSin(), type.getShape(), rows);
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rows; ++dim)
    groups.push_back({dim});
  groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(rows, rank - 1)));
  groups.push_back({rank - 1});
  auto flat = tensor::CollapseShapeOp::create(b, op.getLoc(), input, groups);
  Operation *rope = b.clone(*op);
  rope->setOperands({flat, cos, sin});
  Type element = tensorType(op.getResult()).getElementType();
  rope->getResult(0).setType(
      RankedTensorType::get(shapeOf(flat.getResult()), element));
  auto result = tensor::ExpandShapeOp::create(
      b, op.getLoc(), RankedTensorType::get(type.getShape(), element),
      rope->getResult(0), groups);
  for (Operation *made : {flat.getOperation(), result.getOperation()})
    train::copyProvenance(op, made);
  return result;
}

/// What `op` computes, of `input` in place of its transposition.
static Value computeOf(OpBuilder &b, Operation *op, Value input,
                       ArrayRef<int64_t> permutation) {
  if (auto rope = dyn_cast<train::RopeOp>(op))
    return rotate(b, rope, input, permutation);
  auto inOrder = [&](Value like) {
    return RankedTensorType::get(shapeOf(input),
                                 tensorType(like).getElementType());
  };
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    SplatElementsAttr splat;
    bool isConstant = matchPattern(operand, m_Constant(&splat));
    operands.push_back(
        isConstant ? arith::ConstantOp::create(
                         b, op->getLoc(), splat.resizeSplat(inOrder(operand)))
                   : input);
  }
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  copy->getResult(0).setType(inOrder(op->getResult(0)));
  return copy->getResult(0);
}

Value prec::getUntransposed(Value value, Permutation &permutation) {
  Operation *op = value.getDefiningOp();
  if (auto transpose = dyn_cast_or_null<train::TransposeOp>(op)) {
    permutation = Permutation(transpose.getPermutation());
    return keepsLast(permutation) ? transpose.getInput() : Value();
  }
  int lead = getLeadOperand(op);
  if (lead < 0)
    return {};
  Value operand = op->getOperand(lead);
  if (!operand.hasOneUse() && !operand.getDefiningOp<train::TransposeOp>())
    return {};
  Value input = getUntransposed(operand, permutation);
  if (!input || tensorType(operand).getRank() != tensorType(value).getRank())
    return {};
  OpBuilder b(op);
  return computeOf(b, op, input, permutation);
}

std::map<Permutation, int64_t>
prec::countWishes(Value value,
                  llvm::function_ref<bool(Operation *)> isNeutral) {
  std::map<Permutation, int64_t> wishes;
  int64_t rank = tensorType(value).getRank();
  Permutation asItIs = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    for (Operation *user : next.getUsers()) {
      if (isNeutral(user))
        continue;
      auto transpose = dyn_cast<train::TransposeOp>(user);
      if (transpose && keepsLast(transpose.getPermutation())) {
        wishes[Permutation(transpose.getPermutation())] +=
            tensorType(next).getNumElements();
      } else if (int lead = getLeadOperand(user);
                 lead >= 0 && user->getOperand(lead) == next) {
        work.push_back(user->getResult(0));
      } else {
        wishes[asItIs] += tensorType(next).getNumElements();
      }
    }
  }
  return wishes;
}

void prec::moveToUsers(train::TransposeOp value) {
  SmallVector<train::TransposeOp> work = {value};
  while (!work.empty()) {
    train::TransposeOp next = work.pop_back_val();
    Permutation inverse = invert(next.getPermutation());
    for (Operation *user :
         llvm::make_early_inc_range(next.getResult().getUsers())) {
      auto transpose = dyn_cast<train::TransposeOp>(user);
      if (transpose && ArrayRef(inverse) == transpose.getPermutation()) {
        transpose.getResult().replaceAllUsesWith(next.getInput());
        transpose.erase();
        continue;
      }
      int lead = getLeadOperand(user);
      if (lead < 0 || user->getOperand(lead) != next.getResult())
        continue;
      OpBuilder b(user);
      Value result = computeOf(b, user, next.getInput(), next.getPermutation());
      auto back = train::TransposeOp::create(b, user->getLoc(),
                                             user->getResult(0).getType(),
                                             result, next.getPermutation());
      train::copyProvenance(user, back);
      user->getResult(0).replaceAllUsesWith(back);
      user->erase();
      work.push_back(back);
    }
    if (next.use_empty())
      next.erase();
  }
}
