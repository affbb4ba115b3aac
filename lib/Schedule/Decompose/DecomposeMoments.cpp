//===- DecomposeMoments.cpp - moments in 8 bits ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Decompose/Decompose.h"

#include "prec/Numerics/DynamicMap.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;
using train::ReduceKind;

template <typename Element>
static Value createTable(ArrayRef<Element> values, Type type,
                         PrimitiveBuilder &b) {
  return b.create<arith::ConstantOp>(DenseElementsAttr::get(
      RankedTensorType::get({int64_t(values.size())}, type), values));
}

static Value lookUp(Value table, Value codes, PrimitiveBuilder &b) {
  return b.create<train::GatherOp>(
      tensorType(table).clone(shapeOf(codes)), table, codes,
      /*result_tags=*/ArrayAttr(), /*operand_tags=*/ArrayAttr());
}

/// All elements in rows of one block each; in any other shape they lie alike.
static SmallVector<int64_t> getBlocks(Value value) {
  return {tensorType(value).getNumElements() / kMomentBlock, kMomentBlock};
}

static Value toBlocks(Value value, PrimitiveBuilder &b) {
  return b.create<tensor::ExpandShapeOp>(
      tensorType(value).clone(getBlocks(value)), b.flatten(value),
      SmallVector<ReassociationIndices>{{0, 1}});
}

static Value fromBlocks(Value value, ArrayRef<int64_t> shape,
                        PrimitiveBuilder &b) {
  return b.unflatten(b.flatten(value), shape);
}

/// What belongs to a block, for each element.
static Value spread(Value ofBlocks, Value like, PrimitiveBuilder &b) {
  Value rows = b.broadcastRows(ofBlocks, getBlocks(like));
  return fromBlocks(rows, shapeOf(like), b);
}

/// Of the cell of each element: see getCellCodes.
static Value getCell(Value value, bool isSigned, PrimitiveBuilder &b) {
  ArrayRef<int64_t> shape = shapeOf(value);
  auto constant = [&](int64_t number) { return b.splatInt(number, shape); };
  Type i32 = IntegerType::get(value.getContext(), 32);
  Value bits = b.create<arith::BitcastOp>(tensorType(value).clone(i32), value);
  Value magnitude = b.create<arith::AndIOp>(bits, constant(0x7fffffff));
  Value cell = b.create<arith::ShRUIOp>(magnitude, constant(16));
  // What is no number must not be looked up behind the table.
  cell = b.create<arith::MinSIOp>(cell, constant(kLastCell));
  cell = b.create<arith::MaxSIOp>(cell, constant(kFirstCell));
  cell = b.create<arith::SubIOp>(cell, constant(kFirstCell));
  if (!isSigned)
    return cell;
  Value sign = b.create<arith::ShRUIOp>(bits, constant(31));
  Value negative = b.create<arith::MulIOp>(sign, constant(kNumCells));
  return b.create<arith::AddIOp>(cell, negative);
}

/// The number of bounds below `value`.
static Value findCode(Value value, bool isSigned, PrimitiveBuilder &b) {
  MLIRContext *context = value.getContext();
  auto type = tensorType(value).clone(IntegerType::get(context, 32));
  std::vector<uint8_t> cells = getCellCodes(isSigned);
  std::array<float, 256> bounds = getCodeBounds(isSigned);
  Value cellCodes =
      createTable(ArrayRef<uint8_t>(cells), IntegerType::get(context, 8), b);
  Value least = b.create<arith::ExtUIOp>(
      type, lookUp(cellCodes, getCell(value, isSigned, b), b));
  Value bound =
      lookUp(createTable(ArrayRef<float>(bounds), Float32Type::get(context), b),
             least, b);
  Value isAbove =
      b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, value, bound);
  return b.create<arith::AddIOp>(least,
                                 b.create<arith::ExtUIOp>(type, isAbove));
}

Values prec::decompose(DynamicQuantizeOp op, PrimitiveBuilder &b) {
  Value input = op.getInput();
  Value magnitude = b.create<math::AbsFOp>(input);
  Value absmax = b.reduceRows(ReduceKind::Max, toBlocks(magnitude, b));
  // 0 / 1 is the zero of a block of zeros.
  Value isZero = b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, absmax,
                                         b.splatLike(0, absmax));
  Value divisor = b.select(isZero, b.splatLike(1, absmax), absmax);
  Value scaled = b.div(input, spread(divisor, input, b));
  Value code = findCode(scaled, op.getIsSigned(), b);
  return {b.create<arith::TruncIOp>(op.getCodes().getType(), code), absmax};
}

Values prec::decompose(DynamicDequantizeOp op, PrimitiveBuilder &b) {
  auto type = RankedTensorType::get(shapeOf(op.getCodes()),
                                    IntegerType::get(op.getContext(), 32));
  Value codes = b.create<arith::ExtUIOp>(type, op.getCodes());
  std::array<float, 256> map = getDynamicMap(op.getIsSigned());
  Value table =
      createTable(ArrayRef<float>(map), Float32Type::get(op.getContext()), b);
  Value absmax = spread(op.getAbsmax(), op.getCodes(), b);
  return {b.mul(lookUp(table, codes, b), absmax)};
}
