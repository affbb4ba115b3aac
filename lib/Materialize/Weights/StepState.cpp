//===- StepState.cpp - state that passes add to a step --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers of passes that add state, results and guards to a step. A state is an
// argument of the step with a result that is donated to it, and a result of
// `init` that makes its first value; these functions keep the three together,
// so that their names and types agree. Here, too, is how a trained parameter is
// found (by the result that is donated to it), how the seed of random roundings
// is made (from the step count), and which values the guard of a step looks at:
// the loss, and the gradient behind each update.
//
//===----------------------------------------------------------------------===//
#include "Materialize/Weights/StepState.h"

#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Slices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace prec;

DictionaryAttr prec::withRole(DictionaryAttr names, train::Role role,
                              std::optional<int64_t> donatedTo) {
  Builder builder(names.getContext());
  NamedAttrList list(names);
  list.set(train::kRole, train::RoleAttr::get(names.getContext(), role));
  if (donatedTo)
    list.set(train::kDonatedTo, builder.getI64IntegerAttr(*donatedTo));
  return list.getDictionary(names.getContext());
}

DenseMap<int64_t, unsigned> prec::findUpdates(func::FuncOp step) {
  DenseMap<int64_t, unsigned> updates;
  for (unsigned i = 0; i < step.getNumResults(); ++i)
    if (auto to = step.getResultAttrOfType<IntegerAttr>(i, train::kDonatedTo))
      updates[to.getInt()] = i;
  return updates;
}

func::FuncOp prec::getOrCreateInit(func::FuncOp step) {
  auto module = step->getParentOfType<ModuleOp>();
  if (func::FuncOp init = findEntry(module, Entry::Init))
    return init;
  OpBuilder builder(step);
  auto init = func::FuncOp::create(builder, step.getLoc(), "init",
                                   builder.getFunctionType({}, {}));
  makeEntry(init, Entry::Init);
  builder.setInsertionPointToStart(init.addEntryBlock());
  func::ReturnOp::create(builder, step.getLoc());
  return init;
}

FailureOr<BlockArgument> prec::addState(func::FuncOp step, DictionaryAttr names,
                                        TypedAttr start) {
  func::FuncOp init = getOrCreateInit(step);
  if (failed(step.insertArgument(step.getNumArguments(), start.getType(), names,
                                 step.getLoc())) ||
      failed(init.insertResult(init.getNumResults(), start.getType(), names)))
    return failure();
  Operation *terminator = init.front().getTerminator();
  OpBuilder builder(terminator);
  terminator->insertOperands(
      terminator->getNumOperands(),
      arith::ConstantOp::create(builder, init.getLoc(), start).getResult());
  return step.getArguments().back();
}

FailureOr<BlockArgument> prec::addScalarState(func::FuncOp step, StringRef name,
                                              double start) {
  Builder builder(step.getContext());
  auto type = RankedTensorType::get({}, builder.getF32Type());
  // Path and slot are one: a state of the step belongs to no parameter.
  DictionaryAttr names = builder.getDictionaryAttr(
      {builder.getNamedAttr(train::kPath, builder.getStringAttr(name)),
       builder.getNamedAttr(train::kSlot, builder.getStringAttr(name))});
  return addState(
      step, withRole(names, train::Role::ScaleState),
      DenseElementsAttr::get(type, builder.getF32FloatAttr(start).getValue()));
}

LogicalResult prec::returnState(func::FuncOp step, BlockArgument state,
                                Value value) {
  unsigned index = state.getArgNumber();
  NamedAttrList names;
  for (StringRef name : {StringRef(train::kPath), StringRef(train::kSlot)})
    if (Attribute text = step.getArgAttr(index, name))
      names.set(name, text);
  return returnValue(step,
                     withRole(names.getDictionary(step.getContext()),
                              train::Role::Updated, index),
                     value);
}

SmallVector<TrainedParameter> prec::findTrained(func::FuncOp step) {
  DenseMap<int64_t, unsigned> updates = findUpdates(step);
  Operation *terminator = step.front().getTerminator();
  SmallVector<TrainedParameter> found;
  for (BlockArgument argument : step.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto role = step.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
    auto update = updates.find(index);
    if (!role || role.getValue() != train::Role::Parameter ||
        update == updates.end())
      continue;
    auto path = step.getArgAttrOfType<StringAttr>(index, train::kPath);
    Value updated = getUnrounded(terminator->getOperand(update->second));
    auto optimizer = updated.getDefiningOp<train::OptimizerOpInterface>();
    if (optimizer && updated != optimizer.getNewParameter())
      optimizer = {};
    found.push_back({argument, update->second,
                     path ? path.str() : "argument " + std::to_string(index),
                     optimizer});
  }
  return found;
}

Value prec::inOptimizer(Operation *op) {
  op->setAttr(train::kPhase,
              train::PhaseAttr::get(op->getContext(), train::Phase::Optimizer));
  return op->getResult(0);
}

Value prec::createSeed(func::FuncOp step) {
  for (BlockArgument argument : step.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto role = step.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
    auto path = step.getArgAttrOfType<StringAttr>(index, train::kPath);
    if (!role || role.getValue() != train::Role::Hyper || !path ||
        path.getValue() != "step")
      continue;
    OpBuilder builder = OpBuilder::atBlockBegin(&step.front());
    auto type = RankedTensorType::get({}, builder.getI32Type());
    return arith::FPToSIOp::create(builder, step.getLoc(), type, argument);
  }
  return {};
}

