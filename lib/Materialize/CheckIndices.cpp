//===- CheckIndices.cpp - no row beside its table is read or written ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes sure that no operation reads or writes a row outside of its table. For
// each lookup (gather, embedding, scatter-add, labels of a cross entropy)
// IndexRanges follows the index to where it comes from. If it is computed from
// batch inputs so that checking these is enough, the inputs get a range that
// the runtime checks before the step. Otherwise the check is part of the step:
// it returns 1, or 0 if an index is no row, and where an index gives an address
// it is clamped, so that memory is safe even in such a step. GuardUpdates.cpp
// then makes the step change nothing. Each index is checked once for a number
// of rows.
//
//===----------------------------------------------------------------------===//
#include "Materialize/IndexRanges.h"
#include "Materialize/Weights/StepState.h"
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/IndexCheck.h"
#include "prec/Materialize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

namespace prec {
#define GEN_PASS_DEF_CHECKINDICES
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct CheckIndices : public prec::impl::CheckIndicesBase<CheckIndices> {
  using CheckIndicesBase::CheckIndicesBase;

  void runOnOperation() override;
};

/// A lookup, and the operation that it is of.
struct OpenLookup : train::Lookup {
  Operation *op;
};

/// What whoever feeds the step must check of an argument.
struct Demand {
  int64_t rows = std::numeric_limits<int64_t>::max();
  std::optional<int64_t> ignored;
  bool isIndex = false; ///< of a table, which has no row to ignore
};

class Checker {
public:
  explicit Checker(func::FuncOp step) : step(step), ranges(step) {}
  LogicalResult run();

private:
  LogicalResult demand();
  LogicalResult checkInitial(BlockArgument buffer, const Demand &demand);
  std::string getName(const OpenLookup &lookup);
  LogicalResult check(const OpenLookup &lookup);
  void clamp(const OpenLookup &lookup);
  Value createSplat(OpBuilder &builder, Location loc, Value like,
                    int64_t value);

  func::FuncOp step;
  IndexRanges ranges;
  llvm::MapVector<BlockArgument, Demand> demands;
  /// Those whose indices are known at run time only.
  SmallVector<OpenLookup> open;
  /// Indices and rows of these.
  llvm::DenseSet<std::pair<Value, int64_t>> checked;
};

} // namespace

/// The name of the argument whose rows `table` has.
static StringAttr getPath(func::FuncOp step, Value table) {
  while (table) {
    if (auto argument = dyn_cast<BlockArgument>(table)) {
      unsigned index = argument.getArgNumber();
      auto of = step.getArgAttrOfType<StringAttr>(index, train::kParamOf);
      return of ? of : step.getArgAttrOfType<StringAttr>(index, train::kPath);
    }
    Operation *op = table.getDefiningOp();
    if (!isReshape(op) && !isCast(op) && !isa_and_present<DequantizeOp>(op))
      return {};
    table = op->getOperand(0);
  }
  return {};
}

std::string Checker::getName(const OpenLookup &lookup) {
  std::string rows = std::to_string(lookup.rows);
  if (lookup.ignored)
    return "label of " + rows + " classes";
  if (StringAttr path = getPath(step, lookup.table))
    return ("index into " + path.getValue() + " (" + rows + " rows)").str();
  return "index into a table of " + rows + " rows";
}

Value Checker::createSplat(OpBuilder &builder, Location loc, Value like,
                           int64_t value) {
  auto type = cast<RankedTensorType>(like.getType());
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          type, builder.getIntegerAttr(type.getElementType(), value)));
}

