//===- MoeStep.h - a block with experts, as a graph -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_UNITTESTS_ASSIGN_MOESTEP_H
#define PREC_UNITTESTS_ASSIGN_MOESTEP_H

#include "GraphBuilder.h"

namespace prec::test {

/// A training step of one block as DeepSeek-V3 has them: attention made of
/// contractions and a softmax, then a router and an expert; gradients are
/// clipped. Made by hand: every value is known by what it is.
struct MoeStep {
  GraphBuilder builder;
  ValueId table = kNone, embedded = kNone, gamma = kNone, normed = kNone,
          rstd = kNone;
  /// Q, K, V, output projection, the expert's two; forward, then both
  /// gradients.
  std::vector<ValueId> projections, dgrads, wgrads;
  ValueId scores = kNone, probabilities = kNone, attended = kNone;
  /// Gradients of scores, probabilities, queries, keys and values.
  std::vector<ValueId> attentionGradients;
  ValueId routerScores = kNone, gate = kNone, routerWgrad = kNone,
          routerDgrad = kNone;
  std::vector<ValueId> residuals, streamGradients;
  ValueId logits = kNone, loss = kNone, dLogits = kNone, headWgrad = kNone,
          headDgrad = kNone;
  ValueId gradientNorm = kNone, clipped = kNone;
  std::vector<ValueId> parameters, gradients, moments, updated, updatedMoments;
};

/// The router's gate is a softmax, or (as in DeepSeek-V3 itself) a sigmoid.
MoeStep buildMoeStep(bool isSigmoid);

} // namespace prec::test

#endif // PREC_UNITTESTS_ASSIGN_MOESTEP_H
