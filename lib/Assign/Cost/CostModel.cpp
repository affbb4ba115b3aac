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
#include <tuple>

using namespace mlir;
using namespace prec;

/// Longer than any kernel, and few enough to be added up.
static int64_t toPicoseconds(double microseconds) {
  constexpr double kLongest = 1e15;
  return std::llround(std::clamp(microseconds * 1e6, 0.0, kLongest));
}

static bool isSame(const ContractionFormats &one,
                   const ContractionFormats &other) {
  return std::tie(one.lhs, one.rhs, one.result, one.scaling, one.accumulator) ==
         std::tie(other.lhs, other.rhs, other.result, other.scaling,
                  other.accumulator);
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

/// How far apart two sizes are, in their logarithm.
static double getDistance(double one, double other) {
  return std::abs(std::log2(std::max(one, 1.0) / std::max(other, 1.0)));
}

/// A neighbor that took more than so many times what is modelled, or less than
/// that part, is too far to tell anything.
static constexpr double kMostRatio = 16;

std::optional<int64_t>
CostModel::correctProduct(const ContractionShape &shape,
                          const Candidate &candidate) const {
  if (!measured)
    return std::nullopt;
  const ContractionFormats formats = getFormats(candidate);
  const std::pair<const ContractionKey, Time> *nearest = nullptr;
  double least = 0;
  for (const auto &entry : measured->contractions) {
    const ContractionKey &key = entry.first;
    if (!isSame(key.formats, formats))
      continue;
    double distance = getDistance(double(key.m), double(shape.m)) +
                      getDistance(double(key.n), double(shape.n)) +
                      getDistance(double(key.k), double(shape.k)) +
                      getDistance(double(key.batch), double(shape.batch));
    if (nearest && distance >= least)
      continue;
    nearest = &entry;
    least = distance;
  }
  if (!nearest)
    return std::nullopt;
  const ContractionKey &key = nearest->first;
  double modelled =
      double(priceProduct({key.m, key.n, key.k, key.batch}, candidate));
  double ratio = std::clamp(nearest->second.us * 1e6 / modelled, 1 / kMostRatio,
                            kMostRatio);
  return std::llround(double(priceProduct(shape, candidate)) * ratio);
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

double CostModel::getQuantizationRatio(const QuantizationSource &source,
                                       Format to, Scaling scaling) const {
  if (!measured)
    return 1;
  QuantizationKey wanted{source.rows,
                         source.columns,
                         stringifyFormat(source.from).str(),
                         stringifyFormat(to).str(),
                         stringifyScaling(scaling).str(),
                         "both"};
  const std::pair<const QuantizationKey, Time> *nearest = nullptr;
  double least = 0;
  for (const auto &entry : measured->quantizations) {
    const QuantizationKey &key = entry.first;
    if (std::tie(key.from, key.to, key.scaling, key.layouts) !=
        std::tie(wanted.from, wanted.to, wanted.scaling, wanted.layouts))
      continue;
    double distance = getDistance(double(key.rows), double(source.rows)) +
                      getDistance(double(key.columns), double(source.columns));
    if (nearest && distance >= least)
      continue;
    nearest = &entry;
    least = distance;
  }
  if (!nearest)
    return 1;
  QuantizationPrice alone = modelQuantization(
      {nearest->first.rows, nearest->first.columns, source.from, false}, to,
      scaling);
  double modelled = double(alone.once + alone.rows + alone.columns);
  return std::clamp(nearest->second.us * 1e6 / modelled, 1 / kMostRatio,
                    kMostRatio);
}

QuantizationPrice CostModel::priceQuantization(const QuantizationSource &source,
                                               Format to,
                                               Scaling scaling) const {
  // What a kernel of ours writes in addition was not measured as a kernel.
  bool isFused = source.isFusible && isKnownEarly(scaling);
  if (!isFused)
    if (std::optional<QuantizationPrice> found =
            findQuantization(source, to, scaling))
      return *found;
  QuantizationPrice price = modelQuantization(source, to, scaling);
  double ratio = getQuantizationRatio(source, to, scaling);
  for (int64_t *part : {&price.once, &price.rows, &price.columns})
    *part = std::llround(double(*part) * ratio);
  return price;
}

QuantizationPrice CostModel::modelQuantization(const QuantizationSource &source,
                                               Format to,
                                               Scaling scaling) const {
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
