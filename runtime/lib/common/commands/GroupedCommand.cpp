//===- GroupedCommand.cpp - products of groups of rows --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What both targets share about grouped products: the check of their operands,
// the error bound by which two targets are compared, and the operations that
// they count as. The bound of an element is that of a product of matrices: the
// length of its sum, times the 2-norms of what is multiplied (Cauchy-Schwarz).
//
//===----------------------------------------------------------------------===//

#include "CommandRules.h"
#include "GemmScales.h"
#include "GroupRanges.h"
#include "RowNorms.h" // f32Error

#include <cmath>

using namespace prec::rt;

/// What scaled operands, which lie along what is contracted, must be to each
/// other and to the result.
static Status verifyScaledSizes(const CommandCheck &check) {
  const Grouped &grouped = check.command.grouped;
  const std::vector<int64_t> &a = check.buffer(grouped.a).shape,
                             &b = check.buffer(grouped.b).shape,
                             &d = check.buffer(grouped.d).shape,
                             &ends = check.buffer(grouped.ends).shape;
  const bool isGradient = b.size() == 2;
  std::vector<int64_t> expected = {a[0], b[b.size() - 2]};
  if (isGradient)
    expected.insert(expected.begin(), ends[0]);
  const bool fits = isGradient ? a[1] % PREC_GROUP_ALIGNMENT == 0
                               : b[0] == ends[0] && grouped.transposeB;
  if (a[1] != b.back() || d != expected || !fits)
    return check.fail(
        "scaled operands must lie along what is contracted, " +
        std::string(isGradient ? "of aligned groups" : "b with transpose_b") +
        ", and give " + formatShape(expected) + ", but got " + formatShape(a) +
        ", " + formatShape(b) + ", " + formatShape(d) + " and " +
        formatShape(ends));
  return {};
}

/// Inverse scales of an operand: one for each group, or those of a matrix.
static Status verifyGroupedScales(const CommandCheck &check,
                                  const char *operand, int index, int scale,
                                  Scaling scaling) {
  const ScalingTraits &traits = traitsOf(scaling);
  const std::vector<int64_t> &of = check.buffer(index).shape;
  const int64_t groups = check.buffer(check.command.grouped.ends).shape[0];
  const int64_t rows = of.size() == 3 ? of[0] * of[1] : of[0];
  if (scaling == Scaling::None || traits.isMicro() ||
      (of.size() == 3 && traits.isFine() && of[1] % traits.rows != 0))
    return check.fail(std::string("scaling_") + operand +
                      " must be of groups, or of rows or blocks of one group "
                      "each, but got " +
                      std::string(name(scaling)) + " of " + formatShape(of));
  const std::vector<int64_t> expected =
      traits.isTensor() ? std::vector<int64_t>{groups}
                        : scaleInvShape(scaling, rows, of.back());
  const Buffer &buffer = check.buffer(scale);
  if (buffer.dtype != DType::f32 || buffer.shape != expected)
    return check.fail(std::string(name(scaling)) + " scales of " + operand +
                      " must be f32" + formatShape(expected) + ", but got " +
                      std::string(name(buffer.dtype)) +
                      formatShape(buffer.shape));
  return check.expectRead(scale);
}

static bool isGroupedFp8(DType dtype) {
  return dtype == DType::f8E4M3FN || dtype == DType::f8E5M2;
}

/// Scales come with FP8 operands and with nothing else.
static Status verifyGroupedFormats(const CommandCheck &check) {
  const Grouped &grouped = check.command.grouped;
  const DType a = check.buffer(grouped.a).dtype,
              b = check.buffer(grouped.b).dtype;
  const bool isScaled = grouped.scaleA && grouped.scaleB;
  if ((grouped.scaleA || grouped.scaleB) != isScaled ||
      isScaled != isGroupedFp8(a) || isScaled != isGroupedFp8(b))
    return check.fail("both operands must be FP8 and have scales, or neither, "
                      "but got " +
                      std::string(name(a)) + " and " + std::string(name(b)) +
                      (isScaled ? " with" : " without") + " both scales");
  if (!isScaled &&
      (grouped.scalingA != Scaling::None || grouped.scalingB != Scaling::None))
    return check.fail("a scaling must come with scales, but got none");
  if (!isScaled)
    return {};
  if (traitsOf(grouped.scalingA).family != traitsOf(grouped.scalingB).family)
    return check.fail("both operands must be scaled by group, by row or by "
                      "block, but got " +
                      std::string(name(grouped.scalingA)) + " and " +
                      std::string(name(grouped.scalingB)));
  PREC_RT_RETURN_IF_ERROR(verifyGroupedScales(
      check, "a", grouped.a, *grouped.scaleA, grouped.scalingA));
  return verifyGroupedScales(check, "b", grouped.b, *grouped.scaleB,
                             grouped.scalingB);
}

