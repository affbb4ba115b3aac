//===- AttentionGradPlan.cpp - numbers of such a kernel -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Gpu/Attention/AttentionGradPlan.h"

using namespace mlir;
using namespace prec;

static Tiling tilingOf(int64_t width, bool ofKeys) {
  if (width == 64)
    return ofKeys ? Tiling{64, 4, true, true, true}
                  : Tiling{128, 3, false, true, true};
  return ofKeys ? Tiling{64, 3, false, false, false}
                : Tiling{64, 3, false, false, true};
}

AttentionGradPlan::AttentionGradPlan(const AttentionGradShape &shape,
                                     AttentionGradSide side)
    : shape(shape), ofKeys(side == AttentionGradSide::Keys),
      width(shape.dim <= 64 ? 64 : 128), tiling(tilingOf(width, ofKeys)),
      rowTile{kBlockRows, width}, columnTile{tiling.columns, width},
      numRows(ofKeys ? shape.keys : shape.queries),
      numColumns(ofKeys ? shape.queries : shape.keys),
      rowHeads(ofKeys ? shape.groups : shape.heads),
      ratio(shape.heads / shape.groups) {}

GpuLaunch AttentionGradPlan::launch() const {
  GpuLaunch launch;
  launch.grid = shape.batch * rowHeads * numBlocks();
  launch.block = {(kConsumers + 1) * kWarpgroup, 1, 1};
  launch.residentBlocks = 1;
  launch.shared = sharedBytes();
  return launch;
}
