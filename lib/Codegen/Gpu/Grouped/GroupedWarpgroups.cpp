//===- GroupedWarpgroups.cpp - products of experts on Hopper --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block on each multiprocessor computes tiles of 128 rows by 128 or 256
// columns in turn. One thread copies pieces of both operands into shared
// memory, 128 bytes of what is contracted at a time, as many ahead as there is
// room for, also for the next tile. Two warpgroups multiply them, 64 rows each,
// and write their rows. Barriers in shared memory connect them: `full` and
// `empty` of each stage.
//
// Copies read boxes of tensor maps, so what is outside of an operand is zeros.
// Rows of the next group are read, too: where groups have rows of the result,
// these are not written; where groups are contracted, the warpgroups overwrite
// them with zeros in shared memory. Groups of scaled operands that are
// contracted are aligned instead, with zeros between.
//
// Sums of FP8 products have fewer bits than f32. Where the accumulator is not
// `fast`, or inverse scales are of blocks, the products of 128 elements are
// added up apart, and the sum, times its scales, is added in f32. Both take
// registers. Where there are no scales of blocks, a tile has 256 columns all
// the same, of which 128 are multiplied at a time: tiles of 128 x 128 read a
// third more of the second cache, and were slower.
//
// Pairs of a row's 16-bit results are exchanged between the four threads that
// have the row, so that each writes 16 bytes.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/GpuChips.h"
#include "Codegen/Gpu/Grouped/GroupedKernels.h"
#include "Codegen/Gpu/Grouped/GroupedScales.h"
#include "Codegen/Gpu/Grouped/GroupedTiles.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace prec;

static constexpr unsigned kShared = 3;
static constexpr int64_t kConsumerRegisters = 232, kProducerRegisters = 40;
/// Of the largest chips of today; each has one.
static constexpr int64_t kBlocks = 132;
static constexpr int64_t kConsumers = 2, kConsumerWarps = 4 * kConsumers;
static constexpr int64_t kTileRows = kConsumers * kWarpgroupRows;
/// Of a copy.
static constexpr int64_t kBoxRows = 64, kRowBytes = SwizzledTile::kRowBytes,
                         kBoxBytes = kBoxRows * kRowBytes;
/// Shared memory for stages.
static constexpr int64_t kStagesBytes = 192 << 10;
/// Bytes of a row of 16 bits that a thread writes at once.
static constexpr int64_t kPiece = 16;

/// Columns of a product of FP8 whose sums are added up apart.
static constexpr int64_t kPartColumns = 128;

bool prec::hasWarpgroupKernel(const GroupedProduct &product, StringRef chip) {
  auto inPieces = [](const GroupedOperand &operand) {
    return operand.columns * operand.elementBytes() % kPiece == 0;
  };
  return hasWarpgroups(chip) && product.left.elementBytes() <= 2 &&
         inPieces(product.left) && inPieces(product.right) &&
         product.n * FloatType(product.result).getWidth() / 8 % kPiece == 0;
}

namespace {

class WarpgroupKernel {
public:
  WarpgroupKernel(const GroupedProduct &product, OpBuilder &builder,
                  Location loc, const GroupedArguments &arguments)
      : product(product), builder(builder), loc(loc),
        isFp8(product.left.elementBytes() == 1),
        hasBlocks(product.left.hasBlocks() || product.right.hasBlocks()),
        promotes(isFp8 &&
                 (hasBlocks || product.accumulator != Accumulator::Fast)),
        columns(chooseGroupedColumns(product)),
        depth(kRowBytes / product.left.elementBytes()),
        stageBytes((kTileRows + columns) * kRowBytes),
        stages(kStagesBytes / stageBytes), arguments(arguments),
        w(builder, loc, product.result),
        leftScales(product, product.left, builder, loc, arguments.leftScales),
        rightScales(product, product.right, builder, loc,
                    arguments.rightScales),
        tiles(product, kTileRows, columns, builder, loc, arguments.ends) {}

  void build(Value shared);
  int64_t sharedBytes() const { return stages * (stageBytes + 16); }

private:
  Expr full(Expr stage) { return base() + stage * 8 + stages * stageBytes; }
  Expr empty(Expr stage) {
    return base() + stage * 8 + stages * (stageBytes + 8);
  }
  Expr base() { return w.expr(sharedBase); }
  Expr wide(Expr value) { return value.convert(builder.getI64Type()); }
  /// How often `depth` is contracted for a tile.
  Expr steps(const GroupedTile &tile) {
    const int64_t once = pairs() ? 2 : 1;
    return tiles.divide(w.expr(tile.depth) + (once * depth - 1),
                        w.i32(once * depth)) *
           once;
  }
  SmallVector<Value> advance(Expr stage, Expr parity);

