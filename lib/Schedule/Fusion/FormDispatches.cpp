//===- FormDispatches.cpp - primitives become dispatches ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that turns primitives into dispatches and library calls. It erases
// dead operations, brings reductions into a form that kernels compute
// (NormalizeReduction.cpp), translates the function into a plain graph
// (FusionGraph.cpp), and lets formUnits group the nodes. Then it rewrites the
// function: it collects the operations of each unit and what they read, sorts
// the units topologically, earliest in the program first, and emits each one in
// front of the terminator. A dispatch gets clones of its operations, so an
// operation that several units compute again is cloned into each. When all
// units are emitted, nothing reads the old operations and they are erased. Time
// is linear in the size of all bodies, times a logarithm for the order.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Fusion/Fusion.h"
#include "Schedule/Fusion/UnitOrder.h"
#include "Schedule/Fusion/NormalizeReduction.h"
#include "prec/Dialect/Train/Graph.h"
#include "prec/Dialect/Train/Ranks.h"
#include "prec/Dialect/Sched/Sched.h"
#include "Schedule/Fusion/FusionGraph.h"
#include "prec/Schedule/GraphOps.h"
#include "prec/Schedule/MemoryPlan.h"
#include "prec/Schedule/Passes.h"
#include "prec/Target/TargetRegistry.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Support/PassCounts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace prec {
#define GEN_PASS_DEF_FORMDISPATCHES
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

static void removeProvenance(Operation *op) {
  for (StringRef name : {StringRef(train::kPhase), StringRef(train::kSeq),
                         StringRef(train::kGraphOp)})
    op->removeAttr(name);
}

/// A dispatch lists the operations of the graph that it computes, and what is
/// no dispatch is one.
static void passProvenance(Operation *from, Operation *to) {
  train::copyProvenance(from, to);
  to->removeAttr(train::kGraphOp);
  train::copySentAs(from, to);
}

namespace {

/// The operations of one unit in block order and what they read from outside.
struct UnitBody {
  SmallVector<Operation *> operations;
  llvm::SetVector<Value> inputs;
};

/// Rewrites one function.
class DispatchFormer {
public:
  DispatchFormer(func::FuncOp function, FusionGraph graph,
                 const ScheduleModel &machine, bool sumsWait)
      : function(function), graph(std::move(graph)),
        units(formUnits(this->graph.nodes, machine, sumsWait)),
        builder(function.getContext()) {}

  void run();

private:
  SmallVector<unsigned> membersOf(unsigned unit) const;
  UnitBody collect(unsigned unit) const;
  std::vector<unsigned> orderUnits() const;
  void emit(unsigned unit);
  void emitDispatch(unsigned unit);
  void emitAlone(Operation *op, sched::Family family, StringRef what,
                 ValueRange inputs, ArrayRef<int64_t> inplace);
  void emitScatterAdd(train::ScatterAddOp op);
  void emitBarrier(Operation *op, Value init = {});
  /// The already emitted value that stands for `value`; views are rebuilt.
  Value materialized(Value value);
  SmallVector<int64_t> inplaceInputs(ArrayRef<Value> results,
                                     const UnitBody &body, unsigned unit);
  std::string nameOf(Operation *op, StringRef what);

  func::FuncOp function;
  FusionGraph graph;
  FusionResult units;
  OpBuilder builder;
  std::vector<UnitBody> bodies;
  std::vector<unsigned> order;
  llvm::DenseSet<Value> needed;
  llvm::DenseMap<Value, unsigned> lastReader;
  /// The arguments to which a returned value is donated.
  llvm::DenseMap<Value, SmallVector<Value, 1>> donations;
  IRMapping mapping;
  llvm::StringMap<unsigned> names;
};

} // namespace

/// The nodes of a unit, those of each part in block order.
SmallVector<unsigned> DispatchFormer::membersOf(unsigned unit) const {
  const FusionUnit &it = units.units[unit];
  llvm::SmallDenseSet<unsigned> seen;
  SmallVector<unsigned> members;
  bool solitary = it.kind == UnitKind::Barrier;
  for (auto [index, first] : llvm::enumerate(it.parts)) {
    bool isLast = index + 1 == it.parts.size();
    unsigned end = isLast ? it.roots.size() : it.parts[index + 1];
    SmallVector<unsigned> work(
        ArrayRef<unsigned>(it.roots).slice(first, end - first));
    size_t before = members.size();
    while (!work.empty()) {
      unsigned node = work.pop_back_val();
      if (!seen.insert(node).second)
        continue;
      members.push_back(node);
      for (FusionEdge edge : graph.nodes[node].operands) {
        bool outside = solitary || (units.unitOf[edge.node] >= 0 &&
                                    units.unitOf[edge.node] != int(unit));
        if (!outside && graph.nodes[edge.node].kind != NodeKind::Source)
          work.push_back(edge.node);
      }
    }
    llvm::sort(members.begin() + before, members.end());
  }
  return members;
}

