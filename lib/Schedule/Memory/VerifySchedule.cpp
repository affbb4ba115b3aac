//===- VerifySchedule.cpp - check placements by running the program -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a memory plan by running the program on memory that knows only which
// value owns which bytes. Arguments own their places at the start. Each command
// must find that its operands still own their bytes, then its results become
// the owners of theirs; in the end returned values must own the places where
// they are due. A plan that lets two live values overlap fails at the first
// command that reads an overwritten one. The check does not use the lifetimes
// and intervals of the planner, so a mistake there shows here. It does share
// InPlace.cpp and the layout of the segments. The comments c1 to c18 number the
// rules; VerifyBuckets.cpp has the last three.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Memory/ByteOwners.h"
#include "Schedule/Memory/InPlace.h"
#include "Schedule/Memory/Lifetimes.h"
#include "Schedule/Memory/VerifyBuckets.h"

#include "prec/Dialect/Train/Graph.h"
#include "prec/Dialect/Train/Ranks.h"
#include "prec/Schedule/Passes.h"

namespace prec {
#define GEN_PASS_DEF_VERIFYSCHEDULE
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;
using sched::PlacementAttr;
using sched::Segment;

namespace {

/// Runs one function on memory that knows only who owns which bytes. It does
/// not share the planner's liveness, so a mistake there shows here.
class ScheduleChecker {
public:
  ScheduleChecker(func::FuncOp function, const SegmentLayout &layout)
      : function(function), layout(layout) {}

  LogicalResult run(int64_t &lastId);

private:
  LogicalResult checkPlan(Operation *op, int64_t &lastId);
  LogicalResult checkReads(Operation *op);
  LogicalResult checkResult(OpResult result);
  LogicalResult checkInPlace(sched::DispatchOp dispatch);
  LogicalResult checkReturn();

  PlacementAttr getPlace(Value value) const {
    return getPlacement(layout, value);
  }
  static ByteRange getRange(PlacementAttr place, Value value) {
    return {unsigned(place.getSegment()), place.getOffset(),
            getByteSize(value.getType())};
  }
  ByteRange getRange(Value value) const {
    return getRange(getPlace(value), value);
  }

  func::FuncOp function;
  const SegmentLayout &layout;
  llvm::DenseSet<PlacementAttr> due;
  ByteOwners owners;
};

} // namespace

LogicalResult ScheduleChecker::run(int64_t &lastId) {
  // c1
  if (failed(checkScheduledForm(function)) || failed(checkBuckets(function)))
    return failure();
  for (OpOperand &returned : function.front().getTerminator()->getOpOperands())
    for (PlacementAttr place : getPiecePlacements(
             getStorageRoot(returned.get()),
             layout.getResult(function, returned.getOperandNumber())))
      due.insert(place);
  for (BlockArgument argument : function.getArguments())
    owners.write(getRange(argument), argument);
  for (Operation *op : getSchedOperations(function)) {
    if (failed(checkPlan(op, lastId)) || failed(checkReads(op)))
      return failure();
    for (OpResult result : op->getResults())
      if (failed(checkResult(result)))
        return failure();
    for (Value result : op->getResults())
      owners.write(getRange(result), result);
    if (auto dispatch = dyn_cast<sched::DispatchOp>(op))
      if (failed(checkInPlace(dispatch)))
        return failure();
  }
  return checkReturn();
}

LogicalResult ScheduleChecker::checkPlan(Operation *op, int64_t &lastId) {
  // c2
  if (!getId(op) || !getPlacements(op))
    return op->emitOpError("a planned operation must have an id and "
                           "placements, but got ")
           << (getId(op) ? "no placements" : "no id");
  // c3
  if (getId(op).getInt() <= lastId)
    return op->emitOpError("ids must ascend in program order, but got ")
           << getId(op).getInt() << " after " << lastId;
  lastId = getId(op).getInt();
  for (auto place : getPlacements(op).getAsRange<PlacementAttr>()) {
    // c4
    if (place.getOffset() < 0 || place.getOffset() % kPlacementAlignment != 0)
      return op->emitOpError("offsets must be multiples of ")
             << kPlacementAlignment << ", but got " << place.getOffset();
    // c5
    if (place.getSegment() != Segment::Workspace && !due.contains(place))
      return op->emitOpError("a value outside the workspace must be where a "
                             "result of the function is due, but got ")
             << place;
  }
  return success();
}

LogicalResult ScheduleChecker::checkReads(Operation *op) {
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    Value root = getStorageRoot(operand);
    int64_t offset = getPlace(root).getOffset();
    for (Value piece : getPieces(root)) {
      ByteRange range = getRange(piece);
      // c13
      if (range.segment != unsigned(getPlace(root).getSegment()) ||
          range.offset != offset)
        return op->emitOpError("the pieces of operand ")
               << index
               << " must lie one behind the other, but one is expected at "
               << offset << " and is at " << getPlace(piece);
      offset += range.bytes;
      // c8
      if (owners.isOwner(range, piece))
        continue;
      auto diagnostic =
          op->emitOpError("operand ")
          << index << " must still be there, but its bytes were overwritten";
      diagnostic.attachNote(piece.getLoc()) << "computed here";
      return diagnostic;
    }
  }
  return success();
}

