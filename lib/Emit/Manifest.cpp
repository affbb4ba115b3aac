//===- Manifest.cpp - the manifest and command table of a module ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the manifest of a step module: bindings from arguments and results
// (name, role, buffer, and what a caller must know or check), the bytes of
// constants, and for each entry point its commands in program order. `eval` has
// no function of its own: it is those commands of the step that a backward walk
// from the loss and the checks of indices reaches, in the order of the step.
// Views and concatenations in memory are no commands. Equal constants are
// stored once.
//
//===----------------------------------------------------------------------===//
#include "prec/Emit/Manifest.h"

#include "Emit/CommandWriter.h"
#include "Emit/WriteManifest.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/BatchAttributes.h"
#include "prec/Dialect/Train/Outputs.h"
#include "prec/Schedule/MemoryPlan.h"
#include "prec/Version.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace prec;

namespace {

using Commands = std::vector<rt::Command>;

class ManifestBuilder {
public:
  ManifestBuilder(ModuleOp module, const ManifestOptions &options)
      : module(module), options(options), layout(module),
        writer(layout, options.kernelCalls, options.target.chip,
               options.deterministicAttention) {}

  FailureOr<ManifestResult> build();

private:
  FailureOr<Commands> commandsOf(func::FuncOp function);
  FailureOr<Commands> evalCommands(func::FuncOp step);
  void addArguments(func::FuncOp function);
  void addOutputs(func::FuncOp function, ArrayRef<train::Role> roles);
  int addConstant(ElementsAttr value, RankedTensorType type);

  ModuleOp module;
  const ManifestOptions &options;
  SegmentLayout layout;
  CommandWriter writer;
  rt::ManifestFields manifest;
  std::string constants;
  DenseMap<std::pair<Attribute, Type>, int> constantBuffers;
};

} // namespace

/// Framework name of an argument, made unique by the slot where it has one.
static std::string bindingName(StringRef path, StringRef slot) {
  if (slot.empty() || path == slot || path.ends_with(("." + slot).str()))
    return path.str();
  return (path + "." + slot).str();
}

/// Bytes of a constant tensor, one byte for an i1.
static std::string bytesOf(ElementsAttr value) {
  std::string bytes;
  auto append = [&](const llvm::APInt &bits) {
    unsigned size = (bits.getBitWidth() + 7) / 8;
    uint64_t word = bits.getZExtValue();
    bytes.append(reinterpret_cast<const char *>(&word), size);
  };
  if (isa<FloatType>(value.getShapedType().getElementType()))
    for (const llvm::APFloat &element : value.getValues<llvm::APFloat>())
      append(element.bitcastToAPInt());
  else
    llvm::for_each(value.getValues<llvm::APInt>(), append);
  return bytes;
}

/// The buffer of a constant.
int ManifestBuilder::addConstant(ElementsAttr value, RankedTensorType type) {
  auto [known, isNew] = constantBuffers.try_emplace({value, type}, 0);
  if (!isNew)
    return known->second;
  constants.resize(llvm::alignTo(constants.size(), kPlacementAlignment));
  auto placement = sched::PlacementAttr::get(
      module.getContext(), sched::Segment::Constants, constants.size());
  known->second = writer.getBuffers().add(placement, type);
  constants += bytesOf(value);
  return known->second;
}

static std::vector<std::string> getStrings(ArrayAttr values) {
  std::vector<std::string> strings;
  if (values)
    for (StringAttr value : values.getAsRange<StringAttr>())
      strings.push_back(value.str());
  return strings;
}

/// Those roles of a graph that are none of a module's are no bindings.
static rt::Role getRole(train::RoleAttr role) {
  return static_cast<rt::Role>(role.getValue());
}

