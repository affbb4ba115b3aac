//===- StagedWeights.cpp - weights that only their copies keep ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Weights/StagedWeights.h"

using namespace mlir;
using namespace prec;

void prec::createLoader(func::FuncOp step, const StagedWeight &weight) {
  OpBuilder builder(step);
  Location loc = weight.argument.getLoc();
  auto stored = cast<RankedTensorType>(weight.argument.getType());
  RankedTensorType wide = stored.clone(builder.getF32Type());
  NamedAttrList names;
  names.set(train::kRole, train::RoleAttr::get(step.getContext(),
                                               train::Role::StagedParameter));
  names.set(train::kPath, weight.path);
  for (StringRef name :
       {StringRef(train::kAliases), StringRef(train::kSourceDtype)})
    if (Attribute value = step.getArgAttr(weight.argument.getArgNumber(), name))
      names.set(name, value);
  SmallVector<Type> results;
  SmallVector<DictionaryAttr> attributes;
  for (const WorkSlot &slot : weight.slots) {
    results.push_back(slot.getType(wide, weight.rule.scaling));
    attributes.push_back(builder.getDictionaryAttr(
        slot.getAttributes(builder, weight.path, slot.getRole())));
  }
  auto loader = func::FuncOp::create(builder, step.getLoc(),
                                     ("load." + weight.path.getValue()).str(),
                                     builder.getFunctionType(stored, results));
  loader.setArgAttrs(0, names.getDictionary(step.getContext()));
  loader.setAllResultAttrs(attributes);
  builder.setInsertionPointToStart(loader.addEntryBlock());
  Value master = widenMaster(builder, loc, loader.getArgument(0));
  func::ReturnOp::create(
      builder, step.getLoc(),
      buildWorkSlots(builder, loc, master, weight.slots, weight.rule));
}

bool prec::isLoader(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto role = function.getArgAttrOfType<train::RoleAttr>(i, train::kRole);
    if (role && role.getValue() == train::Role::StagedParameter)
      return true;
  }
  return false;
}

LogicalResult prec::eraseUnread(func::FuncOp step,
                                ArrayRef<BlockArgument> arguments) {
  llvm::BitVector erased(step.getNumArguments());
  for (BlockArgument argument : arguments) {
    for (Operation *cast : llvm::make_early_inc_range(argument.getUsers()))
      cast->erase();
    erased.set(argument.getArgNumber());
  }
  Builder builder(step.getContext());
  SmallVector<std::pair<unsigned, int64_t>> donations;
  for (unsigned i = 0; i < step.getNumResults(); ++i)
    if (auto to = step.getResultAttrOfType<IntegerAttr>(i, train::kDonatedTo))
      donations.push_back({i, to.getInt()});
  if (failed(step.eraseArguments(erased)))
    return failure();
  for (auto [result, argument] : donations) {
    int64_t before = 0;
    for (unsigned i : erased.set_bits())
      before += i < argument;
    step.setResultAttr(result, train::kDonatedTo,
                       builder.getI64IntegerAttr(argument - before));
  }
  return success();
}
