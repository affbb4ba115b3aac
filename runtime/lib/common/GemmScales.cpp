//===- GemmScales.cpp - factors of a gemm's operand -----------------------===//

#include "GemmScales.h"

using namespace prec::rt;

std::optional<ScaleGranularity>
prec::rt::granularityOf(const Buffer &factors, int64_t rows, int64_t k) {
  constexpr int64_t block = 128, group = 4;
  auto blocks = [](int64_t size) { return (size + block - 1) / block; };
  if (factors.elements() == 1 && factors.shape.size() <= 1)
    return ScaleGranularity{ScaledPart::tensor, rows, k, 0, 0};
  if (factors.shape == std::vector{rows})
    return ScaleGranularity{ScaledPart::row, 1, k, 1, 0};
  if (factors.shape == std::vector{blocks(k), rows})
    return ScaleGranularity{ScaledPart::rowBlock, 1, block, 1, rows};
  int64_t groups = (blocks(k) + group - 1) / group;
  if (factors.shape == std::vector{blocks(rows), groups, group})
    return ScaleGranularity{ScaledPart::squareBlock, block, block,
                            groups * group, 1};
  return std::nullopt;
}

bool ScaledParts::areFine() const {
  auto isFine = [](std::optional<ScaledPart> part) {
    return part && *part != ScaledPart::tensor;
  };
  return isFine(a) || isFine(b);
}

ScaledParts prec::rt::scaledParts(const Manifest &manifest, const Gemm &gemm) {
  auto partOf = [&](std::optional<int> factors,
                    int64_t rows) -> std::optional<ScaledPart> {
    if (!factors)
      return std::nullopt;
    return granularityOf(manifest.buffers[*factors], rows, gemm.k)->part;
  };
  return {partOf(gemm.scaleA, gemm.m), partOf(gemm.scaleB, gemm.n)};
}
