//===- CpuGemm.h - the command `gemm` on the CPU ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CPU_CPUGEMM_H
#define PREC_RT_CPU_CPUGEMM_H

#include "CpuContext.h"

namespace prec::rt {

/// Floats of scratch that a gemm needs with a pool of `threads`.
int64_t gemmScratch(const Manifest &manifest, const Gemm &gemm,
                    unsigned threads, bool hasBf16Pairs);

/// D = round(alpha * scale_a * scale_b * op(A) op(B) + beta * C + bias), the
/// bias with one element for each column: operands are exact (but
/// subnormal bf16 where Bf16Pairs.h multiplies), sums are f32, one rounding to
/// the dtype of D. Tiles depend on the shape only, so the result does not
/// depend on the number of threads.
///
/// Scales of rows multiply the sum, first that of B, then that of A. With
/// scales of blocks the sums of 128 consecutive k are multiplied so and added
/// in turn. Microscaled operands are widened times their inverse scales, and
/// the inverse scales of tensors around them multiply the sum.
void runGemm(const CpuContext &context, const Gemm &gemm);

} // namespace prec::rt

#endif // PREC_RT_CPU_CPUGEMM_H
