//===- GemmScales.cpp - inverse scales of a gemm's operand ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GemmScales.h"

using namespace prec::rt;

ScaleGranularity prec::rt::granularityOf(Scaling scaling, int64_t rows,
                                         int64_t k) {
  const ScalingTraits &traits = traitsOf(scaling);
  const int64_t height = traits.rows ? traits.rows : rows,
                depth = traits.columns ? traits.columns : k;
  const int64_t down = ScalingTraits::divide(rows, height),
                across = ScalingTraits::divide(k, depth),
                groups = ScalingTraits::divide(across, PREC_SCALE_INV_GROUP);
  switch (traits.layout) {
  case ScaleLayout::AsScales:
    return {traits.layout, height, depth, across, 1};
  case ScaleLayout::Transposed:
    return {traits.layout, height, depth, 1, down};
  case ScaleLayout::Grouped:
    return {traits.layout, height, depth, groups * PREC_SCALE_INV_GROUP, 1};
  case ScaleLayout::Tiled:
    break;
  }
  return {ScaleLayout::Tiled, height, depth, groups * kScaleInvsOfTile,
          kScaleInvsOfTile};
}

DType prec::rt::scaleInvDType(Scaling scaling) {
  switch (traitsOf(scaling).format) {
  case ScaleFormat::F8E8M0FNU:
    return DType::f8E8M0FNU;
  case ScaleFormat::F8E4M3FN:
    return DType::f8E4M3FN;
  case ScaleFormat::F32:
    break;
  }
  return DType::f32;
}

std::vector<int64_t> prec::rt::scaleInvShape(Scaling scaling, int64_t rows,
                                             int64_t k) {
  const ScalingTraits &traits = traitsOf(scaling);
  return traits.scaleInvShape(traits.scaleShape(rows, k));
}

DType prec::rt::biasType(DType d, bool isScaled) {
  return isScaled && d == DType::f32 ? DType::bf16 : d;
}
