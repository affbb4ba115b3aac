//===- Describe.cpp - what an operation is, asked in one place ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Prec/Describe.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace prec;

std::optional<Structure> prec::getStructure(Operation *op) {
  if (!op)
    return std::nullopt;
  if (auto precision = dyn_cast<PrecisionOpInterface>(op))
    return precision.getStructure();
  if (op->hasTrait<OpTrait::Elementwise>())
    return Structure::Elementwise;
  return std::nullopt;
}

Movement prec::getMovement(Operation *op) {
  auto precision = dyn_cast_or_null<PrecisionOpInterface>(op);
  return precision ? precision.getMovement() : Movement::None;
}

bool prec::isReshape(Operation *op) {
  return getMovement(op) == Movement::Reshape;
}

Value prec::skipReshapes(Value value) {
  while (isReshape(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

bool prec::movesElements(Operation *op) {
  Movement movement = getMovement(op);
  return movement != Movement::None && movement != Movement::Gather;
}

bool prec::copiesElements(Operation *op) {
  return getMovement(op) != Movement::None;
}

Value prec::getMovedOperand(Operation *op) {
  return movesElements(op) && getMovement(op) != Movement::Concat
             ? op->getOperand(0)
             : Value();
}

bool prec::isCast(Operation *op) {
  return isa_and_present<arith::ExtFOp, arith::TruncFOp>(op);
}

/// What only moves elements is told where by numbers of type index.
static bool tellsWhere(OpOperand &operand, std::optional<Structure> structure) {
  return structure == Structure::Layout &&
         getElementTypeOrSelf(operand.get().getType()).isIndex() &&
         llvm::none_of(operand.getOwner()->getResultTypes(), [](Type type) {
           return getElementTypeOrSelf(type).isIndex();
         });
}

static OperandRead getRead(OpOperand &operand,
                           std::optional<Structure> structure) {
  if (tellsWhere(operand, structure))
    return OperandRead::Sizes;
  auto precision = dyn_cast<PrecisionOpInterface>(operand.getOwner());
  return precision ? precision.getOperandRead(operand) : OperandRead::Elements;
}

/// Inputs are first: up to where something starts, has a place or is placed.
static unsigned countInputs(Operation *op, const Description &of) {
  if (auto precision = dyn_cast<PrecisionOpInterface>(op)) {
    if (std::optional<unsigned> count = precision.getNumInputs())
      return *count;
  } else if (auto inPlace = dyn_cast<DestinationStyleOpInterface>(op)) {
    return inPlace.getNumDpsInputs();
  }
  unsigned count = 0;
  while (count < op->getNumOperands() &&
         (of.reads[count] == OperandRead::Elements ||
          of.reads[count] == OperandRead::Mask ||
          (of.reads[count] == OperandRead::Sizes &&
           of.structure != Structure::Layout)))
    ++count;
  return count;
}

Description prec::describe(Operation *op) {
  Description result;
  result.structure = getStructure(op);
  for (OpOperand &operand : op->getOpOperands())
    result.reads.push_back(getRead(operand, result.structure));
  result.numInputs = countInputs(op, result);
  if (result.structure)
    getUsedValuesDefinedAbove(op->getRegions(), result.captured);
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  if (!precision)
    return result;
  result.arithmetic = precision.getArithmetic();
  result.flops = precision.getFlops();
  if (result.structure == Structure::Custom)
    for (unsigned index : llvm::seq(op->getNumOperands()))
      result.ownReads.push_back(
          precision.getOwnFormat(/*isResult=*/false, index));
  if (result.structure == Structure::Contraction) {
    result.shape = precision.getContractionShape();
    result.isConvolution = precision.isConvolution();
    result.isGrouped = precision.isGrouped();
    for (unsigned input : {0, 1})
      result.isContractedLast[input] = precision.isContractedLast(input);
  }
  return result;
}
