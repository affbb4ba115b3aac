//===- TrainOptimizers.cpp - verifiers and numbers of optimizers ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dialect/Train/Shapes.h"

using namespace mlir;
using namespace prec::train;
using prec::Structure;

/// What all optimizers ask for.
static LogicalResult verifyOptimizer(OptimizerOpInterface op) {
  ArrayRef<int64_t> shape = shapeOf(op.getParameter());
  // optimizer_c1 to c2
  if (failed(checkShape(op, "gradient", op.getGradient(), shape)) ||
      failed(checkShape(op, "new_parameter", op.getNewParameter(), shape)))
    return failure();
  // optimizer_c3
  return op.getUpdate() ? checkShape(op, "update", op.getUpdate(), shape)
                        : success();
}

/// A state and the new one.
static LogicalResult checkState(Operation *op, StringRef name, Value state,
                                Value updated, ArrayRef<int64_t> shape) {
  return failure(failed(checkShape(op, name, state, shape)) ||
                 failed(checkShape(op, "new_" + name, updated, shape)));
}

static double elements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

LogicalResult AdamwOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getParameter());
  // adamw_c1 to c4
  return failure(failed(verifyOptimizer(*this)) ||
                 failed(checkState(*this, "exp_avg", getExpAvg(),
                                   getNewExpAvg(), shape)) ||
                 failed(checkState(*this, "exp_avg_sq", getExpAvgSq(),
                                   getNewExpAvgSq(), shape)));
}

Structure AdamwOp::getStructure() { return Structure::Optimizer; }
int64_t AdamwOp::getAccumulationLength() { return 1; }
double AdamwOp::getFlops() { return 16 * elements(getParameter()); }
bool AdamwOp::isNormalized() { return true; }
bool AdamwOp::isSquaring() { return true; }
bool AdamwOp::isStateSigned(unsigned state) { return state == 0; }

LogicalResult SgdOp::verify() { return verifyOptimizer(*this); }

Structure SgdOp::getStructure() { return Structure::Optimizer; }
int64_t SgdOp::getAccumulationLength() { return 1; }
double SgdOp::getFlops() { return 5 * elements(getParameter()); }

LogicalResult SgdMomentumOp::verify() {
  // sgd_momentum_c1 to c2
  return failure(
      failed(verifyOptimizer(*this)) ||
      failed(checkState(*this, "momentum_buffer", getMomentumBuffer(),
                        getNewMomentumBuffer(), shapeOf(getParameter()))));
}

Structure SgdMomentumOp::getStructure() { return Structure::Optimizer; }
int64_t SgdMomentumOp::getAccumulationLength() { return 1; }
double SgdMomentumOp::getFlops() { return 8 * elements(getParameter()); }

LogicalResult LionOp::verify() {
  // lion_c1 to c2
  return failure(failed(verifyOptimizer(*this)) ||
                 failed(checkState(*this, "exp_avg", getExpAvg(),
                                   getNewExpAvg(), shapeOf(getParameter()))));
}

Structure LionOp::getStructure() { return Structure::Optimizer; }
int64_t LionOp::getAccumulationLength() { return 1; }
double LionOp::getFlops() { return 10 * elements(getParameter()); }
bool LionOp::isNormalized() { return true; }

LogicalResult AdafactorOp::verify() {
  if (failed(verifyOptimizer(*this)))
    return failure();
  SmallVector<int64_t> rows(shapeOf(getParameter()));
  // adafactor_c1
  if (rows.size() < 2)
    return emitOpError("parameter must be a matrix or several, but got ")
           << getParameter().getType();
  SmallVector<int64_t> columns = rows;
  rows.back() = 1;
  columns.end()[-2] = 1;
  // adafactor_c2 to c5
  return failure(
      failed(checkState(*this, "row_var", getRowVar(), getNewRowVar(), rows)) ||
      failed(
          checkState(*this, "col_var", getColVar(), getNewColVar(), columns)));
}

Structure AdafactorOp::getStructure() { return Structure::Optimizer; }
int64_t AdafactorOp::getAccumulationLength() {
  return cast<RankedTensorType>(getParameter().getType()).getNumElements();
}
double AdafactorOp::getFlops() { return 14 * elements(getParameter()); }
bool AdafactorOp::isSquaring() { return true; }
bool AdafactorOp::isStateSigned(unsigned) { return false; }

LogicalResult AdafactorUnfactoredOp::verify() {
  // adafactor_unfactored_c1 to c2
  return failure(failed(verifyOptimizer(*this)) ||
                 failed(checkState(*this, "variance", getVariance(),
                                   getNewVariance(), shapeOf(getParameter()))));
}

Structure AdafactorUnfactoredOp::getStructure() { return Structure::Optimizer; }
int64_t AdafactorUnfactoredOp::getAccumulationLength() {
  return cast<RankedTensorType>(getParameter().getType()).getNumElements();
}
double AdafactorUnfactoredOp::getFlops() {
  return 14 * elements(getParameter());
}
bool AdafactorUnfactoredOp::isSquaring() { return true; }
bool AdafactorUnfactoredOp::isStateSigned(unsigned) { return false; }
