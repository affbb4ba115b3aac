//===- ConvCommand.cpp - convolutions and their gradients -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What both targets share about convolutions: the check of their operands, the
// error bound by which two targets are compared, and the operations that they
// count as. The bound of an element is that of a product of matrices: the
// length of its sum, times the 2-norms of what is multiplied (Cauchy-Schwarz).
// Those of windows are sums over places of norms of positions; a gradient of
// the input takes the norm of a whole column of the weight, one of the weight
// those of whole channels, of which padding leaves some elements out.
//
//===----------------------------------------------------------------------===//

#include "CommandRules.h"
#include "ConvShape.h"
#include "RowNorms.h"

#include <cmath>

using namespace prec::rt;

static bool isConvolved(DType dtype) {
  return dtype == DType::f32 || dtype == DType::bf16 || dtype == DType::f16;
}

/// Positions along a dimension; 0 where the kernel does not fit.
static __int128 positionsOf(int64_t size, int64_t kernel, int64_t stride,
                            int64_t padding, int64_t dilation) {
  const __int128 room = static_cast<__int128>(size) + padding -
                        static_cast<__int128>(dilation) * (kernel - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

static Status verifySizes(const CommandCheck &check) {
  const Conv &conv = check.command.conv;
  const std::vector<int64_t> &x = check.buffer(conv.x).shape,
                             &w = check.buffer(conv.w).shape,
                             &y = check.buffer(conv.y).shape;
  const std::string got = ", but got " + formatShape(x) + ", " +
                          formatShape(w) + " and " + formatShape(y);
  if (x.size() < 3 || x.size() > 5 || w.size() != x.size() ||
      y.size() != x.size())
    return check.fail("x, w and y must have one rank of 3 to 5" + got);
  for (const std::vector<int64_t> *shape : {&x, &w, &y})
    for (int64_t size : *shape)
      if (size == 0)
        return check.fail("x, w and y must not be empty" + got);
  const size_t rank = x.size() - 2;
  for (const auto &[name, values] :
       {std::pair("strides", &conv.strides), std::pair("low", &conv.low),
        std::pair("high", &conv.high), std::pair("dilations", &conv.dilations)})
    if (values->size() != rank)
      return check.fail(std::string(name) + " must have " +
                        std::to_string(rank) + " elements, but got " +
                        std::to_string(values->size()));
  if (x.back() % conv.groups || w.front() % conv.groups ||
      w.back() != x.back() / conv.groups)
    return check.fail("groups must divide channels and outputs, and w have "
                      "channels / groups, but got " +
                      std::to_string(conv.groups) + " for " + formatShape(x) +
                      " and " + formatShape(w));
  bool isAlike = y.front() == x.front() && y.back() == w.front();
  for (size_t d = 0; d < rank; ++d)
    isAlike &=
        positionsOf(x[d + 1], w[d + 1], conv.strides[d],
                    conv.low[d] + conv.high[d], conv.dilations[d]) == y[d + 1];
  if (!isAlike)
    return check.fail("y must have a position for each window of x, and an "
                      "element for each output of w" +
                      got);
  return {};
}

template <>
Status CommandRules<CommandKind::conv>::verify(const CommandCheck &check) {
  const Conv &conv = check.command.conv;
  PREC_RT_RETURN_IF_ERROR(verifySizes(check));
  struct Operand {
    const char *name;
    int index;
    bool isResult;
  };
  const Operand operands[] = {{"x", conv.x, conv.direction == "dgrad"},
                              {"w", conv.w, conv.direction == "wgrad"},
                              {"y", conv.y, conv.direction == "fprop"}};
  std::optional<DType> read;
  for (const Operand &operand : operands) {
    const Buffer &buffer = check.buffer(operand.index);
    if (!isConvolved(buffer.dtype))
      return check.fail(std::string(operand.name) +
                        " must be f32, bf16 or f16, but got " +
                        std::string(name(buffer.dtype)));
    if (!operand.isResult && read && *read != buffer.dtype)
      return check.fail("operands must have one dtype, but got " +
                        std::string(name(*read)) + " and " +
                        std::string(name(buffer.dtype)));
    if (!operand.isResult)
      read = buffer.dtype;
    PREC_RT_RETURN_IF_ERROR(operand.isResult
                                ? check.expectWritten(operand.index)
                                : check.expectRead(operand.index));
    for (const Operand &other : operands)
      if (operand.isResult && !other.isResult &&
          overlap(buffer, check.buffer(other.index)))
        return check.fail(std::string(operand.name) +
                          " must not share bytes with " + other.name +
                          ", but does");
  }
  return {};
}

namespace {

/// Sums of squares, of which bounds are made.
class ConvBound {
public:
  ConvBound(const BoundQuery &query)
      : conv(query.command.conv), shape(query.manifest, conv), query(query) {}

  std::vector<double> compute() const {
    std::vector<double> bound(
        query.manifest.buffers[static_cast<size_t>(query.output)].elements());
    if (conv.direction == "fprop")
      addOutput(bound);
    else if (conv.direction == "dgrad")
      addInput(bound);
    else
      addWeight(bound);
    return bound;
  }

private:
  const float *valuesOf(int buffer) const {
    return query.values.before.at(buffer).data();
  }
  static double square(float value) {
    return static_cast<double>(value) * static_cast<double>(value);
  }
  /// The sum's error and that of what is around it.
  static double errorOf(int64_t terms) {
    return accumulationError(terms, Accumulator::full, /*fp8=*/false) +
           4 * f32Error;
  }
  /// Of each row of so many elements.
  std::vector<double> squaresOfRows(const float *values, int64_t rows,
                                    int64_t columns) const {
    std::vector<double> result(static_cast<size_t>(rows));
    query.pool.parallelFor(rows, 64, [&](int64_t begin, int64_t end, unsigned) {
      for (int64_t row = begin; row < end; ++row)
        for (int64_t i = 0; i < columns; ++i)
          result[row] += square(values[row * columns + i]);
    });
    return result;
  }
  std::vector<double> squaresOfColumns(const float *values, int64_t rows,
                                       int64_t columns) const {
    std::vector<double> result(static_cast<size_t>(columns));
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < columns; ++i)
        result[i] += square(values[row * columns + i]);
    return result;
  }

  /// Calls `handle` with each element of a batch of boxes, its image and its
  /// coordinates.
  template <typename Handle>
  void forElements(const Spatial &box, Handle handle) const {
    const int64_t each = ConvShape::productOf(box);
    query.pool.parallelFor(
        shape.batch * each, 16, [&](int64_t begin, int64_t end, unsigned) {
          for (int64_t i = begin; i < end; ++i)
            handle(i, i / each, ConvShape::split(i % each, box));
        });
  }

  void addOutput(std::vector<double> &bound) const {
    const int64_t groups = shape.groups, outputs = shape.groupOutputs(),
                  terms = shape.places() * shape.groupChannels();
    const std::vector<double> ofX = squaresOfRows(
        valuesOf(conv.x), shape.allSizes() * groups, shape.groupChannels());
    const std::vector<double> ofW =
        squaresOfRows(valuesOf(conv.w), shape.outputs, terms);
    const int64_t each = ConvShape::productOf(shape.sizes);
    forElements(shape.positions, [&](int64_t i, int64_t image, Spatial at) {
      for (int64_t group = 0; group < groups; ++group) {
        double window = 0;
        for (int64_t place = 0; place < shape.places(); ++place) {
          const int64_t element =
              shape.inputAt(at, ConvShape::split(place, shape.kernel));
          if (element >= 0)
            window += ofX[(image * each + element) * groups + group];
        }
        for (int64_t o = group * outputs; o < (group + 1) * outputs; ++o)
          bound[i * shape.outputs + o] =
              errorOf(terms) * std::sqrt(window * ofW[o]);
      }
    });
  }

  void addInput(std::vector<double> &bound) const {
    const int64_t groups = shape.groups, channels = shape.groupChannels(),
                  outputs = shape.groupOutputs(),
                  terms = shape.places() * outputs;
    const std::vector<double> ofY =
        squaresOfRows(valuesOf(conv.y), shape.allPositions() * groups, outputs);
    std::vector<double> ofW;
    for (int64_t group = 0; group < groups; ++group) {
      const std::vector<double> columns = squaresOfColumns(
          valuesOf(conv.w) + group * terms * channels, terms, channels);
      ofW.insert(ofW.end(), columns.begin(), columns.end());
    }
    const int64_t each = ConvShape::productOf(shape.positions);
    forElements(shape.sizes, [&](int64_t i, int64_t image, Spatial at) {
      for (int64_t group = 0; group < groups; ++group) {
        double gradients = 0;
        for (int64_t place = 0; place < shape.places(); ++place) {
          const int64_t position =
              shape.outputAt(at, ConvShape::split(place, shape.kernel));
          if (position >= 0)
            gradients += ofY[(image * each + position) * groups + group];
        }
        for (int64_t c = group * channels; c < (group + 1) * channels; ++c)
          bound[i * shape.channels + c] =
              errorOf(terms) * std::sqrt(gradients * ofW[c]);
      }
    });
  }

  void addWeight(std::vector<double> &bound) const {
    const int64_t channels = shape.groupChannels();
    const std::vector<double> ofX =
        squaresOfColumns(valuesOf(conv.x), shape.allSizes(), shape.channels);
    const std::vector<double> ofY =
        squaresOfColumns(valuesOf(conv.y), shape.allPositions(), shape.outputs);
    const double error = errorOf(shape.allPositions());
    for (int64_t o = 0; o < shape.outputs; ++o) {
      const int64_t group = o / shape.groupOutputs();
      for (int64_t i = 0; i < shape.places() * channels; ++i)
        bound[o * shape.places() * channels + i] =
            error * std::sqrt(ofY[o] * ofX[group * channels + i % channels]);
    }
  }

  const Conv &conv;
  const ConvShape shape;
  const BoundQuery &query;
};

} // namespace

template <>
std::vector<double>
CommandRules<CommandKind::conv>::bound(const BoundQuery &query) {
  return ConvBound(query).compute();
}

template <>
std::optional<Products>
CommandRules<CommandKind::conv>::products(const Manifest &manifest,
                                          const Command &command) {
  const Conv &conv = command.conv;
  std::vector<int> operands = {conv.x, conv.w};
  if (conv.direction != "fprop")
    operands = {conv.y, conv.direction == "dgrad" ? conv.w : conv.x};
  return Products{ConvShape(manifest, conv).flops(), operands};
}