  void copyAll();
  void copyOperand(const GroupedOperand &operand, Value map, Expr target,
                   int64_t size, Expr first, Expr contracted, Expr matrix,
                   Expr barrier);

  /// Inverse scales of a step, if they are of blocks: of two rows, and of a
  /// tile's columns one or those of this thread.
  struct BlockScales {
    SmallVector<Value> left, right;
  };

  void computeAll();
  /// The sums of this thread, and the next stage and parity.
  Registers multiply(const GroupedTile &tile, SmallVector<Value> &position);
  /// One stage's products with `count` columns of the tile, added to `sums` or,
  /// if that is empty, alone.
  void multiplyStage(Expr stage, Registers &sums, int64_t first, int64_t count);
  /// One stage's, added to `sums` in f32.
  void multiplyApart(Expr stage, Registers &sums, const BlockScales &scales);
  void clearTail(const GroupedTile &tile, Expr stage, Expr step);
  BlockScales readScales(const GroupedTile &tile, Expr step);
  void addScaled(Registers &sums, const Registers &part,
                 const BlockScales &scales);
  /// Whether the products of two steps run at once, so that those of one run
  /// while those of the other are scaled and added; steps are even then. With
  /// scales of columns there are no registers left for that.
  bool pairs() const { return hasBlocks && rightScales.areShared(); }
  void release(Expr stage);
  /// Rows and columns of this thread that scales are read for.
  Expr leftIndex(const GroupedTile &tile, int64_t half);
  Expr rightIndex(const GroupedTile &tile, int64_t j);
  void scaleSums(const GroupedTile &tile, Registers &sums);
  void store(const GroupedTile &tile, const Registers &sums);
  void storePairs(const GroupedTile &tile, const Registers &sums, int64_t half);
  void storePieces(const GroupedTile &tile, const Registers &sums,
                   int64_t half);
  Value resultAt(const GroupedTile &tile, Expr row, Expr column);
  Expr exchange(Expr word, int64_t lanes);

  const GroupedProduct &product;
  OpBuilder &builder;
  Location loc;
  const bool isFp8, hasBlocks, promotes;
  const int64_t columns, depth, stageBytes, stages;
  const GroupedArguments &arguments;
  Warpgroup w;
  GroupedScales leftScales, rightScales;
  GroupedTiles tiles;
  Value shared, sharedBase, thread, warp, lane, warpgroup;
};

} // namespace

SmallVector<Value> WarpgroupKernel::advance(Expr stage, Expr parity) {
  Expr wraps = stage + 1 == w.i32(stages);
  return {wraps.select(w.i32(0), stage + 1),
          wraps.select(parity ^ w.i32(1), parity)};
}

//===----------------------------------------------------------------------===//
// The thread that copies
//===----------------------------------------------------------------------===//

void WarpgroupKernel::copyOperand(const GroupedOperand &operand, Value map,
                                  Expr target, int64_t size, Expr first,
                                  Expr contracted, Expr matrix, Expr barrier) {
  for (int64_t i = 0; i < size; i += kBoxRows) {
    Expr kept = first + i;
    std::array<Expr, 4> place{operand.isAlong ? contracted : kept,
                              operand.isAlong ? kept : contracted, matrix,
                              w.i32(0)};
    w.copyBox(target + i * kRowBytes, map, barrier, place);
  }
}

void WarpgroupKernel::copyAll() {
  SmallVector<Value> start{w.i32(0), w.i32(1)};
  tiles.forEach(
      kBlocks, start, [&](const GroupedTile &tile, ValueRange carried) {
        auto loop = scf::ForOp::create(builder, loc, w.i32(0), steps(tile),
                                       w.i32(1), carried);
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(loop.getBody());
        Expr stage = w.expr(loop.getRegionIterArgs()[0]),
             parity = w.expr(loop.getRegionIterArgs()[1]),
             inTile = w.expr(loop.getInductionVar()) * depth;
        // A step behind the last one reads zeros, which are outside.
        Expr contracted = (inTile < w.expr(tile.depth))
                              .select(w.expr(tile.begin) + inTile,
                                      w.i32(llvm::alignTo(product.k, depth)));
        w.waitFor(empty(stage), parity);
        Expr barrier = full(stage), target = base() + stage * stageBytes;
        w.expect(barrier, stageBytes);
        copyOperand(product.left, arguments.leftMap, target, kTileRows,
                    w.expr(tile.row), contracted, w.i32(0), barrier);
        copyOperand(
            product.right, arguments.rightMap, target + kTileRows * kRowBytes,
            columns, w.expr(tile.column), contracted,
            product.isGradient ? w.i32(0) : w.expr(tile.group), barrier);
        scf::YieldOp::create(builder, loc, advance(stage, parity));
        return SmallVector<Value>(loop.getResults());
      });
}

