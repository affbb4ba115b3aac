//===- GatherLate.cpp - weights that are whole while they are read --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A partitioned function gathers each parameter once, before everything else,
// and keeps what it got until the last reader. Here each phase gets a copy of
// its own, made in front of its first reader: of the cast of the shard, of the
// all-gather, and of the layout operations behind it (what joins the slices, or
// joins several weights). Scales are numbers, and stay where they are.
//
// Example:
//
//   %l = prec.quantize %shard, %s         %l = prec.quantize %shard, %s
//   %g = exchange all_gather %l           %g = exchange all_gather %l
//   ...                                   %y = forward %g
//   %y = forward %g              ->       ...
//   ...                                   %k = prec.quantize %shard, %s
//   %d = backward %g                      %h = exchange all_gather %k
//                                         %d = backward %h
//
// So bytes of %g are free in between. Time is linear in the function.
//
//===----------------------------------------------------------------------===//
#include "Materialize/Ranks/GatherLate.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace prec;

namespace {

class LateGathers {
public:
  explicit LateGathers(func::FuncOp function)
      : function(function), builder(function.getContext()) {}

  void run();

private:
  bool isShardOfParameter(Value value);
  void find(Operation *op);
  Value copyFor(Value value, Operation *reader);

  func::FuncOp function;
  OpBuilder builder;
  /// Casts of shards of parameters.
  llvm::DenseSet<Operation *> casts;
  /// All-gathers of these, and layout operations behind them, in order.
  SmallVector<Operation *> wholes;
  llvm::DenseSet<Operation *> isWhole;
  /// By phase.
  DenseMap<unsigned, IRMapping> copies;
};

} // namespace

bool LateGathers::isShardOfParameter(Value value) {
  if (Operation *op = value.getDefiningOp())
    return casts.contains(op);
  const unsigned index = cast<BlockArgument>(value).getArgNumber();
  auto role = function.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
  return role && role.getValue() == train::Role::Parameter &&
         function.getArgAttr(index, train::kShard);
}

/// Layout, and what only changes the format of what is gathered.
static bool followsGather(Operation *op) {
  return isReshape(op) || isCast(op) ||
         isa<train::TransposeOp, tensor::ConcatOp>(op);
}

void LateGathers::find(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1)
    return;
  Value first = op->getOperand(0);
  auto exchange = dyn_cast<train::ExchangeOp>(op);
  bool gathers = exchange &&
                 exchange.getKind() == train::ExchangeKind::AllGather &&
                 isShardOfParameter(first);
  bool follows =
      followsGather(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
        return isWhole.contains(operand.getDefiningOp());
      });
  if (gathers || follows) {
    wholes.push_back(op);
    isWhole.insert(op);
  } else if ((isCast(op) || isReshape(op) || isa<QuantizeOp>(op)) &&
             isShardOfParameter(first)) {
    casts.insert(op);
  }
}

/// What `reader` reads instead of `value`. Readers are visited in order: those
/// of one phase that come later stand behind its copy.
Value LateGathers::copyFor(Value value, Operation *reader) {
  Operation *op = value.getDefiningOp();
  if (!op || !(isWhole.contains(op) || casts.contains(op)))
    return value;
  train::Phase phase = train::getPhase(reader);
  IRMapping &copied = copies[static_cast<unsigned>(phase)];
  if (Value copy = copied.lookupOrNull(value))
    return copy;
  for (Value operand : op->getOperands())
    if (Value copy = copyFor(operand, reader); copy != operand)
      copies[static_cast<unsigned>(phase)].map(operand, copy);
  builder.setInsertionPoint(reader);
  Operation *copy = builder.clone(*op, copies[static_cast<unsigned>(phase)]);
  copy->setAttr(train::kPhase,
                train::PhaseAttr::get(function.getContext(), phase));
  return copy->getResult(0);
}

void LateGathers::run() {
  SmallVector<Operation *> order;
  for (Operation &op : function.front()) {
    order.push_back(&op);
    find(&op);
  }
  if (wholes.empty())
    return;
  for (Operation *op : order) {
    if (isWhole.contains(op) || casts.contains(op))
      continue;
    for (OpOperand &operand : op->getOpOperands())
      if (isWhole.contains(operand.get().getDefiningOp()))
        operand.set(copyFor(operand.get(), op));
  }
  for (Operation *op : llvm::reverse(wholes))
    if (op->use_empty())
      op->erase();
  for (Operation *op : llvm::reverse(order))
    if (casts.contains(op) && op->use_empty())
      op->erase();
}

void prec::gatherLate(func::FuncOp function) { LateGathers(function).run(); }
