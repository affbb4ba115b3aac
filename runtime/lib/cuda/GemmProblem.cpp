//===- GemmProblem.cpp - what decides a GEMM's algorithm ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What decides which algorithms can serve a GEMM: sizes, formats, transposes,
// strides, kinds of scales, C, bias, accumulator, and the alignment of its
// operands. `of` reads it from a command and refuses, with the reason, what
// cuBLASLt does not have on Hopper. `key` spells it, with GPU and library
// version, as the algorithm file does; two GEMMs with one key share a plan.
// columnMajor says how to ask a column-major library for a row-major result:
// read column by column, row-major D = A B is D' = B' A'. So B becomes the
// first operand and A the second, no element moves, and an operand that was
// stored transposed now is not, and vice versa.
//
//===----------------------------------------------------------------------===//

#include "GemmProblem.h"

#include <algorithm>

using namespace prec::rt;

static bool isFp8(DType dtype) {
  return dtype == DType::f8E4M3FN || dtype == DType::f8E5M2;
}

static std::string_view text(Accumulator accumulator) {
  switch (accumulator) {
  case Accumulator::full:
    return "full";
  case Accumulator::fast:
    return "fast";
  case Accumulator::promoted:
    return "promoted";
  }
  return "unknown";
}

/// What of an operand has an inverse scale: "1x128", "row", "tensor", "none".
static std::string text(Scaling scaling) {
  const ScalingTraits &traits = traitsOf(scaling);
  switch (traits.family) {
  case ScalingFamily::None:
    return "none";
  case ScalingFamily::Tensor:
    return "tensor";
  case ScalingFamily::Row:
    return "row";
  case ScalingFamily::Block:
  case ScalingFamily::Micro:
    break;
  }
  return std::to_string(traits.rows) + "x" + std::to_string(traits.columns);
}

static std::string matrix(int64_t rows, int64_t columns, DType dtype,
                          bool transposed) {
  return "[" + std::to_string(rows) + "," + std::to_string(columns) + "] " +
         std::string(name(dtype)) + (transposed ? " stored transposed" : "");
}

std::string GemmProblem::text() const {
  std::string result = matrix(m, k, a, transposeA) + " x " +
                       matrix(k, n, b, transposeB) + " -> " +
                       matrix(m, n, d, false);
  if (batch > 1)
    result += ", batch " + std::to_string(batch);
  if (isFinelyScaled())
    result += ", scaled by " + ::text(scalingA) + " and " + ::text(scalingB);
  else if (isScaled())
    result += ", scaled";
  if (addsC)
    result += inPlace ? ", added in place" : ", added to C";
  if (bias)
    result += ", bias " + std::string(name(*bias));
  return result + ", accumulator " + std::string(::text(accumulator));
}

bool GemmProblem::isFp8() const { return ::isFp8(a) || ::isFp8(b); }

/// The combinations of formats that cuBLASLt has with f32 accumulation.
static bool isSupported(DType a, DType b, DType d) {
  if (isFp8(a) && isFp8(b))
    return (a == DType::f8E4M3FN || b == DType::f8E4M3FN) &&
           (d == DType::bf16 || d == DType::f16 || d == DType::f32);
  if (a != b)
    return false;
  if (a == DType::bf16 || a == DType::f16)
    return d == a || d == DType::f32;
  return a == DType::f32 && d == DType::f32;
}

/// What of its fine scales cuBLASLt does not have on Hopper; nothing if all.
static std::optional<std::string> missingScaling(const GemmProblem &problem) {
  const ScalingTraits &a = traitsOf(problem.scalingA),
                      &b = traitsOf(problem.scalingB);
  if (!problem.isFinelyScaled())
    return std::nullopt;
  if (a.isMicro() && b.isMicro())
    return std::nullopt;
  if (a.family != b.family)
    return "a gemm must have scales of both tensors, of the rows of both "
           "operands or of blocks of both";
  if (a.family == ScalingFamily::Row)
    return std::nullopt;
  if (a.isSymmetric() && b.isSymmetric())
    return "a gemm must have an operand with scales of 1x128 elements beside "
           "one with scales of 128x128";
  if (problem.accumulator != Accumulator::promoted)
    return "a gemm with scales of blocks must promote its sums";
  if ((!a.isSymmetric() && problem.m % 4 != 0) ||
      (!b.isSymmetric() && problem.n % 4 != 0))
    return "an operand with scales of 1x128 elements must have a multiple of 4 "
           "rows";
  return std::nullopt;
}

/// Bytes to which an address is known to be aligned: segments begin at
/// multiples of 256, so the offset decides.
static int64_t alignmentOf(int64_t offset) {
  return offset == 0 ? 256 : std::min<int64_t>(256, offset & -offset);
}

