//===- HeldRow.cpp - rows in shared memory --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides how much of a long row stays in shared memory, and emits the accesses
// to it. Held are the inputs that more than one pass reads. `share` looks for
// the fewest blocks of a cluster with which a multiprocessor has room for two
// blocks (for one, if rows are few), so that one computes while the other
// waits; `fit` then says how many elements a block holds: all of its share, or
// whole rounds of its threads, or nothing if less than a quarter fits.
//
// A thread reads only the slots that it has written or copied itself, so no
// barrier is needed. Vectors of 32 bytes lie in two halves apart: the 16-byte
// accesses of neighboring threads are then contiguous and do not meet in a
// bank.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/HeldRow.h"

#include "Codegen/DispatchShape.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace prec;

/// Of a multiprocessor: each then has 64 registers, and room for the loads that
/// hide the memory's latency.
static constexpr int64_t kThreads = 1024;
static constexpr int64_t kMostResident = 4; ///< rows of a multiprocessor
static constexpr int64_t kLeastCopied = 4;  ///< bytes
/// A row is held if at least one of so many parts fits.
static constexpr int64_t kParts = 4;
static constexpr int64_t kAccess = 16; ///< widest, in bytes
static constexpr int64_t kSumBytes = 4;

HeldRow::HeldRow(GpuKernel &gpu, int64_t rows, int64_t extent, int64_t lanes,
                 ArrayRef<SmallVector<Value>> passes, int64_t warpShared,
                 int64_t mostBlocks, int64_t sums)
    : gpu(gpu), rows(rows), extent(extent), lanes(lanes),
      warpShared(warpShared), passes(int64_t(passes.size())), sums(sums) {
  findInputs(passes);
  if (!inputs.empty() || hasSums())
    share(mostBlocks);
  if (!hasSums() || isWhole())
    return;
  // Sums of some columns are of no use.
  this->sums = 0;
  elements = 0;
  blocks = 1;
  if (!inputs.empty())
    share(mostBlocks);
}

void HeldRow::findInputs(ArrayRef<SmallVector<Value>> passes) {
  for (auto [index, values] : llvm::enumerate(passes))
    for (BlockArgument argument : findElementInputs(values, rows * extent)) {
      // Memory has no single bits.
      if (getElementTypeOrSelf(argument).isInteger(1))
        continue;
      auto *input = llvm::find_if(inputs, [&](const Input &input) {
        return input.argument == argument;
      });
      if (input == inputs.end())
        input = &inputs.emplace_back(
            Input{argument,
                  SmallVector<bool>(passes.size()),
                  {0, storageType(getElementTypeOrSelf(argument))
                              .getIntOrFloatBitWidth() /
                          8}});
      input->passes[index] = true;
    }
  llvm::erase_if(inputs, [](const Input &input) {
    return llvm::count(input.passes, true) < 2;
  });
}

int64_t HeldRow::elementBytes() const {
  int64_t bytes = sums * kSumBytes;
  for (const Input &input : inputs)
    bytes += input.line.bytes;
  return bytes;
}

int64_t HeldRow::threadsOf(int64_t resident) const {
  return llvm::alignDown(kThreads / resident, kWarp);
}

int64_t HeldRow::otherShared(int64_t resident) const {
  int64_t warps = threadsOf(resident) / kWarp * blocks;
  // In turns.
  return 2 * std::max(warps, kWarp) * warpShared +
         kAccess * (int64_t(inputs.size()) + sums);
}

/// Shares a multiprocessor between so many blocks: threads, and how much each
/// holds.
void HeldRow::fit(int64_t resident) {
  const GpuChip &chip = gpu.chip;
  this->resident = resident;
  threads = threadsOf(resident);
  int64_t own =
      std::min(chip.blockShared,
               chip.multiprocessorShared / resident - chip.reservedShared);
  int64_t room = (own - otherShared(resident)) / elementBytes();
  int64_t wanted = shareOf(blocks);
  elements = room < wanted ? llvm::alignDown(room, threads * lanes) : wanted;
  if (elements * kParts < wanted)
    elements = 0;
}

void HeldRow::share(int64_t mostBlocks) {
  auto fitting = [&]() {
    int64_t held = shareOf(blocks) * elementBytes() + gpu.chip.reservedShared;
    int64_t most = kMostResident;
    while (most &&
           most * (held + otherShared(most)) > gpu.chip.multiprocessorShared)
      --most;
    return most;
  };
  // Few rows have a multiprocessor each; of others one computes while another
  // waits.
  bool areFew = rows < gpu.chip.manyRows;
  int64_t wanted = areFew ? 1 : 2;
  while (fitting() < wanted && blocks * 2 <= mostBlocks)
    blocks *= 2;
  if (int64_t most = fitting())
    return fit(areFew ? 1 : most);
  fit(wanted);
  if (!elements)
    fit(1);
}

void HeldRow::allocate() {
  int64_t size = 0;
  for (Input &input : inputs) {
    input.line.base = size / input.line.bytes;
    size = llvm::alignTo(size + elements * input.line.bytes, kAccess);
  }
  firstSum = size / kSumBytes;
  size += sums * elements * kSumBytes;
  memory = gpu.allocateDynamicShared(size);
}

