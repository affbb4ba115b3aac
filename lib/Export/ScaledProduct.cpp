//===- ScaledProduct.cpp - products of scaled operands as linalg ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inverse scales lie as a GPU's library reads them. They are first brought to
// one for each row and each block of the contracted dimension. Scales of
// tensors and rows do not depend on the contracted index, and multiply the
// sums. f32 scales of blocks multiply the sums of their blocks, so the
// contracted dimension is split into blocks, which become a batch dimension,
// and the scaled sums of all blocks are added. Microscales are powers of two or
// have three bits, an element times its scale is exact in f32, and so they are
// applied to the elements on the way.
//
// A last block that is shorter is filled up with zeros, which add nothing.
//
//===----------------------------------------------------------------------===//
#include "Export/LinalgBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;

/// Elements of e2m1 that lie in pairs in an i8, the first in its low half.
static Value unpackFp4(Value packed, LinalgBuilder &b) {
  RankedTensorType type = LinalgBuilder::typeOf(packed);
  if (!type.getElementType().isInteger(8))
    return packed;
  MLIRContext *context = type.getContext();
  Type element = Float4E2M1FNType::get(context);
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(2);
  unsigned rank = shape.size();
  Value pairs = b.generic(
      RankedTensorType::get(shape, element), packed,
      {llvm::to_vector(llvm::seq<unsigned>(0, rank - 1))}, rank,
      [&](OpBuilder &inner, Location loc, ValueRange scalars) -> Value {
        Value half = linalg::IndexOp::create(inner, loc, rank - 1);
        half = arith::IndexCastOp::create(inner, loc, inner.getI8Type(), half);
        Value four =
            arith::ConstantOp::create(inner, loc, inner.getI8IntegerAttr(4));
        Value shift = arith::MulIOp::create(inner, loc, half, four);
        Value bits = arith::ShRUIOp::create(inner, loc, scalars[0], shift);
        bits = arith::TruncIOp::create(inner, loc, IntegerType::get(context, 4),
                                       bits);
        return arith::BitcastOp::create(inner, loc, element, bits);
      });
  return b.joinDims(pairs, rank - 2);
}

namespace {

/// An operand [R, K] in blocks, [R, B, k], and its inverse scales [B, R] or, of
/// microscaled ones, [R, B].
struct Blocks {
  Value elements, scaleInvs;
};

} // namespace

/// [R, B] of what lies in tiles.
static Value untile(Value tiles, int64_t rows, int64_t blocks,
                    LinalgBuilder &b) {
  Value split = b.splitLast(tiles, PREC_SCALE_INV_GROUP);
  // [down, across, 32, 4, group] as [down, 4, 32, across, group].
  Value ordered = b.transpose(split, {0, 3, 2, 1, 4});
  Value matrix = b.joinDims(b.joinDims(b.joinDims(ordered, 0), 0), 1);
  return b.takeFirst(matrix, {rows, blocks});
}

/// [B, R] of what has one scale for each block of `size` rows, laid out for a
/// library.
static Value spreadRows(Value grouped, int64_t rows, int64_t size,
                        int64_t blocks, LinalgBuilder &b) {
  Value matrix = b.joinDims(grouped, 1);
  int64_t down = LinalgBuilder::typeOf(matrix).getDimSize(0);
  Value scales = b.transpose(b.takeFirst(matrix, {down, blocks}), {1, 0});
  Value spread = b.broadcast(scales, {0, 1}, {blocks, down, size});
  return b.takeFirst(b.joinDims(spread, 1), {blocks, rows});
}

static Blocks splitBlocks(Value operand, Value scaleInvs, Scaling scaling,
                          LinalgBuilder &b) {
  const ScalingTraits &traits = traitsOf(scaling);
  ArrayRef<int64_t> shape = LinalgBuilder::typeOf(operand).getShape();
  int64_t rows = shape[0];
  int64_t blocks = ScalingTraits::divide(shape[1], traits.columns);
  Value elements =
      b.splitLast(b.padLast(operand, blocks * traits.columns), traits.columns);
  switch (traits.layout) {
  case ScaleLayout::Tiled:
    return {elements, untile(scaleInvs, rows, blocks, b)};
  case ScaleLayout::Transposed:
    return {elements, scaleInvs};
  case ScaleLayout::Grouped:
    return {elements, spreadRows(scaleInvs, rows, traits.rows, blocks, b)};
  case ScaleLayout::AsScales:
    break;
  }
  llvm_unreachable("no scaling of blocks lies so");
}