//===----------------------------------------------------------------------===//
// The warpgroups that multiply
//===----------------------------------------------------------------------===//

void WarpgroupKernel::release(Expr stage) {
  w.when(w.expr(lane) == w.i32(0), [&] { w.arrive(empty(stage)); });
}

void WarpgroupKernel::multiplyStage(Expr stage, Registers &sums, int64_t first,
                                    int64_t count) {
  const SwizzledTile box{kBoxRows, SwizzledTile::kSlabColumns};
  auto type = [](FloatType element) -> StringRef {
    return element.isBF16()                 ? "bf16"
           : element.isF16()                ? "f16"
           : isa<Float8E4M3FNType>(element) ? "e4m3"
                                            : "e5m2";
  };
  const WarpgroupProduct instruction{
      type(product.left.element), type(product.right.element),
      isFp8 ? 2 * kContracted : kContracted, !product.left.isAlong,
      !product.right.isAlong};
  Expr target = base() + stage * stageBytes;
  Expr left = w.describe(target + w.expr(warpgroup) * kBoxBytes, box),
       right = w.describe(target + (kTileRows + first) * kRowBytes, box);
  // Along what is contracted a step is within a swizzled row, across it is as
  // many rows.
  auto stepOf = [&](const GroupedOperand &operand) {
    return (operand.isAlong ? instruction.depth * operand.elementBytes()
                            : instruction.depth * kRowBytes) >>
           4;
  };
  for (int64_t step = 0; step < depth / instruction.depth; ++step)
    w.multiply(sums, Value(left + step * stepOf(product.left)),
               right + step * stepOf(product.right), count, instruction);
  w.commit();
}

void WarpgroupKernel::multiplyApart(Expr stage, Registers &sums,
                                    const BlockScales &scales) {
  const int64_t width = std::min(columns, kPartColumns), count = width / 2;
  for (int64_t first = 0; first < columns; first += width) {
    Registers part, own;
    w.fence();
    multiplyStage(stage, part, first, width);
    w.wait(0, {&part});
    if (first + width == columns)
      release(stage);
    auto *begin = sums.begin() + first / 2;
    own.assign(begin, begin + count);
    addScaled(own, part, scales);
    llvm::copy(own, begin);
  }
}

/// Zeros where a stage has rows of the next group.
void WarpgroupKernel::clearTail(const GroupedTile &tile, Expr stage,
                                Expr step) {
  Expr valid = w.expr(tile.depth) - step * depth;
  w.when(valid < w.i32(depth), [&] {
    constexpr int64_t pieces = kRowBytes / kPiece;
    Expr own = w.expr(thread) & (kWarpgroup - 1);
    auto loop = scf::ForOp::create(builder, loc, valid * pieces + own,
                                   w.i32(kBoxRows * pieces), w.i32(kWarpgroup));
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Expr target =
          stage * stageBytes + w.expr(loop.getInductionVar()) * kPiece;
      auto four = VectorType::get(4, builder.getI32Type());
      Value zeros =
          arith::ConstantOp::create(builder, loc, builder.getZeroAttr(four));
      auto clear = [&](Expr offset) {
        Value pointer = LLVM::GEPOp::create(builder, loc, shared.getType(),
                                            builder.getI8Type(), shared,
                                            ValueRange{offset});
        LLVM::StoreOp::create(builder, loc, zeros, pointer, kPiece);
      };
      clear(target + w.expr(warpgroup) * kBoxBytes);
      for (int64_t slab = 0; slab < columns / kBoxRows; ++slab)
        clear(target + (kTileRows * kRowBytes + slab * kBoxBytes));
    }
    w.fenceShared();
    w.syncNamed(w.expr(warpgroup) + 1, kWarpgroup);
  });
}