static Status verifyGroupedSizes(const CommandCheck &check) {
  const Grouped &grouped = check.command.grouped;
  const std::vector<int64_t> &a = check.buffer(grouped.a).shape,
                             &b = check.buffer(grouped.b).shape,
                             &d = check.buffer(grouped.d).shape,
                             &ends = check.buffer(grouped.ends).shape;
  const std::string got = ", but got " + formatShape(a) + ", " +
                          formatShape(b) + ", " + formatShape(d) + " and " +
                          formatShape(ends);
  const bool isGradient = b.size() == 2;
  if (a.size() != 2 || ends.size() != 1 || (!isGradient && b.size() != 3) ||
      d.size() != (isGradient ? 3u : 2u))
    return check.fail("a must have rank 2, ends 1, and b and d 3 and 2 or 2 "
                      "and 3" +
                      got);
  for (const std::vector<int64_t> *shape : {&a, &b, &d, &ends})
    for (int64_t size : *shape)
      if (size == 0)
        return check.fail("operands must not be empty" + got);
  if (grouped.scaleA && !(isGradient && grouped.transposeB))
    return verifyScaledSizes(check);
  if (isGradient && grouped.transposeB)
    return check.fail("transpose_b must be of a matrix for each group" + got);
  const std::vector<int64_t> &matrices = isGradient ? d : b,
                             &others = isGradient ? b : d;
  std::vector<int64_t> expected = {ends[0], a[1], others[1]};
  if (grouped.transposeB)
    std::swap(expected[1], expected[2]);
  if (matrices != expected || a[0] != others[0])
    return check.fail("rows must be as many on both sides, and matrices " +
                      formatShape(expected) + got);
  return {};
}

template <>
Status
CommandRules<CommandKind::groupedGemm>::verify(const CommandCheck &check) {
  const Grouped &grouped = check.command.grouped;
  PREC_RT_RETURN_IF_ERROR(verifyGroupedSizes(check));
  auto dtypeOf = [&](int index) { return check.buffer(index).dtype; };
  for (auto [name, index] :
       {std::pair("a", grouped.a), std::pair("b", grouped.b),
        std::pair("d", grouped.d)})
    if (dtypeOf(index) != DType::f32 && dtypeOf(index) != DType::bf16 &&
        dtypeOf(index) != DType::f16 &&
        (index == grouped.d || !isGroupedFp8(dtypeOf(index))))
      return check.fail(std::string(name) +
                        " must be f32, bf16 or f16, but got " +
                        std::string(prec::rt::name(dtypeOf(index))));
  PREC_RT_RETURN_IF_ERROR(verifyGroupedFormats(check));
  if (!grouped.scaleA && dtypeOf(grouped.a) != dtypeOf(grouped.b))
    return check.fail("operands must have one dtype, but got " +
                      std::string(name(dtypeOf(grouped.a))) + " and " +
                      std::string(name(dtypeOf(grouped.b))));
  if (dtypeOf(grouped.ends) != DType::i32)
    return check.fail("ends must be i32, but got " +
                      std::string(name(dtypeOf(grouped.ends))));
  for (int index : {grouped.a, grouped.b, grouped.ends}) {
    PREC_RT_RETURN_IF_ERROR(check.expectRead(index));
    if (overlap(check.buffer(grouped.d), check.buffer(index)))
      return check.fail("d must not share bytes with an operand, but does");
  }
  return check.expectWritten(grouped.d);
}

