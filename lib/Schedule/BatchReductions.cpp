//===- BatchReductions.cpp - finish several reductions at once ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finishes several reductions in one kernel. An amax of a large tensor is
// reduced in two steps: partial values, then one value; so are here largest and
// least elements of long vectors, such as whether all indices are in range,
// which one block would reduce. The second step is a kernel of a few elements,
// of which a step has hundreds. They are batched: up
// to 16 inputs of one length are concatenated as rows, one reduction makes all
// results, and slices give them back. A reduction may join a batch until the
// first operation waits for one of its results (findDeadlines, backward over
// the block, scalar operations looked through). The batch stands behind its
// last member (in the optimizer, as late as its results allow), and scalar
// operations that read its results move behind it, in their order. A last batch
// that is not full takes some inputs of the one before once more, so that it is
// the same kernel.
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Graph.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

#include <map>

namespace prec {
#define GEN_PASS_DEF_BATCHREDUCTIONS
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

/// Numbers of one batch: a kernel reads each of its inputs for every row.
constexpr unsigned kMostNumbers = 16;
/// Longer rows are worth a kernel of their own.
constexpr int64_t kLongestRow = 1 << 16;

struct Batch {
  SmallVector<train::ReduceOp, kMostNumbers> members;
  SmallVector<Value> again; ///< inputs of others that fill it up
  unsigned deadline;        ///< first position at which a result is waited for
};

class Batcher {
public:
  explicit Batcher(Block &block);
  void run();

private:
  /// Batches are of equal elements, lengths, kinds and phases.
  using Key = std::tuple<Type, int64_t, unsigned, unsigned>;

  void findDeadlines();
  void collect();
  void fill();
  unsigned getPlace(const Batch &batch) const;
  void place();
  void rewrite(Batch &batch, OpBuilder &b);

  Block &block;
  SmallVector<Operation *> operations; ///< by position
  llvm::DenseMap<Operation *, unsigned> positions;
  /// First position at which what is computed of an operation's result, one
  /// number at a time, is waited for.
  SmallVector<unsigned> deadlines;
  llvm::MapVector<Key, SmallVector<Batch>> batches;
};

} // namespace

static int64_t countElements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

/// Whether `op` computes one number of one number, so that it can wait.
static bool isScalarStep(Operation *op) {
  return op->getNumResults() == 1 && isPure(op) &&
         (op->hasTrait<OpTrait::Elementwise>() || isReshape(op)) &&
         countElements(op->getResult(0)) == 1;
}

/// Reduces a long vector to parts first, where the order does not matter.
static void splitLong(train::ReduceOp op) {
  constexpr int64_t columns = 128, fewest = 1 << 14;
  auto type = cast<RankedTensorType>(op.getInput().getType());
  int64_t elements = type.getNumElements();
  if (op.getKind() == train::ReduceKind::Sum || type.getRank() != 1 ||
      elements < fewest || elements > kLongestRow * columns ||
      elements % columns != 0 || op.getInput().getDefiningOp<train::ReduceOp>())
    return;
  OpBuilder b(op);
  auto matrix = type.clone({elements / columns, columns});
  auto rows =
      tensor::ExpandShapeOp::create(b, op.getLoc(), matrix, op.getInput(),
                                    ArrayRef<ReassociationIndices>{{0, 1}});
  train::copyProvenance(op, rows);
  auto parts =
      train::ReduceOp::create(b, op.getLoc(), type.clone({elements / columns}),
                              op.getKind(), rows, ArrayRef<int64_t>{1});
  train::copyProvenance(op, parts);
  op.getInputMutable().assign(parts);
}

static bool isLastLevel(train::ReduceOp op) {
  int64_t elements = countElements(op.getInput());
  return countElements(op.getResult()) == 1 && elements > 1 &&
         elements <= kLongestRow &&
         op.getInput().getDefiningOp<train::ReduceOp>();
}

Batcher::Batcher(Block &block) : block(block) {
  for (Operation &op : block) {
    positions[&op] = operations.size();
    operations.push_back(&op);
  }
}

void Batcher::findDeadlines() {
  deadlines.assign(operations.size(), operations.size());
  for (unsigned position = operations.size(); position-- > 0;)
    for (Operation *user : operations[position]->getUsers()) {
      unsigned at = positions.lookup(user);
      deadlines[position] = std::min(deadlines[position],
                                     isScalarStep(user) ? deadlines[at] : at);
    }
}

void Batcher::collect() {
  for (auto op : block.getOps<train::ReduceOp>()) {
    if (!isLastLevel(op))
      continue;
    unsigned position = positions.lookup(op), deadline = deadlines[position];
    Key key{getElementTypeOrSelf(op.getInput().getType()),
            countElements(op.getInput()), unsigned(op.getKind()),
            unsigned(train::getPhase(op))};
    SmallVector<Batch> &own = batches[key];
    if (own.empty() || own.back().members.size() == kMostNumbers ||
        position >= own.back().deadline)
      own.push_back({{}, {}, deadline});
    own.back().members.push_back(op);
    own.back().deadline = std::min(own.back().deadline, deadline);
  }
}

