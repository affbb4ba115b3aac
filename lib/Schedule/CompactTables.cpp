//===- CompactTables.cpp - sums of few rows without their table -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of an embedding has a row for each token that there is, most of
// them zeros: a batch has fewer tokens. Written out it is filled with zeros,
// added to, read for its norm and read by the optimizer. Instead the sums are
// kept side by side, in as many rows as there are ids, behind one of zeros. A
// vector says for each row of the table which of them is its own, and readers
// look that up. What sums squares of the table sums those of the rows.
//
// Sorted ids have the rows of one id as neighbors. Where an id begins, its
// place among them, from one on, is the number of its sums:
//
//   sorted ids            2 2 5            positions 0 7 3
//   places where they begin  1 . 3
//   first, by the table's rows            0 0 1 0 0 3 0 ...
//   sums                  zeros, u0 + u7, zeros, u3
//   row v of the table    sums[first[v]]
//
// The vector is itself a scatter-add, of one number for each id, in FP32, which
// has all integers below 2^24. It is done where a table has at least twice as
// many rows as there are ids, the table is large enough for the launches that
// this needs, and whatever reads the table computes element by element or
// reduces. Every number has the bits that it had, but for the order in which
// squares are added. Time is linear in the operations that read tables.
//
//===----------------------------------------------------------------------===//
#include "Schedule/EraseDead.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/PrimitiveBuilder.h"
#include "prec/Dialect/Train/Slices.h"
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

namespace prec {
#define GEN_PASS_DEF_COMPACTTABLES
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

/// Rows of the table for each id, at least.
static constexpr int64_t kLeastRows = 2;
/// Passes over the table that are passes over fewer rows then: zeros, the norm,
/// the optimizer.
static constexpr int64_t kPasses = 3;
/// Integers below are numbers of FP32.
static constexpr int64_t kMostIds = int64_t(1) << 24;

namespace {

struct CompactTables : prec::impl::CompactTablesBase<CompactTables> {
  using Base::Base;
  void runOnOperation() override;

private:
  bool isLarge(train::ScatterAddOp op) const;
};

/// The sums of one scatter-add, and where readers find them.
class Compacter {
public:
  Compacter(train::ScatterAddOp op, ConstantPool &constants)
      : op(op), constants(constants) {}
  void run();

private:
  void buildSums();
  Value toIds(Value numbers, PrimitiveBuilder &b);
  void replaceSum(train::ReduceOp whole);

  train::ScatterAddOp op;
  ConstantPool &constants;
  Value first; ///< by rows of the table, f32
  Value sums;
};

} // namespace

bool CompactTables::isLarge(train::ScatterAddOp op) const {
  RankedTensorType table = typeOf(op.getInit());
  int64_t ids = typeOf(op.getIds()).getNumElements();
  int64_t rows = table.getDimSize(0);
  if (rows < kLeastRows * ids || ids >= kMostIds || table.getRank() != 2)
    return false;
  int64_t bytes =
      table.getDimSize(1) * table.getElementType().getIntOrFloatBitWidth() / 8;
  return kPasses * (rows - ids) * bytes >= leastBytes;
}

static bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1;
}

/// Whether kernels can look up what `value` is, wherever it is read: nobody
/// needs it in memory.
static bool isOnlyComputedOf(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    return isa<train::ReduceOp>(user) || isElementwise(user);
  });
}

/// Finds sums over the table of what is zero where the table is, which have its
/// rows only: `sum(v * v)`, of all elements, or of rows and then of these.
static void findSums(Value value, llvm::SetVector<train::ReduceOp> &found) {
  for (Operation *user : value.getUsers()) {
    bool isSquare =
        isa<arith::MulFOp>(user) && user->getOperand(0) == user->getOperand(1);
    if (isSquare || isa<arith::ExtFOp>(user)) {
      findSums(user->getResult(0), found);
      continue;
    }
    auto sum = dyn_cast<train::ReduceOp>(user);
    if (!sum || sum.getKind() != train::ReduceKind::Sum)
      continue;
    if (sum.getDims() != ArrayRef<int64_t>{1}) {
      if (sum.getDims().size() == 2)
        found.insert(sum);
      continue;
    }
    auto whole = sum->hasOneUse()
                     ? dyn_cast<train::ReduceOp>(*sum->user_begin())
                     : train::ReduceOp();
    if (whole && whole.getKind() == train::ReduceKind::Sum)
      found.insert(whole);
  }
}

Value Compacter::toIds(Value numbers, PrimitiveBuilder &b) {
  Type element = typeOf(op.getIds()).getElementType();
  return b.create<arith::FPToSIOp>(typeOf(numbers).clone(element), numbers);
}

