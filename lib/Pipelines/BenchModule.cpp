//===- BenchModule.cpp - what a step runs, each distinct command once -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A benchmark must measure what a step runs, so its commands are not written
// for it: the graph is assigned, materialized and scheduled under each recipe,
// and of all commands that come out each distinct one is copied, with arguments
// in the place of its operands. The recipes are scheduled a second time with
// every linear layer on its own, for products of layers that are merged only
// where their formats agree. Quantizations are fused with what computes their
// tensors, and a choice may need them elsewhere: each is cut out of the
// materialized step with the operations that make its scale, and scheduled
// alone, for the tensor as it lies, transposed, and both. Rows of experts, each
// with the scale of its expert, are transposed with their groups aligned, and
// matrices of experts each by itself. Kernels that sort ids or add rows by them
// are left out: their time depends on how often ids repeat. Takes the time of
// two schedules a recipe.
//
//===----------------------------------------------------------------------===//
#include "Pipelines/BenchModule.h"

#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Emit/Manifest.h"
#include "prec/Pipelines/Pipelines.h"
#include "prec/Schedule/MemoryPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"

#include <map>

using namespace mlir;
using namespace prec;
using sched::PlacementAttr;

namespace {

/// A quantization of the materialized step, with the tensor that it begins
/// from.
struct Quantization {
  QuantizeOp op;
  Value source;
  bool isTransposed; ///< of the transposed source
};

/// What tells quantizations apart.
struct QuantizationKind {
  int64_t rows = 0, columns = 0;
  std::string from, to, scaling;
  /// Whether each expert has a scale, of its rows or of its matrix.
  bool isOfExperts = false;
  bool operator<(const QuantizationKind &other) const {
    return std::tie(rows, columns, from, to, scaling, isOfExperts) <
           std::tie(other.rows, other.columns, other.from, other.to,
                    other.scaling, other.isOfExperts);
  }
};

/// One of each orientation; null where the step has none.
struct Orientations {
  QuantizeOp rows, columns;
  Value rowSource, columnSource;
};

class BenchBuilder {
public:
  BenchBuilder(ModuleOp graph, const Target &target,
               const CompileOptions &options)
      : graph(graph), target(target), options(options),
        builder(graph.getContext()) {}

  FailureOr<OwningOpRef<ModuleOp>> run();

private:
  using Build = llvm::function_ref<LogicalResult(OpPassManager &)>;
  LogicalResult runPasses(ModuleOp module, Build build);
  LogicalResult addRecipe(StringRef recipe, bool merges);
  LogicalResult addQuantizations(func::FuncOp step);
  LogicalResult addQuantization(ModuleOp module, const QuantizationKind &kind,
                                const Orientations &found, StringRef layouts);
  void addCommands(func::FuncOp step, const SegmentLayout &layout,
                   bool productsOnly);
  bool addCommand(Operation *op, const SegmentLayout &layout,
                  ArrayRef<NamedAttribute> facts);
  void append(Operation *op, const SegmentLayout &layout);
  void addItem(int64_t first, ArrayRef<NamedAttribute> facts);
  void begin(ModuleOp like);
  void finish();

  ModuleOp graph;
  const Target &target;
  const CompileOptions &options;
  OpBuilder builder;
  OwningOpRef<ModuleOp> bench;
  func::FuncOp function;
  llvm::StringMap<int64_t> known; ///< commands, by what they are
  std::map<QuantizationKind, bool> quantized;
  SmallVector<Attribute> items;
  int64_t commands = 0;
  /// By result of a copied command: the argument that it overwrites.
  DenseMap<Value, BlockArgument> overwritten;
};

} // namespace

static StringRef getFormatName(Type element) {
  if (!isa<FloatType>(element))
    return {};
  FailureOr<Format> format = getFormat(element);
  return succeeded(format) ? stringifyFormat(*format) : StringRef();
}

/// Whether its time depends on sizes, not on which rows ids name.
static bool isMeasurable(Operation *op) {
  auto dispatch = dyn_cast<sched::DispatchOp>(op);
  return !dispatch || (dispatch.getFamily() != sched::Family::ScatterAdd &&
                       dispatch.getFamily() != sched::Family::Sort);
}