LogicalResult ScheduleChecker::checkResult(OpResult result) {
  Operation *op = result.getOwner();
  ByteRange range = getRange(result);
  for (Value earlier : op->getResults().take_front(result.getResultNumber()))
    // c6
    if (range.overlaps(getRange(earlier)))
      return op->emitOpError("results must not overlap, but got ")
             << getPlace(earlier) << " and " << getPlace(result);
  std::optional<unsigned> overwritable =
      getOverwritableOperand(op, result.getResultNumber());
  for (OpOperand &operand : op->getOpOperands()) {
    Value root = getStorageRoot(operand.get());
    if (!range.overlaps(getRange(root)))
      continue;
    // c7
    if (overwritable != operand.getOperandNumber() ||
        getPlace(root) != getPlace(result))
      return op->emitOpError("result ")
             << result.getResultNumber()
             << " must not overwrite an operand that is still read, but got "
                "operand "
             << operand.getOperandNumber() << " at " << getPlace(root)
             << " and the result at " << getPlace(result);
  }
  return success();
}

LogicalResult ScheduleChecker::checkInPlace(sched::DispatchOp dispatch) {
  for (auto [index, input] : llvm::enumerate(dispatch.getInplace())) {
    if (input < 0)
      continue;
    // c9
    PlacementAttr from = getPlace(dispatch.getInputs()[input]);
    PlacementAttr to = getPlace(dispatch.getResult(index));
    if (from != to)
      return dispatch.emitOpError(
                 "a result computed in place must be where its "
                 "input is, but got ")
             << to << " and " << from;
  }
  return success();
}

LogicalResult ScheduleChecker::checkReturn() {
  Operation *terminator = function.front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    Value root = getStorageRoot(value);
    PlacementAttr place = layout.getResult(function, index);
    bool isThere = llvm::all_of(
        llvm::zip(getPieces(root), getPiecePlacements(root, place)),
        [&](auto pair) {
          auto [piece, part] = pair;
          return owners.isOwner(getRange(part, piece), piece);
        });
    // c10
    if (!isThere)
      return terminator->emitOpError("result ")
             << index << " must be at " << place
             << " when the function returns, but "
             << (getPlace(root) == place ? "was overwritten there"
                                         : "is elsewhere");
  }
  for (BlockArgument argument : function.getArguments())
    // c11
    if (!due.contains(getPlace(argument)) &&
        !owners.isOwner(getRange(argument), argument))
      return terminator->emitOpError("argument ")
             << argument.getArgNumber()
             << " must keep its value, but was overwritten and nothing is "
                "donated to it";
  return success();
}

/// c12: the layout gives arguments of one name the same bytes.
static LogicalResult checkNames(ArrayRef<func::FuncOp> functions,
                                const SegmentLayout &layout) {
  DenseMap<PlacementAttr, Type> types;
  for (func::FuncOp function : functions) {
    auto check = [&](PlacementAttr place, Type type) -> LogicalResult {
      // What is staged there one after the other has different names.
      if (place.getSegment() == Segment::Workspace)
        return success();
      auto [entry, isNew] = types.try_emplace(place, type);
      if (isNew || entry->second == type)
        return success();
      return function.emitOpError("arguments and results of one name must have "
                                  "one type, but got ")
             << entry->second << " and " << type;
    };
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      if (failed(check(layout.getArgument(function, index), type)))
        return failure();
    for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
      if (failed(check(layout.getResult(function, index), type)))
        return failure();
  }
  return success();
}

/// What has roles is for the runtime, which runs graphs.
static LogicalResult checkIsGraph(func::FuncOp function) {
  bool hasRoles =
      llvm::any_of(llvm::seq(function.getNumArguments()), [&](unsigned i) {
        return bool(function.getArgAttr(i, train::kRole));
      });
  // c14
  if (hasRoles && !function.isExternal() && !train::isGraph(function))
    return function.emitOpError(
               "a function whose arguments have roles must be one block of "
               "operations "
               "on tensors of static shape, without regions, but @")
           << function.getName() << " is not";
  return success();
}

/// That the module has the ranks of an exchange.
static LogicalResult checkRanks(sched::ExchangeOp op, DictionaryAttr mesh) {
  auto slices = cast<RankedTensorType>(
      op.getKind() == train::ExchangeKind::AllGather ? op.getResult().getType()
                                                     : op.getInput().getType());
  // c15
  if (train::getAxisSize(mesh, op.getAxis()) != slices.getDimSize(0))
    return op.emitOpError("an exchange must be of the ranks of an axis of the "
                          "module's mesh, but got ")
           << slices.getDimSize(0) << " over '" << op.getAxis()
           << "' and the mesh "
           << (mesh ? mesh : DictionaryAttr::get(op.getContext()));
  return success();
}

namespace {

struct VerifySchedule : prec::impl::VerifyScheduleBase<VerifySchedule> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions = getScheduledFunctions(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(checkIsGraph(function)))
        return signalPassFailure();
    auto mesh = getOperation()->getAttrOfType<DictionaryAttr>(train::kMesh);
    for (func::FuncOp function : functions)
      for (auto exchange : function.getOps<sched::ExchangeOp>())
        if (failed(checkRanks(exchange, mesh)))
          return signalPassFailure();
    SegmentLayout layout(getOperation());
    if (failed(checkNames(functions, layout)))
      return signalPassFailure();
    int64_t lastId = -1;
    for (func::FuncOp function : functions)
      if (failed(ScheduleChecker(function, layout).run(lastId)))
        return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
