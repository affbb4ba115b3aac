//===- AttentionGrad.h - gradients of attention on Hopper -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two kernels instead of a library's one. Each holds a block of rows and adds
// up over tiles of columns in registers, in the order of the tiles, so that
// its bits are the same in every run, and no partial sums meet in memory:
//
//   of queries:  rows Q, dO; columns K, V; S = Q K', dP = dO V',
//                dQ = sum of dS K
//   of keys:     rows K, V; columns Q, dO; S' = K Q', dP' = V dO',
//                dV = sum of P' dO, dK = sum of dS' Q
//
// with P = exp(scale S - lse) and dS = P (dP - D). S and dP are computed twice
// for that: 7 products of a tile instead of 5. The kernel of queries runs first
// and leaves -lse log2(e) and D = rowsum(dO O), each as f32
// [batch * heads, queries rounded up to `kStatisticRows`], for the other.
//
// Arguments: tensor maps of q, k, v and do (64 columns by 64 rows, 128-byte
// swizzle, zeros outside), then pointers to o, lse, these statistics, dq, dk
// and dv.
//
// Where P, dS and the results are rounded to 16 bits is as in Dao,
// FlashAttention-2 (2023), algorithm 2.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRAD_H
#define PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRAD_H

#include "Codegen/Gpu/Attention/AttentionGradShape.h"

namespace prec {

/// Builds the kernel function of a side in `module`.
GpuLaunch buildAttentionGrad(const AttentionGradShape &shape,
                             AttentionGradSide side, StringRef name,
                             ModuleOp module, Location loc);

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRAD_H