Expr WarpgroupKernel::leftIndex(const GroupedTile &tile, int64_t half) {
  Expr row =
      w.expr(tile.row) + (w.expr(warp) * 16 + w.expr(lane).shr(2)) + half * 8;
  return tiles.minimum(row, w.i32(product.m - 1));
}

Expr WarpgroupKernel::rightIndex(const GroupedTile &tile, int64_t j) {
  Expr column = w.expr(tile.column) + (w.expr(lane) & 3) * 2 + j * 8;
  column = tiles.minimum(column, w.i32(product.n - 2));
  if (product.isGradient)
    return column;
  Expr group = tiles.minimum(w.expr(tile.group), w.i32(product.groups - 1));
  return group * product.n + column;
}

void WarpgroupKernel::addScaled(Registers &sums, const Registers &part,
                                const BlockScales &scales) {
  for (size_t i = 0; i < sums.size(); ++i) {
    Expr value = w.expr(part[i]), sum = w.expr(sums[i]);
    if (!hasBlocks) {
      sums[i] = sum + value;
      continue;
    }
    // Registers 4j and 4j + 1 are of the lower row, the next two of the other.
    ArrayRef<Value> right = scales.right;
    Expr factor = w.expr(scales.left[i / 2 % 2]) *
                  w.expr(right[right.size() == 1 ? 0 : i / 4 * 2 + i % 2]);
    sums[i] = value.fma(factor, sum);
  }
}

WarpgroupKernel::BlockScales
WarpgroupKernel::readScales(const GroupedTile &tile, Expr step) {
  BlockScales scales;
  if (!hasBlocks)
    return scales;
  // Behind the last step there is nothing to scale.
  Expr last = tiles.divide(w.expr(tile.depth) + (depth - 1), w.i32(depth)) + -1;
  Expr block = tiles.divide(w.expr(tile.begin), w.i32(depth)) +
               tiles.minimum(step, last);
  for (int64_t half : {0, 1})
    scales.left.push_back(leftScales.ofBlock(leftIndex(tile, half), block));
  if (rightScales.areShared()) {
    Expr group = tiles.minimum(w.expr(tile.group), w.i32(product.groups - 1));
    Expr column = w.expr(tile.column);
    scales.right.push_back(rightScales.ofBlock(
        product.isGradient ? column : group * product.n + column, block));
    return scales;
  }
  for (int64_t j = 0; j < columns / 8; ++j) {
    auto [low, high] = rightScales.ofBlocks(rightIndex(tile, j), block);
    scales.right.append({low, high});
  }
  return scales;
}

Registers WarpgroupKernel::multiply(const GroupedTile &tile,
                                    SmallVector<Value> &position) {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
  const size_t count = columns / 2;
  SmallVector<Value> carried(count, zero);
  llvm::append_range(carried, position);
  carried.push_back(position[0]);
  Expr numSteps = steps(tile);
  auto loop = scf::ForOp::create(builder, loc, w.i32(0), numSteps,
                                 w.i32(pairs() ? 2 : 1), carried);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ValueRange values = loop.getRegionIterArgs();
    Registers sums;
    sums.assign(values.begin(), values.begin() + count);
    Expr stage = w.expr(values[count]), parity = w.expr(values[count + 1]),
         step = w.expr(loop.getInductionVar());
    if (pairs()) {
      SmallVector<Value> behind = advance(stage, parity);
      Expr nextStage = w.expr(behind[0]), nextParity = w.expr(behind[1]);
      BlockScales scales[2] = {readScales(tile, step),
                               readScales(tile, step + 1)};
      Registers parts[2];
      w.waitFor(full(stage), parity);
      w.fence();
      multiplyStage(stage, parts[0], 0, columns);
      w.waitFor(full(nextStage), nextParity);
      w.fence();
      multiplyStage(nextStage, parts[1], 0, columns);
      w.wait(1, {&parts[0]});
      release(stage);
      addScaled(sums, parts[0], scales[0]);
      w.wait(0, {&parts[1]});
      release(nextStage);
      addScaled(sums, parts[1], scales[1]);
      stage = nextStage;
      parity = nextParity;
    } else {
      w.waitFor(full(stage), parity);
      if (product.isGradient && product.alignment == 1)
        clearTail(tile, stage, step);
      if (promotes) {
        multiplyApart(stage, sums, readScales(tile, step));
      } else {
        w.fence();
        multiplyStage(stage, sums, 0, columns);
        w.wait(1, {});
        w.when(w.i32(0) < step, [&] { release(w.expr(values[count + 2])); });
      }
    }
    SmallVector<Value> next(sums.begin(), sums.end());
    llvm::append_range(next, advance(stage, parity));
    next.push_back(stage);
    scf::YieldOp::create(builder, loc, next);
  }
  ValueRange results = loop.getResults();
  Registers sums;
  sums.assign(results.begin(), results.begin() + count);
  position = {results[count], results[count + 1]};
  if (!promotes) {
    w.wait(0, {&sums});
    w.when(w.i32(0) < numSteps, [&] { release(w.expr(results[count + 2])); });
  }
  return sums;
}