UnitBody DispatchFormer::collect(unsigned unit) const {
  UnitBody body;
  bool solitary = units.units[unit].kind == UnitKind::Barrier;
  llvm::SmallDenseSet<Operation *> inside;
  for (unsigned node : membersOf(unit)) {
    Operation *op = graph.operations[node];
    // A piece of what is in memory is an input, as is all of it.
    bool isPiece = graph.nodes[node].piece && getViewOffset(op) &&
                   !inside.contains(op->getOperand(0).getDefiningOp());
    if (isPiece)
      continue;
    body.operations.push_back(op);
    inside.insert(op);
  }
  for (Operation *op : body.operations)
    for (Value operand : op->getOperands()) {
      Value source = solitary ? getStorageRoot(operand) : operand;
      if (!inside.contains(source.getDefiningOp()))
        body.inputs.insert(source);
    }
  return body;
}

std::vector<unsigned> DispatchFormer::orderUnits() const {
  std::vector<OrderedUnit> ordered(units.units.size());
  for (auto [unit, it] : llvm::enumerate(units.units)) {
    llvm::SetVector<unsigned> reads;
    for (Value input : bodies[unit].inputs)
      if (int from = units.unitOf[graph.nodeOf.at(getStorageRoot(input))];
          from >= 0 && from != int(unit))
        reads.insert(from);
    ordered[unit] = {it.roots.front(),
                     llvm::any_of(it.roots,
                                  [&](unsigned root) {
                                    return graph.nodes[root].recomputed;
                                  }),
                     SmallVector<unsigned, 4>(reads.getArrayRef())};
  }
  return prec::orderUnits(ordered);
}

Value DispatchFormer::materialized(Value value) {
  if (Value done = mapping.lookupOrNull(value))
    return done;
  Operation *view = value.getDefiningOp();
  materialized(view->getOperand(0));
  return builder.clone(*view, mapping)->getResult(0);
}

std::string DispatchFormer::nameOf(Operation *op, StringRef what) {
  std::string name;
  if (auto location = dyn_cast<NameLoc>(op->getLoc()))
    name = location.getName().str() + "/";
  name += what;
  unsigned count = names[name]++;
  return count == 0 ? name : name + "." + std::to_string(count);
}

/// For each result the input it may overwrite, or -1: a donated argument that
/// nobody reads later and that the body reads element by element.
SmallVector<int64_t> DispatchFormer::inplaceInputs(ArrayRef<Value> results,
                                                   const UnitBody &body,
                                                   unsigned unit) {
  SmallVector<int64_t> inplace(results.size(), -1);
  UnitKind kind = units.units[unit].kind;
  if (kind == UnitKind::Column || kind == UnitKind::Barrier)
    return inplace;
  for (auto [result, value] : llvm::enumerate(results))
    for (Value argument : donations.lookup(value)) {
      auto input = llvm::find(body.inputs, argument);
      bool elementwise = llvm::all_of(body.operations, [&](Operation *op) {
        return !llvm::is_contained(op->getOperands(), argument) ||
               op->hasTrait<OpTrait::Elementwise>();
      });
      if (input != body.inputs.end() && elementwise &&
          argument.getType() == value.getType() &&
          lastReader.lookup(argument) == unit)
        inplace[result] = input - body.inputs.begin();
    }
  return inplace;
}

static sched::Family getFamily(UnitKind kind) {
  switch (kind) {
  case UnitKind::Elementwise:
    return sched::Family::Elementwise;
  case UnitKind::Row:
    return sched::Family::Row;
  case UnitKind::Column:
    return sched::Family::Column;
  case UnitKind::Transpose:
    return sched::Family::Transpose;
  case UnitKind::Barrier:
    break;
  }
  llvm_unreachable("a command of its own is no dispatch of several operations");
}

