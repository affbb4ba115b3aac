//===- PlanMemory.cpp - place every value of scheduled functions ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places every value of the scheduled functions, in two steps for each
// function. First the returned values: each must end up at the place that its
// signature says. It is computed straight into that place if nothing there is
// read later; else it is computed in the workspace and copied as soon as the
// place is free. Arguments that are returned elsewhere are all saved before any
// is overwritten. Then the workspace: every other value gets an interval from
// its definition to its last read. A result that may overwrite an operand at
// its last read extends the interval of the operand, and operands of a
// concatenation share one interval. ArenaPacking.cpp turns intervals into
// offsets. VerifySchedule.cpp checks the result without using any of this. Time
// is O(n log n) in the values.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Memory/InPlace.h"
#include "Schedule/Memory/Lifetimes.h"

#include "Schedule/Memory/ArenaPacking.h"
#include "prec/Schedule/MemoryReport.h"
#include "prec/Schedule/Passes.h"

namespace prec {
#define GEN_PASS_DEF_PLANMEMORY
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;
using sched::PlacementAttr;
using sched::Segment;

namespace {

class FunctionPlanner {
public:
  FunctionPlanner(func::FuncOp function, const SegmentLayout &layout)
      : function(function), layout(layout), builder(function.getContext()) {}

  void run() {
    placeResults();
    placeWorkspace();
  }

private:
  void placeResults();
  bool canLiveAt(Value root, PlacementAttr place, const Lifetimes &lifetimes);
  bool canBeFixedAt(Value root, PlacementAttr place,
                    const Lifetimes &lifetimes);
  void fixAt(Value root, PlacementAttr place);
  void copyResult(OpOperand &returned, const Lifetimes &lifetimes);
  void copyArguments(ArrayRef<OpOperand *> returned);
  Value createCopy(Value value);

  void placeWorkspace();
  void permitInPlace(sched::DispatchOp dispatch, int64_t position,
                     const Lifetimes &lifetimes);
  unsigned getInterval(OpResult result, int64_t position,
                       const Lifetimes &lifetimes);
  unsigned getJoinInterval(OpResult piece, Operation *join, int64_t position,
                           const Lifetimes &lifetimes);
  void placeOperation(Operation *op);

  func::FuncOp function;
  const SegmentLayout &layout;
  OpBuilder builder;

  /// Places of results of prec_sched operations outside the workspace.
  DenseMap<Value, PlacementAttr> fixed;
  /// The argument that is at a place when the function starts.
  DenseMap<PlacementAttr, Value> occupants;

