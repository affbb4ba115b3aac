//===- BufferAccess.cpp - elements of buffers at a position ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores at a position. The offset of an element is the sum of its
// digits times their strides; terms of major digits are added first, because
// they belong to outer loops, so that the sum moves out of inner ones. Lanes
// along the innermost dimension are one vector access, whose alignment follows
// from the divisors of the digits; lanes along another dimension are single
// accesses. A bit (i1) is a byte in memory.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Emitter/BufferAccess.h"
#include "Codegen/Emitter/FloatConversion.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace prec;

Type prec::storageType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  return registerType(element);
}

BufferAccess::Address BufferAccess::address(ArrayRef<Digit> at) {
  Address result{kernel.constant(0), 0, 0};
  int64_t stride = 1;
  SmallVector<Value> terms;
  for (const Digit &digit : llvm::reverse(at)) {
    terms.push_back(kernel.mul(digit.value, stride));
    result.divisor = std::gcd(result.divisor, digit.divisor * stride);
    if (digit.lanes > 1)
      result.laneStride = stride;
    stride *= digit.extent;
  }
  // Major digits first: they change least, so their sum is built outermost.
  for (Value term : llvm::reverse(terms))
    result.offset = kernel.add(result.offset, term);
  return result;
}

Value BufferAccess::pointer(unsigned depth, Value base, Value offset,
                            Type element) {
  return LLVM::GEPOp::create(kernel.at(depth), kernel.loc(), base.getType(),
                             element, base, ValueRange{offset},
                             LLVM::GEPNoWrapFlags::inbounds);
}

/// Bytes that a vector access at a multiple of `divisor` elements is aligned
/// to.
static unsigned alignmentOf(int64_t divisor, int64_t lanes, Type element) {
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  // Every buffer is 256-byte aligned; 0 stands for no offset.
  int64_t known = divisor ? (divisor & -divisor) * bytes : 256;
  return std::min(
      {known, int64_t(llvm::PowerOf2Ceil(lanes * bytes)), int64_t(64)});
}

Value BufferAccess::load(Value base, Type element, ArrayRef<Digit> position) {
  Position at = kernel.canonical(position);
  Type stored = storageType(element);
  Address where = address(at);
  unsigned depth = kernel.depthOf(at);
  int64_t lanes = lanesOf(at);
  auto loadAt = [&](Value offset, Type type, unsigned alignment) -> Value {
    Value from = pointer(depth, base, offset, stored);
    return LLVM::LoadOp::create(kernel.at(depth), kernel.loc(), type, from,
                                alignment);
  };
  unsigned bytes = stored.getIntOrFloatBitWidth() / 8;
  Value value;
  if (lanes == 1) {
    value = loadAt(where.offset, stored, bytes);
  } else if (where.laneStride == 1) {
    value = loadAt(where.offset, VectorType::get(lanes, stored),
                   alignmentOf(where.divisor, lanes, stored));
  } else {
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane < lanes; ++lane)
      elements.push_back(loadAt(
          kernel.add(where.offset, lane * where.laneStride), stored, bytes));
    value = vector::FromElementsOp::create(kernel.at(depth), kernel.loc(),
                                           VectorType::get(lanes, stored),
                                           elements);
  }
  if (element.isInteger(1))
    value =
        arith::TruncIOp::create(kernel.at(depth), kernel.loc(),
                                withLanesOf(element, value.getType()), value);
  return value;
}

Value BufferAccess::pointerTo(Value base, Type element, ArrayRef<Digit> at) {
  Position position = kernel.canonical(at);
  return pointer(kernel.depthOf(position), base, address(position).offset,
                 storageType(element));
}

void BufferAccess::store(Value base, Type element, ArrayRef<Digit> at,
                         Value value) {
  Type stored = storageType(element);
  Position position = kernel.canonical(at);
  Address where = address(position);
  OpBuilder b = kernel.here();
  if (element.isInteger(1))
    value = arith::ExtUIOp::create(b, kernel.loc(),
                                   withLanesOf(stored, value.getType()), value);
  unsigned bytes = stored.getIntOrFloatBitWidth() / 8;
  int64_t lanes = lanesOf(position);
  auto storeAt = [&](Value what, Value offset, unsigned alignment) {
    Value to = pointer(kernel.depth(), base, offset, stored);
    LLVM::StoreOp::create(kernel.here(), kernel.loc(), what, to, alignment);
  };
  if (lanes == 1) {
    storeAt(value, where.offset, bytes);
  } else if (where.laneStride == 1) {
    storeAt(value, where.offset, alignmentOf(where.divisor, lanes, stored));
  } else {
    for (int64_t lane = 0; lane < lanes; ++lane)
      storeAt(
          vector::ExtractOp::create(kernel.here(), kernel.loc(), value, lane),
          kernel.add(where.offset, lane * where.laneStride), bytes);
  }
}
