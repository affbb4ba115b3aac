//===- VerifyWorkState.cpp - who reads and makes work weights -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/VerifyWorkState.h"

#include "prec/Dialect/Train/Train.h"

using namespace mlir;
using namespace prec;

/// Every work weight and scale of @step is read, be it by @restore, and made by
/// @init or a loader.
// verify_materialized_c11
LogicalResult prec::verifyWorkState(func::FuncOp step,
                                    ArrayRef<func::FuncOp> makers,
                                    func::FuncOp restore) {
  DenseMap<std::pair<Attribute, Attribute>, Type> made;
  for (func::FuncOp maker : makers)
    for (unsigned i = 0; i < maker.getNumResults(); ++i)
      made[{maker.getResultAttr(i, train::kParamOf),
            maker.getResultAttr(i, train::kSlot)}] = maker.getResultTypes()[i];
  DenseSet<std::pair<Attribute, Attribute>> restored;
  for (unsigned i = 0; restore && i < restore.getNumArguments(); ++i)
    restored.insert({restore.getArgAttr(i, train::kParamOf),
                     restore.getArgAttr(i, train::kSlot)});
  unsigned count = 0;
  for (BlockArgument argument : step.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto role = step.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
    if (!role || (role.getValue() != train::Role::WorkWeight &&
                  role.getValue() != train::Role::ScaleState))
      continue;
    ++count;
    std::pair<Attribute, Attribute> name(
        step.getArgAttr(index, train::kParamOf),
        step.getArgAttr(index, train::kSlot));
    if (argument.use_empty() && !restored.contains(name))
      return step.emitOpError(
                 "a work weight or scale must be read, but argument ")
             << index << " is not";
    Type type = made.lookup(name);
    if (type != argument.getType())
      return step.emitOpError(
                 "@init or a loader must make every work weight and scale, but "
                 "argument ")
             << index << " of type " << argument.getType()
             << (type ? " has another type there" : " is missing there");
  }
  if (made.size() != count)
    return step.emitOpError("@init and loaders must make the work weights and "
                            "scales of the step, but got ")
           << made.size() << " for " << count;
  return success();
}
