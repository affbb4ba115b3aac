//===- GroupedPlain.cpp - products of experts without matrix units --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block of 256 threads computes tiles of 64 x 64 of the result, 4 x 4 by each
// thread, in f32. It reads 16 of what is contracted at a time into shared
// memory, as f32, times inverse scales of rows or blocks. Nothing need be
// aligned, and every format is extended as elsewhere.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/Grouped/GroupedKernels.h"

#include "Codegen/Emitter/BufferAccess.h"
#include "Codegen/Emitter/FloatConversion.h"
#include "Codegen/Gpu/Grouped/GroupedScales.h"
#include "Codegen/Gpu/Grouped/GroupedTiles.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace prec;

static constexpr unsigned kGlobal = 1, kShared = 3;
/// Rows and columns of a tile, of which each thread has `kOwn` of both, and
/// what is contracted at once.
static constexpr int64_t kTile = 64, kOwn = 4, kDepth = 16;
static constexpr int64_t kThreads = (kTile / kOwn) * (kTile / kOwn);
/// That a thread copies of one operand.
static constexpr int64_t kCopies = kTile * kDepth / kThreads;
/// Four for each multiprocessor of the largest chips of today.
static constexpr int64_t kBlocks = 4 * 132;

LLVM::LLVMFuncOp prec::createGroupedFunction(const GroupedProduct &product,
                                             StringRef name, OpBuilder &builder,
                                             Location loc, bool hasMaps,
                                             GroupedArguments &arguments) {
  MLIRContext *context = builder.getContext();
  const unsigned maps = hasMaps ? 2 : 0;
  SmallVector<Type> types(maps, LLVM::LLVMPointerType::get(context));
  types.append(product.isScaled() ? 6 : 4,
               LLVM::LLVMPointerType::get(context, kGlobal));
  auto function = createMapKernel(builder, loc, name, types, maps);
  for (unsigned i = maps; i < types.size(); ++i)
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        builder.getUnitAttr());
  Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  if (hasMaps) {
    arguments.leftMap = entry->getArgument(0);
    arguments.rightMap = entry->getArgument(1);
  }
  ValueRange pointers = entry->getArguments().drop_front(maps);
  arguments.left = pointers[0];
  arguments.right = pointers[1];
  arguments.ends = pointers[2];
  arguments.result = pointers[3];
  if (product.isScaled()) {
    arguments.leftScales = pointers[4];
    arguments.rightScales = pointers[5];
  }
  return function;
}

namespace {

class PlainKernel {
public:
  PlainKernel(const GroupedProduct &product, OpBuilder &builder, Location loc,
              const GroupedArguments &arguments)
      : product(product), builder(builder), loc(loc),
        w(builder, loc, FloatType()), arguments(arguments),
        leftScales(product, product.left, builder, loc, arguments.leftScales),
        rightScales(product, product.right, builder, loc,
                    arguments.rightScales),
        tiles(product, kTile, kTile, builder, loc, arguments.ends) {}

  void build(ModuleOp module, StringRef name);

private:
  /// What a thread copies of an operand: where it lies in shared memory and
  /// its value.
  struct Copy {
    Value place, value;
  };
  /// `first` is the tile's first row of the operand, rows end at `end`;
  /// `from` of the contracted.
  SmallVector<Copy> read(const GroupedOperand &operand, GroupedScales &scales,
                         Value pointer, const GroupedTile &tile, Expr first,
                         Expr end, Value matrix, Expr from);
  SmallVector<Value> computeTile(const GroupedTile &tile);
  void store(const GroupedTile &tile, ValueRange sums);
  Value element(Value array, Type type, Expr index) {
    return LLVM::GEPOp::create(builder, loc, array.getType(), type, array,
                               ValueRange{index});
  }
  Expr wide(Expr value) { return value.convert(builder.getI64Type()); }

  const GroupedProduct &product;
  OpBuilder &builder;
  Location loc;
  Warpgroup w;
  const GroupedArguments &arguments;
  GroupedScales leftScales, rightScales;
  GroupedTiles tiles;
  Value thread, shared[2];
};

} // namespace

SmallVector<PlainKernel::Copy>
PlainKernel::read(const GroupedOperand &operand, GroupedScales &scales,
                  Value pointer, const GroupedTile &tile, Expr first, Expr end,
                  Value matrix, Expr from) {
  SmallVector<Copy> copies;
  Type stored = registerType(operand.element);
  for (int64_t turn = 0; turn < kCopies; ++turn) {
    Expr index = w.expr(thread) + turn * kThreads;
    // Threads beside each other read what lies beside each other.
    const int64_t inner = operand.isAlong ? kDepth : kTile;
    Expr outer = tiles.divide(index, w.i32(inner)),
         rest = index - outer * inner, i = operand.isAlong ? outer : rest,
         k = operand.isAlong ? rest : outer;
    Expr row = first + i, depth = from + k;
    Expr isInside = (row < end) & (depth < w.expr(tile.depth));
    // Reads the tile's first where there is none.
    row = isInside.select(row, tiles.minimum(first, end + -1));
    depth = isInside.select(depth, depth.integer(0)) + w.expr(tile.begin);
    depth = tiles.minimum(depth, w.i32(product.k - 1));
    Expr offset = wide(w.expr(matrix)) * (operand.rows * operand.columns) +
                  wide(row) * operand.strideOfI() +
                  wide(depth) * operand.strideOfK();
    Expr bits = w.expr(LLVM::LoadOp::create(builder, loc, stored,
                                            element(pointer, stored, offset)));
    Expr value = extendToF32(bits, operand.element, KernelTarget::Nvptx);
    if (product.isScaled() && !scales.hasGroups()) {
      Expr all = operand.matrices > 1 && operand.isAlong
                     ? w.expr(matrix) * operand.rows + row
                     : row;
      Expr block = tiles.divide(depth, w.i32(128));
      value = value * (scales.hasRows() ? scales.ofRow(all)
                                        : scales.ofBlock(all, block));
    }
    value = isInside.select(value, value.constant(0.0));
    copies.push_back({k * kTile + i, value});
  }
  return copies;
}

