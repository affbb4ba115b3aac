//===- GemmScales.cpp - factors of a gemm's operand -----------------------===//

#include "GemmScales.h"

using namespace prec::rt;

std::optional<ScaleGranularity>
prec::rt::granularityOf(const Buffer &factors, int64_t rows, int64_t k) {
  constexpr int64_t block = 128;
  auto blocks = [](int64_t size) { return (size + block - 1) / block; };
  if (factors.elements() == 1)
    return ScaleGranularity{rows, k, 1};
  if (factors.shape == std::vector{rows})
    return ScaleGranularity{1, k, 1};
  if (factors.shape == std::vector{rows, blocks(k)})
    return ScaleGranularity{1, block, blocks(k)};
  if (factors.shape == std::vector{blocks(rows), blocks(k)})
    return ScaleGranularity{block, block, blocks(k)};
  return std::nullopt;
}

bool prec::rt::hasFineScales(const Manifest &manifest, const Gemm &gemm) {
  auto isFine = [&](const std::optional<int> &factors) {
    return factors && manifest.buffers[*factors].elements() != 1;
  };
  return isFine(gemm.scaleA) || isFine(gemm.scaleB);
}
