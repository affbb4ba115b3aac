//===- Supported.cpp - decisions that can be materialized -----------------===//
#include "Supported.h"

#include "prec/Dialect/Train/Train.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::prec;

static LogicalResult refuse(Operation *op, const Twine &what, TagAttr tag) {
  return op->emitOpError() << what << " is not materialized yet, but got "
                           << tag;
}

static LogicalResult verifyOperandTag(Operation *op, TagAttr tag) {
  // materialize_c1
  if (tag.getFormat() == Format::E2M1)
    return refuse(op, "e2m1", tag);
  // materialize_c2
  if (tag.getScaling() == Scaling::Mx1x32)
    return refuse(op, stringifyScaling(tag.getScaling()) + " scaling", tag);
  return success();
}

static LogicalResult verifyUses(Operation *op) {
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (TagAttr tag = getOperandTag(op, i))
      if (failed(verifyOperandTag(op, tag)))
        return failure();
  return success();
}

static LogicalResult verifyMoments(FunctionOpInterface function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto role = function.getArgAttrOfType<train::RoleAttr>(i, train::kRole);
    auto tag = function.getArgAttrOfType<TagAttr>(i, kTag);
    bool isMoment = role && role.getValue() == train::Role::OptimizerState;
    // materialize_c3
    if (isMoment && tag && tag.getFormat() != Format::F32)
      return refuse(function,
                    "a moment narrower than f32 (argument " + Twine(i) + ")",
                    tag);
  }
  return success();
}

LogicalResult prec::verifyMaterializable(Operation *root) {
  WalkResult result = root->walk([](Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      return WalkResult(verifyMoments(function));
    return WalkResult(verifyUses(op));
  });
  return failure(result.wasInterrupted());
}
