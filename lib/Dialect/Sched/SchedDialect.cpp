//===- SchedDialect.cpp - the sched dialect -------------------------------===//
#include "prec/Dialect/Sched/Sched.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::sched;

#include "prec/Dialect/Sched/SchedDialect.cpp.inc"
#include "prec/Dialect/Sched/SchedEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "prec/Dialect/Sched/SchedAttrs.cpp.inc"

void SchedDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "prec/Dialect/Sched/SchedOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "prec/Dialect/Sched/SchedAttrs.cpp.inc"
      >();
}

LogicalResult
PlacementAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                      Segment, int64_t offset) {
  if (offset < 0)
    return emitError() << "offset must not be negative, but got " << offset;
  return success();
}
