//===- HeldRow.cpp - rows in shared memory --------------------------------===//
#include "HeldRow.h"

#include "DispatchShape.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::prec;

/// Of a multiprocessor: each then has 64 registers, and room for the loads that
/// hide the memory's latency.
static constexpr int64_t kThreads = 1024;
static constexpr int64_t kMostResident = 4; ///< rows of a multiprocessor
/// A row is held if at least one of so many parts fits.
static constexpr int64_t kParts = 4;
static constexpr int64_t kAccess = 16; ///< widest, in bytes

static Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

HeldRow::HeldRow(GpuKernel &gpu, int64_t rows, int64_t extent, int64_t lanes,
                 ArrayRef<SmallVector<Value>> passes, int64_t otherShared)
    : gpu(gpu), rows(rows), extent(extent), lanes(lanes) {
  findInputs(passes);
  if (!inputs.empty())
    share(otherShared);
}

void HeldRow::findInputs(ArrayRef<SmallVector<Value>> passes) {
  for (auto [index, values] : llvm::enumerate(passes))
    for (BlockArgument argument : findElementInputs(values, rows * extent)) {
      // Memory has no single bits.
      if (elementOf(argument).isInteger(1))
        continue;
      auto *input = llvm::find_if(inputs, [&](const Input &input) {
        return input.argument == argument;
      });
      if (input == inputs.end())
        input = &inputs.emplace_back(
            Input{argument, SmallVector<bool>(passes.size())});
      input->passes[index] = true;
    }
  llvm::erase_if(inputs, [](const Input &input) {
    return llvm::count(input.passes, true) < 2;
  });
}

/// Shares a multiprocessor between so many rows: threads, and how much of each
/// is held.
void HeldRow::share(int64_t rowsHeld, int64_t rowBytes, int64_t otherShared) {
  const GpuChip &chip = gpu.chip;
  resident = rowsHeld;
  threads = llvm::alignDown(kThreads / resident, kWarp);
  int64_t own =
      std::min(chip.blockShared,
               chip.multiprocessorShared / resident - chip.reservedShared);
  int64_t room = (own - otherShared - kAccess * int64_t(inputs.size())) /
                 (rowBytes / extent);
  elements = room < extent ? llvm::alignDown(room, threads * lanes) : extent;
  if (elements * kParts < extent)
    elements = 0;
}

void HeldRow::share(int64_t otherShared) {
  int64_t bytes = 0;
  for (const Input &input : inputs)
    bytes += extent * input.bytes();
  int64_t fitting = gpu.chip.multiprocessorShared /
                    (bytes + otherShared + gpu.chip.reservedShared);
  // Few rows have a multiprocessor each.
  if (rows < kManyRows)
    return share(1, bytes, otherShared);
  if (fitting)
    return share(std::min(fitting, kMostResident), bytes, otherShared);
  // Of longer rows one computes while another waits, if enough of both is held.
  share(2, bytes, otherShared);
  if (!elements)
    share(1, bytes, otherShared);
}

int64_t HeldRow::Input::bytes() const {
  return storageType(elementOf(argument)).getIntOrFloatBitWidth() / 8;
}

void HeldRow::allocate() {
  int64_t size = 0;
  for (Input &input : inputs) {
    input.base = size / input.bytes();
    size = llvm::alignTo(size + elements * input.bytes(), kAccess);
  }
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

int64_t HeldRow::piecesOf(const Input &input) const {
  return std::max<int64_t>(1, lanes * input.bytes() / kAccess);
}

Value HeldRow::slot(const Input &input, const Digit &column, int64_t piece) {
  KernelBuilder &k = gpu.kernel();
  int64_t pieces = piecesOf(input);
  return k.add(k.div(column.value, pieces),
               input.base + piece * (elements / pieces));
}

void HeldRow::put(const Input &input, const Digit &column, Value value) {
  KernelBuilder &k = gpu.kernel();
  int64_t pieces = piecesOf(input), width = lanes / pieces;
  for (int64_t piece = 0; piece < pieces; ++piece) {
    Value part = value;
    if (pieces > 1)
      part = vector::ExtractStridedSliceOp::create(
          k.here(), k.loc(), value, {piece * width}, {width}, {1});
    gpu.storeShared(memory, part, slot(input, column, piece),
                    width * input.bytes());
  }
}

Value HeldRow::take(const Input &input, const Digit &column) {
  KernelBuilder &k = gpu.kernel();
  int64_t pieces = piecesOf(input), width = lanes / pieces;
  Type type = storageType(elementOf(input.argument));
  auto load = [&](int64_t piece, Type type) {
    return gpu.loadShared(memory, type, slot(input, column, piece),
                          width * input.bytes());
  };
  if (lanes == 1)
    return load(0, type);
  if (pieces == 1)
    return load(0, VectorType::get(lanes, type));
  Value whole = arith::ConstantOp::create(
      k.here(), k.loc(), k.here().getZeroAttr(VectorType::get(lanes, type)));
  for (int64_t piece = 0; piece < pieces; ++piece)
    whole = vector::InsertStridedSliceOp::create(
        k.here(), k.loc(), load(piece, VectorType::get(width, type)), whole,
        {piece * width}, {1});
  return whole;
}

LogicalResult HeldRow::meet(const Digit &row, ArrayRef<Digit> columns) {
  // Loads of all columns before the first store, which has to wait for one.
  SmallVector<std::function<void()>> stores;
  for (const Input &input : inputs) {
    if (!input.passes[pass])
      continue;
    bool isHeld = isHeldBefore(input);
    for (const Digit &column : columns) {
      if (isHeld) {
        gpu.emitter.bind(input.argument, {row, column}, take(input, column));
        continue;
      }
      Value value = gpu.emitter.emit(input.argument, {row, column});
      if (!value)
        return failure();
      stores.push_back([&, value]() { put(input, column, value); });
    }
  }
  for (auto &store : stores)
    store();
  return success();
}
