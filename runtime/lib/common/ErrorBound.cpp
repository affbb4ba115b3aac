//===- ErrorBound.cpp - how far two targets may differ --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ErrorBound.h"

#include "FloatConvert.h"
#include "GemmScales.h"
#include "RowMath.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace prec::rt;

static constexpr double f32Error = 0x1p-24;

/// f32 operations between an input and an output of a kernel besides the chain
/// of additions; exp, log and their like count as the few ulp they err by.
static constexpr int64_t kernelOperations = 32;

static int mantissaBits(DType dtype) {
  switch (dtype) {
  case DType::bf16:
    return 7;
  case DType::f16:
    return 10;
  case DType::f8E4M3FN:
    return 3;
  case DType::f8E5M2:
    return 2;
  case DType::f8E8M0FNU:
    return 0;
  default:
    return 23;
  }
}

static int minExponent(DType dtype) {
  switch (dtype) {
  case DType::f16:
  case DType::f8E5M2:
    return -14;
  case DType::f8E4M3FN:
    return -6;
  default:
    return -126;
  }
}

double prec::rt::unitRoundoff(DType dtype) {
  return std::ldexp(1.0, -mantissaBits(dtype) - 1);
}

double prec::rt::spacing(DType dtype, float value) {
  // By bits: this runs once an element.
  int exponent = static_cast<int>(bitsOf(value) >> 23 & 0xff) - 127;
  exponent = exponent == 128 ? 127 : std::max(exponent, minExponent(dtype));
  uint64_t bits = static_cast<uint64_t>(exponent - mantissaBits(dtype) + 1023)
                  << 52;
  double result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

double prec::rt::accumulationError(int64_t accumulation,
                                   Accumulator accumulator, bool fp8) {
  constexpr double instruction = 32, promotion = 128, fp8Truncation = 0x1p-13;
  double chain = static_cast<double>(accumulation);
  // One target to nearest, the other truncating: 1 + 2 units.
  double f32 = 3 * f32Error;
  if (!fp8 || accumulator == Accumulator::full)
    return chain * f32;
  if (accumulator == Accumulator::fast)
    return chain * f32Error +
           (std::ceil(chain / instruction) + 1) * fp8Truncation;
  return chain * f32Error + std::ceil(chain / promotion) * f32 +
         (std::min(std::ceil(chain / instruction), promotion / instruction) +
          1) *
             fp8Truncation;
}

static double maxMagnitude(const std::vector<float> &values) {
  double result = 0;
  for (float value : values)
    if (std::isfinite(value))
      result = std::max(result, std::abs(static_cast<double>(value)));
  return result;
}

static bool isFp8(DType dtype) {
  return dtype == DType::f8E4M3FN || dtype == DType::f8E5M2;
}

/// 2-norms of the rows (or columns) of a stored matrix, whose elements have
/// inverse scales if there are any.
static std::vector<double>
norms(const float *matrix, int64_t rows, int64_t columns, bool ofColumns,
      const std::function<double(int64_t row, int64_t k)> &scaleInv = nullptr) {
  std::vector<double> sums(ofColumns ? columns : rows, 0);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double value = matrix[i * columns + j];
      if (scaleInv)
        value *= ofColumns ? scaleInv(j, i) : scaleInv(i, j);
      sums[ofColumns ? j : i] += value * value;
    }
  for (double &sum : sums)
    sum = std::sqrt(sum);
  return sums;
}