void DispatchFormer::emitDispatch(unsigned unit) {
  const UnitBody &body = bodies[unit];
  SmallVector<Value> results, inputs;
  for (unsigned root : units.units[unit].roots) {
    Value value = graph.operations[root]->getResult(0);
    if (needed.contains(value))
      results.push_back(value);
  }
  if (results.empty())
    return;
  for (Value input : body.inputs)
    inputs.push_back(materialized(input));

  sched::Family family = getFamily(units.units[unit].kind);
  Operation *first = graph.operations[units.units[unit].roots.front()];
  SmallVector<Type> types =
      llvm::map_to_vector(results, [](Value value) { return value.getType(); });
  SmallVector<int64_t> inplace = inplaceInputs(results, body, unit);
  auto dispatch = sched::DispatchOp::create(
      builder, first->getLoc(), types, inputs,
      sched::FamilyAttr::get(builder.getContext(), family),
      builder.getStringAttr(nameOf(first, sched::stringifyFamily(family))),
      builder.getDenseI64ArrayAttr(inplace), FlatSymbolRefAttr(),
      sched::LaunchAttr(),
      builder.getStrArrayAttr(getGraphOps(body.operations)),
      /*order=*/IntegerAttr(), /*id=*/IntegerAttr(), ArrayAttr());
  passProvenance(first, dispatch);

  IRMapping inner;
  Block &block = dispatch.getBody().emplaceBlock();
  for (Value input : body.inputs)
    inner.map(input, block.addArgument(input.getType(), input.getLoc()));
  OpBuilder bodyBuilder = OpBuilder::atBlockEnd(&block);
  for (Operation *op : body.operations) {
    Operation *copy = bodyBuilder.clone(*op, inner);
    removeProvenance(copy);
  }
  SmallVector<Value> yielded = llvm::map_to_vector(
      results, [&](Value value) { return inner.lookup(value); });
  sched::YieldOp::create(bodyBuilder, first->getLoc(), yielded);
  mapping.map(results, dispatch.getResults());
}

/// A dispatch of `op` alone, with `inputs` for its operands.
void DispatchFormer::emitAlone(Operation *op, sched::Family family,
                               StringRef what, ValueRange inputs,
                               ArrayRef<int64_t> inplace) {
  auto dispatch = sched::DispatchOp::create(
      builder, op->getLoc(), op->getResultTypes(), inputs,
      sched::FamilyAttr::get(builder.getContext(), family),
      builder.getStringAttr(nameOf(op, what)),
      builder.getDenseI64ArrayAttr(inplace), FlatSymbolRefAttr(),
      sched::LaunchAttr(), builder.getStrArrayAttr(getGraphOps(op)),
      /*order=*/IntegerAttr(), /*id=*/IntegerAttr(), ArrayAttr());
  passProvenance(op, dispatch);
  Block &block = dispatch.getBody().emplaceBlock();
  for (Value input : inputs)
    block.addArgument(input.getType(), input.getLoc());
  OpBuilder inner = OpBuilder::atBlockEnd(&block);
  Operation *copy = inner.clone(*op);
  copy->setOperands(block.getArguments());
  removeProvenance(copy);
  sched::YieldOp::create(inner, op->getLoc(), copy->getResults());
  mapping.map(op->getResults(), dispatch.getResults());
}

/// The kernel adds into its init: zeros are filled in, and what others still
/// read is copied first.
void DispatchFormer::emitScatterAdd(train::ScatterAddOp op) {
  Value source = getStorageRoot(op.getInit()), init;
  if (matchPattern(source, m_AnyZeroFloat()))
    init = sched::FillOp::create(builder, op.getLoc(), op.getInit().getType(),
                                 IntegerAttr(), ArrayAttr());
  else if (isa<BlockArgument>(source) || !source.hasOneUse())
    init = sched::CopyOp::create(builder, op.getLoc(), op.getInit().getType(),
                                 materialized(op.getInit()), IntegerAttr(),
                                 ArrayAttr());
  else
    init = materialized(op.getInit());
  if (Operation *fill = init.getDefiningOp();
      isa<sched::FillOp, sched::CopyOp>(fill))
    passProvenance(op, fill);
  SmallVector<Value> inputs = {init};
  for (Value operand : op->getOperands().drop_front())
    inputs.push_back(materialized(operand));
  emitAlone(op, sched::Family::ScatterAdd, "scatter_add", inputs, {0});
}

/// Whether the operation that reads the result of `op` adds it to a sum.
static bool isAdded(Operation *op) {
  return op->hasOneUse() && getAddedProduct(*op->user_begin()) == op;
}

