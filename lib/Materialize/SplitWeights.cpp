//===- SplitWeights.cpp - work copies of parameters -----------------------===//
#include "JoinNames.h"
#include "StagedWeights.h"
#include "StepState.h"
#include "Supported.h"
#include "prec/Dialect/Prec/Decisions.h"
#include "prec/Materialize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::prec {
#define GEN_PASS_DEF_SPLITWEIGHTS
#include "prec/Materialize/Passes.h.inc"
} // namespace mlir::prec

using namespace mlir;
using namespace mlir::prec;

namespace {

/// A use of a parameter that reads a work copy instead.
struct WorkUse {
  OpOperand *operand;
  WorkSlot slot;
};

/// A parameter that has work copies, or several whose rows are one below the
/// other in copies that they share.
struct SplitParameter {
  SmallVector<BlockArgument, 1> arguments;
  /// Of copies of several parameters that of their names joined.
  StringAttr path;
  /// Names of the parameters.
  SmallVector<StringAttr, 1> members;
  SmallVector<WorkUse> uses;
  /// Sorted, without repetition.
  SmallVector<WorkSlot> slots;
  ScaleRule rule;
  /// The results that are the updated masters; none of frozen ones.
  SmallVector<unsigned, 1> updatedResults;
  /// Whether nothing but the copies is kept.
  bool isStaged = false;

  Location getLoc() const { return arguments.front().getLoc(); }

  /// What work copies are made from.
  RankedTensorType getWideType() const {
    auto type = cast<RankedTensorType>(arguments.front().getType());
    SmallVector<int64_t> shape(type.getShape());
    for (BlockArgument argument : ArrayRef(arguments).drop_front())
      shape[0] += cast<RankedTensorType>(argument.getType()).getDimSize(0);
    return RankedTensorType::get(shape, Float32Type::get(type.getContext()));
  }
};

struct SplitWeights : public prec::impl::SplitWeightsBase<SplitWeights> {
  using SplitWeightsBase::SplitWeightsBase;

  void runOnOperation() override;

private:
  LogicalResult collect(func::FuncOp step,
                        SmallVectorImpl<SplitParameter> &parameters);
  LogicalResult collectJoined(func::FuncOp step,
                              SmallVectorImpl<SplitParameter> &parameters);
  LogicalResult addSlots(SplitParameter &parameter);
  bool keepAsRead(func::FuncOp step, SplitParameter &parameter);
  LogicalResult splitStep(func::FuncOp step,
                          ArrayRef<SplitParameter> parameters);
  void createInit(func::FuncOp step, ArrayRef<SplitParameter> parameters);
  void createRestore(func::FuncOp step, ArrayRef<SplitParameter> parameters);
  LogicalResult stage(func::FuncOp step, ArrayRef<SplitParameter> parameters);
};

} // namespace

/// Operations whose result has the element type of their operands.
static bool movesElements(Operation *op) {
  return isa<train::GatherOp, train::BroadcastOp, train::TransposeOp,
             tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp, tensor::ConcatOp>(op);
}

/// The format in which `use` reads a parameter: what its tag says. Norms and
/// embeddings, which have no operand tags, read it in the format they write;
/// layout operations move what they write.
static Format getReadFormat(OpOperand &use) {
  Operation *user = use.getOwner();
  if (TagAttr tag = getOperandTag(user, use.getOperandNumber()))
    return tag.getFormat();
  if (movesElements(user) ||
      isa<train::RmsNormOp, train::RmsNormGradOp, train::LayerNormOp,
          train::LayerNormGradOp, train::EmbeddingOp>(user))
    if (TagAttr tag = getResultTag(user, 0))
      return tag.getFormat();
  return Format::F32;
}

/// Uses of a master, also where --narrow-masters widened it.
static SmallVector<OpOperand *> getUses(BlockArgument master) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : master.getUses())
    if (auto widened = dyn_cast<arith::ExtFOp>(use.getOwner()))
      for (OpOperand &wide : widened->getUses())
        uses.push_back(&wide);
    else
      uses.push_back(&use);
  return uses;
}

