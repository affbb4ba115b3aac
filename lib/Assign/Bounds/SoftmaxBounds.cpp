//===- SoftmaxBounds.cpp - what formats leave of a softmax's tail ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Bounds/CheckBounds.h"

#include "prec/Numerics/Bounds.h"

#include <cmath>

using namespace mlir;
using namespace prec;

/// Masks push logits beyond this, and mean the zero that they get.
static constexpr double kLeastMask = 1e4;

std::optional<double> prec::findSoftmaxGap(const BoundInputs &inputs,
                                           const Graph &graph,
                                           const Classification &facts,
                                           ValueId id) {
  ValueId logits = facts.logits[id];
  if (logits == kNone || facts.isGradient[graph.values[id].producer])
    return std::nullopt;
  const TensorNumerics *measured = findMeasured(inputs, graph, facts, logits);
  if (measured && measured->amax < kLeastMask)
    return 2 * measured->amax;
  return inputs.assumptions.softmaxGap;
}

std::optional<std::string> prec::findLostTail(const FloatFormat &format,
                                              double gap, double scale) {
  double largest = getLargestSoftmaxGap(format, scale);
  if (gap <= largest)
    return std::nullopt;
  return "logits of a row are up to " + printShort(gap) +
         " apart, but what is more than " + printShort(largest) +
         " below the largest becomes zero";
}
