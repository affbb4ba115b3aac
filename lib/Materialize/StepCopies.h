//===- StepCopies.h - work copies that a step keeps -------------*- C++ -*-===//
#ifndef PREC_LIB_MATERIALIZE_STEPCOPIES_H
#define PREC_LIB_MATERIALIZE_STEPCOPIES_H

#include "SplitParameter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::prec {

/// Makes the copies arguments of `step`, behind those it has, lets their uses
/// read them, and returns what they are after the update of their masters.
LogicalResult addStepCopies(func::FuncOp step,
                            ArrayRef<SplitParameter> parameters);

} // namespace mlir::prec

#endif // PREC_LIB_MATERIALIZE_STEPCOPIES_H
