//===- GradientFormats.h - E4M3 or E5M2, by what was measured ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_BOUNDS_GRADIENTFORMATS_H
#define PREC_LIB_ASSIGN_BOUNDS_GRADIENTFORMATS_H

#include "Assign/Bounds/CheckBounds.h"

namespace prec {

/// The FP8 format of a gradient, and why.
struct GradientChoice {
  Format format;
  std::string reason;
};

/// Of an FP8 format the other one.
inline Format getOtherFp8(Format format) {
  return format == Format::E4M3 ? Format::E5M2 : Format::E4M3;
}

/// Predicts what operands lose in both FP8 formats, and by that chooses those
/// of gradients, where the user asks for it.
class GradientFormats {
public:
  /// `bounds` may be null: nothing is known then.
  GradientFormats(const BoundInputs *bounds, const Graph &graph,
                  const Classification &facts, const Recipe &recipe);

  /// "e4m3 keeps 31.3 dB, e5m2 keeps 25.1 dB" of an operand that is read as
  /// `use` says, by numerics; empty if one of the two is not known.
  std::string describe(NodeId node, unsigned operand,
                       const Decision &use) const;
  /// None where the recipe decides.
  std::optional<GradientChoice> choose(NodeId node, unsigned operand,
                                       const Decision &use) const;

private:
  /// What the gradients that are read together lose at most.
  struct Loss {
    double underflow = 0, overflow = 0;
    double sqnr = std::numeric_limits<double>::infinity();
    bool isKnown = true;

    void add(const Loss &other);
  };
  /// By format: E4M3, E5M2.
  using Losses = std::array<Loss, 2>;
  /// Direction, and the value that the layer reads, or the contraction itself.
  using Key = std::tuple<Direction, ValueId, NodeId>;

  Key getKey(NodeId node) const;
  Losses predict(NodeId node, unsigned operand, Decision use) const;
  std::optional<std::string> findRangeProblem(const Loss &loss) const;

  const BoundInputs *bounds;
  const Graph &graph;
  const Classification &facts;
  const Recipe &recipe;
  bool isAsked;
  /// What the layer of a path reads, by its gradient of the weight.
  llvm::StringMap<ValueId> inputs;
  std::map<Key, Losses> groups;
};

} // namespace prec

#endif // PREC_LIB_ASSIGN_BOUNDS_GRADIENTFORMATS_H
