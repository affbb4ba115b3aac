//===- PrecDialect.cpp - the prec dialect ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dialect/DialectVersion.h"
#include "Dialect/ValueInliner.h"
#include "Dialect/Prec/PrecLinearity.h"

#include "prec/Dialect/Prec/Decisions.h"
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Prec/Prec.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

#include "prec/Dialect/Prec/PrecDialect.cpp.inc"
#include "prec/Dialect/Prec/PrecEnums.cpp.inc"
#include "prec/Dialect/Prec/PrecisionOpInterface.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "prec/Dialect/Prec/PrecAttrs.cpp.inc"

void PrecDialect::initialize() {
  addInterfaces<ValueInliner, VersionedDialect>();
  addOperations<
#define GET_OP_LIST
#include "prec/Dialect/Prec/PrecOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "prec/Dialect/Prec/PrecAttrs.cpp.inc"
      >();
  attachPrecLinearity(getContext());
}

/// Reports a prec attribute that does not belong where it is.
static LogicalResult reportUnknown(Operation *op, const Twine &place,
                                   StringRef name) {
  return op->emitOpError() << place
                           << "prec attributes must be known here, but got '"
                           << name << "'";
}

/// An entry point has a body. That a module has one of each is checked where
/// they are looked for, as functions may be verified while others change.
static LogicalResult verifyEntry(Operation *op, Attribute value) {
  auto name = dyn_cast<StringAttr>(value);
  // prec_c11
  if (!name || !symbolizeEntry(name.getValue())) {
    InFlightDiagnostic diagnostic =
        op->emitOpError("'prec.entry' must be one of ");
    llvm::interleaveComma(
        llvm::seq(getMaxEnumValForEntry() + 1), diagnostic, [&](unsigned i) {
          diagnostic << '"' << stringifyEntry(static_cast<Entry>(i)) << '"';
        });
    return diagnostic << ", but got " << value;
  }
  auto function = cast<func::FuncOp>(op);
  // prec_c12
  if (function.isExternal())
    return op->emitOpError("an entry point must have a body, but got a "
                           "declaration with 'prec.entry' = ")
           << value;
  return success();
}

LogicalResult PrecDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == kResultTags || name == kOperandTags) {
    // prec_c1
    if (hasInherentTags(op))
      return op->emitOpError("must keep tags in its own attributes, but got '")
             << name << "'";
    return verifyTags(op);
  }
  if (name == kEntry && isa<func::FuncOp>(op))
    return verifyEntry(op, value);
  if (name == kClass) {
    // prec_c2
    if (!isa<TensorClassAttr>(value))
      return op->emitOpError("'prec.class' must be #prec.class, but got ")
             << value;
    return success();
  }
  if (name == kDirection) {
    static constexpr StringRef kDirections[] = {
#define PREC_DIRECTION(Symbol, name) #name,
#include "prec-rt/enums.def"
    };
    auto direction = dyn_cast<StringAttr>(value);
    // prec_c13
    if (!direction || !llvm::is_contained(kDirections, direction.getValue()))
      return op->emitOpError() << "'" << name << "' must be one of "
                               << llvm::join(ArrayRef(kDirections), ", ")
                               << ", but got " << value;
    return success();
  }
  if ((name == kRecipe || name == kTarget) && isa<ModuleOp>(op)) {
    // prec_c3
    if (!isa<StringAttr>(value))
      return op->emitOpError()
             << "'" << name << "' must be a string, but got " << value;
    return success();
  }
  if ((name == kAmax || name == kLossScaling || name == kMasterRounding ||
       name == kMicroscaling || name == kMoments) &&
      isa<ModuleOp>(op)) {
    bool isRight = name == kAmax             ? isa<AmaxAttr>(value)
                   : name == kLossScaling    ? isa<LossScalingAttr>(value)
                   : name == kMasterRounding ? isa<MasterRoundingAttr>(value)
                   : name == kMicroscaling   ? isa<MicroscalingAttr>(value)
                                             : isa<MomentStorageAttr>(value);
    // prec_c8
    if (!isRight)
      return op->emitOpError()
             << "'" << name << "' must be #" << name << ", but got " << value;
    return success();
  }
  if ((name == kSeparateLayers || name == kCrowdedModule) &&
      isa<ModuleOp>(op)) {
    // prec_c10
    if (!isa<UnitAttr>(value))
      return op->emitOpError()
             << "'" << name << "' must have no value, but got " << value;
    return success();
  }
  if (name == kQuantizedTokens) {
    // prec_c14
    if (getMovement(op) != Movement::Gather || !isa<UnitAttr>(value))
      return op->emitOpError() << "'" << name
                               << "' must have no value and be on a lookup of "
                                  "rows, but got "
                               << value;
    return success();
  }
  if (name == kDecisions && isa<ModuleOp>(op)) {
    auto bytes = dyn_cast<DenseI8ResourceElementsAttr>(value);
    // prec_c9
    if (!bytes || bytes.getType().getRank() != 1)
      return op->emitOpError() << "'" << name
                               << "' must be a dense_resource of one dimension "
                                  "of i8, but got "
                               << value;
    return success();
  }
  // prec_c4
  return reportUnknown(op, "", name);
}

LogicalResult PrecDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute attribute) {
  // prec_c5
  if (attribute.getName() != kTag)
    return reportUnknown(op, "argument " + Twine(argument) + ": ",
                         attribute.getName());
  // prec_c6
  if (!isa<TagAttr>(attribute.getValue()))
    return op->emitOpError() << "argument " << argument
                             << ": 'prec.tag' must be #prec.tag, but got "
                             << attribute.getValue();
  return success();
}

LogicalResult PrecDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned result, NamedAttribute attribute) {
  // prec_c7
  return reportUnknown(op, "result " + Twine(result) + ": ",
                       attribute.getName());
}