/// The slot that `use` reads; none where it reads the master.
static FailureOr<std::optional<WorkSlot>> getSlot(OpOperand &use, Type master) {
  Operation *user = use.getOwner();
  if (train::getPhase(user) == train::Phase::Optimizer)
    return std::optional<WorkSlot>();
  Format format = getReadFormat(use);
  if (format == Format::F32 ||
      getElementType(user->getContext(), format) == master)
    return std::optional<WorkSlot>();
  if (!isNarrow(format))
    return std::optional<WorkSlot>({format, WorkSlot::Kind::Copy});
  auto matmul = dyn_cast<train::MatmulOp>(user);
  // split_weights_c1
  if (!matmul)
    return user->emitOpError("only train.matmul can read fp8 or fp4, but got ")
           << stringifyFormat(format) << " for operand "
           << use.getOperandNumber();
  // split_weights_c2
  if (cast<RankedTensorType>(use.get().getType()).getRank() != 2)
    return user->emitOpError(
               "a weight read in fp8 or fp4 must be a matrix, but "
               "got ")
           << use.get().getType();
  bool direct = isContractedLast(matmul, use.getOperandNumber());
  return std::optional<WorkSlot>(
      {format, direct ? WorkSlot::Kind::Copy : WorkSlot::Kind::Transposed});
}

/// A work copy has one scale, whoever reads it.
static LogicalResult setRule(SplitParameter &parameter) {
  Operation *first = parameter.uses.front().operand->getOwner();
  AmaxAttr options = getAmaxOptions(first);
  Scaling scaling = Scaling::None;
  for (const WorkUse &use : parameter.uses) {
    if (!isNarrow(use.slot.format))
      continue;
    Operation *user = use.operand->getOwner();
    TagAttr tag = getOperandTag(user, use.operand->getOperandNumber());
    // split_weights_c7
    if (scaling != Scaling::None && scaling != tag.getScaling())
      return user->emitOpError("a weight must have one scaling, but got ")
             << stringifyScaling(scaling) << " and "
             << stringifyScaling(tag.getScaling()) << " for " << parameter.path;
    scaling = tag.getScaling();
  }
  parameter.rule = {scaling,
                    options,
                    options.getWeight(),
                    StringAttr(),
                    getMicroscaling(first),
                    /*isWeight=*/true};
  RankedTensorType type = parameter.getWideType();
  // split_weights_c8
  if (parameter.rule.hasSquareBlocks() &&
      llvm::any_of(type.getShape(),
                   [](int64_t size) { return size % kNvfp4Block; }))
    return first->emitOpError(
               "a weight in blocks of 16x16 must have sizes that "
               "are multiples of 16, but got ")
           << type << " for " << parameter.path;
  // Without an update, nothing but the first amax scales a copy.
  if (scaling == Scaling::TensorDelayed && !parameter.isStaged)
    parameter.rule.history = parameter.path;
  return success();
}

/// A frozen weight that everything reads in one format, and that wider than
/// fp8, is kept in it: nothing needs a master.
bool SplitWeights::keepAsRead(func::FuncOp step, SplitParameter &parameter) {
  const WorkSlot &slot = parameter.uses.front().slot;
  BlockArgument argument = parameter.arguments.front();
  RankedTensorType wide = parameter.getWideType();
  bool isReadInOneFormat =
      argument.getType() == wide && !isFp8(slot.format) &&
      llvm::all_of(argument.getUses(), [&](OpOperand &use) {
        return llvm::any_of(parameter.uses, [&](const WorkUse &work) {
          return work.operand == &use && work.slot.format == slot.format;
        });
      });
  if (!isReadInOneFormat)
    return false;
  argument.setType(slot.getType(wide, Scaling::None));
  OpBuilder builder(step.getContext());
  builder.setInsertionPointToStart(&step.front());
  Value widened;
  for (const WorkUse &use : parameter.uses) {
    if (!movesElements(use.operand->getOwner()))
      continue;
    if (!widened)
      widened =
          arith::ExtFOp::create(builder, argument.getLoc(), wide, argument);
    use.operand->set(widened);
  }
  step.setFunctionType(builder.getFunctionType(step.front().getArgumentTypes(),
                                               step.getResultTypes()));
  return true;
}

/// What is read transposed reads the direct copy where there is one with the
/// same bytes; --insert-casts transposes it.
static void readDirectCopies(SplitParameter &parameter) {
  for (WorkUse &use : parameter.uses) {
    WorkSlot direct{use.slot.format, WorkSlot::Kind::Copy};
    if (use.slot.kind == WorkSlot::Kind::Transposed &&
        llvm::any_of(parameter.uses, [&](const WorkUse &other) {
          return other.slot == direct;
        }))
      use.slot = direct;
  }
}

