//===- FloatConversionNvptx.cpp - rounding by conversion instructions -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions convert pairs. bf16x2 to f8x2 is never used: sm_90a cannot
// select it and LLVM ends the process over that.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Emitter/FloatConversion.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace prec;

/// Applies `convert` (two elements at once, result of `pairType`) to the lanes
/// of `value`; a scalar is paired with itself.
static Expr convertPairs(Expr value, Type element, Type pairType,
                         function_ref<Value(Value low, Value high)> convert) {
  OpBuilder &b = value.getBuilder();
  Location loc = value.getLoc();
  auto vector = dyn_cast<VectorType>(value.getType());
  SmallVector<Value> pairs;
  if (!vector) {
    pairs.push_back(convert(value, value));
  } else {
    for (int64_t lane = 0; lane < vector.getNumElements(); lane += 2) {
      int64_t high = std::min(lane + 1, vector.getNumElements() - 1);
      pairs.push_back(convert(vector::ExtractOp::create(b, loc, value, lane),
                              vector::ExtractOp::create(b, loc, value, high)));
    }
  }
  auto packed = VectorType::get(int64_t(pairs.size()), pairType);
  auto lanes = VectorType::get(2 * int64_t(pairs.size()), element);
  Value all = vector::BitCastOp::create(
      b, loc, lanes, vector::FromElementsOp::create(b, loc, packed, pairs));
  if (!vector)
    return Expr(b, loc, vector::ExtractOp::create(b, loc, all, 0));
  return Expr(b, loc, all);
}

// One instruction for each element, where taking words apart and shifting costs
// two.
Expr nvptx::extendBf16(Expr bits) {
  OpBuilder &b = bits.getBuilder();
  Location loc = bits.getLoc();
  Type i32 = b.getI32Type();
  auto vector = dyn_cast<VectorType>(bits.getType());
  if (!vector || vector.getNumElements() % 2)
    return bits.convert(i32).shl(16).bitcast(b.getF32Type());
  int64_t count = vector.getNumElements() / 2;
  Expr words(
      b, loc,
      vector::BitCastOp::create(b, loc, VectorType::get(count, i32), bits));
  Expr low = words.shl(16), high = words & words.integer(-65536);
  SmallVector<int64_t> lanes;
  for (int64_t i = 0; i < count; ++i)
    lanes.append({i, count + i});
  return low.make<vector::ShuffleOp>(low, high, lanes).bitcast(b.getF32Type());
}

Expr nvptx::truncateToF8(Expr value, FloatType to) {
  OpBuilder &b = value.getBuilder();
  return convertPairs(value, b.getI8Type(), b.getI16Type(),
                      [&](Value low, Value high) -> Value {
                        // The first operand is the upper byte.
                        return NVVM::ConvertF32x2ToF8x2Op::create(
                            b, value.getLoc(), b.getI16Type(), high, low,
                            NVVM::FPRoundingMode::RN,
                            NVVM::SaturationMode::SATFINITE,
                            /*relu=*/false, to);
                      });
}

Expr nvptx::truncatePair(Expr low, Expr high, FloatType to) {
  OpBuilder &b = low.getBuilder();
  Location loc = low.getLoc();
  auto pair = VectorType::get(2, to);
  Value halves;
  if (to.isBF16())
    halves = NVVM::ConvertF32x2ToBF16x2Op::create(b, loc, pair, high, low,
                                                  /*random_bits=*/Value(),
                                                  NVVM::FPRoundingMode::RN);
  else
    halves = NVVM::ConvertF32x2ToF16x2Op::create(b, loc, pair, high, low,
                                                 /*random_bits=*/Value(),
                                                 NVVM::FPRoundingMode::RN);
  return Expr(b, loc, LLVM::BitcastOp::create(b, loc, b.getI32Type(), halves));
}

Expr nvptx::truncateToHalf(Expr value, FloatType to) {
  OpBuilder &b = value.getBuilder();
  Location loc = value.getLoc();
  return convertPairs(value, b.getI16Type(), b.getI32Type(),
                      [&](Value low, Value high) -> Value {
                        return truncatePair(Expr(b, loc, low),
                                            Expr(b, loc, high), to);
                      });
}

Expr nvptx::extendF8(Expr bits, FloatType from) {
  OpBuilder &b = bits.getBuilder();
  Location loc = bits.getLoc();
  auto bytes = VectorType::get(2, b.getI8Type());
  auto halves = VectorType::get(2, b.getF16Type());
  Expr half = convertPairs(
      bits, b.getI16Type(), b.getI32Type(), [&](Value low, Value high) {
        Value pair = vector::FromElementsOp::create(b, loc, bytes,
                                                    ValueRange{low, high});
        Value both = NVVM::ConvertF8x2ToF16x2Op::create(b, loc, halves, pair,
                                                        /*relu=*/false, from);
        Value word = vector::BitCastOp::create(
            b, loc, VectorType::get(1, b.getI32Type()), both);
        return vector::ExtractOp::create(b, loc, word, 0).getResult();
      });
  return half.bitcast(b.getF16Type()).convert(b.getF32Type());
}