void WarpgroupKernel::scaleSums(const GroupedTile &tile, Registers &sums) {
  if (!product.isScaled() || hasBlocks)
    return;
  Expr one = w.expr(sums[0]).constant(1.0), isBehind = w.expr(tile.isBehind);
  if (leftScales.hasGroups()) {
    Expr group = tiles.minimum(w.expr(tile.group), w.i32(product.groups - 1));
    Expr factor = isBehind.select(one, leftScales.ofGroup(group) *
                                           rightScales.ofGroup(group));
    for (Value &sum : sums)
      sum = w.expr(sum) * factor;
    return;
  }
  SmallVector<Value> left;
  for (int64_t half : {0, 1})
    left.push_back(
        isBehind.select(one, leftScales.ofRow(leftIndex(tile, half))));
  for (int64_t j = 0; j < columns / 8; ++j) {
    auto [low, high] = rightScales.ofRows(rightIndex(tile, j));
    for (int64_t i = 0; i < 4; ++i) {
      Value &sum = sums[4 * j + i];
      sum = w.expr(sum) * (w.expr(left[i / 2]) * (i % 2 ? high : low));
    }
  }
}

Value WarpgroupKernel::resultAt(const GroupedTile &tile, Expr row,
                                Expr column) {
  Expr offset = wide(row) * product.n + wide(column);
  if (product.isGradient)
    offset = offset + wide(w.expr(tile.group)) * (product.m * product.n);
  return LLVM::GEPOp::create(builder, loc, arguments.result.getType(),
                             product.result, arguments.result,
                             ValueRange{offset});
}

Expr WarpgroupKernel::exchange(Expr word, int64_t lanes) {
  return w.expr(NVVM::ShflOp::create(builder, loc, word.getType(), w.i32(-1),
                                     word, w.i32(lanes), w.i32(31),
                                     NVVM::ShflKind::bfly, UnitAttr()));
}

void WarpgroupKernel::storePairs(const GroupedTile &tile, const Registers &sums,
                                 int64_t half) {
  auto pair = VectorType::get(2, builder.getF32Type());
  Expr row =
      w.expr(tile.row) + (w.expr(warp) * 16 + w.expr(lane).shr(2)) + half * 8;
  w.when(row < w.expr(tile.endRow), [&] {
    for (int64_t j = 0; j < columns / 8; ++j) {
      Expr column = w.expr(tile.column) + (w.expr(lane) & 3) * 2 + j * 8;
      Value both = LLVM::PoisonOp::create(builder, loc, pair);
      for (int64_t i : {0, 1})
        both = LLVM::InsertElementOp::create(
            builder, loc, both, sums[4 * j + 2 * half + i], w.i32(i));
      auto write = [&] {
        LLVM::StoreOp::create(builder, loc, both, resultAt(tile, row, column),
                              /*alignment=*/8);
      };
      if (product.n % columns)
        w.when(column < w.i32(product.n), write);
      else
        write();
    }
  });
}

