//===- SecondMoment.cpp - Adam's moments in narrow formats ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Numerics/Bounds.h"

#include <cmath>

using namespace prec;

AdamStep prec::getAdamStep(const AdamInputs &in, const FloatFormat &moments) {
  double m =
      moments.round(in.beta1 * in.firstMoment + (1 - in.beta1) * in.gradient);
  double v = moments.round(in.beta2 * in.secondMoment +
                           (1 - in.beta2) * in.gradient * in.gradient);
  return {m, v, in.learningRate * m / (std::sqrt(v) + in.epsilon)};
}

SecondMomentUnderflow
prec::getSecondMomentUnderflow(const FloatFormat &format, double beta2,
                               double gradient, double epsilon, double scale) {
  double increment = (1 - beta2) * gradient * gradient;
  double smallest = format.getMinSubnormal() * scale;
  return {increment, smallest, increment <= smallest / 2,
          (std::abs(gradient) + epsilon) / epsilon};
}

bool prec::doesMomentDecay(const FloatFormat &format, double beta2) {
  // The hardest value is the one after a power of two: its decrement is the
  // smallest that must reach half an ulp, and there a tie goes down.
  double hardest = 1 + 2 * format.getUnitRoundoff();
  return format.round(beta2 * hardest) < hardest;
}