/// The rule of a parameter and the slots that its uses need.
LogicalResult SplitWeights::addSlots(SplitParameter &parameter) {
  if (failed(setRule(parameter)))
    return failure();
  if (!keepTransposed && !isFine(parameter.rule.scaling))
    readDirectCopies(parameter);
  for (BlockArgument argument : parameter.arguments)
    // split_weights_c4
    if (Type master = getElementTypeOrSelf(argument.getType());
        !master.isF32() && !master.isBF16())
      return argument.getOwner()->getParentOp()->emitOpError(
                 "a master must be f32 or bf16, but got ")
             << argument.getType() << " for " << parameter.path;
  for (const WorkUse &use : parameter.uses) {
    parameter.slots.push_back(use.slot);
    if (!isNarrow(use.slot.format))
      continue;
    bool ownFactor = isFine(parameter.rule.scaling) &&
                     use.slot.kind == WorkSlot::Kind::Transposed;
    parameter.slots.push_back(
        {use.slot.format, ownFactor ? WorkSlot::Kind::TransposedFactor
                                    : WorkSlot::Kind::Factor});
    if (parameter.rule.scaling == Scaling::Nvfp4)
      parameter.slots.push_back(
          {use.slot.format, WorkSlot::Kind::TensorFactor});
    if (parameter.rule.history)
      parameter.slots.push_back({use.slot.format, WorkSlot::Kind::Scale});
  }
  llvm::sort(parameter.slots);
  parameter.slots.erase(llvm::unique(parameter.slots), parameter.slots.end());
  return success();
}

/// Masters of which the operands of `concat` are, as they are or widened; none
/// where it is read by something else than products in fp8 or fp4.
static SmallVector<BlockArgument, 1> getJoined(tensor::ConcatOp concat) {
  SmallVector<BlockArgument, 1> masters;
  for (Value operand : concat->getOperands()) {
    if (auto widened = operand.getDefiningOp<arith::ExtFOp>())
      operand = widened.getIn();
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument)
      return {};
    masters.push_back(argument);
  }
  bool isRead = llvm::all_of(concat->getUses(), [](OpOperand &use) {
    TagAttr tag = getOperandTag(use.getOwner(), use.getOperandNumber());
    return isa<train::MatmulOp>(use.getOwner()) && tag && tag.isNarrow();
  });
  return isRead && concat.getDim() == 0 ? masters
                                        : SmallVector<BlockArgument, 1>();
}

/// Parameters that products read joined in fp8 or fp4 share their copies.
LogicalResult
SplitWeights::collectJoined(func::FuncOp step,
                            SmallVectorImpl<SplitParameter> &parameters) {
  DenseMap<int64_t, unsigned> donated = findUpdates(step);
  llvm::MapVector<Attribute, SplitParameter> joined;
  Builder builder(step.getContext());
  for (auto concat : step.getOps<tensor::ConcatOp>()) {
    SmallVector<BlockArgument, 1> masters = getJoined(concat);
    if (masters.empty())
      continue;
    SmallVector<StringAttr, 1> names;
    for (BlockArgument master : masters) {
      auto path = step.getArgAttrOfType<StringAttr>(master.getArgNumber(),
                                                    train::kPath);
      // split_weights_c9
      if (!path)
        return concat.emitOpError("joined parameters must have a train.path, "
                                  "but argument ")
               << master.getArgNumber() << " has none";
      names.push_back(path);
    }
    SmallVector<Attribute> key(names.begin(), names.end());
    SplitParameter &parameter = joined[builder.getArrayAttr(key)];
    parameter.arguments = masters;
    parameter.members = names;
    for (OpOperand &use : concat->getUses()) {
      FailureOr<std::optional<WorkSlot>> slot =
          getSlot(use, builder.getF32Type());
      if (failed(slot))
        return failure();
      parameter.uses.push_back({&use, **slot});
    }
  }
  for (auto &[key, parameter] : joined) {
    parameter.path = builder.getStringAttr(joinNames(llvm::map_to_vector(
        parameter.members, [](StringAttr name) { return name.getValue(); })));
    if (failed(addSlots(parameter)))
      return failure();
    for (BlockArgument argument : parameter.arguments)
      if (auto updated = donated.find(argument.getArgNumber());
          updated != donated.end())
        parameter.updatedResults.push_back(updated->second);
    // split_weights_c10
    if (!parameter.updatedResults.empty() &&
        parameter.updatedResults.size() != parameter.arguments.size())
      return step.emitOpError("all or none of joined parameters must be "
                              "updated, but got ")
             << parameter.updatedResults.size() << " of " << parameter.path;
    parameters.push_back(std::move(parameter));
  }
  return success();
}

