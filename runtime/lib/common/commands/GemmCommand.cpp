//===- GemmCommand.cpp - products of matrices -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandRules.h"
#include "GemmScales.h"
#include "RowNorms.h"

#include <cmath>

using namespace prec::rt;

/// What cuBLASLt adds to the rows of a product.
static Status verifyBias(const CommandCheck &check, int index) {
  const Gemm &gemm = check.command.gemm;
  const Buffer &bias = check.buffer(index);
  if (gemm.batch > 1)
    return check.fail("a bias must be of one matrix, but got a batch of " +
                      std::to_string(gemm.batch));
  if (isFinelyScaled(gemm))
    return check.fail(
        "scales must be of tensors beside a bias, but are of parts");
  DType expected =
      biasType(check.buffer(gemm.d).dtype, gemm.scaleA || gemm.scaleB);
  if (bias.dtype != expected || bias.elements() != gemm.n)
    return check.fail("bias must be " + std::string(name(expected)) +
                      formatShape({gemm.n}) + ", but got " +
                      std::string(name(bias.dtype)) + formatShape(bias.shape));
  if (overlap(check.buffer(gemm.d), bias))
    return check.fail("d must not share bytes with bias, but does");
  return check.expectRead(index);
}

/// Inverse scales come with what they are of, and are as that says of an
/// operand [rows, k].
static Status verifyScales(const CommandCheck &check, const char *operand,
                           const std::optional<int> &scale, Scaling scaling,
                           int64_t rows) {
  const int64_t k = check.command.gemm.k;
  const std::string named = std::string("scaling_") + operand;
  if (scale.has_value() != (scaling != Scaling::None))
    return check.fail(named + " must come with scale_" + operand +
                      " and name what shares a scale, but got " +
                      std::string(name(scaling)) +
                      (scale ? " with scales" : " without scales"));
  if (!scale)
    return Status();
  const Buffer &buffer = check.buffer(*scale);
  const std::vector<int64_t> shape = scaleInvShape(scaling, rows, k);
  const bool isOne =
      shape.empty() && buffer.elements() == 1 && buffer.shape.size() <= 1;
  if (buffer.dtype != scaleInvDType(scaling) ||
      (buffer.shape != shape && !isOne))
    return check.fail(std::string(name(scaling)) + " scales of an operand " +
                      formatShape({rows, k}) + " must be " +
                      std::string(name(scaleInvDType(scaling))) +
                      formatShape(shape) + ", but got " +
                      std::string(name(buffer.dtype)) +
                      formatShape(buffer.shape));
  return check.expectRead(*scale);
}

static Status verifyTensorScale(const CommandCheck &check,
                                const std::optional<int> &scale,
                                Scaling scaling) {
  if (scale.has_value() != traitsOf(scaling).hasTensorScale)
    return check.fail("a tensor scale must come with a scaling that has one, "
                      "but got " +
                      std::string(name(scaling)) +
                      (scale ? " with" : " without") + " one");
  if (!scale)
    return Status();
  const Buffer &buffer = check.buffer(*scale);
  if (buffer.dtype != DType::f32 || buffer.elements() != 1)
    return check.fail(
        "tensor scales must be one f32 for each operand, but got " +
        std::string(name(buffer.dtype)) + formatShape(buffer.shape));
  return check.expectRead(*scale);
}

template <>
Status CommandRules<CommandKind::gemm>::verify(const CommandCheck &check) {
  const Gemm &gemm = check.command.gemm;
  auto extent = [&](int64_t stride, int64_t rows, int64_t columns) {
    __int128 size = static_cast<__int128>(gemm.batch - 1) * stride +
                    static_cast<__int128>(rows) * columns;
    constexpr int64_t limit = int64_t(1) << 62;
    return size > limit ? limit : static_cast<int64_t>(size);
  };
  bool isFp4 = check.buffer(gemm.a).dtype == DType::i8 &&
               check.buffer(gemm.b).dtype == DType::i8 && gemm.tensorScaleA &&
               gemm.tensorScaleB && gemm.k % 2 == 0;
  for (auto [index, operand, elements] :
       {std::tuple{gemm.a, "a", extent(gemm.strideA, gemm.m, gemm.k)},
        std::tuple{gemm.b, "b", extent(gemm.strideB, gemm.k, gemm.n)},
        std::tuple{gemm.d, "d", extent(gemm.strideD, gemm.m, gemm.n)},
        std::tuple{gemm.c.value_or(gemm.d), "c",
                   extent(gemm.strideD, gemm.m, gemm.n)}}) {
    // Two elements of e2m1.
    bool isPacked = isFp4 && (index == gemm.a || index == gemm.b);
    PREC_RT_RETURN_IF_ERROR(check.expectElements(
        index, isPacked ? elements / 2 : elements, operand));
    if (!isPacked)
      PREC_RT_RETURN_IF_ERROR(check.expectFloat(index, operand));
  }
  if (gemm.batch > 1 && gemm.strideD < gemm.m * gemm.n)
    return check.fail("stride_d must be at least " +
                      std::to_string(gemm.m * gemm.n) + ", but got " +
                      std::to_string(gemm.strideD));
  // A runtime that reads abi 3 alone would leave it out.
  if (gemm.bias && check.manifest.abi < 4)
    return check.fail("bias must be in a module of abi 4, but got abi " +
                      std::to_string(check.manifest.abi));
  const Buffer &d = check.buffer(gemm.d);
  if (overlap(d, check.buffer(gemm.a)) || overlap(d, check.buffer(gemm.b)))
    return check.fail("d must not share bytes with a or b, but does");
  if (gemm.beta != 0) {
    if (!gemm.c)
      return check.fail("beta must be 0 without c, but got " +
                        std::to_string(gemm.beta));
    const Buffer &c = check.buffer(*gemm.c);
    if (c.dtype != d.dtype || (overlap(c, d) && !isSameWindow(c, d)))
      return check.fail(
          "c must be of the dtype of d and be d or apart from it, but "
          "is not");
    PREC_RT_RETURN_IF_ERROR(check.expectRead(*gemm.c));
  }
  PREC_RT_RETURN_IF_ERROR(
      verifyScales(check, "a", gemm.scaleA, gemm.scalingA, gemm.m));
  PREC_RT_RETURN_IF_ERROR(
      verifyScales(check, "b", gemm.scaleB, gemm.scalingB, gemm.n));
  const ScalingTraits &traitsA = traitsOf(gemm.scalingA),
                      &traitsB = traitsOf(gemm.scalingB);
  const bool isMicro = isMicroscaled(gemm);
  if (traitsA.format != traitsB.format || isMicro != traitsB.isMicro() ||
      isFp4 != (traitsA.operands == ScaledOperands::Fp4) ||
      (isMicro && (gemm.transposeA || !gemm.transposeB)))
    return check.fail(
        "scales must have one dtype, a scaling of e2m1 for packed operands and "
        "only for these, and operands with scales of a few elements "
        "must lie along k, but do not");
  PREC_RT_RETURN_IF_ERROR(
      verifyTensorScale(check, gemm.tensorScaleA, gemm.scalingA));
  PREC_RT_RETURN_IF_ERROR(
      verifyTensorScale(check, gemm.tensorScaleB, gemm.scalingB));
  if (gemm.bias)
    PREC_RT_RETURN_IF_ERROR(verifyBias(check, *gemm.bias));
  if (gemm.batch > 1 && isFinelyScaled(gemm))
    return check.fail(
        "scales of rows or blocks must be of one matrix, but got a "
        "batch of " +
        std::to_string(gemm.batch));
  PREC_RT_RETURN_IF_ERROR(check.expectRead(gemm.a));
  PREC_RT_RETURN_IF_ERROR(check.expectRead(gemm.b));
  return check.expectWritten(gemm.d);
}