/// A weight, a copy of it, or what one kernel makes of nothing else as large.
static bool isOfWeight(Value value) {
  value = getStorageRoot(value);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto owner =
        dyn_cast_if_present<func::FuncOp>(argument.getOwner()->getParentOp());
    auto role = owner ? owner.getArgAttrOfType<train::RoleAttr>(
                            argument.getArgNumber(), train::kRole)
                      : train::RoleAttr();
    return role && (role.getValue() == train::Role::Parameter ||
                    role.getValue() == train::Role::FrozenParameter ||
                    role.getValue() == train::Role::WorkWeight);
  }
  // Those of merged layers, one behind the other.
  if (auto join = value.getDefiningOp<tensor::ConcatOp>())
    return llvm::all_of(join.getInputs(), isOfWeight);
  auto dispatch = value.getDefiningOp<sched::DispatchOp>();
  if (!dispatch)
    return false;
  auto elements = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getNumElements();
  };
  SmallVector<Value> large;
  for (Value input : dispatch.getInputs())
    if (elements(input) == elements(value))
      large.push_back(input);
  return large.size() == 1 && isa<BlockArgument>(getStorageRoot(large[0])) &&
         isOfWeight(large[0]);
}

/// Which product of a layer it is: of the backward the one that reads a weight
/// gives the gradient of its input.
static StringRef getDirection(sched::GemmOp gemm) {
  if (train::getPhase(gemm) != train::Phase::Backward)
    return "fprop";
  return isOfWeight(gemm.getLhs()) || isOfWeight(gemm.getRhs()) ? "dgrad"
                                                                : "wgrad";
}

LogicalResult BenchBuilder::runPasses(ModuleOp module, Build build) {
  PassManager passes(module.getContext());
  return failure(failed(build(passes)) || failed(passes.run(module)));
}

void BenchBuilder::begin(ModuleOp like) {
  if (bench)
    return;
  bench = ModuleOp::create(like.getLoc());
  (*bench)->setDiscardableAttrs(like->getDiscardableAttrDictionary());
  builder.setInsertionPointToEnd(bench->getBody());
  function = func::FuncOp::create(builder, like.getLoc(), "step",
                                  builder.getFunctionType({}, {}));
  function.addEntryBlock();
  makeEntry(function, Entry::Step);
  builder.setInsertionPointToEnd(&function.front());
}

void BenchBuilder::append(Operation *op, const SegmentLayout &layout) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (!mapping.contains(operand))
      mapping.map(operand, function.front().addArgument(operand.getType(),
                                                        op->getLoc()));
  Operation *copy = builder.clone(*op, mapping);
  copy->setAttr("id", builder.getI64IntegerAttr(commands));
  if (auto dispatch = dyn_cast<sched::DispatchOp>(copy)) {
    dispatch.setSym((Twine(dispatch.getSym()) + "#" + Twine(commands)).str());
    // What operands hold here is no order of all rows.
    dispatch.removeOrderAttr();
  }
  for (auto [from, to] : llvm::zip_equal(op->getResults(), copy->getResults()))
    for (Value operand : op->getOperands())
      if (getPlacement(layout, from) == getPlacement(layout, operand))
        overwritten.try_emplace(to,
                                cast<BlockArgument>(mapping.lookup(operand)));
  ++commands;
}

void BenchBuilder::addItem(int64_t first, ArrayRef<NamedAttribute> facts) {
  SmallVector<NamedAttribute> all(facts);
  all.push_back(
      builder.getNamedAttr("first", builder.getI64IntegerAttr(first)));
  all.push_back(builder.getNamedAttr(
      "count", builder.getI64IntegerAttr(commands - first)));
  items.push_back(builder.getDictionaryAttr(all));
}

/// What a command is, wherever its operands are and whatever it is called.
static std::string describe(Operation *op, ArrayRef<NamedAttribute> facts) {
  Operation *copy = op->clone();
  for (StringRef name : {"id", "placements", "sym", "graph_ops"})
    copy->removeAttr(name);
  copy->removeDiscardableAttr(train::kSeq);
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.printGenericOpForm().useLocalScope().elideLargeElementsAttrs();
  copy->setLoc(UnknownLoc::get(op->getContext()));
  copy->print(os, flags);
  copy->destroy();
  for (const NamedAttribute &fact : facts)
    os << fact.getName() << fact.getValue();
  return text;
}

