//===- HeldValues.h - what is held from forward to backward -----*- C++ -*-===//
#ifndef PREC_LIB_ASSIGN_HELDVALUES_H
#define PREC_LIB_ASSIGN_HELDVALUES_H

#include "prec/Assign/Classify.h"
#include "prec/Assign/Decision.h"

namespace mlir::prec {

/// What a step holds when its forward ends. Values are looked at by their
/// layout roots.
class HeldValues {
public:
  /// `storage` has the decided formats of values.
  HeldValues(const Graph &graph, const Classification &facts,
             ArrayRef<Decision> storage);

  /// Computed in the forward and read by contractions of the backward: how it
  /// is held is a choice.
  bool isHeldForContractions(ValueId root) const {
    return forContractions[root];
  }
  /// Something else of the backward reads it as it is stored.
  bool isHeldAnyway(ValueId root) const { return forOthers[root]; }
  /// Bytes to read in order to compute a value again from what is held anyway;
  /// none if that needs a product, an attention or what is not held.
  std::optional<double> getBytesToRecompute(ValueId root) const;

  double getBytes(ValueId value) const;
  /// Held whatever is chosen: arguments, and values that others read.
  double getFixedBytes() const { return fixedBytes; }
  /// Arguments, and all gradients of weights: what is held when the backward
  /// ends.
  double getBytesAtEnd() const { return argumentBytes + gradientBytes; }

private:
  void findReaders();
  void addUp();
  bool collectLeaves(ValueId value, unsigned depth,
                     std::vector<ValueId> &leaves) const;

  const Graph &graph;
  const Classification &facts;
  ArrayRef<Decision> storage;
  /// By value.
  std::vector<bool> forContractions, forOthers;
  double fixedBytes = 0, argumentBytes = 0, gradientBytes = 0;
};

} // namespace mlir::prec

#endif // PREC_LIB_ASSIGN_HELDVALUES_H
