//===- CommandName.cpp - what commands are called -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Schedule/CommandName.h"

#include "Schedule/Memory/Lifetimes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

StringRef prec::getModulePath(Operation *op) {
  auto location = dyn_cast<NameLoc>(op->getLoc());
  return location ? location.getName().getValue() : StringRef();
}

std::string prec::getCommandName(Operation *op) {
  if (auto dispatch = dyn_cast<sched::DispatchOp>(op))
    return dispatch.getSym().str();
  StringRef kind =
      llvm::TypeSwitch<Operation *, StringRef>(op)
          .Case<sched::SdpaOp>([](auto) { return "attention"; })
          .Case<sched::SdpaGradOp>([](auto) { return "attention_grad"; })
          .Default([](Operation *op) { return op->getName().stripDialect(); });
  IntegerAttr id = getId(op);
  StringRef path = getModulePath(op);
  return (path + (path.empty() ? "" : "/") + kind + "." +
          Twine(id ? id.getInt() : 0))
      .str();
}