void DispatchFormer::emitBarrier(Operation *op, Value init) {
  if (Operation *product = getAddedProduct(op)) {
    emitBarrier(product, materialized(op->getOperand(0)));
    mapping.map(op->getResult(0), mapping.lookup(product->getResult(0)));
    return;
  }
  if (!init && isAdded(op))
    return;
  SmallVector<Value> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value value) -> Value {
        return isa<train::ScatterAddOp>(op) ? Value() : materialized(value);
      });
  auto full = AccumulatorAttr::get(builder.getContext(), Accumulator::Full);
  auto finish = [&](Operation *made) {
    passProvenance(op, made);
    mapping.map(op->getResults(), made->getResults());
  };
  auto convolve = [&](auto conv, sched::ConvDirection direction) {
    finish(sched::ConvOp::create(
        builder, op->getLoc(), op->getResult(0).getType(), operands[0],
        operands[1],
        sched::ConvDirectionAttr::get(builder.getContext(), direction),
        conv.getStridesAttr(), conv.getLowAttr(), conv.getHighAttr(),
        conv.getDilationsAttr(), conv.getGroupsAttr(), IntegerAttr(),
        ArrayAttr()));
  };
  auto multiplyGroups = [&](std::array<Value, 3> factors, ValueRange scales,
                            UnitAttr transposeB, AccumulatorAttr accumulator,
                            ScalingAttr lhsScaling, ScalingAttr rhsScaling) {
    finish(sched::GroupedGemmOp::create(
        builder, op->getLoc(), op->getResult(0).getType(), factors[0],
        factors[1], factors[2], scales, transposeB, accumulator, lhsScaling,
        rhsScaling, IntegerAttr(), ArrayAttr()));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](train::ScatterAddOp scatter) { emitScatterAdd(scatter); })
      .Case([&](train::SortIdsOp sort) {
        emitAlone(sort, sched::Family::Sort, "sort_ids", operands, {-1});
      })
      .Case([&](tensor::ConcatOp join) {
        finish(tensor::ConcatOp::create(builder, op->getLoc(), join.getType(),
                                        join.getDim(), operands));
      })
      .Case([&](train::MatmulOp matmul) {
        finish(sched::GemmOp::create(
            builder, op->getLoc(), matmul.getResult().getType(), operands[0],
            operands[1], init, Value(), Value(), Value(), Value(),
            matmul.getBias() ? operands.back() : Value(),
            matmul.getTransposeAAttr(), matmul.getTransposeBAttr(),
            builder.getF32FloatAttr(1), full, /*lhs_scaling=*/ScalingAttr(),
            /*rhs_scaling=*/ScalingAttr(), IntegerAttr(), ArrayAttr()));
      })
      .Case([&](ScaledMatmulOp matmul) {
        bool hasTensorScales = bool(matmul.getLhsTensorScale());
        finish(sched::GemmOp::create(
            builder, op->getLoc(), matmul.getResult().getType(), operands[0],
            operands[2], init, operands[1], operands[3],
            hasTensorScales ? operands[4] : Value(),
            hasTensorScales ? operands[5] : Value(),
            matmul.getBias() ? operands.back() : Value(), UnitAttr(),
            builder.getUnitAttr(), builder.getF32FloatAttr(1),
            matmul.getAccumulatorAttr(),
            ScalingAttr::get(builder.getContext(), matmul.getLhsScaling()),
            ScalingAttr::get(builder.getContext(), matmul.getRhsScaling()),
            IntegerAttr(), ArrayAttr()));
      })
      .Case([&](train::GroupedMatmulOp grouped) {
        multiplyGroups({operands[0], operands[1], operands[2]}, ValueRange(),
                       grouped.getTransposeBAttr(), full, ScalingAttr(),
                       ScalingAttr());
      })
      .Case([&](train::GroupedMatmulGradOp) {
        multiplyGroups({operands[0], operands[1], operands[2]}, ValueRange(),
                       UnitAttr(), full, ScalingAttr(), ScalingAttr());
      })
      .Case([&](ScaledGroupedMatmulOp grouped) {
        multiplyGroups(
            {operands[0], operands[2], operands[4]}, {operands[1], operands[3]},
            grouped.isGradient() ? UnitAttr() : builder.getUnitAttr(),
            grouped.getAccumulatorAttr(), grouped.getLhsScalingAttr(),
            grouped.getRhsScalingAttr());
      })
      .Case([&](train::ConvOp conv) {
        convolve(conv, sched::ConvDirection::Fprop);
      })
      .Case([&](train::ConvGradInputOp conv) {
        convolve(conv, sched::ConvDirection::Dgrad);
      })
      .Case([&](train::ConvGradWeightOp conv) {
        convolve(conv, sched::ConvDirection::Wgrad);
      })
      .Case([&](train::CustomOp custom) {
        finish(sched::CallOp::create(
            builder, op->getLoc(), op->getResultTypes(), operands,
            custom.getFunctionAttr(), custom.getSettingsAttr(),
            custom.getReadsAttr(), custom.getMakesAttr(),
            custom.getKernelsAttr(), IntegerAttr(), ArrayAttr()));
      })
      .Case([&](train::ExchangeOp exchange) {
        finish(sched::ExchangeOp::create(
            builder, op->getLoc(), op->getResult(0).getType(),
            exchange.getKind(), operands[0], exchange.getAxis(),
            /*bucket=*/IntegerAttr(), IntegerAttr(), ArrayAttr()));
      })
      .Case([&](train::AttentionOp attention) {
        finish(sched::SdpaOp::create(
            builder, op->getLoc(), op->getResultTypes(), operands[0],
            operands[1], operands[2],
            attention.getBias() ? operands[3] : Value(),
            attention.getScaleAttr(), attention.getCausalAttr(),
            attention.getWindowAttr(), ArrayAttr(), IntegerAttr(),
            ArrayAttr()));
      })
      .Case([&](train::AttentionGradOp attention) {
        finish(sched::SdpaGradOp::create(
            builder, op->getLoc(), op->getResultTypes(), operands[0],
            operands[1], operands[2], operands[3], operands[4], operands[5],
            attention.getBias() ? operands[6] : Value(),
            /*kernels=*/ArrayAttr(), /*launches=*/ArrayAttr(),
            attention.getScaleAttr(), attention.getCausalAttr(),
            attention.getWindowAttr(), ArrayAttr(), IntegerAttr(),
            ArrayAttr()));
      })
      .Case<sched::SdpaOp, sched::SdpaGradOp>(
          [&](auto) { finish(builder.clone(*op, mapping)); });
}