namespace {

/// 2-norms along what is contracted, of an operand as a matrix: that of all
/// groups, below one another.
class OperandNorms {
public:
  using Range = std::pair<int64_t, int64_t>;

  OperandNorms(const BoundQuery &query, int index, std::optional<int> scale,
               Scaling scaling)
      : matrix(query.values.before.at(index).data()),
        isFine(traitsOf(scaling).isFine()) {
    const std::vector<int64_t> &shape =
        query.manifest.buffers[static_cast<size_t>(index)].shape;
    width = shape.back();
    const int64_t rows = shape.size() == 3 ? shape[0] * shape[1] : shape[0];
    if (scale)
      scaleInvs = &query.values.before.at(*scale);
    if (isFine)
      granularity = granularityOf(scaling, rows, width);
  }

  /// Of each of `kept`, over `contracted`: of rows over columns if the
  /// operand lies along it, else of columns over rows.
  std::vector<double> of(int64_t group, Range kept, Range contracted,
                         bool isAlong) const {
    std::vector<double> norms;
    for (int64_t i = kept.first; i < kept.second; ++i) {
      double sum = 0;
      for (int64_t k = contracted.first; k < contracted.second; ++k) {
        double value = isAlong ? matrix[i * width + k] : matrix[k * width + i];
        if (isFine)
          value *= (*scaleInvs)[static_cast<size_t>(granularity.indexOf(i, k))];
        sum += value * value;
      }
      norms.push_back(std::sqrt(sum));
      if (scaleInvs && !isFine)
        norms.back() *= std::abs((*scaleInvs)[static_cast<size_t>(group)]);
    }
    return norms;
  }

private:
  const float *matrix;
  bool isFine;
  int64_t width = 0;
  const std::vector<float> *scaleInvs = nullptr;
  ScaleGranularity granularity{};
};

} // namespace

template <>
std::vector<double>
CommandRules<CommandKind::groupedGemm>::bound(const BoundQuery &query) {
  const Grouped &grouped = query.command.grouped;
  const GroupedShape shape(query.manifest, grouped);
  const OperandValues &values = query.values;
  std::vector<int32_t> ends;
  for (float end : values.before.at(grouped.ends))
    ends.push_back(static_cast<int32_t>(end));
  const GroupRanges ranges(ends.data(), shape);
  std::vector<double> bound(
      query.manifest.buffers[static_cast<size_t>(grouped.d)].elements(), 0);
  const int64_t inner = shape.inner, outer = shape.outer;
  const OperandNorms left(query, grouped.a, grouped.scaleA, grouped.scalingA),
      right(query, grouped.b, grouped.scaleB, grouped.scalingB);
  for (int64_t group = 0; group < shape.groups; ++group) {
    const auto [first, last] = ranges.of(group);
    if (first == last)
      continue;
    const double error =
        accumulationError(shape.isGradient ? last - first : inner,
                          grouped.accumulator, shape.isScaled) +
        4 * (shape.isScaled ? 3 : 1) * f32Error;
    std::vector<double> rows, columns;
    if (shape.isGradient) {
      const bool isAlong = shape.isScaled;
      rows = left.of(group, {0, inner}, {first, last}, isAlong);
      columns = right.of(group, {0, outer}, {first, last}, isAlong);
    } else {
      rows = left.of(group, {first, last}, {0, inner}, true);
      const bool isAlong = grouped.transposeB;
      const int64_t top = group * (isAlong ? outer : inner);
      columns = isAlong
                    ? right.of(group, {top, top + outer}, {0, inner}, true)
                    : right.of(group, {0, outer}, {top, top + inner}, false);
    }
    double *out =
        bound.data() + (shape.isGradient ? group * inner : first) * outer;
    for (double row : rows)
      for (double column : columns)
        *out++ = error * row * column;
  }
  return bound;
}

template <>
std::optional<Products>
CommandRules<CommandKind::groupedGemm>::products(const Manifest &manifest,
                                                 const Command &command) {
  const GroupedShape shape(manifest, command.grouped);
  return Products{2.0 * static_cast<double>(shape.rows) *
                      static_cast<double>(shape.inner) *
                      static_cast<double>(shape.outer),
                  {command.grouped.a, command.grouped.b}};
}