void ManifestBuilder::addArguments(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto text = [&](StringRef name) {
      auto value = function.getArgAttrOfType<StringAttr>(index, name);
      return value ? value.str() : std::string();
    };
    auto texts = [&](StringRef name) {
      return getStrings(function.getArgAttrOfType<ArrayAttr>(index, name));
    };
    auto integer = [&](StringRef name) {
      auto value = function.getArgAttrOfType<IntegerAttr>(index, name);
      return value ? std::optional<int64_t>(value.getInt()) : std::nullopt;
    };
    rt::Binding binding;
    binding.name = bindingName(text(train::kPath), text(train::kSlot));
    binding.role = getRole(
        function.getArgAttrOfType<train::RoleAttr>(index, train::kRole));
    binding.buffer = writer.bufferOf(argument);
    if (binding.role == rt::Role::stagedParameter)
      binding.entryPoint = function.getName().str();
    binding.parameter = text(train::kParamOf);
    binding.slot = text(train::kSlot);
    binding.sourceDtype = text(train::kSourceDtype);
    binding.placement = text(train::kPlacement);
    binding.aliases = texts(train::kAliases);
    binding.tensors = texts(train::kTensors);
    binding.vocabulary = integer(train::kVocabulary);
    binding.ignoreIndex = integer(train::kIgnoreIndex);
    binding.shift = integer(train::kShift);
    binding.shiftUnknown = text(train::kShiftUnknown);
    if (std::string axis = text(train::kShard); !axis.empty())
      binding.shard = {*integer(train::kShardDim), axis, {}};
    if (auto parts = function.getArgAttrOfType<DenseI64ArrayAttr>(
            index, train::kShardParts))
      binding.shard->parts = {parts.asArrayRef().begin(),
                              parts.asArrayRef().end()};
    if (auto range =
            function.getArgAttrOfType<DenseI64ArrayAttr>(index, train::kRange))
      binding.range = {range[0], range[1]};
    if (auto value =
            function.getArgAttrOfType<FloatAttr>(index, train::kDefault))
      binding.defaultValue = value.getValueAsDouble();
    if (auto value =
            function.getArgAttrOfType<ElementsAttr>(index, train::kInitial))
      binding.initial =
          addConstant(value, cast<RankedTensorType>(argument.getType()));
    if (auto value =
            function.getArgAttrOfType<ElementsAttr>(index, train::kCodes))
      binding.codes =
          addConstant(value, cast<RankedTensorType>(value.getShapedType()));
    manifest.bindings.push_back(std::move(binding));
  }
}

/// The operands of contractions that a tensor is.
static std::vector<rt::Use> getUses(ArrayAttr uses) {
  std::vector<rt::Use> list;
  if (!uses)
    return list;
  for (DictionaryAttr use : uses.getAsRange<DictionaryAttr>()) {
    auto text = [&](StringRef name) {
      return cast<StringAttr>(use.get(name)).str();
    };
    list.push_back({text("path"), text("direction"),
                    cast<IntegerAttr>(use.get("operand")).getInt(),
                    text("format"), *symbolizeScaling(text("scaling"))});
  }
  return list;
}

/// What a bench module says of its commands.
static std::vector<rt::BenchItem> getBenchItems(ModuleOp module) {
  std::vector<rt::BenchItem> list;
  auto items = module->getAttrOfType<ArrayAttr>(kBench);
  if (!items)
    return list;
  for (DictionaryAttr item : items.getAsRange<DictionaryAttr>()) {
    auto text = [&](StringRef name) {
      auto value = item.getAs<StringAttr>(name);
      return value ? value.str() : std::string();
    };
    auto number = [&](StringRef name) {
      auto value = item.getAs<IntegerAttr>(name);
      return value ? value.getInt() : 0;
    };
    list.push_back({text("kind"), number("first"), number("count"),
                    text("direction"), number("rows"), number("columns"),
                    text("from"), text("to"), text("scaling"),
                    text("layouts")});
  }
  return list;
}

/// Results of `function` that have one of `roles`.
void ManifestBuilder::addOutputs(func::FuncOp function,
                                 ArrayRef<train::Role> roles) {
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    auto role =
        function.getResultAttrOfType<train::RoleAttr>(index, train::kRole);
    if (!role || !llvm::is_contained(roles, role.getValue()))
      continue;
    auto path = function.getResultAttrOfType<StringAttr>(index, train::kPath);
    rt::Binding binding;
    binding.name = path ? path.str() : "loss";
    binding.role = getRole(role);
    binding.buffer = static_cast<int>(writer.getBuffers().add(
        layout.getResult(function, index), cast<RankedTensorType>(type)));
    binding.tensors = getStrings(
        function.getResultAttrOfType<ArrayAttr>(index, train::kTensors));
    binding.uses =
        getUses(function.getResultAttrOfType<ArrayAttr>(index, train::kUses));
    if (auto parameter =
            function.getResultAttrOfType<StringAttr>(index, train::kParamOf))
      binding.parameter = parameter.str();
    manifest.bindings.push_back(std::move(binding));
  }
}

FailureOr<Commands> ManifestBuilder::commandsOf(func::FuncOp function) {
  Commands commands;
  std::vector<int64_t> awaits;
  for (Operation &op : function.front().without_terminator()) {
    if (getViewOffset(&op) || isJoin(&op))
      continue;
    // The command behind it waits; all wait at the end of an entry point.
    if (auto await = dyn_cast<sched::AwaitOp>(op)) {
      awaits.push_back(static_cast<int64_t>(await.getBucket()));
      continue;
    }
    FailureOr<rt::Command> command = writer.write(&op);
    if (failed(command))
      return failure();
    command->awaits = std::exchange(awaits, {});
    commands.push_back(std::move(*command));
  }
  return commands;
}