Value prec::getElement(OpBuilder &builder, Location loc, Value rows,
                       int64_t row) {
  auto type = cast<RankedTensorType>(rows.getType());
  Value slice =
      train::createSlice(builder, loc, type.clone({1, 1}), rows, {row, 0});
  return tensor::CollapseShapeOp::create(builder, loc,
                                         type.clone(ArrayRef<int64_t>()), slice,
                                         ArrayRef<ReassociationIndices>());
}

namespace {
/// What a guard reads.
struct Guarded {
  Value value;
  std::string name;
};
} // namespace

Value prec::getUnrounded(Value updated) {
  if (auto rounding = updated.getDefiningOp<StochasticRoundOp>())
    return rounding.getInput();
  if (auto rounding = updated.getDefiningOp<PrecisionAwareUpdateOp>())
    if (auto optimizer =
            rounding.getUpdate().getDefiningOp<train::OptimizerOpInterface>())
      return optimizer.getNewParameter();
  return updated;
}

train::OptimizerOpInterface
prec::getWithUpdate(train::OptimizerOpInterface op) {
  if (op.getUpdate())
    return op;
  OpBuilder builder(op);
  SmallVector<Type> types(op->getResultTypes());
  types.push_back(cast<RankedTensorType>(op.getParameter().getType())
                      .clone(builder.getF32Type()));
  NamedAttrList attributes(op->getAttrDictionary());
  SmallVector<std::pair<unsigned, TagAttr>> tags;
  for (unsigned result = 0; result < op->getNumResults(); ++result)
    if (TagAttr tag = getResultTag(op, result))
      tags.push_back({result, tag});
  attributes.erase("result_tags");
  OperationState state(op.getLoc(), op->getName(), op->getOperands(), types,
                       attributes);
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *wider = builder.create(state);
  for (auto [result, tag] : tags)
    setResultTag(wider, result, tag);
  op->replaceAllUsesWith(wider->getResults().drop_back());
  op.erase();
  return cast<train::OptimizerOpInterface>(wider);
}

LogicalResult prec::returnValue(func::FuncOp step, DictionaryAttr attributes,
                                Value value) {
  if (failed(
          step.insertResult(step.getNumResults(), value.getType(), attributes)))
    return failure();
  Operation *terminator = step.front().getTerminator();
  terminator->insertOperands(terminator->getNumOperands(), value);
  return success();
}

LogicalResult prec::returnMetric(func::FuncOp step, const Twine &name,
                                 Value value) {
  Builder builder(step.getContext());
  return returnValue(step,
                     withRole(builder.getDictionaryAttr(builder.getNamedAttr(
                                  train::kPath, builder.getStringAttr(name))),
                              train::Role::Metric),
                     value);
}

/// The loss, and for each update what shows whether it is sound.
static SmallVector<Guarded> findGuarded(func::FuncOp step) {
  SmallVector<Guarded> losses, updates;
  llvm::SmallDenseSet<Value> seen;
  auto add = [&](SmallVector<Guarded> &list, Value value, const Twine &name) {
    if (seen.insert(value).second)
      list.push_back({value, name.str()});
  };
  for (OpOperand &returned : step.front().getTerminator()->getOpOperands()) {
    unsigned index = returned.getOperandNumber();
    auto role = step.getResultAttrOfType<train::RoleAttr>(index, train::kRole);
    if (role && role.getValue() == train::Role::Loss)
      add(losses, returned.get(), "loss");
    auto to = step.getResultAttrOfType<IntegerAttr>(index, train::kDonatedTo);
    auto type = dyn_cast<RankedTensorType>(returned.get().getType());
    if (!to || !isa<FloatType>(type.getElementType()))
      continue;
    auto of = step.getArgAttrOfType<train::RoleAttr>(to.getInt(), train::kRole);
    if (!of || (of.getValue() != train::Role::Parameter &&
                of.getValue() != train::Role::OptimizerState))
      continue;
    auto path = step.getArgAttrOfType<StringAttr>(to.getInt(), train::kPath);
    std::string name =
        path ? path.str() : "argument " + std::to_string(to.getInt());
    Value updated = getUnrounded(returned.get());
    if (auto optimizer = updated.getDefiningOp<train::OptimizerOpInterface>()) {
      if (updated == optimizer.getNewParameter())
        add(updates, optimizer.getGradient(), "gradient of " + name);
    } else if (returned.get().getDefiningOp()) {
      add(updates, returned.get(), name);
    }
  }
  if (updates.empty())
    return {};
  llvm::stable_sort(updates, [](const Guarded &a, const Guarded &b) {
    Operation *first = a.value.getDefiningOp(),
              *second = b.value.getDefiningOp();
    return first && second ? first->isBeforeInBlock(second) : !first && second;
  });
  losses.append(updates);
  return losses;
}

FiniteGuardOp prec::getOrCreateGuard(func::FuncOp step) {
  auto present = step.getOps<FiniteGuardOp>();
  if (!present.empty())
    return *present.begin();
  SmallVector<Guarded> guarded = findGuarded(step);
  if (guarded.empty())
    return {};
  SmallVector<Value> values;
  SmallVector<StringRef> names;
  for (const Guarded &one : guarded) {
    values.push_back(one.value);
    names.push_back(one.name);
  }
  OpBuilder builder(step.front().getTerminator());
  auto scalar = [](Type type) { return RankedTensorType::get({}, type); };
  // No module of the model has it.
  Location location = NameLoc::get(builder.getStringAttr("finite_guard"));
  auto guard = FiniteGuardOp::create(
      builder, location, scalar(builder.getI1Type()),
      scalar(builder.getF32Type()), values, builder.getStrArrayAttr(names));
  inOptimizer(guard);
  return guard;
}
