//===- GemmAlgorithm.cpp - what a cuBLASLt algorithm is -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what a cuBLASLt algorithm is, for reports: id, tile, stages, cluster,
// splits and swizzle. cuBLASLt keeps them in an opaque block of 64 bytes and
// gives them one attribute at a time, as numbers; tiles, stages and clusters
// become the names that cublasLt.h has for them, or stay numbers where they
// have none here.
//
//===----------------------------------------------------------------------===//

#include "GemmAlgorithm.h"

using namespace prec::rt;

#define PREC_RT_NAME(kind, text)                                               \
  case CUBLASLT_##kind##_##text:                                               \
    return #text;

static std::string tileName(uint32_t tile) {
  switch (tile) {
#define PREC_RT_TILE(text) PREC_RT_NAME(MATMUL_TILE, text)
#include "CublasLtNames.inc"
  default:
    break;
  }
  return std::to_string(tile);
}

static std::string stagesName(uint32_t stages) {
  switch (stages) {
#define PREC_RT_STAGES(text) PREC_RT_NAME(MATMUL_STAGES, text)
#include "CublasLtNames.inc"
  default:
    break;
  }
  return std::to_string(stages);
}

static std::string clusterName(uint16_t cluster) {
  switch (cluster) {
#define PREC_RT_CLUSTER(text) PREC_RT_NAME(CLUSTER_SHAPE, text)
#include "CublasLtNames.inc"
  default:
    break;
  }
  return std::to_string(cluster);
}

Result<GemmAlgorithm>
prec::rt::describe(const CublasLt &lt, const cublasLtMatmulAlgo_t &algorithm) {
  GemmAlgorithm result;
  uint32_t tile = 0, stages = 0;
  uint16_t cluster = 0;
  PREC_RT_RETURN_IF_ERROR(
      lt.get(algorithm, CUBLASLT_ALGO_CONFIG_ID, "id", result.id));
  PREC_RT_RETURN_IF_ERROR(
      lt.get(algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID, "tile", tile));
  PREC_RT_RETURN_IF_ERROR(
      lt.get(algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID, "stages", stages));
  PREC_RT_RETURN_IF_ERROR(lt.get(
      algorithm, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, "cluster", cluster));
  PREC_RT_RETURN_IF_ERROR(lt.get(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM,
                                 "number of splits", result.splits));
  PREC_RT_RETURN_IF_ERROR(lt.get(algorithm, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING,
                                 "swizzle", result.swizzle));
  result.tile = tileName(tile);
  result.stages = stagesName(stages);
  result.cluster = clusterName(cluster);
  return result;
}