void Compacter::buildSums() {
  PrimitiveBuilder b(op, constants);
  RankedTensorType table = typeOf(op.getInit()),
                   sorted = typeOf(op.getSorted());
  Type element = sorted.getElementType();
  int64_t rows = table.getDimSize(0), count = sorted.getDimSize(1);
  auto line = RankedTensorType::get({1, count}, element);
  auto flat = RankedTensorType::get({count}, element);
  auto lineOf = [&](int64_t index) {
    return b.create<tensor::ExtractSliceOp>(
        line, op.getSorted(), ValueRange(), ValueRange(), ValueRange(),
        ArrayRef<int64_t>{index, 0}, ArrayRef<int64_t>{1, count},
        ArrayRef<int64_t>{1, 1});
  };
  auto withPositions = [&](Value ids, Value positions) {
    return b.create<tensor::ConcatOp>(sorted, /*dim=*/0,
                                      ValueRange{ids, positions});
  };
  Value ids = b.create<tensor::CollapseShapeOp>(
      flat, lineOf(0), ArrayRef<ReassociationIndices>{{0, 1}});
  Value place = b.iota(0, {count});
  Value position = b.iota(1, {1, count});
  // The id before, which no id is where there is none.
  Value none = constants.get(IntegerAttr::get(element, -1),
                             RankedTensorType::get({1}, element));
  Value others = b.create<tensor::ExtractSliceOp>(
      RankedTensorType::get({count - 1}, element), ids, ValueRange(),
      ValueRange(), ValueRange(), ArrayRef<int64_t>{0},
      ArrayRef<int64_t>{count - 1}, ArrayRef<int64_t>{1});
  Value before =
      b.create<tensor::ConcatOp>(flat, /*dim=*/0, ValueRange{none, others});
  Value begins = b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, ids, before);
  auto numbers =
      RankedTensorType::get({count}, Float32Type::get(op.getContext()));
  Value number =
      b.add(b.create<arith::SIToFPOp>(numbers, place), b.splat(1, {count}));
  Value marks = b.select(begins, number, b.splat(0, {count}));
  Value empty = b.splat(0, {rows});
  first = b.create<train::ScatterAddOp>(
      empty.getType(), empty, ids, marks, withPositions(lineOf(0), position),
      /*result_tags=*/nullptr, /*operand_tags=*/nullptr);
  auto numbersOf = [&](Value ids) {
    Value found = b.create<train::GatherOp>(
        typeOf(first).clone(typeOf(ids).getShape()), first, ids,
        /*result_tags=*/nullptr, /*operand_tags=*/nullptr);
    return toIds(found, b);
  };
  auto type = RankedTensorType::get({count + 1, table.getDimSize(1)},
                                    table.getElementType());
  sums = b.create<train::ScatterAddOp>(
      type, b.zeros(type), numbersOf(op.getIds()), op.getUpdates(),
      withPositions(numbersOf(lineOf(0)), lineOf(1)),
      /*result_tags=*/nullptr, /*operand_tags=*/nullptr);
}

/// Sums what `whole` does over the rows that there are.
void Compacter::replaceSum(train::ReduceOp whole) {
  // From the sum back to the table: one operation of one value each.
  SmallVector<Operation *> chain{whole};
  while (chain.back()->getOperand(0) != op.getResult())
    chain.push_back(chain.back()->getOperand(0).getDefiningOp());
  OpBuilder builder(whole);
  int64_t rows = typeOf(op.getInit()).getDimSize(0),
          own = typeOf(sums).getDimSize(0);
  Value value = sums;
  for (Operation *old : llvm::reverse(chain)) {
    Operation *made = builder.clone(*old);
    made->setOperands(SmallVector<Value>(made->getNumOperands(), value));
    RankedTensorType type = typeOf(made->getResult(0));
    SmallVector<int64_t> shape(type.getShape());
    if (!shape.empty() && shape.front() == rows && old != whole)
      shape.front() = own;
    made->getResult(0).setType(type.clone(shape));
    value = made->getResult(0);
  }
  whole.replaceAllUsesWith(value);
  eraseDead(whole);
}

void Compacter::run() {
  buildSums();
  llvm::SetVector<train::ReduceOp> found;
  findSums(op.getResult(), found);
  llvm::for_each(found, [&](train::ReduceOp whole) { replaceSum(whole); });
  // Each reader looks up for itself, in its phase.
  llvm::SmallSetVector<Operation *, 4> readers;
  readers.insert_range(op->getUsers());
  for (Operation *reader : readers) {
    PrimitiveBuilder b(reader, constants);
    Value rows = b.create<train::GatherOp>(
        op.getResult().getType(), sums, toIds(first, b),
        /*result_tags=*/nullptr, /*operand_tags=*/nullptr);
    reader->replaceUsesOfWith(op.getResult(), rows);
  }
  eraseDead(op);
}

void CompactTables::runOnOperation() {
  func::FuncOp function = getOperation();
  if (!isCompiledGraph(function))
    return;
  ConstantPool constants(function.front());
  SmallVector<train::ScatterAddOp> found;
  for (auto op : function.front().getOps<train::ScatterAddOp>()) {
    Value value = op.getResult();
    if (op.getSorted() && matchPattern(op.getInit(), m_AnyZeroFloat()) &&
        isLarge(op) && isOnlyComputedOf(value))
      found.push_back(op);
  }
  for (train::ScatterAddOp op : found)
    Compacter(op, constants).run();
}