LogicalResult
SplitWeights::collect(func::FuncOp step,
                      SmallVectorImpl<SplitParameter> &parameters) {
  DenseMap<int64_t, unsigned> donated = findUpdates(step);
  for (BlockArgument argument : step.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto role = step.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
    if (!role || (role.getValue() != train::Role::Parameter &&
                  role.getValue() != train::Role::FrozenParameter))
      continue;
    SplitParameter parameter;
    parameter.arguments = {argument};
    parameter.path = step.getArgAttrOfType<StringAttr>(index, train::kPath);
    parameter.members = {parameter.path};
    Type master = getElementTypeOrSelf(argument.getType());
    bool isFrozen = role.getValue() == train::Role::FrozenParameter;
    SmallVector<OpOperand *> uses = getUses(argument);
    for (OpOperand *use : uses) {
      FailureOr<std::optional<WorkSlot>> slot = getSlot(*use, master);
      if (failed(slot))
        return failure();
      if (*slot)
        parameter.uses.push_back({use, **slot});
    }
    if (parameter.uses.empty() || (isFrozen && keepAsRead(step, parameter)))
      continue;
    parameter.isStaged =
        isFrozen && !keepFrozen && parameter.uses.size() == uses.size();
    // split_weights_c3
    if (!parameter.path)
      return step.emitOpError(
                 "a parameter must have a train.path, but argument ")
             << index << " has none";
    if (failed(addSlots(parameter)))
      return failure();
    if (auto updated = donated.find(index); updated != donated.end())
      parameter.updatedResults = {updated->second};
    parameters.push_back(std::move(parameter));
  }
  return collectJoined(step, parameters);
}

/// Names by which a slot is bound in all functions alike. What several
/// parameters share is the first one's, and names them all.
static SmallVector<NamedAttribute> getNames(Builder &builder,
                                            const SplitParameter &parameter,
                                            const WorkSlot &slot,
                                            train::Role role) {
  NamedAttrList names(slot.getAttributes(builder, parameter.path, role));
  if (parameter.members.size() > 1) {
    names.set(train::kParamOf, parameter.members.front());
    names.set(train::kTensors,
              builder.getArrayAttr(SmallVector<Attribute>(
                  parameter.members.begin(), parameter.members.end())));
  }
  return SmallVector<NamedAttribute>(names.getAttrs());
}

/// Masters in f32.
static SmallVector<Value> widenMasters(OpBuilder &builder, Location loc,
                                       ValueRange masters) {
  return llvm::map_to_vector(
      masters, [&](Value master) { return widenMaster(builder, loc, master); });
}

