//===- FloatFormat.h - what a narrow float format can hold ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number formats by their few parameters, and rounding to them. For bounds and
// experiments: values are doubles, which hold every value of every format and
// the exact product of two.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_NUMERICS_FLOATFORMAT_H
#define PREC_NUMERICS_FLOATFORMAT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace prec {

/// What a value beyond the largest finite one becomes.
enum class Overflow {
  /// The largest finite value, as conversions on a GPU do (satfinite).
  Saturate,
  /// Infinity, or NaN in formats without (E4M3), as IEEE 754 and ml_dtypes have
  /// it; formats with neither (E2M1) saturate.
  Special,
};

/// A binary format with one sign bit and subnormals. Exponents are biased by
/// 2^(exponentBits-1) - 1.
struct FloatFormat {
  /// As in recipes and tags: f32, bf16, f16, e4m3, e5m2, e2m1.
  llvm::StringLiteral name;
  int exponentBits;
  /// Without the leading one.
  int mantissaBits;
  double maxFinite;
  bool hasInfinity;
  bool hasNan;

  int getMinExponent() const { return 2 - (1 << (exponentBits - 1)); }
  int getBits() const { return 1 + exponentBits + mantissaBits; }
  double getMinNormal() const;
  /// The smallest value above zero.
  double getMinSubnormal() const;
  /// Half the distance from 1 to the next larger value: the largest relative
  /// error of rounding a normal value.
  double getUnitRoundoff() const;
  /// The ulp at `value`: the distance between neighbors in its binade, on
  /// the side away from zero.
  double getUlp(double value) const;

  /// Rounds to nearest, ties to even.
  double round(double value, Overflow overflow = Overflow::Saturate) const;
  /// Rounds to one of the two neighbors, up with probability proportional to
  /// the distance from the lower one; `random` is uniform in [0, 1).
  double roundStochastically(double value, double random) const;
};

/// All formats, widest first.
llvm::ArrayRef<FloatFormat> getFloatFormats();
/// Null for other names.
const FloatFormat *findFloatFormat(llvm::StringRef name);

} // namespace prec

#endif // PREC_NUMERICS_FLOATFORMAT_H