/// Returns 1 from the step or, if one of the indices is no row, 0.
LogicalResult Checker::check(const OpenLookup &lookup) {
  Value ids = lookup.ids->get();
  if (!checked.insert({ids, lookup.rows}).second)
    return success();
  OpBuilder builder(step.getContext());
  builder.setInsertionPointAfterValue(ids);
  Location loc = lookup.op->getLoc();
  // Negative ones are large without a sign.
  Value isRow =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, ids,
                            createSplat(builder, loc, ids, lookup.rows));
  if (lookup.ignored) {
    Value isIgnored =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, ids,
                              createSplat(builder, loc, ids, *lookup.ignored));
    isRow = arith::OrIOp::create(builder, loc, isRow, isIgnored);
  }
  auto type = cast<RankedTensorType>(ids.getType()).clone(builder.getF32Type());
  auto createFloat = [&](float value) {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(cast<ShapedType>(type),
                               builder.getF32FloatAttr(value).getValue()));
  };
  Value isGood = arith::SelectOp::create(builder, loc, isRow, createFloat(1),
                                         createFloat(0));
  // Rows first, as other reductions of a whole tensor.
  while (int64_t rank = cast<RankedTensorType>(isGood.getType()).getRank()) {
    auto wide = cast<RankedTensorType>(isGood.getType());
    isGood = train::ReduceOp::create(
        builder, loc, wide.clone(wide.getShape().drop_back()),
        train::ReduceKind::Min, isGood, ArrayRef<int64_t>{rank - 1});
  }
  std::string path =
      (train::kIndexCheck + "." + Twine(checked.size() - 1)).str();
  return returnValue(
      step,
      withRole(
          builder.getDictionaryAttr(
              {builder.getNamedAttr(train::kPath, builder.getStringAttr(path)),
               builder.getNamedAttr(train::kTensors, builder.getStrArrayAttr(
                                                         {getName(lookup)}))}),
          train::Role::Guard),
      isGood);
}

/// Where an index gives an address, one beside the table gives the nearest row.
void Checker::clamp(const OpenLookup &lookup) {
  OpBuilder builder(lookup.op);
  Location loc = lookup.op->getLoc();
  Value ids = lookup.ids->get();
  auto create = [&](auto op) -> Value {
    train::copyProvenance(lookup.op, op);
    return op.getResult();
  };
  Value high = create(arith::MinSIOp::create(
      builder, loc, ids, createSplat(builder, loc, ids, lookup.rows - 1)));
  lookup.ids->set(create(arith::MaxSIOp::create(
      builder, loc, high, createSplat(builder, loc, ids, 0))));
}

/// A buffer starts with what it held at import.
LogicalResult Checker::checkInitial(BlockArgument buffer,
                                    const Demand &demand) {
  auto initial = step.getArgAttrOfType<DenseIntElementsAttr>(
      buffer.getArgNumber(), train::kInitial);
  if (!initial)
    return success();
  for (const APInt &element : initial.getValues<APInt>()) {
    int64_t id = element.getSExtValue();
    // check_indices_c1
    if (id != demand.ignored && (id < 0 || id >= demand.rows))
      return step.emitOpError("a buffer of indices must hold rows of its "
                              "table, 0 to ")
             << demand.rows - 1 << ", but argument " << buffer.getArgNumber()
             << " holds " << id;
  }
  return success();
}

/// Has whoever feeds the step check what it can.
LogicalResult Checker::demand() {
  for (const auto &[argument, demand] : demands) {
    unsigned index = argument.getArgNumber();
    Builder builder(step.getContext());
    auto present =
        step.getArgAttrOfType<IntegerAttr>(index, train::kVocabulary);
    // What the importer has said of what is ignored stands.
    if (!present && demand.ignored && !demand.isIndex)
      step.setArgAttr(index, train::kIgnoreIndex,
                      builder.getI64IntegerAttr(*demand.ignored));
    if (!present || present.getInt() > demand.rows)
      step.setArgAttr(index, train::kVocabulary,
                      builder.getI64IntegerAttr(demand.rows));
    if (failed(checkInitial(argument, demand)))
      return failure();
  }
  return success();
}

LogicalResult Checker::run() {
  for (Operation &op : step.front()) {
    auto indexed = dyn_cast<train::LookupOpInterface>(op);
    if (!indexed)
      continue;
    train::Lookup lookup = indexed.getLookup();
    llvm::SetVector<BlockArgument> sources;
    if (!ranges.isWithin(lookup.ids->get(), lookup.rows, lookup.ignored,
                         sources)) {
      open.push_back({lookup, &op});
      continue;
    }
    for (BlockArgument source : sources) {
      Demand &of = demands[source];
      of.rows = std::min(of.rows, lookup.rows);
      of.isIndex |= !lookup.ignored;
      if (lookup.ignored)
        of.ignored = lookup.ignored;
    }
  }
  if (failed(demand()))
    return failure();
  for (const OpenLookup &lookup : open)
    if (failed(check(lookup)))
      return failure();
  for (const OpenLookup &lookup : open)
    if (lookup.reads)
      clamp(lookup);
  return success();
}

void CheckIndices::runOnOperation() {
  FailureOr<func::FuncOp> step = getStepGraph(getOperation());
  if (failed(step) || failed(Checker(*step).run()))
    signalPassFailure();
}