LogicalResult SplitWeights::splitStep(func::FuncOp step,
                                      ArrayRef<SplitParameter> parameters) {
  OpBuilder builder(step.getContext());
  Operation *terminator = step.getBody().front().getTerminator();
  unsigned firstNew = step.getNumArguments();
  unsigned oldResults = step.getNumResults();
  SmallVector<Type> argumentTypes, resultTypes;
  SmallVector<DictionaryAttr> argumentAttrs, resultAttrs;
  SmallVector<Location> locations;
  SmallVector<Value> updates;
  // Asking the block would count its operations after each insertion anew.
  DenseMap<Operation *, unsigned> positions;
  for (Operation &op : step.front())
    positions[&op] = positions.size();

  for (const SplitParameter &parameter : parameters) {
    RankedTensorType type = parameter.getWideType();
    SmallVector<Value> values;
    if (!parameter.updatedResults.empty()) {
      Operation *update = nullptr;
      SmallVector<Value> updated;
      for (unsigned result : parameter.updatedResults) {
        updated.push_back(terminator->getOperand(result));
        Operation *op = updated.back().getDefiningOp();
        // split_weights_c5
        if (!op)
          return step.emitOpError("an updated parameter must be computed, but ")
                 << parameter.path << " is returned as it came";
        if (!update || positions.at(update) < positions.at(op))
          update = op;
      }
      builder.setInsertionPointAfter(update);
      Block::iterator next = builder.getInsertionPoint();
      values = buildWorkSlots(builder, update->getLoc(),
                              widenMasters(builder, update->getLoc(), updated),
                              parameter.slots, parameter.rule);
      for (Operation &op :
           llvm::make_range(std::next(update->getIterator()), next))
        train::copyProvenance(update, &op);
    }
    for (auto [index, slot] : llvm::enumerate(parameter.slots)) {
      if (!values.empty()) {
        SmallVector<NamedAttribute> names =
            getNames(builder, parameter, slot, train::Role::Updated);
        names.push_back(builder.getNamedAttr(
            train::kDonatedTo,
            builder.getI64IntegerAttr(firstNew + argumentTypes.size())));
        resultTypes.push_back(slot.getType(type, parameter.rule.scaling));
        resultAttrs.push_back(builder.getDictionaryAttr(names));
        updates.push_back(values[index]);
      }
      argumentTypes.push_back(slot.getType(type, parameter.rule.scaling));
      argumentAttrs.push_back(builder.getDictionaryAttr(
          getNames(builder, parameter, slot, slot.getRole())));
      locations.push_back(parameter.getLoc());
    }
  }

  SmallVector<unsigned> argumentIndices(argumentTypes.size(), firstNew);
  SmallVector<unsigned> resultIndices(resultTypes.size(), oldResults);
  if (failed(step.insertArguments(argumentIndices, argumentTypes, argumentAttrs,
                                  locations)) ||
      failed(step.insertResults(resultIndices, resultTypes, resultAttrs)))
    return failure();
  terminator->insertOperands(terminator->getNumOperands(), updates);

  unsigned base = firstNew;
  // Widened copies, for users whose types insert-casts has yet to change.
  DenseMap<Value, Value> widened;
  builder.setInsertionPointToStart(&step.getBody().front());
  llvm::SetVector<Operation *> joins;
  for (const SplitParameter &parameter : parameters) {
    for (const WorkUse &use : parameter.uses) {
      auto slot = llvm::lower_bound(parameter.slots, use.slot);
      Value work = step.getArgument(base + (slot - parameter.slots.begin()));
      if (movesElements(use.operand->getOwner())) {
        Value &wide = widened[work];
        if (!wide)
          wide = arith::ExtFOp::create(builder, work.getLoc(),
                                       parameter.getWideType(), work);
        work = wide;
      }
      if (parameter.arguments.size() > 1)
        joins.insert(use.operand->get().getDefiningOp());
      use.operand->set(work);
      if (use.slot.kind == WorkSlot::Kind::Transposed)
        flipTranspose(cast<train::MatmulOp>(use.operand->getOwner()),
                      use.operand->getOperandNumber());
    }
    base += parameter.slots.size();
  }
  for (Operation *join : joins)
    join->erase();
  return success();
}

void SplitWeights::createInit(func::FuncOp step,
                              ArrayRef<SplitParameter> parameters) {
  OpBuilder builder(step.getContext());
  builder.setInsertionPoint(step);
  SmallVector<Type> masters, works;
  SmallVector<DictionaryAttr> masterAttrs, workAttrs;
  DenseMap<Value, unsigned> indices;
  for (const SplitParameter &parameter : parameters) {
    if (parameter.isStaged)
      continue;
    RankedTensorType type = parameter.getWideType();
    for (auto [argument, path] :
         llvm::zip_equal(parameter.arguments, parameter.members)) {
      if (!indices.try_emplace(argument, masters.size()).second)
        continue;
      masters.push_back(argument.getType());
      masterAttrs.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr(
               train::kRole,
               step.getArgAttr(argument.getArgNumber(), train::kRole)),
           builder.getNamedAttr(train::kPath, path)}));
    }
    for (const WorkSlot &slot : parameter.slots) {
      works.push_back(slot.getType(type, parameter.rule.scaling));
      workAttrs.push_back(builder.getDictionaryAttr(
          getNames(builder, parameter, slot, slot.getRole())));
    }
  }
  auto init = func::FuncOp::create(builder, step.getLoc(), "init",
                                   builder.getFunctionType(masters, works));
  init.setAllArgAttrs(masterAttrs);
  init.setAllResultAttrs(workAttrs);
  Block *body = init.addEntryBlock();
  builder.setInsertionPointToStart(body);
  SmallVector<Value> values;
  for (const SplitParameter &parameter : parameters) {
    if (parameter.isStaged)
      continue;
    Location loc = parameter.getLoc();
    SmallVector<Value> own = llvm::map_to_vector(
        parameter.arguments, [&](BlockArgument argument) -> Value {
          return body->getArgument(indices.at(argument));
        });
    llvm::append_range(values, buildWorkSlots(builder, loc,
                                              widenMasters(builder, loc, own),
                                              parameter.slots, parameter.rule));
  }
  func::ReturnOp::create(builder, step.getLoc(), values);
}

