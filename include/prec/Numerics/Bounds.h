//===- Bounds.h - what a format does to a training step ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each bound is one small function of plain numbers; docs/Bounds.md derives
// them, gives examples and says where published figures differ. Accumulation
// has a header of its own.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_NUMERICS_BOUNDS_H
#define PREC_NUMERICS_BOUNDS_H

#include "prec/Numerics/FloatFormat.h"

#include <cstdint>

namespace prec {

//===----------------------------------------------------------------------===//
// Master weights: does an update survive?
//===----------------------------------------------------------------------===//

struct UpdateSurvival {
  /// Half an ulp of the format at the weight: nearest rounding gives a
  /// smaller update back as no change.
  double halfUlp;
  /// |update| / halfUlp; the update survives from 1 on.
  double ratio;
  bool survives;
};

/// For one weight and one update, rounded to nearest. Where the update moves a
/// power of two towards zero the ulp is half as wide and an update of half of
/// `halfUlp` already survives.
UpdateSurvival getUpdateSurvival(const FloatFormat &format, double weight,
                                 double update);

/// The largest magnitude a weight can have that an update still moves; 0 if it
/// moves none, infinite never.
double getLargestMovedWeight(const FloatFormat &format, double update);

/// The part of normally distributed weights of root mean square `weightRms`
/// that an update of magnitude `update` moves, in [0, 1]. The rest of the
/// parameter stalls as long as updates stay this small.
double getMovedFraction(const FloatFormat &format, double weightRms,
                        double update);

/// Largest |step| of Adam from learning rate and decays when gradients are
/// sparse, lr (1-beta1)/sqrt(1-beta2), or else lr (Kingma and Ba, section 2.1).
double getLargestAdamStep(double learningRate, double beta1, double beta2);

//===----------------------------------------------------------------------===//
// Adam's second moment
//===----------------------------------------------------------------------===//

struct AdamInputs {
  double learningRate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double gradient = 0, firstMoment = 0, secondMoment = 0;
};

/// One step of Adam without bias correction, moments rounded to a format.
struct AdamStep {
  double firstMoment, secondMoment;
  /// lr m / (sqrt(v) + epsilon): what is subtracted from the weight.
  double update;
};
AdamStep getAdamStep(const AdamInputs &inputs, const FloatFormat &moments);

struct SecondMomentUnderflow {
  /// (1 - beta2) g^2, what one step adds.
  double increment;
  /// The smallest value above zero that the format holds: its smallest
  /// subnormal times `scale`.
  double smallest;
  /// The increment rounds to zero, so a zero moment stays zero.
  bool isLost;
  /// sqrt(v) + epsilon at the steady state v = g^2, divided by epsilon alone:
  /// the factor by which the update grows when v is lost.
  double growth;
};

/// `scale` is what a stored 1 stands for (amax / maxFinite of a block where
/// moments are stored scaled).
SecondMomentUnderflow getSecondMomentUnderflow(const FloatFormat &format,
                                               double beta2, double gradient,
                                               double epsilon,
                                               double scale = 1);

/// Whether beta2 * v can round to anything but v, for some v: a moment of a
/// format whose half ulp is above (1 - beta2) v never falls again. True if v
/// decays from every normal value.
bool doesMomentDecay(const FloatFormat &format, double beta2);

//===----------------------------------------------------------------------===//
// Softmax and logits
//===----------------------------------------------------------------------===//

struct SoftmaxTail {
  /// exp(-gap): the smallest probability, up to the sum of all.
  double probability;
  /// What the format makes of it.
  double stored;
  bool isLost;
};

/// `gap` is largest minus smallest logit of a row.
SoftmaxTail getSoftmaxTail(const FloatFormat &format, double gap);

/// The gap from which on the tail of a softmax rounds to zero, if probabilities
/// are multiplied by `scale` before.
double getLargestSoftmaxGap(const FloatFormat &format, double scale = 1);

struct LogitRange {
  bool overflows;
  /// Half an ulp at the largest logit: how far off a logit may be.
  double error;
  /// exp(error): the factor by which a probability may be off.
  double probabilityFactor;
};

/// For logits of magnitude up to `largest`, stored unscaled.
LogitRange getLogitRange(const FloatFormat &format, double largest);

//===----------------------------------------------------------------------===//
// Scaled tensors
//===----------------------------------------------------------------------===//

/// Parts of a tensor, in [0, 1].
struct RangeLoss {
  /// Rounds to zero though it is not zero.
  double underflow;
  /// Is beyond the largest finite value.
  double overflow;
};

/// The factor that maps `amax` to the format's largest value, divided by
/// 2^margin. An amax below `epsilon` counts as `epsilon`, so zero tensors have
/// a finite scale.
double getScale(const FloatFormat &format, double amax, double margin = 0,
                double epsilon = 1e-12);

/// For normally distributed values of root mean square `rms` multiplied by
/// `scale` before they are rounded. A scale that is one step old (delayed
/// scaling) overflows where the tensor has grown.
RangeLoss getRangeLoss(const FloatFormat &format, double rms, double scale);

/// Signal to quantization noise in decibels of values inside the normal range
/// whose logarithms are uniform: 14.1 + 6.02 per mantissa bit.
double getExpectedSqnr(const FloatFormat &format);

} // namespace prec

#endif // PREC_NUMERICS_BOUNDS_H
