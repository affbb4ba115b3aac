//===- MemoryReport.cpp - memory of a planned module ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects what a planned module has in memory, for the memory report. State,
// inputs and outputs are listed once for each place. The workspace is a
// timeline: for each function, which value has which bytes from which command
// to which. It is read from the placements, not from the planner's intervals: a
// result that lies over an operand ends that operand's entry, and operands of a
// concatenation are one entry. Each entry is classified by the phases that
// compute it and read it last: computed forward and last read backward is an
// activation, computed backward and last read by the optimizer is a weight
// gradient.
//
//===----------------------------------------------------------------------===//
#include "prec/Schedule/MemoryReport.h"

#include "Schedule/Memory/Lifetimes.h"

#include "Schedule/Memory/ArenaPacking.h"
#include "prec/Schedule/CommandName.h"
#include "prec/Support/Files.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace prec;
using sched::PlacementAttr;
using sched::Segment;
using train::Phase;
using train::Role;

static std::string printType(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t size : cast<RankedTensorType>(type).getShape())
    os << size << 'x';
  os << cast<RankedTensorType>(type).getElementType();
  return text;
}

static BufferClass classifyArgument(func::FuncOp function, unsigned index) {
  auto role = function.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
  if (!role)
    return BufferClass::OtherState;
  switch (role.getValue()) {
  case Role::Parameter:
  case Role::FrozenParameter:
    return BufferClass::Parameters;
  case Role::OptimizerState:
    return BufferClass::OptimizerState;
  case Role::WorkWeight:
    return BufferClass::WorkWeights;
  case Role::StagedParameter:
    return BufferClass::StagedParameters;
  default:
    return getSegment(function, index) == Segment::State
               ? BufferClass::OtherState
               : BufferClass::InputsAndOutputs;
  }
}

static BufferClass classifyValue(Phase computed, Phase lastRead) {
  if (computed == Phase::Recompute)
    return BufferClass::RecomputedActivations;
  if (computed == Phase::Forward &&
      (lastRead == Phase::Backward || lastRead == Phase::Recompute))
    return BufferClass::Activations;
  if (computed == Phase::Backward && lastRead == Phase::Optimizer)
    return BufferClass::WeightGradients;
  return BufferClass::Temporaries;
}

/// "layers.0.up.weight.exp_avg"; where there is no path, the number.
static std::string getArgumentName(func::FuncOp function, unsigned index) {
  std::string name;
  for (StringRef attribute : {train::kPath, train::kSlot}) {
    auto text = function.getArgAttrOfType<StringAttr>(index, attribute);
    if (!text || StringRef(name).ends_with(text.getValue()))
      continue;
    name += name.empty() ? "" : ".";
    name += text.getValue();
  }
  return name.empty() ? "argument " + std::to_string(index) : name;
}

static std::vector<ResidentBuffer>
collectResidents(ArrayRef<func::FuncOp> functions,
                 const SegmentLayout &layout) {
  std::vector<ResidentBuffer> residents;
  DenseSet<Attribute> known;
  auto add = [&](PlacementAttr place, Type type, BufferClass what,
                 std::string name) {
    if (place.getSegment() != Segment::Workspace && known.insert(place).second)
      residents.push_back({what, std::move(name), printType(type),
                           sched::stringifySegment(place.getSegment()),
                           place.getOffset(), getByteSize(type)});
  };
  for (func::FuncOp function : functions)
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      add(layout.getArgument(function, index), type,
          classifyArgument(function, index), getArgumentName(function, index));
  // What is donated has a place already.
  for (func::FuncOp function : functions)
    for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
      auto path = function.getResultAttrOfType<StringAttr>(index, train::kPath);
      add(layout.getResult(function, index), type,
          BufferClass::InputsAndOutputs,
          path ? path.str() : "result " + std::to_string(index));
    }
  return residents;
}

namespace {

/// Follows the bytes of a function's workspace from value to value.
class TimelineBuilder {
public:
  TimelineBuilder(func::FuncOp function, const SegmentLayout &layout)
      : function(function), layout(layout), lifetimes(function) {}

  FunctionTimeline build();

private:
  void addStaged();
  void addResult(OpResult result, uint32_t position);
  void endOverwritten(Operation *op, PlacementAttr place, uint32_t position);