/// Copies that earlier steps' amaxes scaled, from a saved state.
void SplitWeights::createRestore(func::FuncOp step,
                                 ArrayRef<SplitParameter> parameters) {
  OpBuilder builder(step.getContext());
  builder.setInsertionPoint(step);
  auto restore = func::FuncOp::create(builder, step.getLoc(), "restore",
                                      builder.getFunctionType({}, {}));
  Block *body = restore.addEntryBlock();
  builder.setInsertionPointToStart(body);
  SmallVector<Type> results;
  SmallVector<DictionaryAttr> argumentAttrs, resultAttrs;
  SmallVector<Value> values;
  for (const SplitParameter &parameter : parameters) {
    if (!parameter.rule.history)
      continue;
    Location loc = parameter.getLoc();
    RankedTensorType type = parameter.getWideType();
    auto addArgument = [&](Type type, ArrayRef<NamedAttribute> names) {
      argumentAttrs.push_back(builder.getDictionaryAttr(names));
      return body->addArgument(type, loc);
    };
    SmallVector<Value> masters;
    for (auto [argument, path] :
         llvm::zip_equal(parameter.arguments, parameter.members))
      masters.push_back(addArgument(
          argument.getType(),
          {builder.getNamedAttr(
               train::kRole,
               step.getArgAttr(argument.getArgNumber(), train::kRole)),
           builder.getNamedAttr(train::kPath, path)}));
    SmallVector<Value> scales;
    for (const WorkSlot &slot : parameter.slots) {
      SmallVector<NamedAttribute> names =
          getNames(builder, parameter, slot, slot.getRole());
      if (slot.kind == WorkSlot::Kind::Scale) {
        scales.push_back(
            addArgument(slot.getType(type, parameter.rule.scaling), names));
      } else if (!slot.isScale() && isNarrow(slot.format)) {
        results.push_back(slot.getType(type, parameter.rule.scaling));
        resultAttrs.push_back(builder.getDictionaryAttr(names));
      }
    }
    llvm::append_range(
        values, rebuildCopies(builder, loc,
                              joinMasters(builder, loc,
                                          widenMasters(builder, loc, masters)),
                              parameter.slots, scales));
  }
  restore.setFunctionType(
      builder.getFunctionType(body->getArgumentTypes(), results));
  restore.setAllArgAttrs(argumentAttrs);
  restore.setAllResultAttrs(resultAttrs);
  func::ReturnOp::create(builder, step.getLoc(), values);
}

LogicalResult SplitWeights::stage(func::FuncOp step,
                                  ArrayRef<SplitParameter> parameters) {
  SmallVector<BlockArgument> unread;
  for (const SplitParameter &parameter : parameters) {
    if (!parameter.isStaged)
      continue;
    BlockArgument argument = parameter.arguments.front();
    createLoader(step,
                 {argument, parameter.path, parameter.slots, parameter.rule});
    unread.push_back(argument);
  }
  return eraseUnread(step, unread);
}

void SplitWeights::runOnOperation() {
  if (failed(verifyMaterializable(getOperation())))
    return signalPassFailure();
  // It tells of the graph that was.
  getOperation()->removeAttr(kDecisions);
  auto step = getOperation().lookupSymbol<func::FuncOp>("step");
  if (!step || step.isExternal())
    return;
  // split_weights_c6
  if (Operation *init = getOperation().lookupSymbol("init")) {
    init->emitOpError("weights must be split once, but got an @init already");
    return signalPassFailure();
  }
  SmallVector<SplitParameter, 0> parameters;
  if (failed(collect(step, parameters)))
    return signalPassFailure();
  if (parameters.empty())
    return;
  if (failed(splitStep(step, parameters)))
    return signalPassFailure();
  if (!llvm::all_of(parameters, [](const SplitParameter &parameter) {
        return parameter.isStaged;
      }))
    createInit(step, parameters);
  if (llvm::any_of(parameters, [](const SplitParameter &parameter) {
        return parameter.rule.history != nullptr;
      }))
    createRestore(step, parameters);
  if (failed(stage(step, parameters)))
    return signalPassFailure();
}
