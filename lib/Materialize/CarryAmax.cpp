//===- CarryAmax.cpp - amax histories as state of a step ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the amax histories of delayed scaling a state of the step. Each delayed
// scale in the step is a tensor with a history; those that make scales in the
// same way are collected into few tensors, a row for each, so that one
// operation makes all their scales and another one records all their amaxes. At
// the start of the step the scales come from the histories as they were; at the
// end the amaxes of this step are recorded, and the histories are returned in
// place of the arguments. `init` makes the first histories: of what it
// quantizes itself, such as work weights, from the amax, of others zeros.
// Example: 90 tensors in E4M3 are 2 histories of 45 rows.
//
//===----------------------------------------------------------------------===//
#include "Materialize/AmaxRatios.h"
#include "Materialize/Weights/StepState.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Materialize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace prec {
#define GEN_PASS_DEF_CARRYAMAX
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

/// Tensors in one history: as many as a kernel can take arguments without much
/// ado.
constexpr size_t kMaxRows = 64;
constexpr size_t kFewHistories = 8;

/// Copies of a scale, so that each row of them begins where a scale may.
constexpr int64_t kCopies = kScaleAlignment / sizeof(float);

/// Delayed scales whose histories are the rows of one tensor, as one operation
/// makes all their scales.
struct History {
  SmallVector<DelayedScaleOp> rows;
  RankedTensorType type;
  DictionaryAttr names;
};

struct CarryAmax : public prec::impl::CarryAmaxBase<CarryAmax> {
  using CarryAmaxBase::CarryAmaxBase;

  void runOnOperation() override;

private:
  LogicalResult collect(func::FuncOp step);
  LogicalResult extendSignatures(func::FuncOp step, func::FuncOp init);
  LogicalResult carryThrough(func::FuncOp step);
  void begin(func::FuncOp init);

  AmaxAttr options;
  SmallVector<History> histories;
};

} // namespace

/// Amaxes of an operand of experts, which has a history of its own; 1 of any
/// other.
static int64_t countAmaxes(DelayedScaleOp op) {
  return cast<RankedTensorType>(op.getAmax().getType()).getNumElements();
}
static bool isOfExperts(DelayedScaleOp op) {
  return cast<RankedTensorType>(op.getAmax().getType()).getRank() == 1;
}

/// Rows of a history, of as few as hold them all. Few ones are of equal sizes
/// if that goes, so that they share kernels; of many only the last is another,
/// and what the rows are is repeated.
static size_t chooseRows(size_t count) {
  size_t histories = llvm::divideCeil(count, kMaxRows);
  bool areEqual = histories <= kFewHistories && count % histories == 0;
  return areEqual ? count / histories : kMaxRows;
}

LogicalResult CarryAmax::collect(func::FuncOp step) {
  llvm::MapVector<Attribute, SmallVector<DelayedScaleOp>> groups;
  DenseMap<StringAttr, DelayedScaleOp> seen;
  WalkResult result = step.walk([&](DelayedScaleOp op) {
    auto [first, isNew] = seen.try_emplace(op.getTensorAttr(), op);
    // carry_amax_c1
    if (!isNew) {
      auto diagnostic = op.emitOpError("a history must be of one tensor, but "
                                       "got ")
                        << op.getTensorAttr() << " twice";
      diagnostic.attachNote(first->second.getLoc()) << "the first is here";
      return WalkResult::interrupt();
    }
    Builder builder(op.getContext());
    Attribute firstAmax = op.getFirstAmaxAttr();
    if (!firstAmax)
      firstAmax = builder.getUnitAttr();
    Attribute how[] = {op.getFormatAttr(),
                       op.getEpsilonAttr(),
                       op.getMarginAttr(),
                       builder.getBoolAttr(op.getPowerOfTwo()),
                       firstAmax,
                       isOfExperts(op) ? op.getTensorAttr()
                                       : builder.getStringAttr("")};
    groups[builder.getArrayAttr(how)].push_back(op);
    return WalkResult::advance();
  });
  Builder builder(step.getContext());
  for (auto &[key, ops] : groups) {
    size_t most = chooseRows(ops.size());
    for (ArrayRef<DelayedScaleOp> rest = ops; !rest.empty();
         rest = rest.drop_front(std::min(rest.size(), most))) {
      ArrayRef<DelayedScaleOp> rows = rest.take_front(most);
      auto type = RankedTensorType::get(
          {int64_t(rows.size() - 1) + countAmaxes(rows.front()),
           options.getHistory()},
          builder.getF32Type());
      StringRef format = stringifyFormat(ops.front().getFormat());
      auto names = builder.getDictionaryAttr(
          {builder.getNamedAttr(train::kPath,
                                builder.getStringAttr("amax_history")),
           builder.getNamedAttr(
               train::kSlot,
               builder.getStringAttr(format + "." + Twine(histories.size())))});
      histories.push_back({llvm::to_vector(rows), type, names});
    }
  }
  return failure(result.wasInterrupted());
}

LogicalResult CarryAmax::extendSignatures(func::FuncOp step,
                                          func::FuncOp init) {
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> states, updates;
  unsigned arguments = step.getNumArguments(), results = step.getNumResults();
  for (History &history : histories) {
    updates.push_back(withRole(history.names, train::Role::Updated,
                               int64_t(arguments + types.size())));
    states.push_back(withRole(history.names, train::Role::ScaleState));
    types.push_back(history.type);
  }
  size_t count = histories.size();
  SmallVector<Location> locations(count, step.getLoc());
  if (failed(step.insertArguments(SmallVector<unsigned>(count, arguments),
                                  types, states, locations)) ||
      failed(step.insertResults(SmallVector<unsigned>(count, results), types,
                                updates)))
    return failure();
  return init.insertResults(SmallVector<unsigned>(count, init.getNumResults()),
                            types, states);
}

