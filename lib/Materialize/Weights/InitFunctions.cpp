//===- InitFunctions.cpp - what makes work weights before a step ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Weights/InitFunctions.h"

#include "prec/Dialect/Prec/Entry.h"

using namespace mlir;
using namespace prec;

/// Names of a parameter as an argument of `step`.
static DictionaryAttr getMasterNames(Builder &builder, func::FuncOp step,
                                     BlockArgument argument, StringAttr path) {
  return builder.getDictionaryAttr(
      {builder.getNamedAttr(
           train::kRole,
           step.getArgAttr(argument.getArgNumber(), train::kRole)),
       builder.getNamedAttr(train::kPath, path)});
}

void prec::createInit(func::FuncOp step, ArrayRef<SplitParameter> parameters) {
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
      masterAttrs.push_back(getMasterNames(builder, step, argument, path));
    }
    for (const WorkSlot &slot : parameter.slots) {
      works.push_back(slot.getType(type, parameter.rule.scaling));
      workAttrs.push_back(builder.getDictionaryAttr(
          parameter.getNames(builder, slot, slot.getRole())));
    }
  }
  auto init = func::FuncOp::create(builder, step.getLoc(), "init",
                                   builder.getFunctionType(masters, works));
  makeEntry(init, Entry::Init);
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
    llvm::append_range(
        values, buildWorkSlots(builder, loc, widenMasters(builder, loc, own),
                               parameter.slots, parameter.rule,
                               {parameter.joinDim, parameter.padding}));
  }
  func::ReturnOp::create(builder, step.getLoc(), values);
}

void prec::createRestore(func::FuncOp step,
                         ArrayRef<SplitParameter> parameters) {
  OpBuilder builder(step.getContext());
  builder.setInsertionPoint(step);
  auto restore = func::FuncOp::create(builder, step.getLoc(), "restore",
                                      builder.getFunctionType({}, {}));
  makeEntry(restore, Entry::Restore);
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
    auto addArgument = [&](Type type, DictionaryAttr names) {
      argumentAttrs.push_back(names);
      return body->addArgument(type, loc);
    };
    SmallVector<Value> masters;
    for (auto [argument, path] :
         llvm::zip_equal(parameter.arguments, parameter.members))
      masters.push_back(addArgument(
          argument.getType(), getMasterNames(builder, step, argument, path)));
    SmallVector<Value> scales;
    for (const WorkSlot &slot : parameter.slots) {
      DictionaryAttr names = builder.getDictionaryAttr(
          parameter.getNames(builder, slot, slot.getRole()));
      if (slot.kind == WorkSlot::Kind::Scale) {
        scales.push_back(
            addArgument(slot.getType(type, parameter.rule.scaling), names));
      } else if (!slot.isScale() && isNarrow(slot.format)) {
        results.push_back(slot.getType(type, parameter.rule.scaling));
        resultAttrs.push_back(names);
      }
    }
    llvm::append_range(
        values,
        rebuildCopies(builder, loc,
                      joinMasters(builder, loc,
                                  widenMasters(builder, loc, masters),
                                  {parameter.joinDim, parameter.padding}),
                      parameter.slots, scales));
  }
  restore.setFunctionType(
      builder.getFunctionType(body->getArgumentTypes(), results));
  restore.setAllArgAttrs(argumentAttrs);
  restore.setAllResultAttrs(resultAttrs);
  func::ReturnOp::create(builder, step.getLoc(), values);
}
