//===- Graph.h - the projected graph of a function --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What assignment must know of a function, in plain structures: operations by
// numeric structure, values by shape and use. Classes, directions and formats
// are decided on this graph, so that every dialect whose operations implement
// PrecisionOpInterface is decided alike, and without IR in tests.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_ASSIGN_GRAPH_H
#define PREC_ASSIGN_GRAPH_H

#include "prec/Dialect/Prec/Prec.h"
#include "prec/Support/LLVM.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace prec {

using NodeId = uint32_t;
using ValueId = uint32_t;
inline constexpr uint32_t kNone = ~uint32_t(0);

/// Where a value that no operation computes comes from. Roles that the graph
/// does not state are found from its optimizer.
enum class Origin {
  Computed,
  Input,
  /// A gradient that a backward in a function of its own starts from.
  Gradient,
  Parameter,
  Moment,
  Buffer,
  Hyper,
  Unknown
};

struct GraphUse {
  NodeId node;
  unsigned operand;
};

struct GraphValue {
  NodeId producer = kNone;
  unsigned result = 0;
  Origin origin = Origin::Computed;
  /// A parameter that no update changes.
  bool isFrozen = false;
  /// Where an argument comes from in the user's model; may be empty.
  std::string path;
  /// Other names of a tied parameter.
  std::vector<std::string> aliases;
  /// Only tensors of floats are decided.
  bool isFloatTensor = false;
  /// The format of the value in the graph; f32 in a float-erased one.
  Format declared = Format::F32;
  /// Sizes; negative where unknown.
  SmallVector<int64_t, 4> shape;
  /// By whom elements or sizes are read.
  SmallVector<GraphUse, 2> uses;
  /// Returned by the function, and as what.
  bool isReturned = false;
  bool isLoss = false;
  bool isUpdated = false;
  /// The gradient of an input, for the backward that computed the input.
  bool isInputGradient = false;

  /// Number of elements, 0 if unknown.
  int64_t getElements() const;
};

struct GraphNode {
  /// None for an operation that does not tell its structure.
  std::optional<Structure> structure;
  uint32_t arithmetic = ArithNone;
  /// The operation's own operands, then what its payload reads from around it.
  SmallVector<ValueId, 4> operands;
  SmallVector<ValueId, 2> results;
  /// By operand; elements where there is none.
  SmallVector<OperandRead, 4> reads;
  /// The last operands, which are no operands of the operation itself.
  unsigned numCaptured = 0;
  /// Operands from this one on only give the result a place or a start value
  /// (destination-passing style), say where, or are captured.
  unsigned numInputs = 0;
  ContractionShape shape;
  /// Of a contraction's two inputs: whether the contracted dimension lies last,
  /// where some targets need it.
  std::array<bool, 2> isContractedLast = {true, true};
  /// Of a contraction: it slides one operand over the other.
  bool isConvolution = false;
  /// Of a custom operation, by operand: the format that it takes and no other.
  SmallVector<std::optional<Format>, 0> ownReads;
  /// Of a contraction: groups of rows meet a matrix each.
  bool isGrouped = false;
  double flops = 0;
  /// Where the operation comes from in the user's model; may be empty.
  std::string path;

  /// What the operation computes its results of, as a rule.
  ArrayRef<ValueId> getInputs() const {
    return ArrayRef<ValueId>(operands).take_front(numInputs);
  }
  ArrayRef<ValueId> getCaptured() const {
    return ArrayRef<ValueId>(operands).take_back(numCaptured);
  }
  bool readsElements(unsigned operand) const {
    return operand >= reads.size() || reads[operand] == OperandRead::Elements ||
           readsMask(operand);
  }
  bool readsMask(unsigned operand) const {
    return operand < reads.size() && reads[operand] == OperandRead::Mask;
  }
  /// All values whose elements are read: inputs, start values and captured
  /// ones. Numbers flow along these edges alone.
  SmallVector<ValueId, 4> getRead() const;
  /// Why a contraction can read no FP8 and no FP4, if it cannot.
  std::optional<StringRef> getNarrowBar() const;
  bool is(Structure s) const { return structure == s; }
  bool has(uint32_t bits) const { return (arithmetic & bits) == bits; }
};

/// What an optimizer operation updates, and by which hyper parameters where the
/// graph records them.
struct GraphUpdate {
  ValueId parameter = kNone, secondMoment = kNone;
  std::optional<double> learningRate = {}, beta2 = {}, epsilon = {},
                        weightDecay = {};
  /// Whether an element changes by about the learning rate.
  bool isNormalized = true;
};

struct Graph {
  /// Operations in an order in which definitions come first.
  std::vector<GraphNode> nodes;
  std::vector<GraphValue> values;
  std::vector<GraphUpdate> updates;

  ValueId addArgument(Origin origin, ArrayRef<int64_t> shape);
  ValueId addValue(GraphValue value);
  /// Connects operands and results, which must exist already.
  NodeId addNode(GraphNode node);
  /// A contraction of two tensors of floats, whose uses have formats.
  bool isFloatContraction(NodeId node) const;
};

} // namespace prec

#endif // PREC_ASSIGN_GRAPH_H