bool BenchBuilder::addCommand(Operation *op, const SegmentLayout &layout,
                              ArrayRef<NamedAttribute> facts) {
  if (!isMeasurable(op) ||
      !known.try_emplace(describe(op, facts), commands).second)
    return false;
  int64_t first = commands;
  append(op, layout);
  addItem(first, facts);
  return true;
}

void BenchBuilder::addCommands(func::FuncOp step, const SegmentLayout &layout,
                               bool productsOnly) {
  for (Operation &op : step.front().without_terminator()) {
    if (getViewOffset(&op) || isJoin(&op))
      continue;
    auto named = [&](StringRef name, StringRef value) {
      return builder.getNamedAttr(name, builder.getStringAttr(value));
    };
    if (auto gemm = dyn_cast<sched::GemmOp>(op))
      addCommand(&op, layout,
                 {named("kind", "contraction"),
                  named("direction", getDirection(gemm))});
    else if (!productsOnly)
      addCommand(&op, layout, {named("kind", "command")});
  }
}

/// Rows and columns of a tensor as it lies.
static std::pair<int64_t, int64_t> getMatrix(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  int64_t columns = tensor.getRank() ? tensor.getShape().back() : 1;
  return {columns ? tensor.getNumElements() / columns : 0, columns};
}

/// What makes a scale of a tensor.
static bool isOfScale(Operation *op) {
  return isa<AmaxOp, UpdateScaleOp, DelayedScaleOp, BlockScaleOp, QuantizeOp,
             GroupAmaxOp, GroupScalesOp, train::ReduceOp, train::BroadcastOp,
             train::TransposeOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp>(op);
}

/// The ends of groups whose rows have a scale each; null for other scales.
static Value getEnds(QuantizeOp op) {
  auto scales = op.getScale().getDefiningOp<GroupScalesOp>();
  return scales ? scales.getEnds() : Value();
}

/// Matrices of experts that are quantized as rows of one matrix; null for
/// others.
static Value getMatrices(QuantizeOp op) {
  auto view = op.getInput().getDefiningOp<tensor::CollapseShapeOp>();
  return view && view.getSrcType().getRank() == 3 &&
                 view.getResultType().getDimSize(0) ==
                     view.getSrcType().getDimSize(0)
             ? view.getSrc()
             : Value();
}

namespace {

/// The operations from a tensor to its quantized copy.
class ScaleSlice {
public:
  explicit ScaleSlice(Value source) : source(source) {}

  /// Whether `value` is made of the source; then how is added to `operations`,
  /// in order.
  bool add(Value value) {
    if (value == source)
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || !isOfScale(op))
      return false;
    auto [known, isNew] = depends.try_emplace(op, false);
    if (!isNew)
      return known->second;
    bool isMade = false;
    for (Value operand : op->getOperands())
      isMade |= add(operand);
    depends[op] = isMade;
    if (isMade)
      operations.push_back(op);
    return isMade;
  }

  SmallVector<Operation *> operations;

private:
  Value source;
  DenseMap<Operation *, bool> depends;
};

} // namespace

/// The other order of a matrix's dimensions; null for other operations.
static Value getTransposed(Value value) {
  auto transpose = value.getDefiningOp<train::TransposeOp>();
  if (!transpose || transpose.getPermutation() != ArrayRef<int64_t>{1, 0})
    return {};
  return transpose.getInput();
}