  func::FuncOp function;
  const SegmentLayout &layout;
  Lifetimes lifetimes;
  FunctionTimeline timeline;
  /// Of the value, or the join, whose bytes they are.
  DenseMap<Value, unsigned> bufferOf;
};

} // namespace

void TimelineBuilder::addStaged() {
  int64_t bytes = getStagedSize(function);
  if (bytes > 0 && lifetimes.getEnd() > 0)
    timeline.buffers.push_back({BufferClass::StagedParameters,
                                "",
                                0,
                                bytes,
                                {0, uint32_t(lifetimes.getEnd() - 1)}});
  timeline.arenaBytes = bytes;
}

/// A result computed over an operand takes its bytes from there on.
void TimelineBuilder::endOverwritten(Operation *op, PlacementAttr place,
                                     uint32_t position) {
  for (Value operand : op->getOperands()) {
    Value root = getStorageRoot(operand);
    auto known = bufferOf.find(root);
    if (known == bufferOf.end() || getPlacement(layout, root) != place)
      continue;
    TimelineBuffer &buffer = timeline.buffers[known->second];
    if (buffer.live.last == position && buffer.live.first < position)
      buffer.live.last = position - 1;
  }
}

void TimelineBuilder::addResult(OpResult result, uint32_t position) {
  PlacementAttr place = getPlacement(layout, result);
  if (place.getSegment() != Segment::Workspace)
    return;
  Value root = result;
  if (result.hasOneUse() && isJoin(*result.user_begin()))
    root = result.user_begin()->getResult(0);
  endOverwritten(result.getOwner(), place, position);
  if (!bufferOf.try_emplace(root, timeline.buffers.size()).second)
    return;
  int64_t bytes = getByteSize(root.getType());
  auto last = std::min(lifetimes.getLastRead(result), lifetimes.getEnd() - 1);
  int64_t offset = getPlacement(layout, root).getOffset();
  timeline.arenaBytes =
      std::max(timeline.arenaBytes,
               int64_t(llvm::alignTo(offset + bytes, kPlacementAlignment)));
  ArrayRef<Operation *> operations = lifetimes.getOperations();
  BufferClass what = classifyValue(train::getPhase(operations[position]),
                                   train::getPhase(operations[last]));
  timeline.buffers.push_back({what,
                              printType(root.getType()),
                              offset,
                              bytes,
                              {position, uint32_t(last)}});
}

FunctionTimeline TimelineBuilder::build() {
  timeline.function = function.getName();
  addStaged();
  ArrayRef<Operation *> operations = lifetimes.getOperations();
  for (auto [position, op] : llvm::enumerate(operations)) {
    timeline.commands.push_back({getCommandName(op), getModulePath(op).str(),
                                 train::stringifyPhase(train::getPhase(op))});
    for (OpResult result : op->getResults())
      addResult(result, position);
  }
  std::vector<LiveInterval> intervals;
  for (const TimelineBuffer &buffer : timeline.buffers)
    intervals.push_back({buffer.live.first, buffer.live.last, buffer.bytes});
  timeline.liveBytes =
      getLiveBytes(intervals, operations.size(), kPlacementAlignment);
  return std::move(timeline);
}

MemoryTimeline prec::makeMemoryTimeline(ModuleOp module) {
  SmallVector<func::FuncOp> functions = getScheduledFunctions(module);
  SegmentLayout layout(module);
  MemoryTimeline timeline;
  for (Segment segment : {Segment::State, Segment::Input, Segment::Output})
    timeline.segments.emplace_back(sched::stringifySegment(segment),
                                   layout.getSize(segment));
  timeline.segments.emplace_back(sched::stringifySegment(Segment::Workspace),
                                 getWorkspaceSize(module));
  timeline.residents = collectResidents(functions, layout);
  for (func::FuncOp function : functions)
    timeline.functions.push_back(TimelineBuilder(function, layout).build());
  return timeline;
}

llvm::Error prec::writeMemoryReport(StringRef fileName, ModuleOp module) {
  MemoryTimeline timeline = makeMemoryTimeline(module);
  return writeFileAtomically(fileName, [&](raw_ostream &os) {
    if (fileName.ends_with(".html"))
      writeTimelinePage(os, timeline);
    else
      writeTimeline(os, timeline);
    os << '\n';
  });
}
