//===- SchedCalls.cpp - verifier of calls ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/Custom.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace prec::sched;

LogicalResult CallOp::verify() {
  if (failed(prec::train::verifyCustomCall(
          *this, {getFunction(), getReads(), getMakes(), getKernelsAttr()})))
    return failure();
  auto isOwn = [](auto pair) {
    Type own = cast<TypeAttr>(std::get<1>(pair)).getValue();
    return !isa<FloatType>(own) ||
           getElementTypeOrSelf(std::get<0>(pair)) == own;
  };
  // sched_call_c1
  if (!llvm::all_of(llvm::zip_equal(getOperandTypes(), getReads()), isOwn) ||
      !llvm::all_of(llvm::zip_equal(getResultTypes(), getMakes()), isOwn))
    return emitOpError(
               "floats must be of the types in 'reads' and 'makes', but "
               "got ")
           << getOperandTypes() << " and " << getResultTypes();
  return verifyPlacements(*this, getPlacements());
}
