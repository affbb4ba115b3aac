//===- FloatConversion.h - rounding between storage formats -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Narrow floats are kept as integers of their width; arithmetic is in f32.
// Both targets give the same bits for every input:
//   - rounding is to the nearest, ties to even;
//   - f8E4M3FN and f8E5M2 saturate: overflow and infinities become the largest
//     finite value of their sign;
//   - NaN becomes 0x7F in either FP8 format and 0x7FFF in bf16 and f16, what
//     NVIDIA's conversion instructions give; f4E2M1FN has none and becomes 6.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_EMITTER_FLOATCONVERSION_H
#define PREC_LIB_CODEGEN_EMITTER_FLOATCONVERSION_H

#include "prec/Support/LLVM.h"

#include "Codegen/Emitter/Expr.h"
#include "Codegen/Emitter/KernelBuilder.h"

namespace prec {

/// The type a value of the tensor element type is held in: bf16 as i16, FP8 and
/// E8M0 as i8, FP4 as i4, all others as themselves.
Type registerType(Type element);

/// The f32 value of `bits`, which hold a `from`.
Expr extendToF32(Expr bits, FloatType from, KernelTarget target);

/// The bits of the f32 `value` rounded to `to`.
Expr truncateFromF32(Expr value, FloatType to, KernelTarget target);

namespace nvptx {
Expr extendBf16(Expr bits);
Expr extendF8(Expr bits, FloatType from);
Expr truncateToF8(Expr value, FloatType to);
Expr truncateToHalf(Expr value, FloatType to); ///< bf16 or f16
/// Two scalars rounded to bf16 or f16, as i32 with `low` in the lower half.
Expr truncatePair(Expr low, Expr high, FloatType to);
} // namespace nvptx

} // namespace prec

#endif // PREC_LIB_CODEGEN_EMITTER_FLOATCONVERSION_H
