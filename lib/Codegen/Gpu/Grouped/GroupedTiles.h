//===- GroupedTiles.h - tiles of all groups in turn -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tiles of the result a block computes. How many rows a group has is only
// known on the device: `ends` says it. Tiles of all groups have numbers, group
// by group, and block b of a grid of g blocks has the tiles b, b + g, b + 2g,
// ..., so that every multiprocessor gets its share, however the rows are spread
// over the groups. A block goes over the groups once, and keeps where it is:
// the number of the group's first tile, and its rows. Rows behind the last end
// are a group of their own, to which nothing is added up. Which block computes
// a tile does not change its bits.
//
// Within a group, tiles are numbered in bands of rows, and in a band column by
// column: blocks that run together read few rows and few columns, which stay in
// the second cache.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_GROUPED_GROUPEDTILES_H
#define PREC_LIB_CODEGEN_GPU_GROUPED_GROUPEDTILES_H

#include "Codegen/Gpu/Grouped/GroupedProduct.h"
#include "Codegen/Gpu/Warpgroup.h"

namespace prec {

/// Columns of a tile. Few where many would be outside of the matrix, or where
/// registers hold scales of blocks.
int64_t chooseGroupedColumns(const GroupedProduct &product);

/// Of a tile, i32. Rows and columns are of the operands and of D.
struct GroupedTile {
  Value group;
  Value row, endRow; ///< of D, of all groups together if these are its rows
  Value column;
  /// What is added up begins at `begin` and has `depth` elements.
  Value begin, depth;
  /// Of no group.
  Value isBehind;
};

class GroupedTiles {
public:
  GroupedTiles(const GroupedProduct &product, int64_t rows, int64_t columns,
               OpBuilder &builder, Location loc, Value ends)
      : product(product), tileRows(rows), tileColumns(columns),
        builder(builder), loc(loc), w(builder, loc, FloatType()), ends(ends) {}

  /// A loop over the tiles of this block of `blocks`; `body` returns the next
  /// values of what is carried. Results: the last ones.
  SmallVector<Value> forEach(
      int64_t blocks, ValueRange carried,
      function_ref<SmallVector<Value>(const GroupedTile &, ValueRange)> body);

  Expr divide(Expr a, Expr b) {
    return a.make<mlir::arith::DivUIOp>(Value(a), Value(b));
  }
  Expr minimum(Expr a, Expr b) { return (a < b).select(a, b); }

private:
  /// Where a block is: i32 each.
  struct Place {
    Value tile;
    Value group, first, last; ///< its rows, as ends count them
    Value begin;              ///< of its rows where groups are aligned
    Value before;             ///< tiles of all groups before
  };
  static constexpr size_t kPlace = 6;
  static Place restore(ValueRange values);
  static SmallVector<Value> flatten(const Place &place);

  int64_t sections() const {
    return product.groups + (product.isGradient ? 0 : 1);
  }
  int64_t columnTiles() const {
    return llvm::divideCeil(product.n, tileColumns);
  }
  Expr rowTiles(const Place &place);
  /// Of group `group`, whose rows follow `first`.
  Expr endOf(Expr group, Expr first);
  /// The first tile of the place's group or one behind it.
  Place advance(Place place);
  GroupedTile locate(const Place &place);

  const GroupedProduct &product;
  const int64_t tileRows, tileColumns;
  OpBuilder &builder;
  Location loc;
  Warpgroup w;
  Value ends;
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_GROUPED_GROUPEDTILES_H