SmallVector<Value> PlainKernel::computeTile(const GroupedTile &tile) {
  Type f32 = builder.getF32Type();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
  SmallVector<Value> sums(kOwn * kOwn, zero);
  auto loop = scf::ForOp::create(builder, loc, w.i32(0), tile.depth,
                                 w.i32(kDepth), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Expr from = w.expr(loop.getInductionVar());
  // Rows of products are of all groups; matrices have rows of their own.
  SmallVector<Copy> copies[2] = {
      read(product.left, leftScales, arguments.left, tile, w.expr(tile.row),
           w.expr(tile.endRow), w.i32(0), from),
      read(product.right, rightScales, arguments.right, tile,
           w.expr(tile.column), w.i32(product.n),
           product.isGradient ? Value(w.i32(0)) : tile.group, from)};
  NVVM::BarrierOp::create(builder, loc);
  for (auto [array, list] : llvm::zip(shared, copies))
    for (const Copy &copy : list)
      LLVM::StoreOp::create(builder, loc, copy.value,
                            element(array, f32, w.expr(copy.place)));
  NVVM::BarrierOp::create(builder, loc);
  auto four = VectorType::get(kOwn, f32);
  Expr ownRow = w.expr(thread).shr(4) * kOwn,
       ownColumn = (w.expr(thread) & 15) * kOwn;
  sums.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  for (int64_t k = 0; k < kDepth; ++k) {
    auto readOwn = [&](int64_t which, Expr own) {
      return Value(LLVM::LoadOp::create(
          builder, loc, four, element(shared[which], f32, own + k * kTile),
          /*alignment=*/16));
    };
    Value left = readOwn(0, ownRow), right = readOwn(1, ownColumn);
    auto one = [&](Value of, int64_t i) {
      return w.expr(LLVM::ExtractElementOp::create(builder, loc, of, w.i32(i)));
    };
    for (int64_t i = 0; i < kOwn; ++i)
      for (int64_t j = 0; j < kOwn; ++j) {
        Value &sum = sums[i * kOwn + j];
        sum = one(left, i).fma(one(right, j), w.expr(sum));
      }
  }
  scf::YieldOp::create(builder, loc, sums);
  return SmallVector<Value>(loop.getResults());
}

void PlainKernel::store(const GroupedTile &tile, ValueRange sums) {
  const bool scalesGroups = product.isScaled() && leftScales.hasGroups();
  Expr row = w.expr(tile.row) + w.expr(thread).shr(4) * kOwn,
       column = w.expr(tile.column) + (w.expr(thread) & 15) * kOwn;
  Type stored = registerType(product.result);
  Expr factor = w.expr(sums[0]).constant(1.0);
  if (scalesGroups) {
    Expr group = tiles.minimum(w.expr(tile.group), w.i32(product.groups - 1));
    factor = w.expr(tile.isBehind)
                 .select(factor, leftScales.ofGroup(group) *
                                     rightScales.ofGroup(group));
  }
  Expr matrix = product.isGradient ? w.expr(tile.group) : w.i32(0);
  for (int64_t i = 0; i < kOwn; ++i)
    for (int64_t j = 0; j < kOwn; ++j) {
      Expr isInside =
          (row + i < w.expr(tile.endRow)) & (column + j < w.i32(product.n));
      auto inside = scf::IfOp::create(builder, loc, Value(isInside),
                                      /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(inside.thenBlock());
      Expr value = w.expr(sums[i * kOwn + j]);
      if (scalesGroups)
        value = value * factor;
      Expr offset = wide(matrix) * (product.m * product.n) +
                    wide(row + i) * product.n + wide(column + j);
      LLVM::StoreOp::create(
          builder, loc,
          truncateFromF32(value, product.result, KernelTarget::Nvptx),
          element(arguments.result, stored, offset));
    }
}

void PlainKernel::build(ModuleOp module, StringRef name) {
  auto outside = OpBuilder::atBlockEnd(module.getBody());
  for (auto [index, array] : llvm::enumerate(shared)) {
    auto global = LLVM::GlobalOp::create(
        outside, loc,
        LLVM::LLVMArrayType::get(builder.getF32Type(), kTile * kDepth),
        /*isConstant=*/false, LLVM::Linkage::Internal,
        (name + "_shared" + Twine(index)).str(), Attribute(), /*alignment=*/16,
        kShared);
    array = LLVM::AddressOfOp::create(builder, loc, global);
  }
  thread = NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
  tiles.forEach(kBlocks, {}, [&](const GroupedTile &tile, ValueRange) {
    store(tile, computeTile(tile));
    return SmallVector<Value>();
  });
}

GpuLaunch prec::buildGroupedPlain(const GroupedProduct &product, StringRef name,
                                  ModuleOp module, Location loc) {
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  GroupedArguments arguments;
  LLVM::LLVMFuncOp function = createGroupedFunction(
      product, name, builder, loc, /*hasMaps=*/false, arguments);
  PlainKernel(product, builder, loc, arguments).build(module, name);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  GpuLaunch launch;
  launch.grid = kBlocks;
  launch.block = {kThreads, 1, 1};
  setLaunch(function, launch);
  return launch;
}