/// Of four pieces of eight columns each thread of a row has two elements each;
/// after two exchanges it has all of one piece.
void WarpgroupKernel::storePieces(const GroupedTile &tile,
                                  const Registers &sums, int64_t half) {
  auto four = VectorType::get(4, builder.getI32Type());
  Expr row =
      w.expr(tile.row) + (w.expr(warp) * 16 + w.expr(lane).shr(2)) + half * 8;
  Expr quad = w.expr(lane) & 3, isOdd = (quad & 1) == w.i32(1),
       isUpper = w.i32(1) < quad;
  for (int64_t j = 0; j < columns / 8; j += 4) {
    SmallVector<Expr> words;
    for (int64_t i = j; i < j + 4; ++i)
      words.push_back(w.pack(w.expr(sums[4 * i + 2 * half]),
                             w.expr(sums[4 * i + 2 * half + 1])));
    auto swap = [&](Expr &low, Expr &high, Expr isHigh, int64_t lanes) {
      Expr other = exchange(isHigh.select(low, high), lanes);
      low = isHigh.select(other, low);
      high = isHigh.select(high, other);
    };
    swap(words[0], words[1], isOdd, 1);
    swap(words[2], words[3], isOdd, 1);
    swap(words[0], words[2], isUpper, 2);
    swap(words[1], words[3], isUpper, 2);
    Expr column = w.expr(tile.column) + quad * 8 + j * 8;
    Value piece = LLVM::PoisonOp::create(builder, loc, four);
    for (int64_t i = 0; i < 4; ++i)
      piece = LLVM::InsertElementOp::create(builder, loc, piece, words[i],
                                            w.i32(i));
    Expr isInside = row < w.expr(tile.endRow);
    if (product.n % columns)
      isInside = isInside & (column < w.i32(product.n));
    w.when(isInside, [&] {
      LLVM::StoreOp::create(builder, loc, piece, resultAt(tile, row, column),
                            kPiece);
    });
  }
}

void WarpgroupKernel::store(const GroupedTile &tile, const Registers &sums) {
  for (int64_t half : {0, 1})
    if (product.result.isF32())
      storePairs(tile, sums, half);
    else
      storePieces(tile, sums, half);
}

void WarpgroupKernel::computeAll() {
  SmallVector<Value> start{w.i32(0), w.i32(0)};
  tiles.forEach(kBlocks, start,
                [&](const GroupedTile &tile, ValueRange carried) {
                  SmallVector<Value> position(carried);
                  Registers sums = multiply(tile, position);
                  scaleSums(tile, sums);
                  store(tile, sums);
                  return position;
                });
}

void WarpgroupKernel::build(Value dynamic) {
  shared = dynamic;
  Type i32 = builder.getI32Type();
  sharedBase = LLVM::PtrToIntOp::create(builder, loc, i32, shared);
  thread = NVVM::ThreadIdXOp::create(builder, loc, i32);
  lane = w.expr(thread) & 31;
  warp = w.uniform(w.expr(thread).shr(5));
  warpgroup = w.expr(warp).shr(2);
  w.when(w.expr(thread) == w.i32(0), [&] {
    for (int64_t stage = 0; stage < stages; ++stage) {
      w.initBarrier(full(w.i32(stage)), 1);
      w.initBarrier(empty(w.i32(stage)), kConsumerWarps);
    }
    w.fenceShared();
  });
  NVVM::BarrierOp::create(builder, loc);
  auto setRegisters = [&](int64_t count, NVVM::SetMaxRegisterAction action) {
    NVVM::SetMaxRegisterOp::create(builder, loc, int32_t(count), action);
  };
  w.when(
      w.expr(warp) < w.i32(kConsumerWarps),
      [&] {
        setRegisters(kConsumerRegisters, NVVM::SetMaxRegisterAction::increase);
        computeAll();
      },
      [&] {
        setRegisters(kProducerRegisters, NVVM::SetMaxRegisterAction::decrease);
        w.when(w.expr(warp) == w.i32(kConsumerWarps), [&] {
          w.when(NVVM::ElectSyncOp::create(builder, loc, builder.getI1Type(),
                                           Value()),
                 [&] { copyAll(); });
        });
      });
}

GpuLaunch prec::buildGroupedWarpgroups(const GroupedProduct &product,
                                       StringRef name, ModuleOp module,
                                       Location loc) {
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  auto dynamic = LLVM::GlobalOp::create(
      builder, loc, LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
      /*isConstant=*/false, LLVM::Linkage::External, (name + "_dynamic").str(),
      Attribute(), /*alignment=*/1024, kShared);
  GroupedArguments arguments;
  LLVM::LLVMFuncOp function = createGroupedFunction(
      product, name, builder, loc, /*hasMaps=*/true, arguments);
  WarpgroupKernel kernel(product, builder, loc, arguments);
  kernel.build(LLVM::AddressOfOp::create(builder, loc, dynamic).getResult());
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  GpuLaunch launch;
  launch.grid = kBlocks;
  launch.block = {(kConsumers + 1) * kWarpgroup, 1, 1};
  launch.residentBlocks = 1;
  launch.shared = kernel.sharedBytes();
  setLaunch(function, launch);
  return launch;
}