static bool isFp8(DType dtype) {
  return dtype == DType::f8E4M3FN || dtype == DType::f8E5M2;
}

template <>
std::vector<double>
CommandRules<CommandKind::gemm>::bound(const BoundQuery &query) {
  const auto &[manifest, command, output, values, pool] = query;
  (void)output;
  const Gemm &gemm = command.gemm;
  std::vector<double> bound(manifest.buffers[gemm.d].elements(), 0);
  auto scaleInvOf =
      [&](const std::optional<int> &buffer, Scaling scaling,
          int64_t rows) -> std::function<double(int64_t, int64_t)> {
    if (!buffer)
      return nullptr;
    ScaleGranularity granularity = granularityOf(scaling, rows, gemm.k);
    const std::vector<float> &scaleInvs = values.before.at(*buffer);
    return [granularity, &scaleInvs](int64_t row, int64_t k) {
      return scaleInvs[granularity.indexOf(row, k)];
    };
  };
  auto scaleInvA = scaleInvOf(gemm.scaleA, gemm.scalingA, gemm.m),
       scaleInvB = scaleInvOf(gemm.scaleB, gemm.scalingB, gemm.n);
  double alpha = std::abs(gemm.alpha);
  for (const std::optional<int> &scale : {gemm.tensorScaleA, gemm.tensorScaleB})
    if (scale)
      alpha *= std::abs(values.before.at(*scale)[0]);
  // Three factors and the addition of C or a bias on top of the chain.
  double error = accumulationError(gemm.k, gemm.accumulator,
                                   isFp8(manifest.buffers[gemm.a].dtype) &&
                                       isFp8(manifest.buffers[gemm.b].dtype)) +
                 4 * 3 * f32Error;
  for (int64_t matrix = 0; matrix < gemm.batch; ++matrix) {
    const float *a = values.before.at(gemm.a).data() + matrix * gemm.strideA;
    const float *b = values.before.at(gemm.b).data() + matrix * gemm.strideB;
    std::vector<double> rows = gemm.transposeA
                                   ? norms(a, gemm.k, gemm.m, true, scaleInvA)
                                   : norms(a, gemm.m, gemm.k, false, scaleInvA);
    std::vector<double> columns =
        gemm.transposeB ? norms(b, gemm.n, gemm.k, false, scaleInvB)
                        : norms(b, gemm.k, gemm.n, true, scaleInvB);
    auto computeRow = [&](int64_t i) {
      for (int64_t j = 0; j < gemm.n; ++j) {
        int64_t index = matrix * gemm.strideD + i * gemm.n + j;
        double magnitude = alpha * rows[i] * columns[j];
        if (gemm.beta != 0)
          magnitude += std::abs(gemm.beta * values.before.at(*gemm.c)[index]);
        if (gemm.bias)
          magnitude += std::abs(values.before.at(*gemm.bias)[j]);
        bound[index] = error * magnitude;
      }
    };
    pool.parallelFor(gemm.m, 64, [&](int64_t begin, int64_t end, unsigned) {
      for (int64_t i = begin; i < end; ++i)
        computeRow(i);
    });
  }
  return bound;
}

template <>
std::optional<Products>
CommandRules<CommandKind::gemm>::products(const Manifest &,
                                          const Command &command) {
  const Gemm &gemm = command.gemm;
  return Products{2.0 * gemm.batch * gemm.m * gemm.n * gemm.k,
                  {gemm.a, gemm.b}};
}
