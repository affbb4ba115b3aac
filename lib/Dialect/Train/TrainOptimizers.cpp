//===- TrainOptimizers.cpp - verifiers and numbers of optimizers ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dialect/Train/Shapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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
bool AdafactorOp::isElementwise() { return false; }
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
bool AdafactorUnfactoredOp::isElementwise() { return false; }
bool AdafactorUnfactoredOp::isSquaring() { return true; }
bool AdafactorUnfactoredOp::isStateSigned(unsigned) { return false; }

static bool isListed(std::optional<ArrayRef<int64_t>> states, unsigned state) {
  return states && llvm::is_contained(*states, int64_t(state));
}

Structure UpdateOp::getStructure() { return Structure::Optimizer; }
int64_t UpdateOp::getAccumulationLength() { return 1; }
double UpdateOp::getFlops() {
  auto isOfElements = [](Operation &op) {
    return op.getNumResults() == 1 && op.getResult(0).getType().isF32() &&
           op.getNumOperands() > 0;
  };
  return llvm::count_if(getFormula().front(), isOfElements) *
         elements(getParameter());
}

Value UpdateOp::getNewParameter() { return getResult(0); }
/// Behind the new states.
Value UpdateOp::getUpdate() {
  unsigned number = 1 + getStates().size();
  return getNumResults() > number ? getResult(number) : Value();
}
ResultRange UpdateOp::getNewStates() {
  return getResults().slice(1, getStates().size());
}
bool UpdateOp::isNormalized() { return getNormalized(); }
bool UpdateOp::isSquaring() { return getSquaring(); }
bool UpdateOp::isStateSigned(unsigned state) {
  return !isListed(getUnsignedStates(), state);
}
bool UpdateOp::isMoment(unsigned state) {
  return !isListed(getExactStates(), state);
}

/// The types of a formula's arguments.
static SmallVector<Type> getFormulaTypes(UpdateOp op) {
  MLIRContext *context = op.getContext();
  SmallVector<Type> types(2 + op.getStates().size() + op.getDirections().size(),
                          Float32Type::get(context));
  types.append(3 + op.getHyper().size(), Float64Type::get(context));
  return types;
}

/// What is computed of elements, not of scalars alone.
static DenseSet<Value> findElements(UpdateOp op) {
  Block &body = op.getFormula().front();
  DenseSet<Value> found;
  unsigned number = 2 + op.getStates().size() + op.getDirections().size();
  for (auto [argument, operand] :
       llvm::zip(body.getArguments().take_front(number), op->getOperands()))
    if (argument.getArgNumber() < 2 || !shapeOf(operand).empty())
      found.insert(argument);
  for (Operation &inner : body)
    if (llvm::any_of(inner.getOperands(),
                     [&](Value operand) { return found.contains(operand); }))
      found.insert_range(inner.getResults());
  return found;
}

static LogicalResult verifyFormula(UpdateOp op) {
  auto isOfFormula = [](Operation &inner) {
    return inner.getNumResults() == 1 &&
           llvm::all_of(inner.getResultTypes(),
                        [](Type type) {
                          return type.isF32() || type.isF64() ||
                                 type.isInteger(1);
                        }) &&
           (isa<arith::ConstantOp>(inner) ||
            OpTrait::hasElementwiseMappableTraits(&inner));
  };
  Block &body = op.getFormula().front();
  DenseSet<Value> ofElements = findElements(op);
  for (Operation &inner : body.without_terminator()) {
    // update_c5
    if (!isOfFormula(inner))
      return inner.emitOpError("an operation of a formula must compute one "
                               "f32, f64 or i1 of such, but got ")
             << inner.getResultTypes();
    // update_c6
    if (inner.getResult(0).getType().isF64() &&
        ofElements.contains(inner.getResult(0)))
      return inner.emitOpError("what is f64 in a formula must be one number "
                               "for all elements, but follows from elements");
  }
  Operation *yield = body.getTerminator();
  // update_c7
  if (yield->getNumOperands() != op.getStates().size() + 2)
    return yield->emitOpError("a formula must yield the parameter, ")
           << op.getStates().size() << " states and the update, but got "
           << yield->getNumOperands() << " values";
  for (auto [index, state] : llvm::enumerate(op.getStates()))
    // update_c8
    if (shapeOf(state).empty() && !shapeOf(op.getParameter()).empty() &&
        ofElements.contains(yield->getOperand(1 + index)))
      return yield->emitOpError("a scalar state must follow from scalars, but "
                                "state ")
             << index << " follows from elements";
  return success();
}

LogicalResult UpdateOp::verifyRegions() {
  size_t states = getStates().size();
  ArrayRef<int64_t> shape = shapeOf(getParameter());
  // update_c1
  if (getNumResults() != states + 1 && getNumResults() != states + 2)
    return emitOpError("results must be the parameter, ")
           << states << " states and maybe the update, but got "
           << getNumResults();
  if (failed(verifyOptimizer(*this)))
    return failure();
  for (auto [index, state] : llvm::enumerate(getStates()))
    // update_c2
    if (failed(checkState(*this, "state " + std::to_string(index), state,
                          getNewStates()[index],
                          shapeOf(state).empty() ? shapeOf(state) : shape)))
      return failure();
  for (auto [index, direction] : llvm::enumerate(getDirections()))
    // update_c3
    if (failed(
            checkShape(*this, "direction " + Twine(index), direction, shape)))
      return failure();
  SmallVector<Type> types = getFormulaTypes(*this);
  // update_c4
  if (TypeRange(getFormula().getArgumentTypes()) != TypeRange(types))
    return emitOpError("the formula's arguments must be ")
           << TypeRange(types) << ", but got "
           << TypeRange(getFormula().getArgumentTypes());
  for (auto listed : {getUnsignedStates(), getExactStates()})
    for (int64_t state : listed.value_or(ArrayRef<int64_t>()))
      // update_c9
      if (state < 0 || state >= int64_t(states))
        return emitOpError(
                   "unsigned_states and exact_states must be less than ")
               << states << ", but got " << state;
  return verifyFormula(*this);
}
