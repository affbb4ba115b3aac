//===- AttentionGradFrame.cpp - what all its warps know -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Gpu/Attention/AttentionGradFrame.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace prec;

/// Heads whose blocks run together: their columns stay in L2.
static constexpr int64_t kHeadsTogether = 8;

AttentionGradFrame::AttentionGradFrame(const AttentionGradPlan &plan,
                                       OpBuilder &builder, Location loc,
                                       Block *entry, Value shared)
    : plan(plan), builder(builder), loc(loc),
      w(builder, loc, plan.shape.element), shared(shared) {
  for (int i = 0; i < 4; ++i)
    maps[i] = entry->getArgument(i);
  output = entry->getArgument(4);
  lse = entry->getArgument(5);
  statistics = entry->getArgument(6);
  for (int i = 0; i < 3; ++i)
    gradients[i] = entry->getArgument(7 + i);
  Type i32 = builder.getI32Type();
  sharedBase = LLVM::PtrToIntOp::create(builder, loc, i32, shared);
  thread = NVVM::ThreadIdXOp::create(builder, loc, i32);
  lane = w.expr(thread) & 31;
  group = w.expr(lane).shr(2);
  quad = w.expr(lane) & 3;
  warp = w.uniform(w.expr(thread).shr(5));
  warpgroup = w.expr(warp).shr(2);
  locateBlock();
}

Value AttentionGradFrame::sharedPointer(Expr offset) {
  return LLVM::GEPOp::create(builder, loc, shared.getType(),
                             builder.getI8Type(), shared, ValueRange{offset});
}

Expr AttentionGradFrame::loadShared(Expr offset, Type type) {
  return w.expr(
      LLVM::LoadOp::create(builder, loc, type, sharedPointer(offset)));
}

Expr AttentionGradFrame::address(Value pointer, sched::ViewAttr view, Expr row,
                                 Expr element) {
  ArrayRef<int64_t> strides = view.getStrides();
  Type i64 = builder.getI64Type();
  Expr offset = w.expr(batch).convert(i64) * strides[0] +
                w.expr(head).convert(i64) * strides[1] +
                row.convert(i64) * strides[2] + element.convert(i64);
  return w.expr(LLVM::GEPOp::create(builder, loc, pointer.getType(),
                                    plan.shape.element, pointer,
                                    ValueRange{offset}));
}

std::array<Value, 3> AttentionGradFrame::advance(Expr stage, Expr parity,
                                                 Expr tile) {
  Expr wraps = stage + 1 == w.i32(plan.tiling.stages),
       isLast = tile + 1 == w.expr(endTile);
  return {wraps.select(w.i32(0), stage + 1),
          wraps.select(parity ^ w.i32(1), parity),
          isLast.select(w.expr(firstTile), tile + 1)};
}

void AttentionGradFrame::locateBlock() {
  auto rest = [&](Expr a, Expr quotient, int64_t b) {
    return a - quotient * b;
  };
  const int64_t heads = plan.shape.batch * plan.rowHeads;
  const int64_t together = std::min(kHeadsTogether, heads);
  Expr id =
      w.expr(NVVM::BlockIdXOp::create(builder, loc, builder.getI32Type()));
  Expr section = divide(id, together * plan.numBlocks());
  Expr inSection = rest(id, section, together * plan.numBlocks());
  // The last section may have fewer heads.
  Expr left = minimum(w.i32(heads) - section * together, w.i32(together));
  Expr block = inSection.make<arith::DivUIOp>(Value(inSection), Value(left));
  Expr inHeads = section * together + (inSection - block * left);
  // The longest blocks come first: with a causal mask, of the first keys and
  // of the last queries.
  if (!plan.ofKeys)
    block = w.i32(plan.numBlocks() - 1) - block;
  Expr sample = divide(inHeads, plan.rowHeads);
  batch = w.uniform(sample);
  head = w.uniform(rest(inHeads, sample, plan.rowHeads));
  firstRow = w.uniform(block * kBlockRows);
  firstHead = plan.ofKeys ? Value(w.expr(head) * plan.ratio)
                          : Value(divide(w.expr(head), plan.ratio));
  firstTile = w.i32(0);
  endTile = w.i32(plan.numTiles());
  Expr row = w.expr(firstRow);
  if (plan.shape.isCausal && plan.ofKeys)
    firstTile = divide(row, plan.tiling.columns);
  else if (plan.shape.isCausal)
    endTile = minimum(w.expr(endTile),
                      divide(row + (kBlockRows + plan.tiling.columns - 1),
                             plan.tiling.columns));
  numSteps =
      (w.expr(endTile) - w.expr(firstTile)) * (plan.ofKeys ? plan.ratio : 1);
}
