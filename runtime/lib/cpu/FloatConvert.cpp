//===- FloatConvert.cpp - narrow float formats, arrays --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FloatConvert.h"

#include "Multiversion.h"

#include <cassert>

using namespace prec::rt;

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot be in parentheses.
#define PREC_RT_ARRAYS(format, code)                                           \
  PREC_RT_MULTIVERSION                                                         \
  static void widen##format(const code *__restrict source,                     \
                            float *__restrict target, int64_t count) {         \
    for (int64_t i = 0; i < count; ++i)                                        \
      target[i] = from##format(source[i]);                                     \
  }                                                                            \
  PREC_RT_MULTIVERSION                                                         \
  static void narrow##format(const float *__restrict source,                   \
                             code *__restrict target, int64_t count) {         \
    for (int64_t i = 0; i < count; ++i)                                        \
      target[i] = to##format(source[i]);                                       \
  }                                                                            \
  PREC_RT_MULTIVERSION                                                         \
  static void round##format(float *values, int64_t count) {                    \
    for (int64_t i = 0; i < count; ++i)                                        \
      values[i] = from##format(to##format(values[i]));                         \
  }
// NOLINTEND(bugprone-macro-parentheses)

PREC_RT_ARRAYS(BF16, uint16_t)
PREC_RT_ARRAYS(F16, uint16_t)
PREC_RT_ARRAYS(F8E4M3FN, uint8_t)
PREC_RT_ARRAYS(F8E5M2, uint8_t)
PREC_RT_ARRAYS(F8E8M0FNU, uint8_t)

#undef PREC_RT_ARRAYS

void prec::rt::toFloat(DType dtype, const void *source, float *target,
                       int64_t count) {
  switch (dtype) {
  case DType::f32:
    memcpy(target, source, count * sizeof(float));
    return;
  case DType::bf16:
    return widenBF16(static_cast<const uint16_t *>(source), target, count);
  case DType::f16:
    return widenF16(static_cast<const uint16_t *>(source), target, count);
  case DType::f8E4M3FN:
    return widenF8E4M3FN(static_cast<const uint8_t *>(source), target, count);
  case DType::f8E5M2:
    return widenF8E5M2(static_cast<const uint8_t *>(source), target, count);
  case DType::f8E8M0FNU:
    return widenF8E8M0FNU(static_cast<const uint8_t *>(source), target, count);
  default:
    assert(false && "not a float dtype");
  }
}

void prec::rt::unpackFp4(const void *source, float *target, int64_t count) {
  static constexpr float values[16] = {0,    0.5f,  1,  1.5f,  2,  3,  4,  6,
                                       -0.f, -0.5f, -1, -1.5f, -2, -3, -4, -6};
  const auto *bytes = static_cast<const uint8_t *>(source);
  for (int64_t i = 0; i < count / 2; ++i) {
    target[2 * i] = values[bytes[i] & 15];
    target[2 * i + 1] = values[bytes[i] >> 4];
  }
}

void prec::rt::fromFloat(DType dtype, const float *source, void *target,
                         int64_t count) {
  switch (dtype) {
  case DType::f32:
    memcpy(target, source, count * sizeof(float));
    return;
  case DType::bf16:
    return narrowBF16(source, static_cast<uint16_t *>(target), count);
  case DType::f16:
    return narrowF16(source, static_cast<uint16_t *>(target), count);
  case DType::f8E4M3FN:
    return narrowF8E4M3FN(source, static_cast<uint8_t *>(target), count);
  case DType::f8E5M2:
    return narrowF8E5M2(source, static_cast<uint8_t *>(target), count);
  case DType::f8E8M0FNU:
    return narrowF8E8M0FNU(source, static_cast<uint8_t *>(target), count);
  default:
    assert(false && "not a float dtype");
  }
}

void prec::rt::roundTo(DType dtype, float *values, int64_t count) {
  switch (dtype) {
  case DType::bf16:
    return roundBF16(values, count);
  case DType::f16:
    return roundF16(values, count);
  case DType::f8E4M3FN:
    return roundF8E4M3FN(values, count);
  case DType::f8E5M2:
    return roundF8E5M2(values, count);
  case DType::f8E8M0FNU:
    return roundF8E8M0FNU(values, count);
  default:
    return;
  }
}