LogicalResult BenchBuilder::addQuantization(ModuleOp module,
                                            const QuantizationKind &kind,
                                            const Orientations &found,
                                            StringRef layouts) {
  // Of one scale for both orders, columns are the transposed result.
  QuantizeOp model = found.rows ? found.rows : found.columns;
  bool isSymmetric = kind.isOfExperts ||
                     traitsOf(*symbolizeScaling(kind.scaling)).isSymmetric();
  bool hasRows = layouts != "columns", hasColumns = layouts != "rows";
  if (!isSymmetric &&
      ((hasRows && !found.rows) || (hasColumns && !found.columns)))
    return success();
  OwningOpRef<ModuleOp> alone = ModuleOp::create(module.getLoc());
  (*alone)->setDiscardableAttrs(module->getDiscardableAttrDictionary());
  OpBuilder inner(alone->getBodyRegion());
  auto step = func::FuncOp::create(inner, module.getLoc(), "step",
                                   inner.getFunctionType({}, {}));
  step.addEntryBlock();
  makeEntry(step, Entry::Step);
  inner.setInsertionPointToEnd(&step.front());
  SmallVector<Value> results;
  Value sourceArgument, ends;
  auto copySlice = [&](QuantizeOp op, Value source) {
    IRMapping mapping;
    if (!sourceArgument)
      sourceArgument = step.front().addArgument(source.getType(), op.getLoc());
    mapping.map(source, sourceArgument);
    ScaleSlice slice(source);
    slice.add(op.getResult());
    for (Operation *part : slice.operations) {
      for (Value operand : part->getOperands())
        if (!mapping.contains(operand))
          mapping.map(operand,
                      step.front().addArgument(operand.getType(), op.getLoc()));
      inner.clone(*part, mapping);
    }
    if (Value groups = getEnds(op))
      ends = mapping.lookup(groups);
    return mapping.lookup(op.getResult());
  };
  auto transpose = [&](Value value) -> Value {
    if (ends) {
      auto type = cast<RankedTensorType>(value.getType());
      int64_t groups = cast<RankedTensorType>(ends.getType()).getDimSize(0);
      value = AlignGroupsOp::create(
          inner, value.getLoc(),
          type.clone(
              {alignedRows(type.getDimSize(0), groups), type.getDimSize(1)}),
          value, ends);
    }
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape()),
        order = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    std::swap(shape.end()[-2], shape.end()[-1]);
    std::swap(order.end()[-2], order.end()[-1]);
    return train::TransposeOp::create(inner, value.getLoc(), type.clone(shape),
                                      value, order);
  };
  if (isSymmetric) {
    Value source = found.rows ? found.rowSource : found.columnSource;
    auto type = cast<RankedTensorType>(source.getType());
    if (type.getRank() != 2 && !kind.isOfExperts)
      return success();
    Value quantized = copySlice(model, source);
    if (type.getRank() == 3)
      quantized = tensor::ExpandShapeOp::create(
          inner, source.getLoc(),
          type.clone(getElementTypeOrSelf(quantized.getType())), quantized,
          SmallVector<ReassociationIndices>{{0}, {1, 2}});
    bool isTurned = !found.rows;
    if (hasRows)
      results.push_back(isTurned ? transpose(quantized) : quantized);
    if (hasColumns)
      results.push_back(isTurned ? quantized : transpose(quantized));
  } else {
    if (hasRows)
      results.push_back(copySlice(found.rows, found.rowSource));
    if (hasColumns)
      results.push_back(copySlice(found.columns, found.columnSource));
  }
  func::ReturnOp::create(inner, module.getLoc(), results);
  SmallVector<Type> types =
      llvm::map_to_vector(results, [](Value value) { return value.getType(); });
  step.setType(inner.getFunctionType(step.front().getArgumentTypes(), types));
  for (BlockArgument argument : step.getArguments()) {
    unsigned index = argument.getArgNumber();
    step.setArgAttr(
        index, train::kRole,
        train::RoleAttr::get(inner.getContext(), train::Role::Batch));
    step.setArgAttr(index, train::kPath,
                    inner.getStringAttr("operand." + Twine(index)));
  }
  if (failed(runPasses(*alone, [&](OpPassManager &manager) {
        buildSchedulePipeline(manager, target, options);
        return success();
      })))
    return failure();
  SegmentLayout layout(*alone);
  int64_t first = commands;
  for (Operation &op : step.front().without_terminator())
    if (!getViewOffset(&op) && !isJoin(&op))
      append(&op, layout);
  auto text = [&](StringRef name, StringRef value) {
    return builder.getNamedAttr(name, builder.getStringAttr(value));
  };
  addItem(
      first,
      {text("kind", "quantization"),
       builder.getNamedAttr("rows", builder.getI64IntegerAttr(kind.rows)),
       builder.getNamedAttr("columns", builder.getI64IntegerAttr(kind.columns)),
       text("from", kind.from), text("to", kind.to),
       text("scaling", kind.scaling), text("layouts", layouts)});
  return success();
}

