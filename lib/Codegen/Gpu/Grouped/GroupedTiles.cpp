//===- GroupedTiles.cpp - tiles of all groups in turn ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Gpu/Grouped/GroupedTiles.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace prec;

/// Rows of tiles in a band.
static constexpr int64_t kBandTiles = 16;

int64_t prec::chooseGroupedColumns(const GroupedProduct &product) {
  constexpr int64_t narrow = 128, wide = 256;
  bool hasBlocks = product.left.hasBlocks() || product.right.hasBlocks(),
       isWasteful = llvm::alignTo(product.n, wide) * 8 >
                    llvm::alignTo(product.n, narrow) * 9;
  return hasBlocks || isWasteful ? narrow : wide;
}

GroupedTiles::Place GroupedTiles::restore(ValueRange values) {
  return {values[0], values[1], values[2], values[3], values[4], values[5]};
}

SmallVector<Value> GroupedTiles::flatten(const Place &place) {
  return {place.tile, place.group, place.first,
          place.last, place.begin, place.before};
}

Expr GroupedTiles::rowTiles(const Place &place) {
  if (product.isGradient)
    return w.i32(llvm::divideCeil(product.m, tileRows));
  Expr rows = w.expr(place.last) - w.expr(place.first);
  return divide(rows + (tileRows - 1), w.i32(tileRows));
}

Expr GroupedTiles::endOf(Expr group, Expr first) {
  Value index =
      minimum(group, w.i32(product.groups - 1)).convert(builder.getI64Type());
  Value pointer =
      LLVM::GEPOp::create(builder, loc, ends.getType(), builder.getI32Type(),
                          ends, ValueRange{index});
  Expr end =
      w.expr(LLVM::LoadOp::create(builder, loc, builder.getI32Type(), pointer));
  Expr rows = w.i32(product.rows);
  end = minimum((end < first).select(first, end), rows);
  // Behind the last group are the rows of none.
  return (group < w.i32(product.groups)).select(end, rows);
}

GroupedTiles::Place GroupedTiles::advance(Place place) {
  SmallVector<Value> values = flatten(place);
  SmallVector<Type> types(kPlace, builder.getI32Type());
  auto loop = scf::WhileOp::create(builder, loc, types, values);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locations(kPlace, loc);
  Block *before = builder.createBlock(&loop.getBefore(), {}, types, locations);
  place = restore(before->getArguments());
  Expr next = w.expr(place.before) + rowTiles(place) * columnTiles();
  Expr isBehind = w.i32(-1) < w.expr(place.tile) - next;
  scf::ConditionOp::create(builder, loc,
                           (w.expr(place.group) < w.i32(sections())) & isBehind,
                           before->getArguments());
  Block *after = builder.createBlock(&loop.getAfter(), {}, types, locations);
  place = restore(after->getArguments());
  place.before = w.expr(place.before) + rowTiles(place) * columnTiles();
  Expr group = w.expr(place.group) + 1, first = w.expr(place.last);
  if (product.alignment > 1) {
    const int64_t alignment = product.alignment;
    Expr end = minimum(w.expr(place.begin) + (first - w.expr(place.first)),
                       w.i32(product.rows));
    place.begin = divide(end + (alignment - 1), w.i32(alignment)) * alignment;
  }
  place.first = first;
  place.last = endOf(group, first);
  place.group = group;
  scf::YieldOp::create(builder, loc, flatten(place));
  return restore(loop.getResults());
}

GroupedTile GroupedTiles::locate(const Place &place) {
  Expr number = w.expr(place.tile) - w.expr(place.before),
       inGroup = rowTiles(place), band = w.i32(kBandTiles * columnTiles());
  Expr bandIndex = divide(number, band), inBand = number - bandIndex * band,
       firstRow = bandIndex * kBandTiles,
       bandRows = minimum(inGroup - firstRow, w.i32(kBandTiles)),
       column = divide(inBand, bandRows),
       row = firstRow + (inBand - column * bandRows);
  GroupedTile tile;
  tile.group = place.group;
  Expr isBehind = w.expr(place.group) == w.i32(product.groups);
  tile.isBehind = isBehind;
  tile.column = column * tileColumns;
  if (!product.isGradient) {
    tile.row = w.expr(place.first) + row * tileRows;
    tile.endRow = place.last;
    tile.begin = w.i32(0);
    tile.depth = isBehind.select(w.i32(0), w.i32(product.k));
    return tile;
  }
  tile.row = row * tileRows;
  tile.endRow = w.i32(product.m);
  Expr count = w.expr(place.last) - w.expr(place.first);
  if (product.alignment == 1) {
    tile.begin = place.first;
    tile.depth = count;
    return tile;
  }
  Expr begin = minimum(w.expr(place.begin), w.i32(product.rows));
  tile.begin = begin;
  tile.depth = minimum(count, w.i32(product.rows) - begin);
  return tile;
}

SmallVector<Value> GroupedTiles::forEach(
    int64_t blocks, ValueRange carried,
    function_ref<SmallVector<Value>(const GroupedTile &, ValueRange)> body) {
  Expr zero = w.i32(0);
  Place place{NVVM::BlockIdXOp::create(builder, loc, builder.getI32Type()),
              zero,
              zero,
              endOf(zero, zero),
              zero,
              zero};
  SmallVector<Value> values = flatten(place);
  llvm::append_range(values, carried);
  SmallVector<Type> types(ValueRange(values).getTypes());
  auto loop = scf::WhileOp::create(builder, loc, types, values);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locations(types.size(), loc);
  Block *before = builder.createBlock(&loop.getBefore(), {}, types, locations);
  place = advance(restore(before->getArguments().take_front(kPlace)));
  values = flatten(place);
  llvm::append_range(values, before->getArguments().drop_front(kPlace));
  scf::ConditionOp::create(builder, loc,
                           w.expr(place.group) < w.i32(sections()), values);
  Block *after = builder.createBlock(&loop.getAfter(), {}, types, locations);
  place = restore(after->getArguments().take_front(kPlace));
  SmallVector<Value> next =
      body(locate(place), after->getArguments().drop_front(kPlace));
  place.tile = w.expr(place.tile) + blocks;
  values = flatten(place);
  llvm::append_range(values, next);
  scf::YieldOp::create(builder, loc, values);
  return SmallVector<Value>(loop.getResults().drop_front(kPlace));
}
