//===- Accumulation.h - how matrix units add up FP8 -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hopper's FP8 tensor cores do not add in FP32. One instruction adds 32
// products and the accumulator in fixed point: all are aligned to the largest
// exponent among them, what lies more than 13 bits below it is cut off, and the
// sum is cut to 13 fraction bits. DeepSeek-V3 (section 3.5.2) measured this as
// "14 bits", SageAttention2 as an FP22 accumulator; MMA-Sim (arXiv:2511.10909)
// is a bit-accurate model, and this one agrees with it (unittests/Numerics).
// By the same model Ada adds 16 products at a time and is as narrow, and
// Blackwell keeps 25 bits and rounds its sums to FP32, towards zero.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_NUMERICS_ACCUMULATION_H
#define PREC_NUMERICS_ACCUMULATION_H

#include "prec/Numerics/FloatFormat.h"

#include <cstdint>

namespace prec {

struct Fp8Accumulator {
  /// Products that one instruction adds.
  int64_t products = 32;
  /// Bits kept below the largest exponent, and of a result's fraction.
  int fractionBits = 13;
  /// Products after which the partial sum is added to an FP32 register and
  /// starts again at zero; 0 if it never is.
  int64_t promotion = 0;
};

/// Accumulator modes of tags: `fast` and `promoted`. An interval of 128
/// products is DeepSeek-V3's and what CUTLASS takes by default; what cuBLASLt
/// takes without fast accumulation is not documented.
inline constexpr Fp8Accumulator kHopperFast{32, 13, 0};
inline constexpr int64_t kPromotionInterval = 128;
inline constexpr Fp8Accumulator kHopperPromoted{32, 13, kPromotionInterval};
inline constexpr Fp8Accumulator kAdaFast{16, 13, 0};
/// Bits that FP32 keeps of a sum; two fewer than the hardware aligns, so no
/// less than its error comes out.
inline constexpr Fp8Accumulator kBlackwell{32, 23, 0};

/// The sum of a[i] * b[i] as the accumulator computes it. All values must be
/// finite values of their formats and both arrays of one length.
double accumulate(const Fp8Accumulator &accumulator, const FloatFormat &aFormat,
                  llvm::ArrayRef<double> a, const FloatFormat &bFormat,
                  llvm::ArrayRef<double> b);

/// One instruction: `sum` plus all products of `a` and `b`.
double addProducts(const Fp8Accumulator &accumulator,
                   const FloatFormat &aFormat, llvm::ArrayRef<double> a,
                   const FloatFormat &bFormat, llvm::ArrayRef<double> b,
                   double sum);

/// |error| <= perSum * sum of |a[i] b[i]| + perLargest * A * B, where A and B
/// are the largest magnitudes of a and b, or the formats' smallest normal
/// values if those are larger.
struct AccumulationBound {
  double perSum, perLargest;
};

/// Holds for all values: each of an instruction's terms and its result lose
/// less than one unit of 2^-fractionBits of the largest, always towards zero.
AccumulationBound getAccumulationBound(const Fp8Accumulator &accumulator,
                                       int64_t k);
/// The same for `k` additions in FP32, each rounded to nearest.
AccumulationBound getFloatAccumulationBound(int64_t k);

struct AccumulationError {
  /// Of results, relative to the root mean square of the exact ones.
  double rms, largest;
};

/// What the accumulator does to dot products of normally distributed factors of
/// mean `mean` and deviation 1, scaled so that the largest is the format's
/// largest value, against exact sums of the same rounded factors. A simulation:
/// the same `seed` gives the same figures; takes time in samples * k.
AccumulationError measureAccumulationError(const Fp8Accumulator &accumulator,
                                           const FloatFormat &aFormat,
                                           const FloatFormat &bFormat,
                                           int64_t k, int64_t samples,
                                           double mean = 0, uint64_t seed = 0);

/// At most what becomes of a relative error (root mean square, factors of mean
/// 1) when sums of `from` products grow to `k`. With promotion only the FP32
/// additions are added, 2^-24 each. Without, the sum keeps at least what it
/// had, and each instruction loses at most a unit for each of its terms.
double extrapolateAccumulationError(const Fp8Accumulator &accumulator,
                                    double error, int64_t from, int64_t k);

struct AccumulationEstimate {
  /// Relative, root mean square, of sums of factors of mean 1.
  double error;
  /// Simulated; otherwise a bound from above.
  bool isSimulated;
};

/// Simulates sums of up to 2^20 products, at about one cost for all lengths,
/// and extrapolates longer ones.
AccumulationEstimate
estimateAccumulationError(const Fp8Accumulator &accumulator,
                          const FloatFormat &aFormat,
                          const FloatFormat &bFormat, int64_t k);

} // namespace prec

#endif // PREC_NUMERICS_ACCUMULATION_H
