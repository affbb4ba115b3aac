//===- RecomputeActivations.cpp - the backward computes what it reads -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Saves memory: the backward computes forward values again instead of keeping
// them. findRecomputable describes the forward operations as nodes, each with
// the bytes that the backward keeps of it and the cost of computing it (bytes
// moved, plus operations in bytes), and orders them by cost for each byte
// (RecomputeOrder.cpp). The pass drops the first `count` of that order. The
// Recomputer then walks over the operations after the forward; an operand that
// nobody keeps is cloned in front of its first reader, with all that it is
// computed from, back to values that are kept. Later readers use the same
// clone. Values smaller than `kSmallBytes` are never computed again, so that a
// quantized copy that is made again has the same scale, and hence the same
// bits.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Deferral.h"
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Graph.h"
#include "prec/ExternalModels/ExternalModels.h"
#include "prec/Schedule/MemoryPlan.h"
#include "prec/Schedule/Passes.h"
#include "prec/Schedule/Recompute.h"
#include "prec/Target/TargetRegistry.h"

#include "mlir/IR/IRMapping.h"

namespace prec {
#define GEN_PASS_DEF_RECOMPUTEACTIVATIONS
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

/// What a value below this size takes is not worth computing it twice; scales
/// are such values, so that what is quantized again has the forward's.
static constexpr int64_t kSmallBytes = 1 << 16;

static bool isForward(Operation *op) {
  return op && train::getPhase(op) == train::Phase::Forward;
}

static bool isSmall(Value value) {
  return getByteSize(value.getType()) < kSmallBytes;
}

static double getFlops(Operation *op) {
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  return precision ? precision.getFlops() : 0;
}

/// Whether operations behind the forward read `value`, as it is or as a view.
static bool isKept(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isReshape(user) ? isKept(user->getResult(0)) : !isForward(user);
  });
}

/// Appends the readers of `value`, as it is or as a view.
static void collectReaders(Value value, SmallVectorImpl<Operation *> &readers) {
  for (Operation *user : value.getUsers())
    if (isReshape(user))
      collectReaders(user->getResult(0), readers);
    else
      readers.push_back(user);
}

/// Whether the backward reads the results of `op` right after the forward does,
/// as it reads logits: nothing large is computed between that could use their
/// bytes.
static bool isReadAtOnce(Operation *op) {
  SmallVector<Operation *> readers;
  for (Value result : op->getResults())
    collectReaders(result, readers);
  Operation *last = op, *first = nullptr;
  for (Operation *reader : readers) {
    if (isForward(reader))
      last = last->isBeforeInBlock(reader) ? reader : last;
    else if (!first || reader->isBeforeInBlock(first))
      first = reader;
  }
  Operation *next = last;
  while (first && next != first) {
    next = next->getNextNode();
    if (!next || next == first)
      break;
    if (!isReshape(next) && !llvm::all_of(next->getResults(), isSmall))
      return false;
  }
  return first && next == first;
}

/// How `op` waits for the backward, if it is a transposed copy that does: the
/// forward keeps nothing of it.
static std::optional<Deferral> getDeferral(Operation *op,
                                           const OperationOrder &order) {
  auto transpose = dyn_cast<train::TransposeOp>(op);
  return transpose && isForward(op) ? findDeferral(transpose, order)
                                    : std::nullopt;
}

static ForwardNode getNode(Operation *op,
                           const DenseMap<Operation *, unsigned> &numbers,
                           const OperationOrder &order, double flopsPerByte) {
  ForwardNode node;
  for (Value operand : op->getOperands()) {
    if (Operation *producer = operand.getDefiningOp())
      if (auto number = numbers.find(producer); number != numbers.end())
        node.operands.push_back(number->second);
    node.cost += double(getByteSize(operand.getType()));
  }
  node.isAlwaysThere = op->getNumOperands() == 0;
  bool hasLarge = false, isDeferred = getDeferral(op, order).has_value();
  for (Value result : op->getResults()) {
    node.cost += double(getByteSize(result.getType()));
    hasLarge |= !isSmall(result);
    if (!isReshape(op) && !isSmall(result) && isKept(result) && !isDeferred)
      node.keptBytes += getByteSize(result.getType());
  }
  node.isAlwaysThere |= !hasLarge;
  node.cost = isReshape(op) ? 0 : node.cost + getFlops(op) / flopsPerByte;
  return node;
}

