//===- Supported.cpp - decisions that can be materialized -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Supported.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace prec;

static LogicalResult refuse(Operation *op, const Twine &what, TagAttr tag) {
  return op->emitOpError() << what << " is not materialized yet, but got "
                           << tag;
}

static LogicalResult verifyMoments(FunctionOpInterface function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto role = function.getArgAttrOfType<train::RoleAttr>(i, train::kRole);
    auto tag = function.getArgAttrOfType<TagAttr>(i, kTag);
    bool isMoment = role && role.getValue() == train::Role::OptimizerState;
    // materialize_c1
    if (isMoment && tag && tag.getFormat() != Format::F32)
      return refuse(function,
                    "a moment narrower than f32 (argument " + Twine(i) + ")",
                    tag);
  }
  return success();
}

bool prec::isDescribed(Operation *op) {
  return isa<PrecisionOpInterface>(op) &&
         isa<train::DecomposeOpInterface>(op) &&
         !isa_and_present<PrecDialect, train::TrainDialect>(op->getDialect());
}

bool prec::isDescribedArithmetic(Operation *op) {
  std::optional<Structure> structure = getStructure(op);
  return isDescribed(op) && (structure == Structure::Elementwise ||
                             structure == Structure::Reduction);
}

LogicalResult prec::verifyMaterializable(Operation *root) {
  WalkResult result = root->walk([](FunctionOpInterface function) {
    return WalkResult(verifyMoments(function));
  });
  return failure(result.wasInterrupted());
}
