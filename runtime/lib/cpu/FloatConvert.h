//===- FloatConvert.h - narrow float formats, bit by bit --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every conversion rounds to nearest even. FP8 saturates: infinities and
// overflow give the largest finite value, NaN gives 0x7F, as the GPU's
// cvt.satfinite does. bf16 and f16 keep infinities; their NaN is the positive
// quiet one. Integer arithmetic throughout, or one addition whose rounding is
// the wanted one, so that compilers vectorize it.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_CPU_FLOATCONVERT_H
#define PREC_RT_CPU_FLOATCONVERT_H

#include "Manifest.h"

#include <cstdint>
#include <cstring>

namespace prec::rt {

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float floatOf(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/// A format of `exponentBits` and `mantissaBits` with bias
/// 2^(exponentBits-1)-1. `maxFinite` is the f32 pattern that values are clamped
/// to (FP8), or 0 if larger ones become infinite.
template <int exponentBits, int mantissaBits, uint32_t maxFinite, uint32_t nan>
inline uint32_t encode(float value) {
  constexpr int bias = (1 << (exponentBits - 1)) - 1;
  constexpr int dropped = 23 - mantissaBits;
  constexpr uint32_t infinity = ((1u << exponentBits) - 1) << mantissaBits;
  constexpr uint32_t tooLarge = static_cast<uint32_t>(bias + 1 + 127) << 23;
  constexpr uint32_t minNormal = static_cast<uint32_t>(1 - bias + 127) << 23;
  // An f32 whose last bit weighs as much as the format's smallest subnormal:
  // adding it rounds there.
  constexpr uint32_t magic =
      static_cast<uint32_t>(1 - bias - mantissaBits + 23 + 127) << 23;
  uint32_t bits = bitsOf(value);
  uint32_t sign = (bits >> 31) << (exponentBits + mantissaBits);
  uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t clamped = magnitude;
  if (maxFinite)
    clamped = magnitude < maxFinite ? magnitude : maxFinite;
  uint32_t odd = (clamped >> dropped) & 1;
  uint32_t normal = ((clamped + ((1u << (dropped - 1)) - 1) + odd) >> dropped) -
                    (static_cast<uint32_t>(127 - bias) << mantissaBits);
  if (!maxFinite)
    normal = magnitude < tooLarge ? normal : infinity;
  uint32_t subnormal = bitsOf(floatOf(clamped) + floatOf(magic)) - magic;
  uint32_t code = (clamped < minNormal ? subnormal : normal) | sign;
  return magnitude > 0x7f800000u ? nan : code;
}

template <int exponentBits, int mantissaBits, bool hasInfinity>
inline float decode(uint32_t code) {
  constexpr int bias = (1 << (exponentBits - 1)) - 1;
  constexpr int widened = 23 - mantissaBits;
  constexpr uint32_t top = (1u << exponentBits) - 1;
  constexpr uint32_t mantissaMask = (1u << mantissaBits) - 1;
  uint32_t sign = (code >> (exponentBits + mantissaBits)) << 31;
  uint32_t exponent = (code >> mantissaBits) & top;
  uint32_t mantissa = code & mantissaMask;
  uint32_t magnitude = code & ((top << mantissaBits) | mantissaMask);
  uint32_t normal =
      (magnitude << widened) + (static_cast<uint32_t>(127 - bias) << 23);
  constexpr uint32_t smallest =
      static_cast<uint32_t>(1 - bias - mantissaBits + 127) << 23;
  uint32_t subnormal = bitsOf(
      static_cast<float>(static_cast<int32_t>(mantissa)) * floatOf(smallest));
  uint32_t bits = exponent == 0 ? subnormal : normal;
  if (hasInfinity)
    bits = exponent == top ? 0x7f800000u | (mantissa << widened) : bits;
  else
    bits = magnitude == ((top << mantissaBits) | mantissaMask) ? 0x7fc00000u
                                                               : bits;
  return floatOf(bits | sign);
}

inline uint8_t toF8E4M3FN(float value) {
  return encode<4, 3, 0x43e00000u, 0x7f>(value); // 448
}
inline uint8_t toF8E5M2(float value) {
  return encode<5, 2, 0x47600000u, 0x7f>(value); // 57344
}
inline uint16_t toF16(float value) { return encode<5, 10, 0, 0x7e00>(value); }
inline uint16_t toBF16(float value) {
  uint32_t bits = bitsOf(value);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
  return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0 : rounded;
}

inline float fromF8E4M3FN(uint8_t code) { return decode<4, 3, false>(code); }
inline float fromF8E5M2(uint8_t code) { return decode<5, 2, true>(code); }
/// 2^(code - 127), and NaN for 255.
inline float fromF8E8M0FNU(uint8_t code) {
  uint32_t bits = code == 0 ? 0x00400000u : static_cast<uint32_t>(code) << 23;
  return floatOf(code == 255 ? 0x7fc00000u : bits);
}
/// The nearest power of two, the even one of two; NaN for what has none.
inline uint8_t toF8E8M0FNU(float value) {
  uint32_t bits = bitsOf(value);
  return bits >= 0x7f800000u
             ? 255
             : static_cast<uint8_t>((bits + 0x3fffffu + ((bits >> 23) & 1)) >>
                                    23);
}
inline float fromF16(uint16_t code) { return decode<5, 10, true>(code); }
inline float fromBF16(uint16_t code) {
  return floatOf(static_cast<uint32_t>(code) << 16);
}

/// `count` elements of a float dtype to f32: exact.
void toFloat(DType dtype, const void *source, float *target, int64_t count);

/// `count` elements of e2m1, an even number, packed two to a byte with the
/// first in its low half, to f32: exact.
void unpackFp4(const void *source, float *target, int64_t count);

/// f32 to a float dtype, rounded once.
void fromFloat(DType dtype, const float *source, void *target, int64_t count);

/// Rounds to the values of a float dtype, in place.
void roundTo(DType dtype, float *values, int64_t count);

} // namespace prec::rt

#endif // PREC_RT_CPU_FLOATCONVERT_H