static Value scaleRows(Value product, Value scaleInvs, ArrayRef<int64_t> dims,
                       LinalgBuilder &b) {
  Value spread =
      b.broadcast(scaleInvs, dims, LinalgBuilder::typeOf(product).getShape());
  return b.create<arith::MulFOp>(product, spread);
}

/// The sums of each block are scaled, then added up.
static Value multiplyBlocks(const Blocks &lhs, const Blocks &rhs,
                            LinalgBuilder &b) {
  Value left = b.transpose(lhs.elements, {1, 0, 2});
  Value right = b.transpose(rhs.elements, {1, 0, 2});
  Value sums = b.multiply(left, right, /*transposeA=*/false,
                          /*transposeB=*/true);
  sums = scaleRows(sums, rhs.scaleInvs, {0, 2}, b);
  sums = scaleRows(sums, lhs.scaleInvs, {0, 1}, b);
  return b.reduce(train::ReduceKind::Sum, sums, {0});
}

/// An element times its inverse scale, in f32.
static Value buildScaled(OpBuilder &builder, Location loc, Value element,
                         Value scaleInv) {
  Type f32 = builder.getF32Type();
  // The operation takes its scale for a power of two.
  if (isa<Float8E8M0FNUType>(scaleInv.getType()))
    return arith::ScalingExtFOp::create(builder, loc, f32, element, scaleInv,
                                        arith::FastMathFlagsAttr());
  Value wide = arith::ExtFOp::create(builder, loc, f32, element);
  Value scale = arith::ExtFOp::create(builder, loc, f32, scaleInv);
  return arith::MulFOp::create(builder, loc, wide, scale);
}

/// Loops: rows, columns, blocks, elements of a block.
static Value multiplyMicroscaled(const Blocks &lhs, const Blocks &rhs,
                                 RankedTensorType type, LinalgBuilder &b) {
  return b.generic(
      type,
      ValueRange{lhs.elements, rhs.elements, lhs.scaleInvs, rhs.scaleInvs},
      {{0, 2, 3}, {1, 2, 3}, {0, 2}, {1, 2}}, /*loops=*/4,
      [](OpBuilder &inner, Location loc, ValueRange scalars) -> Value {
        Value left = buildScaled(inner, loc, scalars[0], scalars[2]);
        Value right = buildScaled(inner, loc, scalars[1], scalars[3]);
        Value product = arith::MulFOp::create(inner, loc, left, right);
        return arith::AddFOp::create(inner, loc, scalars[4], product);
      });
}

Value prec::buildScaledProduct(ScaledMatmulOp op, LinalgBuilder &b) {
  Value lhs = unpackFp4(op.getLhs(), b), rhs = unpackFp4(op.getRhs(), b);
  const ScalingTraits &traits = traitsOf(op.getLhsScaling());
  RankedTensorType type =
      LinalgBuilder::typeOf(op.getResult()).clone(b.getBuilder().getF32Type());
  Value product;
  switch (traits.family) {
  case ScalingFamily::None:
  case ScalingFamily::Tensor: {
    product = b.multiply(lhs, rhs, /*transposeA=*/false, /*transposeB=*/true);
    Value both = b.create<arith::MulFOp>(op.getLhsScale(), op.getRhsScale());
    return scaleRows(product, both, {}, b);
  }
  case ScalingFamily::Row:
    product = b.multiply(lhs, rhs, /*transposeA=*/false, /*transposeB=*/true);
    product = scaleRows(product, op.getRhsScale(), {1}, b);
    return scaleRows(product, op.getLhsScale(), {0}, b);
  case ScalingFamily::Block:
    return multiplyBlocks(
        splitBlocks(lhs, op.getLhsScale(), op.getLhsScaling(), b),
        splitBlocks(rhs, op.getRhsScale(), op.getRhsScaling(), b), b);
  case ScalingFamily::Micro:
    product = multiplyMicroscaled(
        splitBlocks(lhs, op.getLhsScale(), op.getLhsScaling(), b),
        splitBlocks(rhs, op.getRhsScale(), op.getRhsScaling(), b), type, b);
    if (!op.getLhsTensorScale())
      return product;
    Value both =
        b.create<arith::MulFOp>(op.getLhsTensorScale(), op.getRhsTensorScale());
    return scaleRows(product, both, {}, b);
  }
  llvm_unreachable("all families are handled");
}
