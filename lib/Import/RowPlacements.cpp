//===- RowPlacements.cpp - what is computed of a rank's rows --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between a product that leaves each rank a term of a sum and the next products
// that read whole rows, nothing mixes rows: sums with a residual, norms,
// whatever is elementwise. There each rank has its rows alone (sequence
// parallelism): it adds up the terms of its rows, and what the products read is
// gathered in front of them. This sends what sums on every rank would, computes
// the rest once in place of once on each rank, and keeps less of it.
//
// Rows are consecutive elements: slices of the first dimension that is not 1.
// So a reshape of rows is one of the slice, and nothing is moved to cut or to
// join them. Example of two ranks: of x [2, S, H] a rank has one sequence, of
// x [1, S, H] half of it, and of a gradient of all rows' weight [H] a term.
//
//===----------------------------------------------------------------------===//
#include "Import/LayerPlacements.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/TensorType.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

using Placements = std::optional<OpPlacements>;

std::optional<int64_t> prec::findRows(RankedTensorType type, int64_t ranks) {
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.getDimSize(dim) != 1)
      return type.getDimSize(dim) % ranks == 0 ? std::optional(dim)
                                               : std::nullopt;
  return std::nullopt;
}

/// The placement of a result whose rows come from dimension `dim` of it.
static Placements toRows(Value result, int64_t dim, int64_t ranks,
                         SmallVector<Placement> operands) {
  if (findRows(typeOf(result), ranks) != dim)
    return std::nullopt;
  return OpPlacements{std::move(operands), {Placement::rows(dim)}};
}

/// All operands have the shape of the result, or are numbers.
static Placements elementwise(Operation *op, int64_t ranks) {
  std::optional<int64_t> rows = findRows(typeOf(op->getResult(0)), ranks);
  if (!rows)
    return std::nullopt;
  OpPlacements placements;
  for (Value operand : op->getOperands())
    placements.operands.push_back(typeOf(operand).getRank() == 0
                                      ? Placement::whole()
                                      : Placement::rows(*rows));
  placements.results.assign(op->getNumResults(), Placement::rows(*rows));
  return placements;
}

/// As what is divided along a dimension of rows: a weight of all rows is whole,
/// and its gradient a term.
static Placements norm(Operation *op, int64_t ranks) {
  std::optional<int64_t> rows = findRows(typeOf(op->getOperand(0)), ranks);
  if (!rows)
    return std::nullopt;
  SmallVector<Placement> given(op->getNumOperands());
  given[0] = Placement::split(*rows);
  Refusal refusal;
  Placements placements = placeOperation(op, given, ranks, refusal);
  if (!placements)
    return std::nullopt;
  for (auto *list : {&placements->operands, &placements->results})
    for (Placement &placement : *list)
      if (placement.isSplit())
        placement = Placement::rows(placement.dim);
  return placements;
}

static Placements reduce(train::ReduceOp op, int64_t dim, int64_t ranks) {
  int64_t before = 0;
  for (int64_t reduced : op.getDims()) {
    if (reduced == dim)
      return op.getKind() == train::ReduceKind::Sum
                 ? Placements({{Placement::rows(dim)}, {Placement::partial()}})
                 : std::nullopt;
    before += reduced < dim;
  }
  return toRows(op.getResult(), dim - before, ranks, {Placement::rows(dim)});
}

Placements prec::placeOnRows(Operation *op, ArrayRef<Placement> given,
                             int64_t ranks) {
  auto isRows = [](Placement p) { return p.isRows(); };
  auto begins = [&](auto pair) {
    return std::get<1>(pair).isPartial() &&
           typeOf(std::get<0>(pair)).getRank() > 1;
  };
  const bool hasRows = llvm::any_of(given, isRows);
  if (train::getPhase(op) == train::Phase::Optimizer ||
      llvm::any_of(given, [](Placement p) { return p.isSplit(); }) ||
      (!hasRows && llvm::none_of(llvm::zip(op->getOperands(), given), begins)))
    return std::nullopt;
  if (isa<train::RmsNormOp, train::RmsNormGradOp, train::LayerNormOp,
          train::LayerNormGradOp>(op))
    return norm(op, ranks);
  if (op->hasTrait<OpTrait::Elementwise>())
    return elementwise(op, ranks);
  if (!hasRows)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, Placements>(op)
      .Case([&](train::BroadcastOp of) {
        return toRows(of.getResult(), of.getDims()[given[0].dim], ranks,
                      {given[0]});
      })
      .Case([&](train::ReduceOp of) { return reduce(of, given[0].dim, ranks); })
      .Default([&](Operation *other) {
        if (!isReshape(other))
          return Placements();
        std::optional<int64_t> rows =
            findRows(typeOf(other->getResult(0)), ranks);
        return rows ? toRows(other->getResult(0), *rows, ranks, {given[0]})
                    : std::nullopt;
      });
}