void DispatchFormer::emit(unsigned unit) {
  if (units.units[unit].kind == UnitKind::Barrier)
    emitBarrier(graph.operations[units.units[unit].roots.front()]);
  else
    emitDispatch(unit);
}

void DispatchFormer::run() {
  Block &block = function.front();
  Operation *terminator = block.getTerminator();
  for (unsigned unit = 0; unit < units.units.size(); ++unit)
    bodies.push_back(collect(unit));
  order = orderUnits();
  for (unsigned unit : order)
    for (Value input : bodies[unit].inputs) {
      needed.insert(getStorageRoot(input));
      for (Value piece : getPieces(getStorageRoot(input)))
        lastReader[piece] = unit;
    }
  for (OpOperand &returned : terminator->getOpOperands()) {
    needed.insert(getStorageRoot(returned.get()));
    if (auto to = function.getResultAttrOfType<IntegerAttr>(
            returned.getOperandNumber(), train::kDonatedTo))
      donations[returned.get()].push_back(function.getArgument(to.getInt()));
  }

  for (BlockArgument argument : function.getArguments())
    mapping.map(argument, argument);
  builder.setInsertionPoint(terminator);
  for (unsigned unit : order)
    emit(unit);
  for (OpOperand &operand : terminator->getOpOperands())
    operand.set(materialized(operand.get()));
  // Readers before what they read: nothing may have uses when it is erased.
  for (Operation *op : llvm::reverse(graph.operations))
    if (op)
      op->erase();
}

namespace {

struct FormDispatches : prec::impl::FormDispatchesBase<FormDispatches> {
  using FormDispatchesBase::FormDispatchesBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!isCompiledGraph(function))
      return;
    FailureOr<ScheduleModel> model =
        loadScheduleModel(function.getLoc(), target, machine);
    if (failed(model))
      return signalPassFailure();
    SmallVector<Operation *> operations =
        llvm::map_to_vector(function.front().without_terminator(),
                            [](Operation &op) { return &op; });
    for (Operation *op : llvm::reverse(operations))
      if (isOpTriviallyDead(op))
        op->erase();
    reshapeTranspositions(function);
    normalizeReductions(function, *model);
    FailureOr<FusionGraph> graph = projectFusionGraph(function);
    if (failed(graph))
      return signalPassFailure();
    DispatchFormer(function, std::move(*graph), *model, sumsWait).run();
    uint64_t formed = 0, calls = 0;
    for (Operation &op : function.front()) {
      formed += isa<sched::DispatchOp>(op);
      calls += isa<sched::SchedDialect>(op.getDialect()) &&
               !isa<sched::DispatchOp, sched::CopyOp, sched::FillOp>(op);
    }
    reportCounts(
        function.getLoc(), getArgument(),
        {{"kernels", kernels, formed}, {"library-calls", libraryCalls, calls}});
  }
};

} // namespace