LogicalResult BenchBuilder::addQuantizations(func::FuncOp step) {
  std::map<QuantizationKind, Orientations> kinds;
  step.walk([&](QuantizeOp op) {
    Value source = op.getInput();
    Value turned = getTransposed(source), matrices = getMatrices(op);
    if (matrices)
      source = matrices;
    auto type = cast<RankedTensorType>(source.getType());
    auto [rows, columns] = getMatrix(turned ? turned.getType() : type);
    QuantizationKind kind{
        rows,
        columns,
        getFormatName(type.getElementType()).str(),
        getFormatName(getElementTypeOrSelf(op.getResult().getType())).str(),
        stringifyScaling(op.getScaling()).str(),
        matrices || getEnds(op)};
    if (kind.from.empty() || kind.to.empty() || quantized.count(kind))
      return;
    Orientations &found = kinds[kind];
    if (turned && !found.columns) {
      found.columns = op;
      found.columnSource = turned;
    } else if (!turned && !found.rows) {
      found.rows = op;
      found.rowSource = source;
    }
  });
  auto module = step->getParentOfType<ModuleOp>();
  for (const auto &[kind, found] : kinds) {
    quantized[kind] = true;
    for (StringRef layouts : {"rows", "columns", "both"})
      if (failed(addQuantization(module, kind, found, layouts)))
        return failure();
  }
  return success();
}

LogicalResult BenchBuilder::addRecipe(StringRef recipe, bool merges) {
  CompileOptions own = options;
  own.assign.recipe = own.assign.recipeFile = "";
  (recipe.ends_with(".json") ? own.assign.recipeFile : own.assign.recipe) =
      recipe.str();
  if (!merges)
    own.mergeContractions = MergeLayers::Off;
  OwningOpRef<ModuleOp> module = graph.clone();
  auto report = [&](const Twine &message) -> LogicalResult {
    return graph.emitError("assign options: ") << message;
  };
  if (failed(runPasses(*module, [&](OpPassManager &manager) {
        buildImportPipeline(manager);
        if (failed(buildAssignPipeline(manager, own, report)))
          return failure();
        buildMaterializePipeline(manager, own);
        return success();
      })))
    return failure();
  begin(*module);
  FailureOr<func::FuncOp> materialized = getStep(*module);
  if (failed(materialized) ||
      (merges && failed(addQuantizations(*materialized))))
    return failure();
  if (failed(runPasses(*module, [&](OpPassManager &manager) {
        buildSchedulePipeline(manager, target, own);
        return success();
      })))
    return failure();
  FailureOr<func::FuncOp> step = getStep(*module);
  if (failed(step))
    return failure();
  addCommands(*step, SegmentLayout(*module), /*productsOnly=*/!merges);
  return success();
}

/// Places results, which no other command reads: in the workspace, or over the
/// argument that they overwrite.
void BenchBuilder::finish() {
  func::ReturnOp::create(builder, function.getLoc());
  MLIRContext *context = function.getContext();
  function.setType(
      builder.getFunctionType(function.front().getArgumentTypes(), {}));
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    function.setArgAttr(index, train::kRole,
                        train::RoleAttr::get(context, train::Role::Buffer));
    function.setArgAttr(index, train::kPath,
                        builder.getStringAttr("operand." + Twine(index)));
  }
  SegmentLayout layout(*bench);
  int64_t workspace = 0;
  for (Operation &op : function.front().without_terminator()) {
    SmallVector<Attribute> places;
    for (Value result : op.getResults()) {
      if (auto found = overwritten.find(result); found != overwritten.end()) {
        places.push_back(
            layout.getArgument(function, found->second.getArgNumber()));
        continue;
      }
      places.push_back(
          PlacementAttr::get(context, sched::Segment::Workspace, workspace));
      workspace = llvm::alignTo(workspace + getByteSize(result.getType()),
                                kPlacementAlignment);
    }
    op.setAttr("placements", builder.getArrayAttr(places));
  }
  (*bench)->setAttr(kBench, builder.getArrayAttr(items));
}

FailureOr<OwningOpRef<ModuleOp>> BenchBuilder::run() {
  for (StringRef recipe : options.bench)
    for (bool merges : {true, false})
      if (failed(addRecipe(recipe, merges)))
        return failure();
  if (commands == 0)
    return graph.emitError("a graph must have commands that can be measured, "
                           "but got none");
  finish();
  return std::move(bench);
}

FailureOr<OwningOpRef<ModuleOp>>
prec::buildBenchModule(ModuleOp graph, const Target &target,
                       const CompileOptions &options) {
  return BenchBuilder(graph, target, options).run();
}