/// What the loss, outputs and the checks of indices depend on: the commands of
/// the step, in its order, that a backward walk from them reaches.
FailureOr<Commands> ManifestBuilder::evalCommands(func::FuncOp step) {
  llvm::SmallPtrSet<Operation *, 32> reached;
  SmallVector<Value> work;
  for (OpOperand &result : step.front().getTerminator()->getOpOperands())
    if (train::isEvaluated(step, result.getOperandNumber()))
      work.push_back(result.get());
  while (!work.empty())
    if (Operation *op = work.pop_back_val().getDefiningOp();
        op && reached.insert(op).second)
      llvm::append_range(work, op->getOperands());
  Commands commands;
  for (Operation &op : step.front()) {
    if (!reached.contains(&op) || getViewOffset(&op) || isJoin(&op))
      continue;
    FailureOr<rt::Command> command = writer.write(&op);
    if (failed(command))
      return failure();
    // Of a bucket some may be missing: they run one after the other.
    command->collective.bucket.reset();
    commands.push_back(std::move(*command));
  }
  return commands;
}

FailureOr<ManifestResult> ManifestBuilder::build() {
  FailureOr<func::FuncOp> found = getStep(module);
  if (failed(found))
    return failure();
  func::FuncOp step = *found;
  // manifest_c1
  for (Entry entry : {Entry::Eval, Entry::Forward})
    if (func::FuncOp function = findEntry(module, entry))
      return function.emitOpError("a step module must train, and evaluates by "
                                  "its step's loss, but got a function with "
                                  "'prec.entry' = \"")
             << stringifyEntry(entry) << "\": drop the attribute";
  addArguments(step);
  SmallVector<func::FuncOp> loaders;
  for (auto function : module.getOps<func::FuncOp>())
    if (getStagedSize(function) > 0) {
      addArguments(function);
      loaders.push_back(function);
    }
  addOutputs(step, {train::Role::Loss, train::Role::Metric, train::Role::Guard,
                    train::Role::AmaxRatios});
  if (func::FuncOp sample = findEntry(module, Entry::Sample))
    addOutputs(sample, {train::Role::Numerics});
  manifest.entryPoints["init"];
  auto add = [&](StringRef name,
                 FailureOr<Commands> commands) -> LogicalResult {
    if (succeeded(commands))
      manifest.entryPoints[name.str()] = std::move(*commands);
    return commands;
  };
  for (Entry entry : {Entry::Init, Entry::Restore, Entry::Step, Entry::Sample,
                      Entry::Accumulate, Entry::Apply, Entry::CrowdedStep,
                      Entry::CrowdedAccumulate})
    if (func::FuncOp function = findEntry(module, entry);
        function && failed(add(stringifyEntry(entry), commandsOf(function))))
      return failure();
  for (func::FuncOp loader : loaders)
    if (failed(add(loader.getName(), commandsOf(loader))))
      return failure();
  if (failed(add(stringifyEntry(Entry::Eval), evalCommands(step))))
    return failure();
  if (func::FuncOp crowded = findEntry(module, Entry::CrowdedStep))
    if (failed(add(stringifyEntry(Entry::CrowdedEval), evalCommands(crowded))))
      return failure();

  for (const ImageEntry &image : options.images)
    manifest.images.push_back(
        {image.kind, image.chip, image.offset, image.size, image.symbol});
  auto setSize = [&](rt::Segment segment, int64_t size) {
    manifest.segmentSize[static_cast<size_t>(segment)] = size;
  };
  for (sched::Segment segment :
       {sched::Segment::State, sched::Segment::Input, sched::Segment::Output})
    setSize(static_cast<rt::Segment>(segment), layout.getSize(segment));
  setSize(rt::Segment::workspace, getWorkspaceSize(module));
  setSize(rt::Segment::constants, static_cast<int64_t>(constants.size()));
  manifest.abi = writer.hasBias() ? 4 : 3;
  manifest.producer = "prec " PREC_VERSION;
  manifest.target = {options.target.kind, options.target.chip};
  manifest.recipe = options.recipe;
  manifest.graph = options.graph;
  manifest.buffers = writer.getBuffers().list();
  manifest.bench = getBenchItems(module);
  if (findEntry(module, Entry::Accumulate)) {
    auto why = module->getAttrOfType<StringAttr>(train::kEqualMicroBatches);
    manifest.microBatchWeights = why ? "equal" : "labels";
    if (why)
      manifest.equalMicroBatches = why.str();
  }
  if (auto mesh = module->getAttrOfType<DictionaryAttr>(train::kMesh))
    for (NamedAttribute axis : mesh)
      manifest.mesh.push_back(
          {axis.getName().str(), cast<IntegerAttr>(axis.getValue()).getInt()});
  if (Attribute padding = module->getAttr(train::kPadding)) {
    auto why = dyn_cast<StringAttr>(padding);
    manifest.padding.reason = why ? why.str() : "";
  }
  ManifestResult result;
  result.json = writeManifest(manifest, options.kernelCalls);
  result.kernels = writer.takeKernels();
  result.constants = std::move(constants);
  return result;
}

FailureOr<ManifestResult> prec::buildManifest(ModuleOp module,
                                              const ManifestOptions &options) {
  return ManifestBuilder(module, options).build();
}