bool HeldRow::isHeldBefore(const Input &input) const {
  return llvm::is_contained(ArrayRef(input.passes).take_front(pass), true);
}

bool HeldRow::startPass() {
  ++pass;
  return llvm::any_of(inputs, [&](const Input &input) {
    return input.passes[pass] && isHeldBefore(input);
  });
}

int64_t HeldRow::piecesOf(const Line &line) const {
  return std::max<int64_t>(1, lanes * line.bytes / kAccess);
}

Value HeldRow::slot(const Line &line, Value element, int64_t piece) {
  KernelBuilder &k = gpu.kernel();
  int64_t pieces = piecesOf(line);
  return k.add(k.div(element, pieces), line.base + piece * (elements / pieces));
}

void HeldRow::put(const Line &line, Value element, Value value) {
  KernelBuilder &k = gpu.kernel();
  int64_t pieces = piecesOf(line), width = lanes / pieces;
  for (int64_t piece = 0; piece < pieces; ++piece) {
    Value part = value;
    if (pieces > 1)
      part = vector::ExtractStridedSliceOp::create(
          k.here(), k.loc(), value, {piece * width}, {width}, {1});
    gpu.storeShared(memory, part, slot(line, element, piece),
                    width * line.bytes);
  }
}

Value HeldRow::take(const Line &line, Type type, Value element) {
  KernelBuilder &k = gpu.kernel();
  int64_t pieces = piecesOf(line), width = lanes / pieces;
  auto load = [&](int64_t piece, Type type) {
    return gpu.loadShared(memory, type, slot(line, element, piece),
                          width * line.bytes);
  };
  if (lanes == 1)
    return load(0, type);
  if (pieces == 1)
    return load(0, VectorType::get(lanes, type));
  Value whole = arith::ConstantOp::create(
      k.here(), k.loc(), k.here()->getZeroAttr(VectorType::get(lanes, type)));
  for (int64_t piece = 0; piece < pieces; ++piece)
    whole = vector::InsertStridedSliceOp::create(
        k.here(), k.loc(), load(piece, VectorType::get(width, type)), whole,
        {piece * width}, {1});
  return whole;
}

bool HeldRow::isCopied() const {
  // Narrower ones go over registers.
  return llvm::all_of(inputs, [&](const Input &input) {
    return lanes * input.line.bytes >= kLeastCopied;
  });
}

bool HeldRow::readsNew() const {
  return llvm::any_of(inputs, [&](const Input &input) { return isNew(input); });
}

void HeldRow::copy(const Digit &row, ArrayRef<Digit> columns, Value begin,
                   bool all) {
  KernelBuilder &k = gpu.kernel();
  for (const Digit &column : columns)
    for (const Input &input : inputs) {
      if (!all && !isNew(input))
        continue;
      Type type = storageType(getElementTypeOrSelf(input.argument));
      Value element = k.subtract(column.value, begin);
      Value from = gpu.emitter.pointerTo(input.argument, {row, column});
      int64_t pieces = piecesOf(input.line), width = lanes / pieces;
      for (int64_t piece = 0; piece < pieces; ++piece) {
        Value part = from;
        if (piece)
          part = LLVM::GEPOp::create(k.here(), k.loc(), from.getType(), type,
                                     from, LLVM::GEPArg(piece * width),
                                     LLVM::GEPNoWrapFlags::inbounds);
        gpu.copyToShared(memory, type, slot(input.line, element, piece), part,
                         width * input.line.bytes);
      }
    }
}

LogicalResult HeldRow::meet(const Digit &row, ArrayRef<Digit> columns,
                            Value begin) {
  KernelBuilder &k = gpu.kernel();
  // Loads of all columns before the first store, which has to wait for one.
  SmallVector<std::function<void()>> stores;
  for (const Input &input : inputs) {
    if (!input.passes[pass])
      continue;
    bool isHeld = isHeldBefore(input) || isCopied();
    for (const Digit &column : columns) {
      Value element = k.subtract(column.value, begin);
      if (isHeld) {
        Type type = storageType(getElementTypeOrSelf(input.argument));
        gpu.emitter.bind(input.argument, {row, column},
                         take(input.line, type, element));
        continue;
      }
      Value value = gpu.emitter.emit(input.argument, {row, column});
      if (!value)
        return failure();
      stores.push_back([this, &input, element, value]() {
        put(input.line, element, value);
      });
    }
  }
  for (auto &store : stores)
    store();
  return success();
}

LogicalResult HeldRow::read(const Digit &row, const Digit &column) {
  return success(llvm::all_of(inputs, [&](const Input &input) {
    return !input.passes[pass] ||
           gpu.emitter.emit(input.argument, {row, column});
  }));
}

HeldRow::Line HeldRow::lineOfSum(int64_t sum) const {
  return {firstSum + sum * elements, kSumBytes};
}

Value HeldRow::loadSum(int64_t sum, Value element) {
  return take(lineOfSum(sum), gpu.kernel().here()->getF32Type(), element);
}

void HeldRow::storeSum(int64_t sum, Value element, Value value) {
  put(lineOfSum(sum), element, value);
}
