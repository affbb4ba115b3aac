//===- RowMath.h - softmax over rows of f32 ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and maxima keep 16 partial results whatever the vector length, so that
// their order of additions, and with it every bit, is the same on every CPU.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_CPU_ROWMATH_H
#define PREC_RT_CPU_ROWMATH_H

#include <cstdint>

namespace prec::rt {

float rowMax(const float *row, int64_t count);
float rowDot(const float *a, const float *b, int64_t count);

/// row = exp(row - shift), within 2 ulp; returns the sum.
float rowExp(float *row, float shift, int64_t count);

/// row *= factor
void rowScale(float *row, float factor, int64_t count);

/// ds = p * (dp - delta) * scale, into dp.
void rowSoftmaxGradient(const float *p, float *dp, float delta, float scale,
                        int64_t count);

/// sum += addend
void rowAdd(float *sum, const float *addend, int64_t count);

/// sum += addend * columnFactors * rowFactor, each product rounded.
void rowAddScaled(float *sum, const float *addend, const float *columnFactors,
                  float rowFactor, int64_t count);

} // namespace prec::rt

#endif // PREC_RT_CPU_ROWMATH_H