Result<GemmProblem> GemmProblem::of(const Gemm &gemm,
                                    const Manifest &manifest) {
  const Buffer &a = manifest.buffers[gemm.a], &b = manifest.buffers[gemm.b],
               &d = manifest.buffers[gemm.d];
  GemmProblem problem;
  problem.m = gemm.m;
  problem.n = gemm.n;
  problem.k = gemm.k;
  problem.batch = gemm.batch;
  problem.a = a.dtype;
  problem.b = b.dtype;
  problem.d = d.dtype;
  problem.transposeA = gemm.transposeA;
  problem.transposeB = gemm.transposeB;
  if (gemm.batch > 1) {
    problem.strideA = gemm.strideA;
    problem.strideB = gemm.strideB;
    problem.strideD = gemm.strideD;
  }
  problem.scalingA = gemm.scalingA;
  problem.scalingB = gemm.scalingB;
  problem.addsC = gemm.beta != 0;
  problem.accumulator = gemm.accumulator;
  problem.alignment = std::min(
      {alignmentOf(a.offset), alignmentOf(b.offset), alignmentOf(d.offset)});
  if (problem.addsC) {
    if (!gemm.c)
      return Status::unsupported(
          "a gemm with beta must have C, but got none: " + problem.text());
    const Buffer &c = manifest.buffers[*gemm.c];
    if (c.dtype != d.dtype)
      return Status::unsupported(
          "a gemm's C must have the format of D, but got " +
          std::string(name(c.dtype)) + ": " + problem.text());
    problem.inPlace = c.segment == d.segment && c.offset == d.offset;
    problem.alignment = std::min(problem.alignment, alignmentOf(c.offset));
  }
  if (gemm.bias) {
    const Buffer &bias = manifest.buffers[*gemm.bias];
    problem.bias = bias.dtype;
    problem.alignment = std::min(problem.alignment, alignmentOf(bias.offset));
    if (bias.dtype != biasType(d.dtype, problem.isScaled()) ||
        problem.isFinelyScaled() || gemm.batch > 1)
      return Status::unsupported(
          "a gemm with a bias must be one matrix, with scales "
          "of tensors if any, and the bias in the format of D "
          "(bf16 if that is f32 and operands are scaled), but "
          "got " +
          problem.text());
  }
  if (gemm.tensorScaleA || gemm.tensorScaleB)
    return Status::unsupported(
        "a gemm's scales of tensors must be one number, which "
        "cuBLASLt multiplies the sums by, but got one for "
        "each operand, which no kernel multiplies yet: " +
        problem.text());
  if (!isSupported(a.dtype, b.dtype, d.dtype))
    return Status::unsupported(
        "a gemm must have formats that cuBLASLt multiplies "
        "(f32, bf16, f16, or FP8 with at most one E5M2, to "
        "its own format or a wider one), but got " +
        problem.text());
  if (problem.isFp8() && (gemm.transposeA || !gemm.transposeB))
    return Status::unsupported(
        "an FP8 gemm must have both operands contiguous "
        "along K (transpose_a false, transpose_b true), but "
        "got " +
        problem.text());
  if (!problem.isFp8() && problem.isScaled())
    return Status::unsupported(
        "only FP8 operands of a gemm may have a scale, but "
        "got " +
        problem.text());
  if (std::optional<std::string> missing = missingScaling(problem))
    return Status::unsupported(*missing + ", but got " + problem.text());
  if (gemm.batch > 1 && gemm.strideD < gemm.m * gemm.n)
    return Status::unsupported(
        "the results of a batched gemm must not overlap, but "
        "got stride_d " +
        std::to_string(gemm.strideD) + ": " + problem.text());
  return problem;
}

std::string GemmProblem::key(const std::string &gpu,
                             const std::string &library) const {
  const bool isA = scalingA != Scaling::None, isB = scalingB != Scaling::None;
  std::string scales = isFinelyScaled()
                           ? ::text(scalingA) + "," + ::text(scalingB)
                       : isA && isB ? "ab"
                       : isA        ? "a"
                       : isB        ? "b"
                                    : "none";
  return "m=" + std::to_string(m) + " n=" + std::to_string(n) +
         " k=" + std::to_string(k) + " batch=" + std::to_string(batch) +
         " a=" + std::string(name(a)) + (transposeA ? "^T" : "") +
         " b=" + std::string(name(b)) + (transposeB ? "^T" : "") +
         " d=" + std::string(name(d)) + " strides=" + std::to_string(strideA) +
         "," + std::to_string(strideB) + "," + std::to_string(strideD) +
         " scales=" + scales + " epilogue=" +
         (!addsC    ? "none"
          : inPlace ? "add-in-place"
                    : "add") +
         (bias ? "+bias:" + std::string(name(*bias)) : std::string()) +
         " accumulator=" + std::string(::text(accumulator)) +
         " alignment=" + std::to_string(alignment) + " gpu=" + gpu +
         " cublasLt=" + library;
}

/// A row-major [rows, columns] matrix read column by column.
static ColumnMajorOperand readColumnMajor(int64_t rows, int64_t columns,
                                          int64_t stride, bool transpose) {
  return {columns, rows, columns, stride, transpose};
}

ColumnMajorGemm prec::rt::columnMajor(const GemmProblem &problem) {
  const GemmProblem &p = problem;
  ColumnMajorGemm gemm;
  // Stored as it multiplies, a row-major operand is already the transpose
  // that the swapped product wants; stored transposed, it needs one.
  gemm.first = p.transposeB ? readColumnMajor(p.n, p.k, p.strideB, true)
                            : readColumnMajor(p.k, p.n, p.strideB, false);
  gemm.second = p.transposeA ? readColumnMajor(p.k, p.m, p.strideA, true)
                             : readColumnMajor(p.m, p.k, p.strideA, false);
  gemm.result = readColumnMajor(p.m, p.n, p.strideD, false);
  return gemm;
}
