//===- GemmProblem.h - what decides a GEMM's algorithm ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No CUDA here: pure functions of a command, testable without a GPU.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_CUDA_GEMMPROBLEM_H
#define PREC_RT_CUDA_GEMMPROBLEM_H

#include "GemmScales.h"

namespace prec::rt {

/// Everything of a GEMM command that decides which algorithms may serve it
/// and how fast they are; addresses and the values of alpha and beta do not.
struct GemmProblem {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  DType a = DType::f32, b = DType::f32, d = DType::f32;
  bool transposeA = false, transposeB = false;
  int64_t strideA = 0, strideB = 0, strideD = 0; ///< elements; 0 if batch is 1
  Scaling scalingA = Scaling::None, scalingB = Scaling::None;
  bool addsC = false;  ///< beta is not 0
  bool inPlace = true; ///< C is D's memory, or there is no C
  std::optional<DType> bias;
  Accumulator accumulator = Accumulator::full;
  int64_t alignment = 256; ///< bytes, of all operands, at most 256

  /// The problem of a command, or why no Hopper GEMM computes it.
  static Result<GemmProblem> of(const Gemm &gemm, const Manifest &manifest);

  bool isFp8() const;
  bool isScaled() const {
    return scalingA != Scaling::None || scalingB != Scaling::None;
  }
  /// Whether inverse scales are of rows or blocks.
  bool isFinelyScaled() const {
    return traitsOf(scalingA).isFine() || traitsOf(scalingB).isFine();
  }
  /// "[512,64] f8E4M3FN x [64,128] f8E4M3FN stored transposed -> ..."
  std::string text() const;
  /// Key of the algorithm file.
  std::string key(const std::string &gpu, const std::string &library) const;
};

/// One operand in BLAS terms: the matrix as it lies in memory, read column by
/// column, and whether the product takes its transpose.
struct ColumnMajorOperand {
  int64_t rows, columns, leadingDimension, stride;
  bool transpose;
};

/// The row-major product as the column-major one that cuBLASLt computes:
/// D^T = op(B)^T op(A)^T. A row-major matrix read column-major is its own
/// transpose, so the operands swap places and nothing is moved.
struct ColumnMajorGemm {
  ColumnMajorOperand first;  ///< our B
  ColumnMajorOperand second; ///< our A
  ColumnMajorOperand result; ///< our D (and C); never transposed
};

ColumnMajorGemm columnMajor(const GemmProblem &problem);

} // namespace prec::rt

#endif // PREC_RT_CUDA_GEMMPROBLEM_H