/// Rows of copies of the elements of a vector.
static Value repeat(OpBuilder &builder, Location loc, Value vector) {
  auto type = cast<RankedTensorType>(vector.getType());
  return train::BroadcastOp::create(builder, loc,
                                    type.clone({type.getDimSize(0), kCopies}),
                                    vector, ArrayRef<int64_t>{0});
}

LogicalResult CarryAmax::carryThrough(func::FuncOp step) {
  Block &block = step.front();
  Operation *terminator = block.getTerminator();
  OpBuilder builder(step.getContext());
  Location loc = NameLoc::get(builder.getStringAttr("delayed_scaling"));
  unsigned argument = step.getNumArguments() - histories.size();
  SmallVector<ScaledHistory> scaled;
  for (History &history : histories) {
    Value earlier = step.getArgument(argument++);
    builder.setInsertionPointToStart(&block);
    auto scales = HistoryScaleOp::create(
        builder, loc, earlier, options.getAlgorithm(), history.rows.front());
    SmallVector<Value> amaxes;
    SmallVector<Attribute> names;
    if (DelayedScaleOp op = history.rows.front(); isOfExperts(op)) {
      op->replaceAllUsesWith(scales);
      amaxes.push_back(op.getAmax());
      for (int64_t row = 0; row < countAmaxes(op); ++row)
        names.push_back(
            builder.getStringAttr(op.getTensor() + "." + Twine(row)));
    } else {
      Value all = repeat(builder, loc, scales.getScale());
      Value scaleInvs = repeat(builder, loc, scales.getScaleInv());
      for (auto [row, op] : llvm::enumerate(history.rows)) {
        op.getScale().replaceAllUsesWith(
            getElement(builder, op.getLoc(), all, row));
        op.getScaleInv().replaceAllUsesWith(
            getElement(builder, op.getLoc(), scaleInvs, row));
        amaxes.push_back(op.getAmax());
        names.push_back(op.getTensorAttr());
      }
    }
    builder.setInsertionPoint(terminator);
    auto record =
        RecordAmaxOp::create(builder, loc, history.type,
                             getRecentType(history.type), earlier, amaxes);
    record->setAttr(
        train::kPhase,
        train::PhaseAttr::get(step.getContext(), train::Phase::Optimizer));
    terminator->insertOperands(terminator->getNumOperands(),
                               record.getResult());
    scaled.push_back({scales, record, builder.getArrayAttr(names)});
  }
  return returnAmaxRatios(step, scaled);
}

void CarryAmax::begin(func::FuncOp init) {
  DenseMap<StringAttr, Value> amaxes;
  OpBuilder builder(init.getContext());
  for (DelayedScaleOp op :
       llvm::make_early_inc_range(init.getOps<DelayedScaleOp>())) {
    amaxes[op.getTensorAttr()] = op.getAmax();
    builder.setInsertionPoint(op);
    auto scale = UpdateScaleOp::create(
        builder, op.getLoc(), op.getScale().getType(),
        op.getScaleInv().getType(), op.getAmax(),
        isOfExperts(op) ? Scaling::Row : Scaling::TensorCurrent, op.getFormat(),
        op.getEpsilon(), op.getMargin(), op.getPowerOfTwo());
    op->replaceAllUsesWith(scale);
    op.erase();
  }
  Operation *terminator = init.front().getTerminator();
  builder.setInsertionPoint(terminator);
  Location loc = init.getLoc();
  auto getZeros = [&](RankedTensorType type) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(cast<ShapedType>(type),
                               builder.getF32FloatAttr(0)));
  };
  // By type of the amaxes.
  DenseMap<Type, Value> nothing;
  for (History &history : histories) {
    SmallVector<Value> first;
    for (DelayedScaleOp op : history.rows) {
      Value amax = amaxes.lookup(op.getTensorAttr());
      if (!amax) {
        auto type = cast<RankedTensorType>(op.getAmax().getType());
        Value &zeros = nothing[type];
        if (!zeros)
          zeros = getZeros(type);
        amax = zeros;
      }
      first.push_back(amax);
    }
    terminator->insertOperands(terminator->getNumOperands(),
                               RecordAmaxOp::create(builder, loc, history.type,
                                                    getRecentType(history.type),
                                                    getZeros(history.type),
                                                    first)
                                   .getResult());
  }
}

void CarryAmax::runOnOperation() {
  options = getAmaxOptions(getOperation());
  histories.clear();
  func::FuncOp step = findEntry(getOperation(), Entry::Step);
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    auto delayed = function.getOps<DelayedScaleOp>();
    // carry_amax_c2
    if (!delayed.empty() && function != step &&
        !(step && getEntry(function) == Entry::Init)) {
      (*delayed.begin())
              .emitOpError("delayed scaling must be in a step, which keeps the "
                           "histories, but got @")
          << function.getName();
      return signalPassFailure();
    }
  }
  getOperation()->removeAttr(kAmax);
  if (failed(getStepGraph(getOperation())))
    return signalPassFailure();
  if (failed(collect(step)))
    return signalPassFailure();
  if (histories.empty() && !findEntry(getOperation(), Entry::Init))
    return;

  func::FuncOp init = getOrCreateInit(step);
  if (failed(extendSignatures(step, init)))
    return signalPassFailure();
  if (failed(carryThrough(step)))
    return signalPassFailure();
  begin(init);
  for (History &history : histories)
    for (DelayedScaleOp op : history.rows)
      op.erase();
}
