//===- GemmScales.cpp - inverse scales of a gemm's operand ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GemmScales.h"

using namespace prec::rt;

std::optional<ScaleGranularity>
prec::rt::granularityOf(const Buffer &scaleInvs, int64_t rows, int64_t k) {
  constexpr int64_t block = 128, group = 4;
  auto blocks = [](int64_t size, int64_t of) { return (size + of - 1) / of; };
  auto micro = [&](ScaledPart part,
                   int64_t of) -> std::optional<ScaleGranularity> {
    constexpr int64_t lanes = 32, lane = 16;
    int64_t across = blocks(blocks(k, of), group);
    if (scaleInvs.shape !=
        std::vector{blocks(rows, block), across, lanes, lane})
      return std::nullopt;
    return ScaleGranularity{part, 1, of, across * lanes * lane, lanes * lane};
  };
  if (scaleInvs.dtype == DType::f8E8M0FNU)
    return micro(ScaledPart::mxBlock, 32);
  if (scaleInvs.dtype == DType::f8E4M3FN)
    return micro(ScaledPart::nvfp4Block, 16);
  if (scaleInvs.dtype != DType::f32)
    return std::nullopt;
  if (scaleInvs.elements() == 1 && scaleInvs.shape.size() <= 1)
    return ScaleGranularity{ScaledPart::tensor, rows, k, 0, 0};
  if (scaleInvs.shape == std::vector{rows})
    return ScaleGranularity{ScaledPart::row, 1, k, 1, 0};
  if (scaleInvs.shape == std::vector{blocks(k, block), rows})
    return ScaleGranularity{ScaledPart::rowBlock, 1, block, 1, rows};
  int64_t groups = blocks(blocks(k, block), group);
  if (scaleInvs.shape == std::vector{blocks(rows, block), groups, group})
    return ScaleGranularity{ScaledPart::squareBlock, block, block,
                            groups * group, 1};
  return std::nullopt;
}

bool ScaledParts::areFine() const {
  auto isFine = [](std::optional<ScaledPart> part) {
    return part && *part != ScaledPart::tensor &&
           *part != ScaledPart::mxBlock && *part != ScaledPart::nvfp4Block;
  };
  return isFine(a) || isFine(b);
}

bool ScaledParts::areOfParts() const {
  auto isOfParts = [](std::optional<ScaledPart> part) {
    return part && *part != ScaledPart::tensor;
  };
  return isOfParts(a) || isOfParts(b);
}

ScaledParts prec::rt::scaledParts(const Manifest &manifest, const Gemm &gemm) {
  auto partOf = [&](std::optional<int> scaleInvs,
                    int64_t rows) -> std::optional<ScaledPart> {
    if (!scaleInvs)
      return std::nullopt;
    return granularityOf(manifest.buffers[*scaleInvs], rows, gemm.k)->part;
  };
  return {partOf(gemm.scaleA, gemm.m), partOf(gemm.scaleB, gemm.n)};
}

bool prec::rt::isMicroscaled(const Manifest &manifest, const Gemm &gemm) {
  return gemm.scaleA && manifest.buffers[*gemm.scaleA].dtype != DType::f32;
}

DType prec::rt::biasType(DType d, bool isScaled) {
  return isScaled && d == DType::f32 ? DType::bf16 : d;
}
