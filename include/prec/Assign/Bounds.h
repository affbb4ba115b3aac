//===- Bounds.h - numeric bounds of an assignment ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a step's numbers forbid, whatever is legal and fast: docs/Bounds.md.
// Bounds of operands veto candidates of contractions; what no candidate can
// help (masters, moments, stored values) is a finding.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_ASSIGN_BOUNDS_H
#define PREC_ASSIGN_BOUNDS_H

#include "prec/Assign/Graph.h"
#include "prec/Numerics/Numerics.h"

namespace prec {

/// From where on a format loses too much.
struct BoundLimits {
  /// Largest parts of a tensor that may become zero, or be too large.
  double underflow = 0.05, overflow = 1e-3;
  /// Least signal to quantization noise ratio of an operand, in decibels.
  double sqnr = 10;
  /// Largest relative error of sums that do not cancel, in the accumulator of
  /// the tag; not looked at if none.
  std::optional<double> accumulation;
  /// Least part of a parameter that an update must move.
  double moved = 0.5;
  /// Largest factor by which rounding a logit may change a probability, and a
  /// lost second moment an update.
  double factor = 2;
};

/// What is assumed where nothing was measured. Hyper parameters that are not
/// given are those that the graph records for each update, and otherwise those
/// that are named here.
struct BoundAssumptions {
  /// Size of a step; updates are not looked at where nothing gives it.
  std::optional<double> learningRate;
  /// Root mean square of weights of two and more dimensions; those of one are
  /// taken to be near 1, as gammas are.
  double weightRms = 0.02;
  std::optional<double> gradientRms, largestLogit;
  /// Largest minus smallest logit of a row of a softmax.
  std::optional<double> softmaxGap;
  /// 0.999, 1e-8 and 0.
  std::optional<double> beta2, epsilon, weightDecay;
};

struct BoundInputs {
  /// Null if nothing was measured.
  const Numerics *numerics = nullptr;
  BoundAssumptions assumptions;
  BoundLimits limits;
};

/// A bound that an assignment breaks and no other candidate keeps.
struct BoundFinding {
  /// What is wrong, the same text for all of a kind.
  std::string rule;
  /// Where, by its path, and the numbers.
  std::string path, detail;
  /// For sorting: the largest is the worst.
  double severity = 0;
  ValueId value = kNone;
  NodeId node = kNone;
};

} // namespace prec

#endif // PREC_ASSIGN_BOUNDS_H
