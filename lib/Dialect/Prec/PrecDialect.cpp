//===- PrecDialect.cpp - the prec dialect ---------------------------------===//
#include "prec/Dialect/Prec/Prec.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::prec;

#include "prec/Dialect/Prec/PrecDialect.cpp.inc"
#include "prec/Dialect/Prec/PrecEnums.cpp.inc"
#include "prec/Dialect/Prec/PrecisionOpInterface.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "prec/Dialect/Prec/PrecAttrs.cpp.inc"

void PrecDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "prec/Dialect/Prec/PrecOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "prec/Dialect/Prec/PrecAttrs.cpp.inc"
      >();
}

/// Tag arrays hold one tag or unit for each result or operand.
static LogicalResult verifyTagArray(Operation *op, NamedAttribute attribute,
                                    unsigned expected, StringRef what) {
  auto array = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!array || !llvm::all_of(array, llvm::IsaPred<TagAttr, UnitAttr>))
    return op->emitOpError() << "'" << attribute.getName().getValue()
                             << "' must be an array of #prec.tag or unit";
  if (array.size() != expected)
    return op->emitOpError()
           << "'" << attribute.getName().getValue()
           << "' must have one entry for each of its " << expected << " "
           << what << ", but got " << array.size();
  return success();
}

LogicalResult PrecDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kResultTags)
    return verifyTagArray(op, attribute, op->getNumResults(), "results");
  if (name == kOperandTags)
    return verifyTagArray(op, attribute, op->getNumOperands(), "operands");
  if (name == kClass) {
    if (!isa<TensorClassAttr>(attribute.getValue()))
      return op->emitOpError("'prec.class' must be #prec.class");
    return success();
  }
  if (name == kRecipe || name == kTarget) {
    if (!isa<StringAttr>(attribute.getValue()))
      return op->emitOpError() << "'" << name << "' must be a string";
    return success();
  }
  return op->emitOpError() << "prec attributes must be known, but got '" << name
                           << "'";
}

LogicalResult PrecDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name != kTag)
    return op->emitOpError()
           << "argument " << argument
           << ": prec attributes must be known, but got '" << name << "'";
  if (!isa<TagAttr>(attribute.getValue()))
    return op->emitOpError()
           << "argument " << argument << ": 'prec.tag' must be #prec.tag";
  return success();
}