static std::vector<double> gemmBound(const Manifest &manifest,
                                     const Command &command,
                                     const OperandValues &values,
                                     ThreadPool &pool) {
  const Gemm &gemm = command.gemm;
  std::vector<double> bound(manifest.buffers[gemm.d].elements(), 0);
  auto scaleInvOf =
      [&](const std::optional<int> &buffer,
          int64_t rows) -> std::function<double(int64_t, int64_t)> {
    if (!buffer)
      return nullptr;
    ScaleGranularity granularity =
        *granularityOf(manifest.buffers[*buffer], rows, gemm.k);
    const std::vector<float> &scaleInvs = values.before.at(*buffer);
    return [granularity, &scaleInvs](int64_t row, int64_t k) {
      return scaleInvs[granularity.indexOf(row, k)];
    };
  };
  auto scaleInvA = scaleInvOf(gemm.scaleA, gemm.m),
       scaleInvB = scaleInvOf(gemm.scaleB, gemm.n);
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

namespace {

/// Magnitudes of one group of heads that share keys and values.
struct SdpaGroup {
  double query, key, value, gradient;                 ///< largest elements
  double queryNorm, keyNorm, valueNorm, gradientNorm; ///< largest rows
  std::vector<double> columnWeight; ///< sum of probabilities by key, backward
};

/// Bounds of attention, to first order. A score errs by its D additions, a
/// probability relatively by as much and by the T additions of its row's sum,
/// and both targets round it to the format of q: flash attention against
/// another running maximum, so the roundings are not the same ones.
class SdpaBound {
public:
  SdpaBound(const Manifest &manifest, const Command &command,
            const OperandValues &values, ThreadPool &pool)
      : manifest(manifest), command(command), sdpa(command.sdpa),
        values(values), pool(pool) {
    const std::vector<int64_t> q = sdpa.viewOf(manifest, "q", sdpa.q).shape;
    const std::vector<int64_t> k = sdpa.viewOf(manifest, "k", sdpa.k).shape;
    batch = q[0], heads = q[1], rows = q[2], depth = q[3];
    groups = k[1], columns = k[2];
    query = gather("q", sdpa.q);
    key = gather("k", sdpa.k);
    value = gather("v", sdpa.v);
    if (command.kind == CommandKind::sdpaBackward)
      gradient = gather("do", sdpa.dO);
  }

  std::vector<double> compute(int output) const {
    std::vector<double> bound(manifest.buffers[output].elements());
    int64_t perGroup = bound.size() / (batch * groups);
    auto computeGroup = [&](int64_t group) {
      SdpaGroup g = measure(group, output == sdpa.dk || output == sdpa.dv);
      double score = (depth + 2) * 3 * f32Error * std::abs(sdpa.scale) *
                     g.queryNorm * g.keyNorm;
      double probability = 2 * unitRoundoff(manifest.buffers[sdpa.q].dtype) +
                           2 * score + (columns + 8) * 3 * f32Error;
      double dScore =
          2 * std::abs(sdpa.scale) * g.gradientNorm * g.valueNorm *
          (2 * probability + 2 * unitRoundoff(manifest.buffers[sdpa.o].dtype) +
           (depth + 4) * 3 * f32Error);
      int64_t queriesOfKey = heads / groups * rows;
      double sums = double(queriesOfKey) * 3 * f32Error;
      for (int64_t i = 0; i < perGroup; ++i) {
        double &element = bound[group * perGroup + i];
        if (output == sdpa.lse)
          element = score + (columns + 8) * 3 * f32Error;
        else if (output == sdpa.o)
          element = probability * g.value;
        else if (output == sdpa.dq)
          element = dScore * g.key;
        else if (output == sdpa.dk)
          element = (dScore * (1 + sums)) * g.columnWeight[i / depth] * g.query;
        else
          element =
              (probability + sums) * g.columnWeight[i / depth] * g.gradient;
      }
    };
    pool.parallelFor(batch * groups, 1,
                     [&](int64_t begin, int64_t end, unsigned) {
                       for (int64_t group = begin; group < end; ++group)
                         computeGroup(group);
                     });
    return inBuffer(output, bound);
  }

private:
  /// Calls `handle` with the number of each element of a view and its place.
  template <typename Handle>
  static void forElements(const StridedView &view, Handle handle) {
    const std::vector<int64_t> &n = view.shape, &s = view.strides;
    int64_t number = 0;
    for (int64_t b = 0; b < n[0]; ++b)
      for (int64_t h = 0; h < n[1]; ++h)
        for (int64_t row = 0; row < n[2]; ++row)
          for (int64_t i = 0; i < n[3]; ++i)
            handle(number++,
                   view.offset + b * s[0] + h * s[1] + row * s[2] + i);
  }

  /// An operand as [B,H,S,D].
  std::vector<float> gather(const char *name, int buffer) const {
    StridedView view = sdpa.viewOf(manifest, name, buffer);
    const std::vector<float> &data = values.before.at(buffer);
    std::vector<float> result(view.shape[0] * view.shape[1] * view.shape[2] *
                              view.shape[3]);
    forElements(view, [&](int64_t number, int64_t place) {
      result[number] = data[place];
    });
    return result;
  }

  /// Bounds by the element of attention, by that of the buffer.
  std::vector<double> inBuffer(int output, std::vector<double> bound) const {
    const char *name = output == sdpa.o    ? "o"
                       : output == sdpa.dq ? "dq"
                       : output == sdpa.dk ? "dk"
                                           : "dv";
    if (output == sdpa.lse || !sdpa.views.count(name))
      return bound;
    std::vector<double> result(bound.size());
    forElements(
        sdpa.viewOf(manifest, name, output),
        [&](int64_t number, int64_t place) { result[place] = bound[number]; });
    return result;
  }

  SdpaGroup measure(int64_t group, bool weights) const {
    SdpaGroup result{};
    int64_t perGroup = heads / groups;
    auto scan = [&](const std::vector<float> &of, int64_t first, int64_t count,
                    double &element, double &norm) {
      const float *data = of.data() + first * depth;
      for (int64_t i = 0; i < count * depth; ++i)
        element = std::max(element, std::abs(static_cast<double>(data[i])));
      for (double value : norms(data, count, depth, false))
        norm = std::max(norm, value);
    };
    scan(query, group * perGroup * rows, perGroup * rows, result.query,
         result.queryNorm);
    scan(key, group * columns, columns, result.key, result.keyNorm);
    scan(value, group * columns, columns, result.value, result.valueNorm);
    if (command.kind == CommandKind::sdpaBackward)
      scan(gradient, group * perGroup * rows, perGroup * rows, result.gradient,
           result.gradientNorm);
    if (weights)
      result.columnWeight = columnWeights(group);
    return result;
  }

  std::vector<double> columnWeights(int64_t group) const {
    std::vector<double> result(columns, 0);
    int64_t perGroup = heads / groups;
    const float *q = query.data();
    const float *k = key.data() + group * columns * depth;
    const float *lse = values.before.at(sdpa.lse).data();
    for (int64_t row = group * perGroup * rows;
         row < (group + 1) * perGroup * rows; ++row)
      for (int64_t column = 0;
           column < (sdpa.causal ? std::min(columns, row % rows + 1) : columns);
           ++column) {
        float score = rowDot(q + row * depth, k + column * depth, depth);
        result[column] +=
            std::exp(static_cast<float>(sdpa.scale) * score - lse[row]);
      }
    return result;
  }

  const Manifest &manifest;
  const Command &command;
  const Sdpa &sdpa;
  const OperandValues &values;
  ThreadPool &pool;
  int64_t batch, heads, groups, rows, columns, depth;
  std::vector<float> query, key, value, gradient; ///< [B,H,S,D]
};

} // namespace

std::vector<double> prec::rt::errorBound(const Manifest &manifest,
                                         const Command &command, int output,
                                         const OperandValues &values,
                                         ThreadPool &pool) {
  const std::vector<float> &result = values.after.at(output);
  switch (command.kind) {
  case CommandKind::copy:
  case CommandKind::fill:
    return std::vector<double>(result.size(), 0);
  case CommandKind::gemm:
    return gemmBound(manifest, command, values, pool);
  case CommandKind::sdpaForward:
  case CommandKind::sdpaBackward:
    return SdpaBound(manifest, command, values, pool).compute(output);
  case CommandKind::kernel:
    break;
  }
  // What a kernel adds up is not in the manifest; the largest result stands for
  // the magnitude. A chain's real error grows with the root of its length, and
  // so does, for terms that cancel, the ratio of magnitude to result.
  double error = accumulationError(command.accumulation + kernelOperations,
                                   Accumulator::full, false);
  if (command.innerRounding)
    error += 2 * unitRoundoff(*command.innerRounding);
  return std::vector<double>(result.size(), error * maxMagnitude(result));
}

/// Elements [begin, end) of compareValues; `agrees` is left to the caller.
static Agreement compareRange(DType dtype, const std::vector<double> &bound,
                              const std::vector<float> &reference,
                              const std::vector<float> &other, int64_t begin,
                              int64_t end) {
  Agreement result;
  bool narrow = dtype != DType::f32;
  for (int64_t i = begin; i < end; ++i) {
    float a = reference[i], b = other[i];
    double ulp = spacing(dtype, std::max(std::abs(a), std::abs(b)));
    if (narrow && std::isfinite(a))
      result.expectedFlips += std::min(1.0, bound[i] / ulp);
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    result.flips += narrow;
    double difference = std::abs(static_cast<double>(a) - b);
    double limit = bound[i] > 0 ? bound[i] + ulp : 0;
    double ratio = std::isfinite(difference) && limit > 0
                       ? difference / limit
                       : std::numeric_limits<double>::infinity();
    if (std::isfinite(difference))
      result.maxDifference = std::max(result.maxDifference, difference);
    if (ratio > result.maxRatio) {
      result.maxRatio = ratio;
      result.worst = i;
      result.reference = a;
      result.other = b;
    }
  }
  return result;
}

Agreement prec::rt::compareValues(DType dtype, const std::vector<double> &bound,
                                  const std::vector<float> &reference,
                                  const std::vector<float> &other,
                                  bool countFlips, ThreadPool &pool) {
  constexpr int64_t range = 1 << 16;
  int64_t count = reference.size();
  std::vector<Agreement> parts((count + range - 1) / range);
  pool.parallelFor(count, range, [&](int64_t begin, int64_t end, unsigned) {
    parts[begin / range] =
        compareRange(dtype, bound, reference, other, begin, end);
  });
  Agreement result;
  for (const Agreement &part : parts) {
    result.flips += part.flips;
    result.expectedFlips += part.expectedFlips;
    result.maxDifference = std::max(result.maxDifference, part.maxDifference);
    if (part.maxRatio > result.maxRatio) {
      result.maxRatio = part.maxRatio;
      result.worst = part.worst;
      result.reference = part.reference;
      result.other = part.other;
    }
  }
  // Six standard deviations of as many independent flips.
  double mostFlips =
      result.expectedFlips + 6 * std::sqrt(result.expectedFlips) + 3;
  bool rounded = countFlips && dtype != DType::f32;
  result.agrees =
      result.maxRatio <= 1 && (!rounded || result.flips <= mostFlips);
  return result;
}

template <typename T>
static Agreement compareAs(const std::vector<char> &reference,
                           const std::vector<char> &other) {
  Agreement result;
  for (size_t i = 0; i < reference.size() / sizeof(T); ++i) {
    T a, b;
    memcpy(&a, reference.data() + i * sizeof(T), sizeof(T));
    memcpy(&b, other.data() + i * sizeof(T), sizeof(T));
    if (a == b)
      continue;
    double left = static_cast<double>(a), right = static_cast<double>(b);
    result.maxDifference =
        std::max(result.maxDifference, std::abs(left - right));
    ++result.flips;
    if (!result.agrees)
      continue;
    result.agrees = false;
    result.maxRatio = std::numeric_limits<double>::infinity();
    result.worst = static_cast<int64_t>(i);
    result.reference = left;
    result.other = right;
  }
  return result;
}

Agreement prec::rt::compareIntegers(DType dtype,
                                    const std::vector<char> &reference,
                                    const std::vector<char> &other) {
  switch (byteSize(dtype)) {
  case 1:
    return compareAs<int8_t>(reference, other);
  case 4:
    return compareAs<int32_t>(reference, other);
  default:
    return compareAs<int64_t>(reference, other);
  }
}
