//===- Classification.h - classes, phases and directions --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_ASSIGN_CLASSIFICATION_H
#define PREC_ASSIGN_CLASSIFICATION_H

#include "prec/Assign/Graph.h"

namespace prec {

/// Part of the step an operation computes, found by reachability: forward is
/// what the loss needs, the optimizer is what follows the gradients.
enum class StepPhase : uint8_t { Forward, Backward, Optimizer };

/// What a contraction computes: an output, the gradient of an input or the
/// gradient of a weight.
enum class Direction : uint8_t { Fprop, Dgrad, Wgrad };

llvm::StringRef stringifyDirection(Direction direction);

/// What analysis knows of the nodes (first group) and values of a graph.
struct Classification {
  /// None for operations of unknown structure.
  std::vector<std::optional<TensorClass>> classes;
  std::vector<StepPhase> phases;
  /// Depends on the gradient of the loss; false in a recomputed forward.
  std::vector<bool> isGradient;
  /// Of contractions.
  std::vector<Direction> directions;
  /// Depends on no argument.
  std::vector<bool> isConstant;
  /// A step inside a norm, softmax, loss or rotary table: computed in f32.
  std::vector<bool> isInside;

  /// The value behind one-operand layout operations; the value itself
  /// otherwise.
  std::vector<ValueId> roots;
  /// Becomes the gradient of a parameter through additions and layout.
  std::vector<bool> isWeightGradient;
  /// The parameter that a gradient of a weight updates, where an optimizer
  /// operation says so; kNone otherwise.
  std::vector<ValueId> gradientOf;
  /// A parameter of a low-rank adapter of a frozen weight.
  std::vector<bool> isAdapter;
  /// Something is chosen by it that the loss depends on, such as experts by
  /// scores.
  std::vector<bool> isChosenBy;
  /// Of probabilities the logits that their softmax read, whether it is a
  /// composite or made of primitives; also of its exponentials below the
  /// largest of their row, where a contraction reads them before they are
  /// divided. kNone of other values.
  std::vector<ValueId> logits;

  /// The layer of a node, counted from 0 along the stream; kNone outside of
  /// layers (embedding, head, loss, optimizer) and for backward nodes that are
  /// no contractions.
  std::vector<uint32_t> layers;
  uint32_t numLayers = 0;

  /// Whether a value depends on the gradient of the loss, as an argument or as
  /// a result.
  bool holdsGradient(const Graph &graph, ValueId value) const;

  /// The parameter that a contraction reads or computes the gradient of; kNone
  /// if neither.
  ValueId getParameter(const Graph &graph, NodeId contraction) const;
};

} // namespace prec

#endif // PREC_ASSIGN_CLASSIFICATION_H
