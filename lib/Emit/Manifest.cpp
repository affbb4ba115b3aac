//===- Manifest.cpp - the manifest and command table of a module ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Emit/Manifest.h"

#include "Emit/CommandWriter.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/BatchAttributes.h"
#include "prec/Dialect/Train/IndexCheck.h"
#include "prec/Schedule/MemoryPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <cmath>

using namespace mlir;
using namespace prec;
using llvm::json::Array;
using llvm::json::Object;

namespace {

class ManifestBuilder {
public:
  ManifestBuilder(ModuleOp module, const ManifestOptions &options)
      : module(module), options(options), layout(module),
        writer(layout, options.targetKind == "cpu",
               options.deterministicAttention) {}

  FailureOr<ManifestResult> build();

private:
  FailureOr<Array> commandsOf(func::FuncOp function);
  FailureOr<Array> evalCommands(func::FuncOp step);
  void addArguments(func::FuncOp function);
  void addOutputs(func::FuncOp function, ArrayRef<train::Role> roles);
  int64_t addConstant(ElementsAttr value, RankedTensorType type);

  ModuleOp module;
  const ManifestOptions &options;
  SegmentLayout layout;
  CommandWriter writer;
  Array bindings;
  std::string constants;
  DenseMap<std::pair<Attribute, Type>, int64_t> constantBuffers;
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
int64_t ManifestBuilder::addConstant(ElementsAttr value,
                                     RankedTensorType type) {
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

/// JSON has no infinities.
static llvm::json::Value toNumber(double value) {
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return value;
}

static Array getStrings(ArrayAttr values) {
  Array strings;
  for (StringAttr value : values.getAsRange<StringAttr>())
    strings.push_back(value.getValue());
  return strings;
}

void ManifestBuilder::addArguments(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto text = [&](StringRef name) {
      auto value = function.getArgAttrOfType<StringAttr>(index, name);
      return value ? value.getValue() : StringRef();
    };
    auto role = function.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
    Object binding{
        {"name", bindingName(text(train::kPath), text(train::kSlot))},
        {"role", train::stringifyRole(role.getValue())},
        {"buffer", writer.bufferOf(argument)}};
    if (role.getValue() == train::Role::StagedParameter)
      binding["entry_point"] = function.getName();
    if (StringRef parameter = text(train::kParamOf); !parameter.empty())
      binding["parameter"] = parameter;
    if (StringRef slot = text(train::kSlot); !slot.empty())
      binding["slot"] = slot;
    if (StringRef source = text(train::kSourceDtype); !source.empty())
      binding["source_dtype"] = source;
    for (auto [key, name] :
         {std::pair<StringRef, StringRef>{"aliases", train::kAliases},
          {"tensors", train::kTensors}})
      if (auto texts = function.getArgAttrOfType<ArrayAttr>(index, name))
        binding[key] = getStrings(texts);
    for (auto [key, name] :
         {std::pair<StringRef, StringRef>{"vocabulary", train::kVocabulary},
          {"ignore_index", train::kIgnoreIndex},
          {"shift", train::kShift}})
      if (auto value = function.getArgAttrOfType<IntegerAttr>(index, name))
        binding[key] = value.getInt();
    if (auto range =
            function.getArgAttrOfType<DenseI64ArrayAttr>(index, train::kRange))
      binding["range"] = Array{range[0], range[1]};
    if (auto value =
            function.getArgAttrOfType<FloatAttr>(index, train::kDefault))
      binding["default"] = toNumber(value.getValueAsDouble());
    if (StringRef why = text(train::kShiftUnknown); !why.empty())
      binding["shift_unknown"] = why;
    if (auto value =
            function.getArgAttrOfType<ElementsAttr>(index, train::kInitial))
      binding["initial"] =
          addConstant(value, cast<RankedTensorType>(argument.getType()));
    if (auto value =
            function.getArgAttrOfType<ElementsAttr>(index, train::kCodes))
      binding["codes"] =
          addConstant(value, cast<RankedTensorType>(value.getShapedType()));
    bindings.push_back(std::move(binding));
  }
}

/// The operands of contractions that a tensor is.
static Array getUses(ArrayAttr uses) {
  Array list;
  for (DictionaryAttr use : uses.getAsRange<DictionaryAttr>()) {
    Object entry;
    for (NamedAttribute field : use)
      if (auto text = dyn_cast<StringAttr>(field.getValue()))
        entry[field.getName().getValue()] = text.getValue();
      else
        entry[field.getName().getValue()] =
            cast<IntegerAttr>(field.getValue()).getInt();
    list.push_back(std::move(entry));
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
    Object binding{
        {"name", path ? path.getValue() : StringRef("loss")},
        {"role", train::stringifyRole(role.getValue())},
        {"buffer", writer.getBuffers().add(layout.getResult(function, index),
                                           cast<RankedTensorType>(type))}};
    if (auto tensors =
            function.getResultAttrOfType<ArrayAttr>(index, train::kTensors))
      binding["tensors"] = getStrings(tensors);
    if (auto uses =
            function.getResultAttrOfType<ArrayAttr>(index, train::kUses))
      binding["uses"] = getUses(uses);
    if (auto parameter =
            function.getResultAttrOfType<StringAttr>(index, train::kParamOf))
      binding["parameter"] = parameter.getValue();
    bindings.push_back(std::move(binding));
  }
}

FailureOr<Array> ManifestBuilder::commandsOf(func::FuncOp function) {
  Array commands;
  for (Operation &op : function.front().without_terminator()) {
    if (getViewOffset(&op) || isJoin(&op))
      continue;
    FailureOr<Object> command = writer.write(&op);
    if (failed(command))
      return failure();
    commands.push_back(std::move(*command));
  }
  return commands;
}

/// What the loss and the checks of indices depend on: the commands of the step,
/// in its order, that a backward walk from them reaches.
FailureOr<Array> ManifestBuilder::evalCommands(func::FuncOp step) {
  llvm::SmallPtrSet<Operation *, 32> reached;
  SmallVector<Value> work;
  for (OpOperand &result : step.front().getTerminator()->getOpOperands()) {
    auto role = step.getResultAttrOfType<train::RoleAttr>(
        result.getOperandNumber(), train::kRole);
    if ((role && role.getValue() == train::Role::Loss) ||
        train::isIndexCheck(step, result.getOperandNumber()))
      work.push_back(result.get());
  }
  while (!work.empty())
    if (Operation *op = work.pop_back_val().getDefiningOp();
        op && reached.insert(op).second)
      llvm::append_range(work, op->getOperands());
  Array commands;
  for (Operation &op : step.front()) {
    if (!reached.contains(&op) || getViewOffset(&op) || isJoin(&op))
      continue;
    FailureOr<Object> command = writer.write(&op);
    if (failed(command))
      return failure();
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
  Object entryPoints{{"init", Array()}};
  auto add = [&](StringRef name, FailureOr<Array> commands) -> LogicalResult {
    if (succeeded(commands))
      entryPoints[name] = std::move(*commands);
    return commands;
  };
  for (Entry entry : {Entry::Init, Entry::Restore, Entry::Step, Entry::Sample,
                      Entry::Accumulate, Entry::Apply})
    if (func::FuncOp function = findEntry(module, entry);
        function && failed(add(stringifyEntry(entry), commandsOf(function))))
      return failure();
  for (func::FuncOp loader : loaders)
    if (failed(add(loader.getName(), commandsOf(loader))))
      return failure();
  if (failed(add("eval", evalCommands(step))))
    return failure();

  Array images;
  for (const ImageEntry &image : options.images)
    images.push_back(Object{{"kind", image.kind},
                            {"chip", image.chip},
                            {"symbol", image.symbol},
                            {"offset", image.offset},
                            {"size", image.size}});
  Object segments{{"workspace", getWorkspaceSize(module)},
                  {"constants", int64_t(constants.size())}};
  for (sched::Segment segment :
       {sched::Segment::State, sched::Segment::Input, sched::Segment::Output})
    segments[sched::stringifySegment(segment)] = layout.getSize(segment);
  Object manifest{
      {"format", "prec-step-module"},
      {"abi", writer.hasBias() ? 4 : 3},
      {"producer", "prec " PREC_VERSION},
      {"target", Object{{"kind", options.targetKind}, {"chip", options.chip}}},
      {"recipe", options.recipe},
      {"graph", options.graph},
      {"shapes", "static"},
      {"segments", std::move(segments)},
      {"images", std::move(images)},
      {"bindings", std::move(bindings)},
      {"entry_points", std::move(entryPoints)},
      {"buffers", writer.getBuffers().toJson()}};
  if (findEntry(module, Entry::Accumulate)) {
    auto why = module->getAttrOfType<StringAttr>(train::kEqualMicroBatches);
    manifest["micro_batch_weights"] = why ? "equal" : "labels";
    if (why)
      manifest["equal_micro_batches"] = why.getValue();
  }
  if (Attribute padding = module->getAttr(train::kPadding)) {
    auto why = dyn_cast<StringAttr>(padding);
    manifest["padding"] = why ? llvm::json::Value(why.getValue()) : true;
  }
  ManifestResult result;
  llvm::raw_string_ostream os(result.json);
  os << llvm::json::Value(std::move(manifest));
  result.kernels = writer.takeKernels();
  result.constants = std::move(constants);
  return result;
}

FailureOr<ManifestResult> prec::buildManifest(ModuleOp module,
                                              const ManifestOptions &options) {
  return ManifestBuilder(module, options).build();
}
