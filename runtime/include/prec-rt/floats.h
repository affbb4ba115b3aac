//===- floats.h - what float formats are made of ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_FLOATS_H
#define PREC_RT_FLOATS_H

#include <string_view>

namespace prec::rt {

/// A sign, an exponent with bias 2^(exponentBits - 1) - 1, a mantissa.
struct FloatLayout {
  std::string_view name;
  int exponentBits, mantissaBits;
  /// Largest finite number.
  double largest;
  bool hasInfinity, hasNan;

  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
  /// Of the smallest normal number.
  constexpr int minExponent() const { return 1 - bias(); }
};

#define PREC_FLOAT(Symbol, name, exponentBits, mantissaBits, largest,          \
                   hasInfinity, hasNan)                                        \
  inline constexpr FloatLayout k##Symbol{#name,   exponentBits, mantissaBits,  \
                                         largest, hasInfinity,  hasNan};
#include "prec-rt/enums.def"

} // namespace prec::rt

#endif // PREC_RT_FLOATS_H
