//===- RowsAhead.cpp - rows on their way to a thread ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pipeline of rows through shared memory. The slots are a ring: while a
// thread computes row i, rows i + 1 to i + slots - 1 are being copied by
// asynchronous copies (cp.async), which take no registers. `advance` waits
// until row i is there, takes it, and starts the copy of row i + slots - 1 into
// the slot of row i - 1, which nobody needs any more. A thread copies and takes
// only its own elements, so no barrier is needed. Reads that are too narrow for
// cp.async are done one row ahead into registers that the loop carries. How
// many slots: as many bytes as hide the latency of memory, at most
// `kMostSlots`; with fewer than two there are no copies at all.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/RowsAhead.h"

#include "Codegen/DispatchShape.h"
#include "Codegen/Emitter/FloatConversion.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace prec;

/// Each takes a row's code in front of the loop.
static constexpr int64_t kMostSlots = 4;
/// Bytes of an asynchronous copy.
static constexpr int64_t kWidestCopy = 16, kNarrowestCopy = 4;

static int64_t bytesOf(Type element) {
  return storageType(element).getIntOrFloatBitWidth() / 8;
}

int64_t RowsAhead::Read::bytes() const {
  return lanes() * bytesOf(getElementTypeOrSelf(input));
}

Type RowsAhead::Read::type() const {
  Type element = registerType(getElementTypeOrSelf(input));
  return lanes() > 1 ? Type(VectorType::get(lanes(), element)) : element;
}

SmallVector<Digit> RowsAhead::positionOf(const Read &read,
                                         const Digit &row) const {
  SmallVector<Digit> position = {row};
  if (read.column)
    position.push_back(*read.column);
  return position;
}

void RowsAhead::allocate(int64_t blockThreads, int64_t ahead, int64_t room) {
  threads = blockThreads;
  // Memory has no single bits.
  auto canCopy = [](const Read &read) {
    return !getElementTypeOrSelf(read.input).isInteger(1) &&
           read.bytes() >= kNarrowestCopy;
  };
  int64_t rowBytes = 0;
  for (const Read &read : reads)
    if (canCopy(read))
      rowBytes += read.bytes() * threads;
  if (!rowBytes)
    return;
  slots =
      std::clamp<int64_t>(1 + (ahead + rowBytes / 2) / rowBytes, 2, kMostSlots);
  slots = std::min({slots, room / rowBytes, count / step});
  if (slots < 2)
    return;
  int64_t size = 0;
  for (Read &read : reads)
    if (canCopy(read)) {
      read.base = size;
      size += slots * threads * read.bytes();
    }
  memory = gpu.allocateDynamicShared(size);
  thread = gpu.threadId();
}

Value RowsAhead::slot(const Read &read, Value index, int64_t piece) {
  int64_t width = bytesOf(getElementTypeOrSelf(read.input));
  int64_t lanes = std::min(read.lanes(), kWidestCopy / width);
  // Neighbors in a warp are neighbors in each piece.
  Value line = k.add(k.rem(k.div(index, step), slots), piece * slots);
  return k.add(k.mul(k.add(k.mul(line, threads), thread), lanes),
               read.base / width);
}

void RowsAhead::copy(Value index) {
  Digit row = rowAt(index);
  for (const Read &read : reads) {
    if (!read.isCopied())
      continue;
    Type element = storageType(getElementTypeOrSelf(read.input));
    int64_t bytes = std::min(read.bytes(), kWidestCopy);
    for (int64_t piece = 0; piece * bytes < read.bytes(); ++piece) {
      SmallVector<Digit> position = positionOf(read, row);
      if (read.column) {
        Digit &column = position.back();
        column.value = k.add(column.value, piece * bytes / bytesOf(element));
        column.lanes = 1;
      }
      Value from = gpu.emitter.pointerTo(read.input, position);
      gpu.copyToShared(memory, element, slot(read, index, piece), from, bytes);
    }
  }
}

Value RowsAhead::take(const Read &read, Value index) {
  int64_t bytes = std::min(read.bytes(), kWidestCopy);
  int64_t pieces = read.bytes() / bytes, width = read.lanes() / pieces;
  Type type = read.type();
  if (pieces == 1)
    return gpu.loadShared(memory, type, slot(read, index, 0), bytes);
  Value whole =
      arith::ConstantOp::create(k.here(), k.loc(), k.here()->getZeroAttr(type));
  for (int64_t piece = 0; piece < pieces; ++piece) {
    Value part = gpu.loadShared(
        memory, VectorType::get(width, getElementTypeOrSelf(type)),
        slot(read, index, piece), bytes);
    whole = vector::InsertStridedSliceOp::create(k.here(), k.loc(), part, whole,
                                                 {piece * width}, {1});
  }
  return whole;
}

/// Narrow lanes would take a register each from one row to the next.
static Value packWords(KernelBuilder &k, Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  int64_t bits =
      type ? type.getNumElements() * type.getElementTypeBitWidth() : 0;
  if (!bits || type.getElementTypeBitWidth() >= 32 || bits % 32)
    return value;
  auto words = VectorType::get(bits / 32, k.here()->getI32Type());
  return vector::BitCastOp::create(k.here(), k.loc(), words, value);
}

FailureOr<Carried> RowsAhead::readWords(Value index) {
  Digit row = rowAt(index);
  Carried words;
  for (const Read &read : reads) {
    if (read.isCopied())
      continue;
    Value value = gpu.emitter.emit(read.input, positionOf(read, row));
    if (!value)
      return failure();
    words.push_back(packWords(k, value));
  }
  return words;
}

FailureOr<Carried> RowsAhead::start() {
  for (int64_t i = 0; i + 1 < slots && memory; ++i) {
    copy(k.constant(i * step));
    gpu.endCopies();
  }
  return readWords(k.constant(0));
}

FailureOr<Carried> RowsAhead::advance(Value index, ValueRange carried) {
  Digit row = rowAt(index);
  if (memory)
    gpu.waitForCopies(slots - 2);
  for (const Read &read : reads) {
    Value value;
    if (read.isCopied()) {
      value = take(read, index);
    } else {
      value = carried.front();
      carried = carried.drop_front();
      if (value.getType() != read.type())
        value =
            vector::BitCastOp::create(k.here(), k.loc(), read.type(), value);
    }
    gpu.emitter.bind(read.input, positionOf(read, row), value);
  }
  if (memory) {
    // Into the slot of the row before, which nobody needs any more. Every row
    // has a group of copies, if an empty one.
    Value later = k.add(index, (slots - 1) * step);
    buildIfAlways(k, k.lessThan(later, count), [&]() { copy(later); });
    gpu.endCopies();
  }
  // The last row is read again and not used.
  return readWords(k.min(k.add(index, step), count - step));
}
