//===- Describe.h - what an operation is, asked in one place ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes do not list operations: they ask these functions, which ask the
// operation's PrecisionOpInterface, then what upstream's interfaces and traits
// say of it. An operation of another dialect takes part in every phase as soon
// as it implements the interface.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_DIALECT_PREC_DESCRIBE_H
#define PREC_DIALECT_PREC_DESCRIBE_H

#include "prec/Dialect/Prec/Prec.h"

#include "llvm/ADT/SetVector.h"

#include <array>
#include <optional>

namespace prec {

struct Description {
  /// None of an operation that nobody knows.
  std::optional<Structure> structure;
  uint32_t arithmetic = ArithNone;
  double flops = 0;
  /// What is read of each operand.
  SmallVector<OperandRead, 4> reads;
  /// Operands from this one on only give a result a place or a start value, or
  /// say where.
  unsigned numInputs = 0;
  /// What regions of an operation of known structure read from around it.
  llvm::SetVector<Value> captured;
  /// Of contractions.
  ContractionShape shape;
  std::array<bool, 2> isContractedLast = {true, true};
  bool isConvolution = false, isGrouped = false;
  /// Formats of operands that the operation takes in no other; none, or one for
  /// each operand.
  SmallVector<std::optional<Format>, 0> ownReads;
};
Description describe(Operation *op);

/// None of a null operation and of what nobody knows.
std::optional<Structure> getStructure(Operation *op);
Movement getMovement(Operation *op);

/// Whether the result has the operand's elements in their order. False of null,
/// as are the following ones.
bool isReshape(Operation *op);
/// The value behind reshapes.
Value skipReshapes(Value value);
/// What is behind reshapes and operations `Ops` of one operand.
template <typename... Ops> Value skipReshapesAnd(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isReshape(op) && !isa<Ops...>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}
/// Whether every result element is an operand's at a place that is known when
/// compiling: reshapes, slices, joins, repetitions and transpositions.
bool movesElements(Operation *op);
/// Whether every result element is an operand's as it is: movesElements, or
/// looked up.
bool copiesElements(Operation *op);
/// The one operand that all result elements come from, null if there is none:
/// of reshapes, slices, repetitions and transpositions.
Value getMovedOperand(Operation *op);
/// Whether floats become floats of another width, by no scale.
bool isCast(Operation *op);

} // namespace prec

#endif // PREC_DIALECT_PREC_DESCRIBE_H
