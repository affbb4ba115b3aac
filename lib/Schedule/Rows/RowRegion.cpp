//===- RowRegion.cpp - what can be computed part by part ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds what can be computed part by part from a seed on, such as the matmul of
// the logits. From the seed the uses are followed as long as each operation
// computes rows from rows (RowFlow.cpp); a matmul that contracts the rows, or
// multiplies them on, ends the region. Then the operands of members are looked
// at: repetitions, and what is as large as the seed, are computed in parts as
// well (copies), all else is read where it is. In the end no member may wait
// for something that waits for all rows. A region is refused with the reason
// and the operation, for example where all of a large value is read at once.
// Time is linear in the region.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Rows/RowRegion.h"

#include "prec/Dialect/Train/PrimitiveBuilder.h"

#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/Train.h"
#include "Schedule/Fusion/FusionGraph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace prec;

namespace {

class Finder {
public:
  Finder(Operation *seed, int64_t parts)
      : seed(seed), rows(tensorType(seed->getResult(0)).getDimSize(0)) {
    region.parts = parts;
  }

  bool find(RowRefusal &refusal);

  RowRegion region;

private:
  bool follow(Value value, int64_t dim);
  bool addOperands();
  bool shouldCopy(Value value, int64_t dim) const;
  bool isOrdered();

  bool refuse(Operation *where, StringRef reason) {
    refusal = {reason.str(), where};
    return false;
  }

  Operation *seed;
  int64_t rows;
  /// What members compute, with the dimension that is cut; products that end
  /// the region have none.
  llvm::MapVector<Operation *, RowFlow> members;
  llvm::MapVector<Operation *, RowFlow> copies;
  RowRefusal refusal;
};

} // namespace

/// Visits everything that can be computed of parts of `value`.
bool Finder::follow(Value value, int64_t dim) {
  SmallVector<Value> work = {value};
  region.dims[value] = dim;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    for (OpOperand &use : next.getUses()) {
      Operation *op = use.getOwner();
      std::optional<RowFlow> flow =
          op->getNumResults() == 1
              ? followRows(use, region.dims.at(next), region.parts)
              : std::nullopt;
      if (!flow) {
        if (tensorType(next).getNumElements() > rows)
          return refuse(op, "all of it is read here at once");
        continue;
      }
      if (auto [member, isNew] = members.insert({op, *flow}); !isNew) {
        if (member->second.operandDims != flow->operandDims)
          return refuse(op, "its rows and its columns are read here");
        continue;
      }
      if (isProduct(op))
        continue;
      region.dims[op->getResult(0)] = *flow->resultDim;
      work.push_back(op->getResult(0));
    }
  }
  return true;
}

/// Whether a part of `value` is computed from parts of what it is computed of:
/// repetitions, what the parts would have to be copied out of, and what is as
/// large as the seed. Everything else is read where it is.
bool Finder::shouldCopy(Value value, int64_t dim) const {
  Operation *op = value.getDefiningOp();
  if (!op || isProduct(op) || isa<train::ReduceOp>(op))
    return false;
  if (isa<arith::ConstantOp, train::IotaOp, train::BroadcastOp>(op))
    return true;
  return dim != 0 || getElementTypeOrSelf(value.getType()).isInteger(1) ||
         tensorType(value).getNumElements() >=
             tensorType(seed->getResult(0)).getNumElements();
}

bool Finder::addOperands() {
  SmallVector<std::pair<Operation *, RowFlow>> work(members.begin(),
                                                    members.end());
  while (!work.empty()) {
    auto [op, flow] = work.pop_back_val();
    for (auto [operand, dim] :
         llvm::zip_equal(op->getOperands(), flow.operandDims)) {
      auto known = region.dims.find(operand);
      if (known != region.dims.end()) {
        if (dim != known->second)
          return refuse(op, "its rows and its columns are read here");
        continue;
      }
      if (!dim || !shouldCopy(operand, *dim))
        continue;
      Operation *producer = operand.getDefiningOp();
      std::optional<RowFlow> from = getRowFlow(producer, *dim, region.parts);
      if (!from)
        continue;
      region.dims[operand] = *dim;
      copies.insert({producer, *from});
      work.push_back({producer, *from});
    }
  }
  return true;
}

/// Whether no member waits for something that waits for all rows.
bool Finder::isOrdered() {
  llvm::DenseSet<Operation *> waiting;
  Operation *last = region.members.back().op;
  for (Operation *op = region.members.front().op; op != last->getNextNode();
       op = op->getNextNode()) {
    bool isMember = members.contains(op);
    bool waits = llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *producer = operand.getDefiningOp();
      return producer && (waiting.contains(producer) ||
                          (!isMember && members.contains(producer)));
    });
    if (!waits)
      continue;
    if (isMember)
      return refuse(op, "what all of it gives is read here");
    waiting.insert(op);
    if (!copies.contains(op))
      region.waiting.push_back(op);
  }
  return true;
}

bool Finder::find(RowRefusal &why) {
  std::optional<RowFlow> flow = getRowFlow(seed, 0, region.parts);
  bool found = false;
  if (!flow) {
    refuse(seed, "its rows are no equal parts");
  } else {
    members.insert({seed, *flow});
    found = follow(seed->getResult(0), 0) && addOperands();
  }
  if (found) {
    for (auto &[op, rule] : members)
      region.members.push_back({op, rule, false});
    for (auto &[op, rule] : copies)
      region.members.push_back({op, rule, true});
    llvm::sort(region.members, [](const auto &a, const auto &b) {
      return a.op->isBeforeInBlock(b.op);
    });
    found = isOrdered();
  }
  why = refusal;
  return found;
}

std::optional<RowRegion> prec::findRowRegion(Operation *seed, int64_t parts,
                                             RowRefusal &refusal) {
  Finder finder(seed, parts);
  if (!finder.find(refusal))
    return std::nullopt;
  return std::move(finder.region);
}
