//===- GroupedScales.cpp - inverse scales of experts' operands ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Gpu/Grouped/GroupedScales.h"

#include "prec-rt/format.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace prec;

Value GroupedScales::pointerTo(Expr index) {
  return LLVM::GEPOp::create(builder, loc, scales.getType(),
                             builder.getF32Type(), scales,
                             ValueRange{index.convert(builder.getI64Type())});
}

Expr GroupedScales::load(Expr index) {
  return w.expr(LLVM::LoadOp::create(builder, loc, builder.getF32Type(),
                                     pointerTo(index), /*alignment=*/4));
}

std::pair<Expr, Expr> GroupedScales::loadPair(Expr index) {
  auto pair = VectorType::get(2, builder.getF32Type());
  Value both = LLVM::LoadOp::create(builder, loc, pair, pointerTo(index),
                                    /*alignment=*/8);
  auto one = [&](int64_t i) {
    return w.expr(LLVM::ExtractElementOp::create(builder, loc, both, w.i32(i)));
  };
  return {one(0), one(1)};
}

Expr GroupedScales::indexOf(Expr i, Expr block) {
  const ScalingTraits &traits = operand.traits();
  if (traits.layout == ScaleLayout::Transposed)
    return block * allRows() + i;
  // As `ScaleLayout::Grouped` has them, row by row.
  const int64_t width = llvm::alignTo(
      llvm::divideCeil(product.k, traits.columns), PREC_SCALE_INV_GROUP);
  Expr row = i.make<arith::DivUIOp>(Value(i), Value(i.integer(traits.rows)));
  return row * width + block;
}

Expr GroupedScales::ofGroup(Expr group) { return load(group); }
Expr GroupedScales::ofRow(Expr i) { return load(i); }
Expr GroupedScales::ofBlock(Expr i, Expr block) {
  return load(indexOf(i, block));
}
std::pair<Expr, Expr> GroupedScales::ofRows(Expr i) { return loadPair(i); }
std::pair<Expr, Expr> GroupedScales::ofBlocks(Expr i, Expr block) {
  return loadPair(indexOf(i, block));
}
