//===- TaggedMap.cpp - the precision map of a tagged graph ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/TaggedMap.h"
#include "prec/Assign/Classify.h"

#include "Assign/Report/CollectMap.h"
#include "Assign/Report/DecisionRecord.h"
#include "prec/Target/EmitErrors.h"
#include "prec/Dialect/Prec/Decisions.h"
#include "prec/Dialect/Prec/Entry.h"

using namespace mlir;
using namespace prec;

static Decision readTag(TagAttr tag, Assignment &assignment) {
  if (!tag)
    return {};
  StringRef rule = tag.getRule();
  return {tag.getFormat(), tag.getScaling(), tag.getAccumulator(),
          assignment.save(rule.empty() ? "(no rule)" : rule)};
}

/// Tags do not say what is stored; what passes through registers says so in its
/// rule only.
static Assignment readTags(const Projection &projection) {
  Assignment assignment;
  for (Value value : projection.values)
    assignment.values.push_back(readTag(prec::getTag(value), assignment));
  for (auto [node, op] :
       llvm::zip(projection.graph.nodes, projection.operations)) {
    SmallVector<Decision, 2> &uses = assignment.uses.emplace_back();
    for (unsigned i = 0; i < node.operands.size(); ++i)
      uses.push_back(readTag(getOperandTag(op, i), assignment));
  }
  return assignment;
}

static bool isTagged(Operation *op) {
  auto isTag = [](Attribute attribute) { return isa<TagAttr>(attribute); };
  auto isTagArray = [&](NamedAttribute attribute) {
    auto array = dyn_cast<ArrayAttr>(attribute.getValue());
    return array && llvm::any_of(array, isTag);
  };
  if (llvm::any_of(op->getAttrs(), isTagArray))
    return true;
  auto function = dyn_cast<FunctionOpInterface>(op);
  for (unsigned i = 0; function && i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, kTag))
      return true;
  return false;
}

bool prec::isTagged(ModuleOp module) {
  if (module->hasAttr(kRecipe) || module->hasAttr(kTarget))
    return true;
  return module
      .walk([](Operation *op) {
        return ::isTagged(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static FailureOr<PrecisionMap> collectTags(ModuleOp module) {
  auto recipe = module->getAttrOfType<StringAttr>(kRecipe);
  auto target = module->getAttrOfType<StringAttr>(kTarget);
  if (!recipe || !target)
    return emitError(module.getLoc())
           << "a graph must be tagged by --assign-precision, but got none of '"
           << kRecipe << "' and '" << kTarget << "'";
  PrecisionMap map;
  map.recipe = recipe.str();
  map.target = target.str();
  WalkResult result = module.walk([&](FunctionOpInterface function) {
    if (function.isExternal() || isInCrowded(function))
      return WalkResult::advance();
    FailureOr<Projection> projection = project(function);
    if (failed(projection))
      return WalkResult::interrupt();
    Classification facts = classify(projection->graph);
    Assignment assignment = readTags(*projection);
    map.functions.push_back(collectFunction({function,
                                             std::move(*projection),
                                             std::move(facts),
                                             std::move(assignment),
                                             {}}));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return map;
}

FailureOr<PrecisionMap> prec::collectTaggedMap(ModuleOp module) {
  FailureOr<PrecisionMap> tags = collectTags(module);
  if (failed(tags))
    return failure();
  llvm::Expected<std::optional<PrecisionMap>> record =
      readDecisionRecord(module);
  if (!record)
    return emitErrors(module.getLoc(), record.takeError());
  if (!*record)
    return tags;
  if (std::optional<std::string> difference = findDisagreement(**record, *tags))
    return emitError(module.getLoc())
           << "'" << kDecisions << "' must agree with the tags, but "
           << *difference;
  return std::move(**record);
}
