//===- GroupedProduct.h - what kernels of experts depend on -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_GPU_GROUPED_GROUPEDPRODUCT_H
#define PREC_LIB_CODEGEN_GPU_GROUPED_GROUPEDPRODUCT_H

#include "prec/Dialect/Sched/Sched.h"
#include "prec/Support/LLVM.h"

#include "prec-rt/scalings.h"

namespace prec {

/// An operand of a product: elements `matrix`, `i`, `k`, where `i` counts what
/// the result keeps and `k` what is added up.
struct GroupedOperand {
  FloatType element;
  Scaling scaling;
  /// Of the last two dimensions in memory.
  int64_t rows, columns;
  /// Matrices one behind the other: of each group one, or one for all.
  int64_t matrices;
  /// Whether `k` is the last dimension.
  bool isAlong;

  int64_t elementBytes() const { return FloatType(element).getWidth() / 8; }
  /// Elements from one `i`, or `k`, to the next.
  int64_t strideOfI() const { return isAlong ? columns : 1; }
  int64_t strideOfK() const { return isAlong ? 1 : columns; }
  const ScalingTraits &traits() const { return traitsOf(scaling); }
  /// Whether inverse scales differ along `k`.
  bool hasBlocks() const { return traits().family == ScalingFamily::Block; }
  bool hasRowScales() const { return traits().family == ScalingFamily::Row; }
};

/// What a kernel of `prec_sched.grouped_gemm` depends on. Row r of what is
/// grouped is of the first group that ends behind it.
struct GroupedProduct {
  /// D = A B of rows of groups, or for each group D = A' B over its rows.
  bool isGradient;
  GroupedOperand left, right;
  FloatType result;
  Accumulator accumulator;
  int64_t groups;
  int64_t rows;    ///< that ends are cut at
  int64_t m, n, k; ///< of D, and contracted; m or k are `rows`
  /// Each group begins at a multiple of so many rows of both operands.
  int64_t alignment;

  static GroupedProduct of(sched::GroupedGemmOp op);
  /// The same for equal kernels.
  std::string signature() const;
  bool isScaled() const { return left.scaling != Scaling::None; }
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_GROUPED_GROUPEDPRODUCT_H
