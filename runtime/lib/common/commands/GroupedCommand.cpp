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
#include "GroupRanges.h"
#include "RowNorms.h"

#include <cmath>

using namespace prec::rt;

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
    if (dtypeOf(index) != DType::f32 && dtypeOf(index) != DType::bf16)
      return check.fail(std::string(name) + " must be f32 or bf16, but got " +
                        std::string(prec::rt::name(dtypeOf(index))));
  if (dtypeOf(grouped.a) != dtypeOf(grouped.b))
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

template <>
std::vector<double>
CommandRules<CommandKind::groupedGemm>::bound(const BoundQuery &query) {
  const Grouped &grouped = query.command.grouped;
  const GroupedShape shape(query.manifest, grouped);
  const OperandValues &values = query.values;
  std::vector<int32_t> ends;
  for (float end : values.before.at(grouped.ends))
    ends.push_back(static_cast<int32_t>(end));
  const GroupRanges ranges(ends.data(), shape.groups, shape.rows);
  std::vector<double> bound(
      query.manifest.buffers[static_cast<size_t>(grouped.d)].elements(), 0);
  const float *a = values.before.at(grouped.a).data(),
              *b = values.before.at(grouped.b).data();
  const int64_t inner = shape.inner, outer = shape.outer;
  for (int64_t group = 0; group < shape.groups; ++group) {
    const auto [first, last] = ranges.of(group);
    const int64_t rows = last - first;
    if (rows == 0)
      continue;
    const double error =
        accumulationError(shape.isGradient ? rows : inner, Accumulator::full,
                          /*fp8=*/false) +
        4 * f32Error;
    std::vector<double> left, right;
    if (shape.isGradient) {
      left = norms(a + first * inner, rows, inner, /*ofColumns=*/true);
      right = norms(b + first * outer, rows, outer, /*ofColumns=*/true);
    } else {
      left = norms(a + first * inner, rows, inner, /*ofColumns=*/false);
      const float *matrix = b + group * inner * outer;
      right = grouped.transposeB ? norms(matrix, outer, inner, false)
                                 : norms(matrix, inner, outer, true);
    }
    double *out =
        bound.data() + (shape.isGradient ? group * inner : first) * outer;
    for (size_t i = 0; i < left.size(); ++i)
      for (int64_t j = 0; j < outer; ++j)
        *out++ = error * left[i] * right[static_cast<size_t>(j)];
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
