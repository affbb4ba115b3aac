//===- BatchReductions.cpp - finish several reductions at once ------------===//
#include "prec/Dialect/Train/Train.h"
#include "prec/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::prec {
#define GEN_PASS_DEF_BATCHREDUCTIONS
#include "prec/Schedule/Passes.h.inc"
} // namespace mlir::prec

using namespace mlir;
using namespace mlir::prec;

namespace {

/// Numbers of one batch: a kernel reads each of its inputs for every row.
constexpr unsigned kMostNumbers = 16;
/// Longer rows are worth a kernel of their own.
constexpr int64_t kLongestRow = 1 << 16;

struct Batch {
  SmallVector<train::ReduceOp, kMostNumbers> members;
  unsigned deadline; ///< first position at which a result is waited for
};

class Batcher {
public:
  explicit Batcher(Block &block) : block(block) {}
  void run();

private:
  /// Batches are of equal elements, lengths, kinds and phases.
  using Key = std::tuple<Type, int64_t, unsigned, unsigned>;

  unsigned getDeadline(train::ReduceOp op) const;
  void collect();
  void rewrite(Batch &batch);

  Block &block;
  llvm::DenseMap<Operation *, unsigned> positions;
  llvm::MapVector<Key, SmallVector<Batch>> batches;
};

} // namespace

static int64_t countElements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

/// Whether `op` computes one number of one number, so that it can wait.
static bool isScalarStep(Operation *op) {
  return op->getNumResults() == 1 && isPure(op) &&
         (op->hasTrait<OpTrait::Elementwise>() ||
          isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) &&
         countElements(op->getResult(0)) == 1;
}

static bool isLastLevel(train::ReduceOp op) {
  int64_t elements = countElements(op.getInput());
  return countElements(op.getResult()) == 1 && elements > 1 &&
         elements <= kLongestRow &&
         op.getInput().getDefiningOp<train::ReduceOp>();
}

/// What is computed of the result of `op` one number at a time.
static llvm::SetVector<Operation *> getScalarSteps(Operation *op) {
  llvm::SetVector<Operation *> steps;
  SmallVector<Operation *> work = {op};
  while (!work.empty())
    for (Operation *user : work.pop_back_val()->getUsers())
      if (isScalarStep(user) && steps.insert(user))
        work.push_back(user);
  return steps;
}

unsigned Batcher::getDeadline(train::ReduceOp op) const {
  unsigned deadline = positions.size();
  auto visit = [&](Operation *from) {
    for (Operation *user : from->getUsers())
      if (!isScalarStep(user))
        deadline = std::min(deadline, positions.lookup(user));
  };
  visit(op);
  for (Operation *step : getScalarSteps(op))
    visit(step);
  return deadline;
}

void Batcher::collect() {
  for (Operation &op : block)
    positions[&op] = positions.size();
  for (auto op : block.getOps<train::ReduceOp>()) {
    if (!isLastLevel(op))
      continue;
    unsigned position = positions.lookup(op), deadline = getDeadline(op);
    Key key{getElementTypeOrSelf(op.getInput().getType()),
            countElements(op.getInput()), unsigned(op.getKind()),
            unsigned(train::getPhase(op))};
    SmallVector<Batch> &own = batches[key];
    if (own.empty() || own.back().members.size() == kMostNumbers ||
        position >= own.back().deadline)
      own.push_back({{}, deadline});
    own.back().members.push_back(op);
    own.back().deadline = std::min(own.back().deadline, deadline);
  }
}

void Batcher::rewrite(Batch &batch) {
  train::ReduceOp last = batch.members.back();
  OpBuilder b(last->getContext());
  b.setInsertionPointAfter(last);
  Location loc = batch.members.front()->getLoc();
  auto create = [&](auto made) {
    train::copyProvenance(last, made);
    return made->getResult(0);
  };
  int64_t count = batch.members.size(), length = countElements(last.getInput());
  Type element = getElementTypeOrSelf(last.getInput().getType());
  auto tensorOf = [&](ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, element);
  };
  SmallVector<Value> rows;
  for (train::ReduceOp member : batch.members) {
    Value flat = member.getInput();
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
  Value numbers = create(
      train::ReduceOp::create(b, loc, tensorOf({count}), last.getKind(), table,
                              ArrayRef<int64_t>{1}, ArrayAttr(), ArrayAttr()));
  llvm::SetVector<Operation *> waiting;
  for (auto [index, member] : llvm::enumerate(batch.members)) {
    Value number = create(tensor::ExtractSliceOp::create(
        b, loc, tensorOf({1}), numbers, ValueRange(), ValueRange(),
        ValueRange(), ArrayRef<int64_t>{int64_t(index)}, ArrayRef<int64_t>{1},
        ArrayRef<int64_t>{1}));
    auto result = cast<RankedTensorType>(member.getResult().getType());
    if (result.getRank() == 0)
      number = create(tensor::CollapseShapeOp::create(
          b, loc, number, ArrayRef<ReassociationIndices>()));
    for (Operation *step : getScalarSteps(member))
      waiting.insert(step);
    member.getResult().replaceAllUsesWith(number);
  }
  // What reads the numbers too early moves, in its order.
  Operation *end = &*b.getInsertionPoint();
  SmallVector<Operation *> early = llvm::to_vector(llvm::make_filter_range(
      waiting, [&](Operation *step) { return step->isBeforeInBlock(end); }));
  llvm::sort(early,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *step : early)
    step->moveBefore(end);
  for (train::ReduceOp member : batch.members)
    member.erase();
}

void Batcher::run() {
  collect();
  for (auto &[key, own] : batches)
    for (Batch &batch : own)
      if (batch.members.size() > 1)
        rewrite(batch);
}

namespace {

struct BatchReductions
    : mlir::prec::impl::BatchReductionsBase<BatchReductions> {
  void runOnOperation() override {
    if (!getOperation().isExternal())
      Batcher(getOperation().front()).run();
  }
};

} // namespace