SmallVector<Operation *> prec::findRecomputable(func::FuncOp step,
                                                const ScheduleModel &machine) {
  OperationOrder order(step.front());
  std::vector<ForwardNode> nodes;
  SmallVector<Operation *> operations;
  DenseMap<Operation *, unsigned> numbers;
  for (Operation &op : step.front().without_terminator()) {
    if (!isForward(&op))
      continue;
    nodes.push_back(
        getNode(&op, numbers, order, double(machine.matrixOperationsPerByte)));
    numbers[&op] = operations.size();
    operations.push_back(&op);
  }
  SmallVector<Operation *> found;
  for (unsigned node : orderRecomputable(nodes))
    if (!isReadAtOnce(operations[node]))
      found.push_back(operations[node]);
  return found;
}

namespace {

/// Copies into the backward what it computes anew.
class Recomputer {
public:
  Recomputer(func::FuncOp step, ArrayRef<Operation *> dropped)
      : step(step), builder(step.getContext()) {
    this->dropped.insert_range(dropped);
    for (Operation &op : step.front())
      if (isForward(&op) && !isReshape(&op) &&
          llvm::any_of(op.getResults(), isKept))
        kept.insert(&op);
    // A deferred copy of what is computed anew is computed from that.
    OperationOrder order(step.front());
    for (Operation &op : step.front())
      if (std::optional<Deferral> deferral = getDeferral(&op, order))
        if (llvm::any_of(deferral->leaves,
                         [&](Value leaf) { return isGone(leaf); }))
          this->dropped.insert(&op);
  }

  void run() {
    // Copies come before their readers, so they are not visited.
    for (Operation &op : step.front())
      if (!isForward(&op) && !copies.contains(&op))
        for (OpOperand &operand : op.getOpOperands())
          operand.set(get(operand.get(), &op));
  }

private:
  /// Whether nobody keeps `value`: it is dropped, or read by the forward alone.
  bool isGone(Value value) const {
    Operation *op = value.getDefiningOp();
    return isForward(op) && op->getNumOperands() > 0 && !isSmall(value) &&
           (isReshape(op) ? isGone(op->getOperand(0))
                          : dropped.contains(op) || !kept.contains(op));
  }

  /// What `reader` reads instead of `value`.
  Value get(Value value, Operation *reader) {
    if (!isGone(value))
      return value;
    Operation *op = value.getDefiningOp();
    if (!mapping.contains(value)) {
      for (Value operand : op->getOperands())
        if (Value source = get(operand, reader); source != operand)
          mapping.map(operand, source);
      // Behind the copies of its operands, which were put there before.
      builder.setInsertionPoint(reader);
      Operation *copy = builder.clone(*op, mapping);
      copy->setAttr(
          train::kPhase,
          train::PhaseAttr::get(op->getContext(), train::Phase::Recompute));
      copies.insert(copy);
    }
    return mapping.lookup(value);
  }

  func::FuncOp step;
  OpBuilder builder;
  IRMapping mapping;
  llvm::DenseSet<Operation *> dropped, kept, copies;
};

struct RecomputeActivations
    : public prec::impl::RecomputeActivationsBase<RecomputeActivations> {
  using RecomputeActivationsBase::RecomputeActivationsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    RecomputeActivationsBase::getDependentDialects(registry);
    registerExternalModels(registry);
  }
  void runOnOperation() override {
    func::FuncOp step = getOperation();
    if (!isCompiledGraph(step))
      return;
    FailureOr<ScheduleModel> model =
        loadScheduleModel(step.getLoc(), target, machine);
    if (failed(model))
      return signalPassFailure();
    SmallVector<Operation *> found = findRecomputable(step, *model);
    recomputeInBackward(step, ArrayRef(found).take_front(
                                  std::min<size_t>(count, found.size())));
  }
};

} // namespace

void prec::recomputeInBackward(func::FuncOp step,
                               ArrayRef<Operation *> dropped) {
  if (!dropped.empty())
    Recomputer(step, dropped).run();
}
