//===- TagCrowded.cpp - formats of the step with room for all rows --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A crowded step is the step once more, with room for all rows of experts. Both
// must round alike, or a batch would have other losses where its rows had no
// room; so formats are decided once, for the step. The two were made by the
// same passes of the same graph, and differ in sizes alone. So this walks both
// at once and copies tags from each operation to the one at its place.
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Train/Ranks.h"
#include "prec/Assign/Passes.h"
#include "prec/Dialect/Prec/Decisions.h"
#include "prec/Dialect/Prec/Entry.h"

#include "mlir/IR/BuiltinOps.h"

namespace prec {
#define GEN_PASS_DEF_TAGCROWDED
#include "prec/Assign/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct TagCrowded : public prec::impl::TagCrowdedBase<TagCrowded> {
  void runOnOperation() override;
};

} // namespace

static void copyTags(Operation *from, Operation *to) {
  clearTags(to);
  for (unsigned result = 0; result < from->getNumResults(); ++result)
    if (TagAttr tag = getResultTag(from, result))
      setResultTag(to, result, tag);
  for (unsigned operand = 0; operand < from->getNumOperands(); ++operand)
    if (TagAttr tag = getOperandTag(from, operand))
      setOperandTag(to, operand, tag);
  to->removeAttr(kDirection);
  to->removeAttr(kQuantizedTokens);
  for (StringRef name : {StringRef(kDirection), StringRef(kQuantizedTokens)})
    if (Attribute value = from->getAttr(name))
      to->setAttr(name, value);
}

/// All operations of a step, also those within others.
static SmallVector<Operation *> list(func::FuncOp step) {
  SmallVector<Operation *> operations;
  step.getBody().walk([&](Operation *op) { operations.push_back(op); });
  return operations;
}

static bool isAlike(Operation *a, Operation *b) {
  return a->getName() == b->getName() &&
         a->getNumOperands() == b->getNumOperands() &&
         a->getNumResults() == b->getNumResults();
}

static LogicalResult copyTags(func::FuncOp from, func::FuncOp to) {
  SmallVector<Operation *> given = list(from), taken = list(to);
  bool isSame = given.size() == taken.size() &&
                from.getNumArguments() == to.getNumArguments();
  for (size_t i = 0; isSame && i < given.size(); ++i)
    isSame = isAlike(given[i], taken[i]);
  // tag_crowded_c1
  if (!isSame)
    return to.emitOpError("a crowded step must have the operations of the step "
                          "in the same order, but got ")
           << taken.size() << ", some of them others, for " << given.size();
  for (auto [a, b] : llvm::zip_equal(given, taken)) {
    copyTags(a, b);
    train::copySentAs(a, b);
  }
  for (unsigned index = 0; index < from.getNumArguments(); ++index)
    if (Attribute tag = from.getArgAttr(index, kTag))
      to.setArgAttr(index, kTag, tag);
  return success();
}

void TagCrowded::runOnOperation() {
  ModuleOp module = getOperation();
  ModuleOp crowded = findCrowded(module);
  if (!crowded)
    return;
  FailureOr<func::FuncOp> step = getStepGraph(module);
  FailureOr<func::FuncOp> same = getStepGraph(crowded);
  if (failed(step) || failed(same) || failed(copyTags(*step, *same)))
    return signalPassFailure();
  // The record of decisions is of one step.
  for (NamedAttribute attribute : module->getDiscardableAttrs())
    if (isa_and_present<PrecDialect>(attribute.getNameDialect()) &&
        attribute.getName() != kDecisions)
      crowded->setAttr(attribute.getName(), attribute.getValue());
}
