//===- Products.h - rows that targets share ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats and results are Surogate's table "Supported Matmul Dispatches",
// extended by f16 (the recipe fp16) and e2m1 (nvfp4), which it does not list.
// Scalings, layouts and alignment are those of cuBLASLt.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_TARGETS_PRODUCTS_H
#define PREC_LIB_TARGETS_PRODUCTS_H

#include "prec/Target/Product.h"

namespace prec::targets {

inline constexpr Format kF32[] = {Format::F32};
inline constexpr Format kBf16[] = {Format::BF16};
inline constexpr Format kF32OrBf16[] = {Format::F32, Format::BF16};
inline constexpr Format kF32OrF16[] = {Format::F32, Format::F16};

inline constexpr Accumulator kFull[] = {Accumulator::Full};
inline constexpr Accumulator kAnyAccumulator[] = {
    Accumulator::Full, Accumulator::Fast, Accumulator::Promoted};
/// Ada and Hopper keep 14 bits of a sum of FP8 products.
inline constexpr Accumulator kNoFull[] = {Accumulator::Fast,
                                          Accumulator::Promoted};
inline constexpr Accumulator kPromoted[] = {Accumulator::Promoted};

inline constexpr ScalingPair kUnscaled[] = {{Scaling::None, Scaling::None}};
/// Whether a scale comes from this step's amax or from earlier ones is the same
/// to the product.
inline constexpr ScalingPair kPerTensor[] = {
    {Scaling::TensorCurrent, Scaling::TensorCurrent},
    {Scaling::TensorCurrent, Scaling::TensorDelayed},
    {Scaling::TensorDelayed, Scaling::TensorCurrent},
    {Scaling::TensorDelayed, Scaling::TensorDelayed}};
inline constexpr ScalingPair kRow[] = {{Scaling::Row, Scaling::Row}};
/// Two operands with square blocks have no kernel.
inline constexpr ScalingPair kBlock[] = {
    {Scaling::Block1x128, Scaling::Block1x128},
    {Scaling::Block1x128, Scaling::Block128x128},
    {Scaling::Block128x128, Scaling::Block1x128}};
inline constexpr ScalingPair kMx[] = {{Scaling::Mx1x32, Scaling::Mx1x32}};
inline constexpr ScalingPair kNv[] = {{Scaling::Nvfp4, Scaling::Nvfp4}};

/// Rows of 16 bytes of FP8, whichever dimension is contiguous in one of the
/// three products of a layer.
inline constexpr int64_t kFp8Multiple = 16;

/// E4M3 x E4M3 in the forward, weight E4M3 x gradient E5M2 in the backward.
constexpr std::array<Product, 2> getFp8Rows(ArrayRef<ScalingPair> scalings,
                                            ArrayRef<Accumulator> accumulators,
                                            OperandLayout layout,
                                            int64_t multipleOfK,
                                            ArrayRef<Format> mixedResults) {
  return {Product{Format::E4M3, Format::E4M3, kF32OrBf16, scalings,
                  accumulators, layout, kFp8Multiple, multipleOfK,
                  /*hasBatch=*/false},
          Product{Format::E4M3, Format::E5M2, mixedResults, scalings,
                  accumulators, layout, kFp8Multiple, multipleOfK,
                  /*hasBatch=*/false}};
}

/// Without scales: every target has them.
inline constexpr Product kPlain[] = {
    {Format::F32, Format::F32, kF32, kUnscaled, kFull},
    {Format::BF16, Format::BF16, kF32OrBf16, kUnscaled, kFull},
    {Format::F16, Format::F16, kF32OrF16, kUnscaled, kFull}};
/// One scale a tensor.
inline constexpr auto kTensorFp8 =
    getFp8Rows(kPerTensor, kNoFull, OperandLayout::ContractedLast, kFp8Multiple,
               kF32OrBf16);
inline constexpr auto kTensorFp8AnySum =
    getFp8Rows(kPerTensor, kAnyAccumulator, OperandLayout::ContractedLast,
               kFp8Multiple, kF32OrBf16);
inline constexpr auto kTensorFp8AnyLayout = getFp8Rows(
    kPerTensor, kAnyAccumulator, OperandLayout::Any, kFp8Multiple, kF32OrBf16);
/// One scale a row.
inline constexpr auto kRowFp8 = getFp8Rows(
    kRow, kNoFull, OperandLayout::ContractedLast, kFp8Multiple, kBf16);
inline constexpr auto kRowFp8AnySum = getFp8Rows(
    kRow, kAnyAccumulator, OperandLayout::ContractedLast, kFp8Multiple, kBf16);
/// One scale a block of 1x128 or 128x128. Hopper's kernels multiply the sums of
/// 128 products by their inverse scales in FP32.
inline constexpr auto kBlockFp8 = getFp8Rows(
    kBlock, kPromoted, OperandLayout::ContractedLast, kFp8Multiple, kBf16);
inline constexpr auto kBlockFp8AnySum =
    getFp8Rows(kBlock, kAnyAccumulator, OperandLayout::ContractedLast,
               kFp8Multiple, kBf16);
/// One E8M0 scale for 32 elements along K.
inline constexpr auto kMxFp8 = getFp8Rows(
    kMx, kFull, OperandLayout::ContractedLast, /*multipleOfK=*/32, kBf16);
/// One E4M3 scale for 16 elements along K and an f32 one for the tensor; two
/// elements a byte, rows of 16 bytes.
inline constexpr Product kNvfp4[] = {{Format::E2M1, Format::E2M1, kF32OrBf16,
                                      kNv, kFull, OperandLayout::ContractedLast,
                                      kFp8Multiple, /*multipleOfK=*/32,
                                      /*hasBatch=*/false}};

} // namespace prec::targets

#endif // PREC_LIB_TARGETS_PRODUCTS_H
