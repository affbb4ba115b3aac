//===- CostModel.cpp - times of products and casts ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of matmuls and of making copies, in whole picoseconds, so that sums are
// exact. A matmul takes its operations at the speed of the matrix unit or its
// bytes at the speed of memory, whichever is longer, and a launch. A
// quantization has three parts: what is paid once for either layout, and what
// rows and columns cost. Measured times replace both; as once + rows, once +
// columns and once + rows + columns are what is measured, the parts follow from
// these three. A kernel that computes the tensor anyway can quantize it without
// reading it again, unless the scale needs the whole tensor first.
//
//===----------------------------------------------------------------------===//
#include "prec/Assign/CostModel.h"

#include "Assign/Bounds/MeasuredFormats.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace prec;

/// Longer than any kernel, and few enough to be added up.
static int64_t toPicoseconds(double microseconds) {
  constexpr double kLongest = 1e15;
  return std::llround(std::clamp(microseconds * 1e6, 0.0, kLongest));
}

static double getBytes(Format format) { return getBits(format) / 8.0; }

int64_t CostModel::priceBytes(double bytes) const {
  return toPicoseconds(bytes / target.bytesPerSecond * 1e6);
}

int64_t CostModel::priceKernel(double bytes) const {
  return priceBytes(bytes) + toPicoseconds(target.launchMicroseconds);
}

int64_t CostModel::priceProduct(const ContractionShape &shape,
                                const Candidate &candidate) const {
  auto size = [](int64_t s) { return double(std::max<int64_t>(s, 1)); };
  double m = size(shape.m), n = size(shape.n), k = size(shape.k),
         batch = size(shape.batch);
  // A target that multiplies a format without a unit for it widens it first.
  auto wider = std::min(getMatrixUnit(candidate.uses[0].format),
                        getMatrixUnit(candidate.uses[1].format));
  double flops = target.flopsPerSecond[static_cast<unsigned>(wider)].value_or(
      *target.flopsPerSecond[static_cast<unsigned>(MatrixUnit::F32)]);
  double computing = 2 * batch * m * n * k / flops * 1e6;
  double bytes = batch * (m * k * getBytes(candidate.uses[0].format) +
                          n * k * getBytes(candidate.uses[1].format) +
                          m * n * getBytes(candidate.result));
  double moving = bytes / target.bytesPerSecond * 1e6;
  return toPicoseconds(std::max(computing, moving) + target.launchMicroseconds);
}

std::optional<int64_t>
CostModel::findProduct(Direction direction, const ContractionShape &shape,
                       const Candidate &candidate) const {
  if (!measured)
    return std::nullopt;
  std::optional<Time> time = measured->findContraction(
      {stringifyDirection(direction).str(), shape.m, shape.n, shape.k,
       std::max<int64_t>(shape.batch, 1), getFormats(candidate)});
  if (!time)
    return std::nullopt;
  return toPicoseconds(time->us);
}

/// All three kinds of a copy, or nothing: parts of a time cannot be told from
/// one of them.
std::optional<QuantizationPrice>
CostModel::findQuantization(const QuantizationSource &source, Format to,
                            Scaling scaling) const {
  if (!measured)
    return std::nullopt;
  auto find = [&](llvm::StringRef layouts) {
    return measured->findQuantization(
        {source.rows, source.columns, stringifyFormat(source.from).str(),
         stringifyFormat(to).str(), stringifyScaling(scaling).str(),
         layouts.str()});
  };
  std::optional<Time> rows = find("rows"), columns = find("columns"),
                      both = find("both");
  if (!rows || !columns || !both)
    return std::nullopt;
  // once + rows, once + columns and once + rows + columns are what was
  // measured; noise must not make a part negative.
  double once = std::max(0.0, rows->us + columns->us - both->us);
  once = std::min({once, rows->us, columns->us});
  return QuantizationPrice{toPicoseconds(once), toPicoseconds(rows->us - once),
                           toPicoseconds(columns->us - once)};
}

/// Whether a scale is known before the whole tensor is.
static bool isKnownEarly(Scaling scaling) {
  return scaling != Scaling::None && !needsWholeTensor(scaling);
}

QuantizationPrice CostModel::priceQuantization(const QuantizationSource &source,
                                               Format to,
                                               Scaling scaling) const {
  if (std::optional<QuantizationPrice> found =
          findQuantization(source, to, scaling))
    return *found;
  double elements = source.getElements();
  int64_t write = priceBytes(elements * getBytes(to));
  bool isFused = source.isFusible && isKnownEarly(scaling);
  int64_t read = isFused ? 0 : priceKernel(elements * getBytes(source.from));
  if (traitsOf(scaling).isSymmetric())
    return {read, write, write};
  // Along the columns nothing but tiles of 128 rows or fewer is at hand where
  // rows are computed.
  int64_t readAgain = priceKernel(elements * getBytes(source.from));
  return {0, read + write, readAgain + write};
}

int64_t CostModel::priceAmax(const QuantizationSource &source) const {
  return source.isFusible
             ? 0
             : priceKernel(source.getElements() * getBytes(source.from));
}
