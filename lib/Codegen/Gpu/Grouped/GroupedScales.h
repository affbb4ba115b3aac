//===- GroupedScales.h - inverse scales of experts' operands ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_GPU_GROUPED_GROUPEDSCALES_H
#define PREC_LIB_CODEGEN_GPU_GROUPED_GROUPEDSCALES_H

#include "Codegen/Gpu/Grouped/GroupedProduct.h"
#include "Codegen/Gpu/Warpgroup.h"

namespace prec {

/// The inverse scales of one operand: one for each group, each row, or each
/// block of a row or of 128 of them and 128 of what is contracted.
class GroupedScales {
public:
  GroupedScales(const GroupedProduct &product, const GroupedOperand &operand,
                OpBuilder &builder, Location loc, Value scales)
      : product(product), operand(operand), builder(builder), loc(loc),
        w(builder, loc, FloatType()), scales(scales) {}

  bool hasBlocks() const { return operand.hasBlocks(); }
  bool hasRows() const { return operand.hasRowScales(); }
  bool hasGroups() const { return operand.traits().isTensor(); }

  Expr ofGroup(Expr group);
  /// Of row `i` of all matrices together.
  Expr ofRow(Expr i);
  /// Of row `i` and number `block` of what is contracted.
  Expr ofBlock(Expr i, Expr block);
  /// Of `i`, which is even, and the one behind it, which is another row.
  std::pair<Expr, Expr> ofRows(Expr i);
  std::pair<Expr, Expr> ofBlocks(Expr i, Expr block);
  /// Whether 128 rows share them.
  bool areShared() const { return operand.traits().rows > 1; }

private:
  Value pointerTo(Expr index);
  Expr load(Expr index);
  std::pair<Expr, Expr> loadPair(Expr index);
  Expr indexOf(Expr i, Expr block);
  int64_t allRows() const { return operand.rows * operand.matrices; }

  const GroupedProduct &product;
  const GroupedOperand &operand;
  OpBuilder &builder;
  Location loc;
  Warpgroup w;
  Value scales;
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_GROUPED_GROUPEDSCALES_H
