//===- JoinExchanges.cpp - few exchanges instead of many ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The depth of an operation is the largest number of exchanges on a path to it.
// Exchanges of one depth do not depend on each other: a dependence would make
// one of them deeper. So those of one depth become one: their inputs, as
// vectors, are joined, and each result is cut out of what comes back. Those of
// depth 0 stay as they are: each is of what forward and backward compute, and
// is sent as soon as that is known. So do those of forward and backward.
// Example: a step gathers the sums of squares of the rows of every gradient
// (depth 1), then, behind the norm and the updates, the largest magnitudes of
// every weight (depth 2): two exchanges, whatever the number of weights.
//
//===----------------------------------------------------------------------===//
#include "Materialize/Ranks/JoinExchanges.h"

#include "prec/Dialect/Train/Slices.h"
#include "prec/Dialect/Train/TensorType.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace prec;
using train::ExchangeKind;
using train::ExchangeOp;

/// Below as many elements copying them costs less than an exchange of their
/// own.
static constexpr int64_t kFewElements = 1 << 16;

using Alike = std::pair<int64_t, Type>;

static llvm::MapVector<Alike, SmallVector<ExchangeOp>>
findAlike(func::FuncOp function, StringRef axis) {
  llvm::MapVector<Alike, SmallVector<ExchangeOp>> found;
  DenseMap<Operation *, int64_t> depths;
  for (Operation &op : function.front()) {
    int64_t depth = 0;
    for (Value operand : op.getOperands())
      if (Operation *maker = operand.getDefiningOp())
        depth = std::max(depth, depths.lookup(maker) +
                                    int64_t(isa<ExchangeOp>(maker)));
    depths[&op] = depth;
    auto exchange = dyn_cast<ExchangeOp>(op);
    if (!exchange || depth == 0 || exchange.getAxis() != axis ||
        exchange.getKind() != ExchangeKind::AllGather ||
        train::getPhase(exchange) != train::Phase::Optimizer)
      continue;
    RankedTensorType type = typeOf(exchange.getInput());
    if (type.getNumElements() < kFewElements)
      found[{depth, type.getElementType()}].push_back(exchange);
  }
  return found;
}

/// Dimensions from `first` to `end` as one.
static ReassociationIndices groupOf(int64_t first, int64_t end) {
  ReassociationIndices group;
  for (int64_t dim = first; dim < end; ++dim)
    group.push_back(dim);
  return group;
}

/// [N, elements] as `type`, which is [N, ...].
static Value unflatten(RankBuilder &b, Value value, RankedTensorType type) {
  if (type.getRank() == 2)
    return value;
  if (type.getRank() == 1)
    return b.create<tensor::CollapseShapeOp>(type, value,
                                             ArrayRef{groupOf(0, 2)});
  return b.create<tensor::ExpandShapeOp>(
      type, value, ArrayRef{groupOf(0, 1), groupOf(1, type.getRank())});
}

static void join(ArrayRef<ExchangeOp> exchanges, MeshAxis axis) {
  RankBuilder b(exchanges.back()->getNextNode(), axis);
  SmallVector<Value> vectors;
  int64_t total = 0;
  for (ExchangeOp exchange : exchanges) {
    int64_t elements = typeOf(exchange.getInput()).getNumElements();
    vectors.push_back(b.flatten(exchange.getInput()));
    total += elements;
  }
  Value all = b.gather(b.create<tensor::ConcatOp>(
      typeOf(vectors.front()).clone({total}), /*dim=*/int64_t(0), vectors));
  int64_t offset = 0;
  for (ExchangeOp exchange : exchanges) {
    RankedTensorType type = typeOf(exchange.getResult());
    int64_t elements = type.getNumElements() / axis.ranks;
    Value slice = b.slice(type.clone({axis.ranks, elements}), all, {0, offset});
    exchange.getResult().replaceAllUsesWith(unflatten(b, slice, type));
    offset += elements;
    exchange->erase();
  }
}

void prec::joinExchanges(func::FuncOp function, MeshAxis axis) {
  for (auto &[alike, exchanges] : findAlike(function, axis.name))
    if (exchanges.size() > 1) {
      join(exchanges, axis);
      // What reads a result may stand before the last of the inputs.
      sortTopologically(&function.front());
    }
}