  std::vector<LiveInterval> intervals;
  /// The last value computed into an interval.
  std::vector<Value> holders;
  DenseMap<Value, unsigned> intervalOf;
  DenseMap<Operation *, unsigned> intervalOfJoin;
  /// Of pieces within the interval of their join.
  DenseMap<Value, int64_t> offsetInJoin;
};

} // namespace

Value FunctionPlanner::createCopy(Value value) {
  auto copy = sched::CopyOp::create(builder, value.getLoc(), value.getType(),
                                    value, IntegerAttr(), ArrayAttr());
  if (Operation *made = value.getDefiningOp())
    train::copyProvenance(made, copy);
  return copy;
}

/// Whether a value is all of its storage root.
static bool isWhole(Value value) {
  return getByteSize(value.getType()) ==
         getByteSize(getStorageRoot(value).getType());
}

/// A result may be computed straight into its place once nobody reads what is
/// there any more, or if it may overwrite it while reading it.
bool FunctionPlanner::canLiveAt(Value root, PlacementAttr place,
                                const Lifetimes &lifetimes) {
  Value occupant = occupants.lookup(place);
  if (!occupant)
    return true;
  int64_t lastRead = lifetimes.getLastRead(occupant);
  int64_t definition = lifetimes.getDefinition(root);
  if (lastRead != definition)
    return lastRead < definition;
  std::optional<unsigned> operand = getOverwritableOperand(
      root.getDefiningOp(), cast<OpResult>(root).getResultNumber());
  return operand &&
         getStorageRoot(root.getDefiningOp()->getOperand(*operand)) == occupant;
}

/// The root that `root` is added to, wherever that is; null if it has bytes of
/// its own.
static Value getTable(Value root) {
  auto dispatch = root.getDefiningOp<sched::DispatchOp>();
  if (!dispatch || dispatch.getFamily() != sched::Family::ScatterAdd)
    return {};
  std::optional<unsigned> table = getOverwritableOperand(dispatch, 0);
  return table ? getStorageRoot(dispatch->getOperand(*table)) : Value();
}

/// Whether all pieces of `root` may be computed into their places.
bool FunctionPlanner::canBeFixedAt(Value root, PlacementAttr place,
                                   const Lifetimes &lifetimes) {
  // Computed there before anything is added to it.
  if (Value table = getTable(root))
    return !isa<BlockArgument>(table) && !fixed.contains(root) &&
           canBeFixedAt(table, place, lifetimes);
  SmallVector<Value, 1> pieces = getPieces(root);
  bool isFixed =
      llvm::any_of(pieces, [&](Value piece) { return fixed.contains(piece); });
  if (isFixed || pieces.size() == 1)
    return !isFixed && canLiveAt(root, place, lifetimes);
  Value occupant = occupants.lookup(place);
  return !occupant || llvm::all_of(pieces, [&](Value piece) {
    return lifetimes.getLastRead(occupant) < lifetimes.getDefinition(piece);
  });
}

void FunctionPlanner::fixAt(Value root, PlacementAttr place) {
  if (Value table = getTable(root))
    fixAt(table, place);
  for (auto [piece, part] :
       llvm::zip(getPieces(root), getPiecePlacements(root, place)))
    fixed[piece] = part;
}

void FunctionPlanner::copyResult(OpOperand &returned,
                                 const Lifetimes &lifetimes) {
  Value value = returned.get();
  PlacementAttr place = layout.getResult(function, returned.getOperandNumber());
  Value occupant = occupants.lookup(place);
  int64_t position = lifetimes.getDefinition(getStorageRoot(value));
  if (occupant)
    position = std::max(position, lifetimes.getLastRead(occupant));
  // As early as the place is free, so that the source's bytes are too.
  if (value == getStorageRoot(value) && !isJoin(value.getDefiningOp()) &&
      position < lifetimes.getEnd())
    builder.setInsertionPointAfter(lifetimes.getOperations()[position]);
  else
    builder.setInsertionPoint(returned.getOwner());
  Value copy = createCopy(value);
  fixed[copy] = place;
  returned.set(copy);
}

/// Arguments returned under another name are all copied out before any is
/// overwritten: two may be exchanged.
void FunctionPlanner::copyArguments(ArrayRef<OpOperand *> returned) {
  builder.setInsertionPoint(function.front().getTerminator());
  SmallVector<Value> saved = llvm::map_to_vector(
      returned, [&](OpOperand *operand) { return createCopy(operand->get()); });
  for (auto [operand, value] : llvm::zip_equal(returned, saved)) {
    Value copy = createCopy(value);
    fixed[copy] = layout.getResult(function, operand->getOperandNumber());
    operand->set(copy);
  }
}

void FunctionPlanner::placeResults() {
  Lifetimes lifetimes(function);
  for (BlockArgument argument : function.getArguments())
    occupants[layout.getArgument(function, argument.getArgNumber())] = argument;

  SmallVector<OpOperand *> arguments, copies;
  for (OpOperand &returned :
       function.front().getTerminator()->getOpOperands()) {
    Value root = getStorageRoot(returned.get());
    PlacementAttr place =
        layout.getResult(function, returned.getOperandNumber());
    if (isa<BlockArgument>(getPieces(root).front())) {
      if (getPlacement(layout, returned.get()) != place ||
          !isWhole(returned.get()))
        arguments.push_back(&returned);
    } else if (isWhole(returned.get()) &&
               canBeFixedAt(root, place, lifetimes)) {
      fixAt(root, place);
    } else {
      copies.push_back(&returned);
    }
  }
  copyArguments(arguments);
  for (OpOperand *returned : copies)
    copyResult(*returned, lifetimes);
}

/// Declares in place what a dispatch can compute over an input that dies
/// there: large gradients need not be there twice.
void FunctionPlanner::permitInPlace(sched::DispatchOp dispatch,
                                    int64_t position,
                                    const Lifetimes &lifetimes) {
  SmallVector<int64_t> inplace(dispatch.getInplace());
  inplace.resize(dispatch.getNumResults(), -1);
  for (OpResult result : dispatch.getResults()) {
    int64_t &declared = inplace[result.getResultNumber()];
    if (declared >= 0 || fixed.contains(result))
      continue;
    for (auto [index, input] : llvm::enumerate(dispatch.getInputs())) {
      Value root = getStorageRoot(input);
      if (input.getType() == result.getType() && intervalOf.contains(root) &&
          lifetimes.getLastRead(root) == position &&
          !llvm::is_contained(inplace, int64_t(index)) &&
          couldOverwrite(result, index)) {
        declared = index;
        break;
      }
    }
  }
  dispatch.setInplace(inplace);
}

/// The interval that holds a workspace result: that of a dying operand which it
/// may overwrite, or a new one.
unsigned FunctionPlanner::getInterval(OpResult result, int64_t position,
                                      const Lifetimes &lifetimes) {
  Operation *op = result.getOwner();
  int64_t lastRead = lifetimes.getLastRead(result);
  int64_t bytes = getByteSize(result.getType());
  if (std::optional<unsigned> operand =
          getOverwritableOperand(op, result.getResultNumber())) {
    Value root = getStorageRoot(op->getOperand(*operand));
    auto shared = intervalOf.find(root);
    if (shared != intervalOf.end() && lifetimes.getLastRead(root) == position &&
        holders[shared->second] == root &&
        intervals[shared->second].bytes == bytes) {
      intervals[shared->second].last = lastRead;
      holders[shared->second] = result;
      return shared->second;
    }
  }
  intervals.push_back({position, lastRead, bytes});
  holders.push_back(result);
  return intervals.size() - 1;
}

/// All pieces of a join share an interval that begins with the first.
unsigned FunctionPlanner::getJoinInterval(OpResult piece, Operation *join,
                                          int64_t position,
                                          const Lifetimes &lifetimes) {
  auto [interval, isNew] = intervalOfJoin.insert({join, intervals.size()});
  if (isNew) {
    intervals.push_back({position, lifetimes.getLastRead(piece),
                         getByteSize(join->getResult(0).getType())});
    holders.push_back(join->getResult(0));
    int64_t offset = 0;
    for (Value operand : join->getOperands()) {
      offsetInJoin[operand] = offset;
      offset += getByteSize(operand.getType());
    }
  }
  return interval->second;
}

void FunctionPlanner::placeWorkspace() {
  Lifetimes lifetimes(function);
  ArrayRef<Operation *> operations = lifetimes.getOperations();
  for (auto [position, op] : llvm::enumerate(operations)) {
    if (auto dispatch = dyn_cast<sched::DispatchOp>(op))
      permitInPlace(dispatch, position, lifetimes);
    for (OpResult result : op->getResults()) {
      if (fixed.contains(result))
        continue;
      Operation *reader = result.hasOneUse() ? *result.user_begin() : nullptr;
      intervalOf[result] =
          isJoin(reader) ? getJoinInterval(result, reader, position, lifetimes)
                         : getInterval(result, position, lifetimes);
    }
  }

  ArenaPacking packing = packArena(intervals, kPlacementAlignment);
  int64_t start = getStagedSize(function);
  for (auto [value, interval] : intervalOf)
    fixed[value] = PlacementAttr::get(function.getContext(), Segment::Workspace,
                                      start + packing.offsets[interval] +
                                          offsetInJoin.lookup(value));
  for (Operation *op : operations)
    placeOperation(op);
}

/// Afterwards `inplace` says what happens, no longer what may.
void FunctionPlanner::placeOperation(Operation *op) {
  setPlacements(op, llvm::map_to_vector(op->getResults(), [&](Value result) {
                  return Attribute(fixed.at(result));
                }));
  auto dispatch = dyn_cast<sched::DispatchOp>(op);
  if (!dispatch || dispatch.getInplace().empty())
    return;
  SmallVector<int64_t> inplace(dispatch.getInplace());
  for (auto [index, input] : llvm::enumerate(inplace))
    if (input >= 0 && getPlacement(layout, dispatch.getInputs()[input]) !=
                          fixed.at(dispatch.getResult(index)))
      input = -1;
  dispatch.setInplace(inplace);
}

namespace {

struct PlanMemory : prec::impl::PlanMemoryBase<PlanMemory> {
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions = getScheduledFunctions(getOperation());
    for (func::FuncOp function : functions)
      if (failed(checkScheduledForm(function)) ||
          failed(checkUnplanned(function)))
        return signalPassFailure();

    SegmentLayout layout(getOperation());
    int64_t id = 0;
    for (func::FuncOp function : functions) {
      FunctionPlanner(function, layout).run();
      for (Operation *op : getSchedOperations(function))
        setId(op, id++);
    }
    if (report.empty())
      return;
    if (llvm::Error error = writeMemoryReport(report, getOperation())) {
      getOperation().emitError("report must be a file that can be written: ")
          << llvm::toString(std::move(error));
      signalPassFailure();
    }
  }

private:
  static LogicalResult checkUnplanned(func::FuncOp function) {
    for (Operation *op : getSchedOperations(function))
      if (getPlacements(op))
        return op->emitOpError("memory must be planned once, but got "
                               "placements already");
    return success();
  }
};

} // namespace