/// What is left of many takes some of the batch before it once more, so that it
/// is the same kernel.
void Batcher::fill() {
  for (auto &[key, own] : batches)
    for (size_t i = 1; i < own.size(); ++i) {
      ArrayRef<train::ReduceOp> others = own[i - 1].members;
      Batch &batch = own[i];
      // The others were as many as there may be.
      if (others.size() == kMostNumbers)
        for (train::ReduceOp op : others.drop_front(batch.members.size()))
          batch.again.push_back(op.getInput());
    }
}

void Batcher::rewrite(Batch &batch, OpBuilder &b) {
  train::ReduceOp last = batch.members.back();
  Location loc = batch.members.front()->getLoc();
  auto create = [&](auto made) {
    train::copyProvenance(last, made);
    return made->getResult(0);
  };
  SmallVector<Value> inputs;
  for (train::ReduceOp member : batch.members)
    inputs.push_back(member.getInput());
  llvm::append_range(inputs, batch.again);
  int64_t count = inputs.size(), length = countElements(last.getInput());
  Type element = getElementTypeOrSelf(last.getInput().getType());
  auto tensorOf = [&](ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, element);
  };
  SmallVector<Value> rows;
  for (Value flat : inputs) {
    int64_t rank = cast<RankedTensorType>(flat.getType()).getRank();
    SmallVector<ReassociationIndices> all = {
        llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
    if (rank > 1)
      flat = create(tensor::CollapseShapeOp::create(b, loc, flat, all));
    rows.push_back(create(tensor::ExpandShapeOp::create(
        b, loc, tensorOf({1, length}), flat,
        SmallVector<ReassociationIndices>{{0, 1}})));
  }
  Value table = create(tensor::ConcatOp::create(
      b, loc, tensorOf({count, length}), /*dim=*/int64_t(0), rows));
  Value numbers = create(train::ReduceOp::create(
      b, loc, tensorOf({count}), last.getKind(), table, ArrayRef<int64_t>{1}));
  for (auto [index, member] : llvm::enumerate(batch.members)) {
    Value number = create(tensor::ExtractSliceOp::create(
        b, loc, tensorOf({1}), numbers, ValueRange(), ValueRange(),
        ValueRange(), ArrayRef<int64_t>{int64_t(index)}, ArrayRef<int64_t>{1},
        ArrayRef<int64_t>{1}));
    auto result = cast<RankedTensorType>(member.getResult().getType());
    if (result.getRank() == 0)
      number = create(tensor::CollapseShapeOp::create(
          b, loc, number, ArrayRef<ReassociationIndices>()));
    member.getResult().replaceAllUsesWith(number);
    member.erase();
  }
}

/// The position of the operation in front of which `batch` is computed: behind
/// its members, and in the optimizer behind all that does not wait for it,
/// which can then still join the kernels that its members are of.
unsigned Batcher::getPlace(const Batch &batch) const {
  train::ReduceOp last = batch.members.back();
  if (train::getPhase(last) != train::Phase::Optimizer)
    return positions.lookup(last) + 1;
  return std::min<unsigned>(batch.deadline, operations.size() - 1);
}

/// What reads the numbers of a batch too early moves behind it, in its order.
void Batcher::place() {
  std::map<unsigned, SmallVector<Batch *>> placed;
  SmallVector<unsigned> places =
      llvm::to_vector(llvm::seq<unsigned>(0, operations.size()));
  for (auto &[key, own] : batches)
    for (Batch &batch : own) {
      if (batch.members.size() + batch.again.size() < 2)
        continue;
      unsigned place = getPlace(batch);
      placed[place].push_back(&batch);
      for (train::ReduceOp member : batch.members)
        places[positions.lookup(member)] = place;
    }
  std::map<unsigned, SmallVector<Operation *>> waiting;
  for (auto [position, op] : llvm::enumerate(operations)) {
    if (!isScalarStep(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *from = operand.getDefiningOp())
        places[position] =
            std::max(places[position], places[positions.lookup(from)]);
    if (places[position] > position)
      waiting[places[position]].push_back(op);
  }
  for (auto &[place, together] : placed) {
    OpBuilder b(operations[place]);
    for (Batch *batch : together)
      rewrite(*batch, b);
    for (Operation *step : waiting[place])
      step->moveBefore(operations[place]);
  }
}

void Batcher::run() {
  findDeadlines();
  collect();
  fill();
  place();
}

namespace {

struct BatchReductions : prec::impl::BatchReductionsBase<BatchReductions> {
  void runOnOperation() override {
    if (!isCompiledGraph(getOperation()))
      return;
    Block &block = getOperation().front();
    for (train::ReduceOp op : llvm::to_vector(block.getOps<train::ReduceOp>()))
      splitLong(op);
    Batcher(block).run();
  }
};

} // namespace
