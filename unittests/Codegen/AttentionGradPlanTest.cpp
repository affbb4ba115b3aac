//===- AttentionGradPlanTest.cpp - where a kernel has its shared memory ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Gpu/Attention/AttentionGradPlan.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;

namespace {

constexpr int64_t kSharedOfHopper = int64_t(227) * 1024; ///< of one block

class AttentionGrad : public testing::Test {
protected:
  /// Two samples of eight heads, of which two share keys.
  AttentionGradShape shape(int64_t dim, int64_t queries = 300,
                           int64_t keys = 200) {
    return {BFloat16Type::get(&context), 2, 8, 4, queries, keys, dim, 0.125,
            /*isCausal=*/false,          {}};
  }
  MLIRContext context;
};

} // namespace

TEST_F(AttentionGrad, SharedMemoryHoldsEverythingOnce) {
  for (int64_t dim : {8, 64, 72, 128})
    for (AttentionGradSide side :
         {AttentionGradSide::Queries, AttentionGradSide::Keys}) {
      AttentionGradShape of = shape(dim);
      AttentionGradPlan plan(of, side);
      EXPECT_EQ(plan.width, dim <= 64 ? 64 : 128);
      // Tiles of copies are aligned as their swizzle needs it.
      EXPECT_EQ(plan.stageBytes() % 1024, 0);
      EXPECT_EQ(plan.rowsAt(), plan.tiling.stages * plan.stageBytes());
      EXPECT_EQ(plan.statisticsAt(), plan.rowsAt() + 2 * plan.rowTile.bytes());
      EXPECT_EQ(plan.barriersAt(),
                plan.statisticsAt() +
                    plan.tiling.stages * plan.statisticBytes());
      EXPECT_EQ(plan.barriersAt() % 8, 0);
      EXPECT_EQ(plan.emptyAt(), plan.fullAt() + 8 * plan.tiling.stages);
      EXPECT_EQ(plan.rowsBarrierAt(), plan.emptyAt() + 8 * plan.tiling.stages);
      EXPECT_EQ(plan.sharedBytes(), plan.rowsBarrierAt() + 8);
      EXPECT_LE(plan.sharedBytes(), kSharedOfHopper);
      // Queries read no statistics of columns: they make them.
      EXPECT_EQ(plan.statisticBytes() > 0, side == AttentionGradSide::Keys);
    }
}

TEST_F(AttentionGrad, ABlockHas128RowsOfAHead) {
  AttentionGradShape of = shape(128);
  AttentionGradPlan queries(of, AttentionGradSide::Queries);
  EXPECT_EQ(queries.numRows, 300);
  EXPECT_EQ(queries.numBlocks(), 3);
  EXPECT_EQ(queries.launch().grid, 2 * 8 * 3);
  EXPECT_EQ(queries.numTiles(), 4); // of 64 keys
  EXPECT_EQ(queries.numSums(), 1);
  AttentionGradPlan keys(of, AttentionGradSide::Keys);
  EXPECT_EQ(keys.numRows, 200);
  EXPECT_EQ(keys.launch().grid, 2 * 4 * 2);
  EXPECT_EQ(keys.numTiles(), 5); // of 64 queries
  EXPECT_EQ(keys.ratio, 2);
  EXPECT_EQ(keys.numSums(), 2);
  for (const AttentionGradPlan *plan : {&queries, &keys}) {
    EXPECT_EQ(plan->statisticRows(), 384);
    EXPECT_EQ(plan->launch().block, (SmallVector<int64_t, 3>{384, 1, 1}));
    EXPECT_EQ(plan->launch().shared, plan->sharedBytes());
  }
}
