//===- MicroBatches.cpp - sums over all ranks' micro-batches --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `accumulate` of one process adds a micro-batch to a state:
//
//   next = begins ? value : state + value * weight
//
// where the weight is that of its labels, and the first micro-batch that counts
// overwrites the state. On N ranks a call takes N micro-batches, one of each
// rank. What a rank gets of the others' values is added in the order of ranks,
// by the same operations, with weights that follow from the counts of labels of
// all ranks in that order. So N ranks with M micro-batches each have the bits
// of one process with N times M, of which rank r's are numbers r, N + r, ...
// Values are sent in the format in which they are computed. Only a shard of
// each sum is computed: --prec-partition-step makes what is written here of
// whole values operations on shards.
//
//===----------------------------------------------------------------------===//
#include "Materialize/Ranks/MicroBatches.h"

#include "Materialize/Frontier.h"
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace prec;

namespace {

class MicroBatchSharer {
public:
  MicroBatchSharer(func::FuncOp function, MeshAxis axis)
      : function(function), axis(axis), head(&function.front().front()) {}

  void run(std::set<StateName> &sharded);

private:
  OpOperand &getNext(BlockArgument state);
  BlockArgument findState(StringRef slot);
  void shareWeights();
  void shareSum(BlockArgument state, StringRef slot,
                std::set<StateName> &sharded);

  func::FuncOp function;
  MeshAxis axis;
  /// Weights are in front of it.
  Operation *head;
  /// Of each rank: whether its micro-batch overwrites the state, null if it
  /// never does, and what its value is multiplied by, null for 1.
  SmallVector<Value> begins, weights;
};

} // namespace

/// What is returned in place of a state.
OpOperand &MicroBatchSharer::getNext(BlockArgument state) {
  Operation *end = function.front().getTerminator();
  for (OpOperand &operand : end->getOpOperands()) {
    auto to = function.getResultAttrOfType<IntegerAttr>(
        operand.getOperandNumber(), train::kDonatedTo);
    if (to && to.getInt() == state.getArgNumber())
      return operand;
  }
  llvm_unreachable("a function of micro-batches returns each of their states");
}

BlockArgument MicroBatchSharer::findState(StringRef slot) {
  for (BlockArgument argument : function.getArguments())
    if (getAccumulatedSlot(function, argument.getArgNumber()) == slot)
      return argument;
  return {};
}

/// What a micro-batch gives a state if it is the first.
static Value getOwn(Value next) {
  return next.getDefiningOp<arith::SelectOp>().getTrueValue();
}

Operation *prec::moveToFront(Value value) {
  SetVector<Operation *> slice;
  (void)getBackwardSlice(value, &slice);
  Operation *maker = value.getDefiningOp();
  slice.insert(maker);
  for (Operation *op : llvm::reverse(slice))
    op->moveBefore(&maker->getBlock()->front());
  return maker->getNextNode();
}

/// As numbers of labels are known from the batch, weights are known at once.
void MicroBatchSharer::shareWeights() {
  BlockArgument batches = findState(kMicroBatches),
                weight = findState(kWeights), unit = findState(kUnitLabels);
  RankBuilder end(function.front().getTerminator(), axis);
  getNext(batches).set(end.create<arith::AddFOp>(
      batches, end.splat(batches.getType(), double(axis.ranks))));
  if (!weight) {
    RankBuilder b(head, axis);
    begins.assign(axis.ranks, Value());
    begins[0] = b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, batches,
                                        b.splat(batches.getType(), 0));
    weights.assign(axis.ranks, Value());
    return;
  }
  Value count = getOwn(getNext(unit).get());
  head = moveToFront(count);
  RankBuilder b(head, axis);
  Value counts = b.gather(count), zero = b.splat(unit.getType(), 0),
        one = b.splat(unit.getType(), 1);
  Value sum = weight, labels = unit;
  for (int64_t rank = 0; rank < axis.ranks; ++rank) {
    Value own = b.getSlice(counts, rank);
    Value isFirst =
        b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, sum, zero);
    Value counted =
        b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, own, zero);
    Value ratio = b.create<arith::DivFOp>(own, labels);
    begins.push_back(isFirst);
    weights.push_back(ratio);
    sum = b.create<arith::SelectOp>(
        isFirst, b.create<arith::SelectOp>(counted, one, zero),
        b.create<arith::AddFOp>(sum, ratio));
    labels = b.create<arith::SelectOp>(isFirst, own, labels);
  }
  getNext(weight).set(sum);
  getNext(unit).set(labels);
}

void MicroBatchSharer::shareSum(BlockArgument state, StringRef slot,
                                std::set<StateName> &sharded) {
  OpOperand &next = getNext(state);
  Value own = getOwn(next.get());
  // As it is computed.
  if (auto widened = own.getDefiningOp<arith::ExtFOp>())
    own = widened.getIn();
  Operation *maker = own.getDefiningOp();
  bool isBehind = maker && (maker == head || head->isBeforeInBlock(maker));
  RankBuilder b(isBehind ? maker->getNextNode() : head, axis);
  int64_t dim = getShardDim(own.getType());
  bool isShard = b.isDivisible(own.getType(), dim);
  if (isShard)
    sharded.insert({kAccumulated, slot});
  Value slices = isShard ? b.scatter(own, dim) : b.gather(own);
  Value sum = state;
  for (int64_t rank = 0; rank < axis.ranks; ++rank) {
    Value part = b.widen(b.getSlice(slices, rank));
    if (isShard)
      part = asWhole(b, part, dim);
    Value term = part;
    if (weights[rank])
      term = b.create<arith::MulFOp>(
          part, b.broadcast(weights[rank], part.getType()));
    Value more = b.create<arith::AddFOp>(sum, term);
    sum = begins[rank]
              ? b.create<arith::SelectOp>(
                    b.broadcast(begins[rank], part.getType()), part, more)
              : more;
  }
  next.set(sum);
}

void MicroBatchSharer::run(std::set<StateName> &sharded) {
  shareWeights();
  for (BlockArgument state : function.getArguments()) {
    std::optional<StringRef> slot =
        getAccumulatedSlot(function, state.getArgNumber());
    // Of the largest amaxes each rank keeps its own.
    if (slot && *slot != kMicroBatches && *slot != kWeights &&
        *slot != kUnitLabels && !slot->starts_with(kAmaxes))
      shareSum(state, *slot, sharded);
  }
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void prec::shareMicroBatches(func::FuncOp accumulate, MeshAxis axis,
                             std::set<StateName> &sharded) {
  MicroBatchSharer(accumulate, axis).run(sharded);
}
