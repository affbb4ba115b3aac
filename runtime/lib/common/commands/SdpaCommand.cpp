//===- SdpaCommand.cpp - attention and its gradient -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What both targets share about attention commands: the check of their
// operands, the error bound by which two targets are compared, and the
// operations that they count as. The bound follows roundings to first order: a
// score errs by its dot product, a probability by its score and the sum of its
// row, and by being rounded to the format of q; outputs by their sums. It uses
// the largest rows and elements of each group of heads (backward also the sum
// of each key's probabilities) instead of every element, so it is coarser than
// that of a gemm. Of biases, those count that are not so far below the largest
// of their row that nothing is left of the probability. A view is checked to
// stay inside its buffer, and that of a result to be all of it, each element
// once.
//
//===----------------------------------------------------------------------===//

#include "prec-rt/flops.h"

#include "CommandRules.h"
#include "RowMath.h"
#include "RowNorms.h"

#include <algorithm>
#include <cmath>

using namespace prec::rt;

/// A result is all of its buffer, each element once.
static Status verifyView(const CommandCheck &check, const char *operand,
                         const StridedView &view, int index, bool isResult) {
  if (view.strides.size() != view.shape.size() || view.strides.back() != 1)
    return check.fail(
        std::string(operand) +
        " must have a stride for each dimension, the last of 1, but "
        "got " +
        formatShape(view.strides));
  int64_t last = view.offset;
  std::vector<std::pair<int64_t, int64_t>> dims; // stride and size
  for (size_t i = 0; i < view.shape.size(); ++i) {
    int64_t distance = 0;
    if (__builtin_mul_overflow(view.shape[i] - 1, view.strides[i], &distance) ||
        __builtin_add_overflow(last, distance, &last))
      return check.fail(std::string(operand) +
                        " must have at most 2^63 elements");
    if (view.shape[i] > 1)
      dims.push_back({view.strides[i], view.shape[i]});
  }
  const std::vector<int64_t> &shape = check.buffer(index).shape;
  if (last >= check.buffer(index).elements())
    return check.fail(std::string(operand) + " must be in " +
                      formatShape(shape) + ", but its last element is at " +
                      std::to_string(last));
  if (!isResult)
    return {};
  std::sort(dims.begin(), dims.end());
  int64_t elements = 1;
  for (auto [stride, size] : dims) {
    if (stride != elements)
      return check.fail(std::string(operand) +
                        " must have each of its elements in one place, but got "
                        "strides " +
                        formatShape(view.strides));
    elements *= size;
  }
  if (elements == check.buffer(index).elements())
    return {};
  return check.fail(std::string(operand) + " must be all of " +
                    formatShape(shape) + ", but got " +
                    formatShape(view.shape));
}

/// Sizes are batch, heads, queries and keys.
static Status verifyMask(const CommandCheck &check,
                         const std::vector<int64_t> &sizes) {
  const Sdpa &sdpa = check.command.sdpa;
  if (sdpa.window && (!sdpa.causal || sizes[2] > sizes[3]))
    return check.fail("a window must be of causal attention with a key for "
                      "each query, but got " +
                      std::to_string(sizes[2]) + " queries and " +
                      std::to_string(sizes[3]) + " keys" +
                      (sdpa.causal ? "" : " without causal"));
  if (!sdpa.bias)
    return {};
  const Buffer &bias = check.buffer(*sdpa.bias);
  bool fits = bias.shape.size() == 4 && bias.shape[3] == sizes[3];
  for (size_t dim = 0; fits && dim < 3; ++dim)
    fits = bias.shape[dim] == 1 || bias.shape[dim] == sizes[dim];
  if (!fits || (bias.dtype != DType::f32 && bias.dtype != DType::bf16))
    return check.fail("bias must be f32 or bf16 of " + formatShape(sizes) +
                      ", where all but the last may be 1, but got " +
                      std::string(name(bias.dtype)) + formatShape(bias.shape));
  return check.expectRead(*sdpa.bias);
}

static Status verifySdpa(const CommandCheck &check) {
  const Sdpa &sdpa = check.command.sdpa;
  bool backward = check.command.kind == CommandKind::sdpaBackward;
  const std::vector<int64_t> q = sdpa.viewOf(check.manifest, "q", sdpa.q).shape;
  const std::vector<int64_t> k = sdpa.viewOf(check.manifest, "k", sdpa.k).shape;
  if (q.size() != 4 || k.size() != 4 || q[0] != k[0] || q[3] != k[3] ||
      k[1] == 0 || q[1] % k[1])
    return check.fail(
        "q must be [B, H, S, D] and k [B, G, T, D] with G dividing H, "
        "but got " +
        formatShape(q) + " and " + formatShape(k));
  for (int64_t dim : {q[0], q[1], q[2], q[3], k[2]})
    if (dim == 0)
      return check.fail("q and k must not be empty, but got " + formatShape(q) +
                        " and " + formatShape(k));
  PREC_RT_RETURN_IF_ERROR(verifyMask(check, {q[0], q[1], q[2], k[2]}));
  struct Operand {
    const char *name;
    int index;
    const std::vector<int64_t> &shape;
    bool written;
  };
  std::vector<Operand> operands = {{"q", sdpa.q, q, false},
                                   {"k", sdpa.k, k, false},
                                   {"v", sdpa.v, k, false},
                                   {"o", sdpa.o, q, !backward}};
  if (backward) {
    operands.push_back({"do", sdpa.dO, q, false});
    operands.push_back({"dq", sdpa.dq, q, true});
    operands.push_back({"dk", sdpa.dk, k, true});
    operands.push_back({"dv", sdpa.dv, k, true});
  }
  for (const auto &[name, view] : sdpa.views)
    if (std::none_of(
            operands.begin(), operands.end(),
            [&](const Operand &operand) { return operand.name == name; }))
      return check.fail("views must be of operands but lse and bias, but got "
                        "'" +
                        name + "'");
  for (const Operand &operand : operands) {
    StridedView view = sdpa.viewOf(check.manifest, operand.name, operand.index);
    if (view.shape != operand.shape)
      return check.fail(std::string(operand.name) + " must be " +
                        formatShape(operand.shape) + ", but got " +
                        formatShape(view.shape));
    PREC_RT_RETURN_IF_ERROR(
        verifyView(check, operand.name, view, operand.index, operand.written));
    PREC_RT_RETURN_IF_ERROR(check.expectFloat(operand.index, operand.name));
    PREC_RT_RETURN_IF_ERROR(operand.written ? check.expectWritten(operand.index)
                                            : check.expectRead(operand.index));
    if (!operand.written)
      continue;
    if (sdpa.bias &&
        overlap(check.buffer(operand.index), check.buffer(*sdpa.bias)))
      return check.fail(std::string(operand.name) +
                        " must not share bytes with bias, but does");
    for (const Operand &other : operands)
      if (&other != &operand &&
          overlap(check.buffer(operand.index), check.buffer(other.index)))
        return check.fail(std::string(operand.name) +
                          " must not share bytes with " + other.name +
                          ", but does");
  }
  const Buffer &lse = check.buffer(sdpa.lse);
  if (lse.dtype != DType::f32 || lse.elements() != q[0] * q[1] * q[2])
    return check.fail("lse must be f32" + formatShape({q[0], q[1], q[2]}) +
                      ", but got " + std::string(name(lse.dtype)) +
                      formatShape(lse.shape));
  return backward ? check.expectRead(sdpa.lse) : check.expectWritten(sdpa.lse);
}

namespace {

/// Magnitudes of one group of heads that share keys and values.
struct SdpaGroup {
  double query, key, value, gradient;                 ///< largest elements
  double queryNorm, keyNorm, valueNorm, gradientNorm; ///< largest rows
  double bias;                      ///< largest that leaves a probability
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
    if (sdpa.bias)
      biasView = sdpa.viewOfBias(manifest);
  }

  std::vector<double> compute(int output) const {
    std::vector<double> bound(manifest.buffers[output].elements());
    int64_t perGroup = bound.size() / (batch * groups);
    auto computeGroup = [&](int64_t group) {
      SdpaGroup g = measure(group, output == sdpa.dk || output == sdpa.dv);
      double score = (depth + 2) * 3 * f32Error * std::abs(sdpa.scale) *
                         g.queryNorm * g.keyNorm +
                     3 * f32Error * g.bias;
      double probability = 2 * unitRoundoff(manifest.buffers[sdpa.q].dtype) +
                           2 * score + (columns + 8) * 3 * f32Error;
      double dScore =
          2 * std::abs(sdpa.scale) * g.gradientNorm * g.valueNorm *
          (2 * probability + 2 * unitRoundoff(manifest.buffers[sdpa.o].dtype) +
           (depth + 4) * 3 * f32Error);
      int64_t queriesOfKey = heads / groups * rows;
      double sums = double(queriesOfKey) * 3 * f32Error;
      // Below 2^-14 f16 has multiples of 2^-24, to which both targets round.
      double least = manifest.buffers[sdpa.q].dtype == DType::f16 ? 0x1p-24 : 0;
      double leastOfRow = double(columns) * least,
             leastOfKey = double(queriesOfKey) * least;
      for (int64_t i = 0; i < perGroup; ++i) {
        double &element = bound[group * perGroup + i];
        if (output == sdpa.lse)
          element = score + (columns + 8) * 3 * f32Error;
        else if (output == sdpa.o)
          element = (probability + leastOfRow) * g.value;
        else if (output == sdpa.dq)
          element = (dScore + leastOfRow) * g.key;
        else if (output == sdpa.dk)
          element =
              (dScore * (1 + sums) * g.columnWeight[i / depth] + leastOfKey) *
              g.query;
        else
          element =
              ((probability + sums) * g.columnWeight[i / depth] + leastOfKey) *
              g.gradient;
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
    if (sdpa.bias)
      result.bias = largestBias(group, 2 * std::abs(sdpa.scale) *
                                           result.queryNorm * result.keyNorm);
    if (weights)
      result.columnWeight = columnWeights(group);
    return result;
  }

  /// The biases of a row, by its number of all [B,H,S]; nothing without.
  const float *biasOf(int64_t row) const {
    if (!sdpa.bias)
      return nullptr;
    const std::vector<int64_t> &s = biasView.strides;
    return values.before.at(*sdpa.bias).data() + row / rows / heads * s[0] +
           row / rows % heads * s[1] + row % rows * s[2];
  }

  /// The largest magnitude of a bias that leaves a probability where scores
  /// differ by at most `range`.
  double largestBias(int64_t group, double range) const {
    // Of e to minus this, f32 has nothing.
    constexpr double nothing = 104;
    double result = 0;
    int64_t count = heads / groups * rows;
    for (int64_t row = group * count; row < (group + 1) * count; ++row) {
      const float *biases = biasOf(row);
      auto [first, end] = sdpa.seenBy(row % rows, columns);
      double most = *std::max_element(biases + first, biases + end);
      for (int64_t column = first; column < end; ++column)
        if (biases[column] >= most - range - nothing)
          result = std::max(result, std::abs(double(biases[column])));
    }
    return result;
  }

  std::vector<double> columnWeights(int64_t group) const {
    std::vector<double> result(columns, 0);
    int64_t perGroup = heads / groups;
    const float *q = query.data();
    const float *k = key.data() + group * columns * depth;
    const float *lse = values.before.at(sdpa.lse).data();
    for (int64_t row = group * perGroup * rows;
         row < (group + 1) * perGroup * rows; ++row) {
      const float *biases = biasOf(row);
      auto [first, end] = sdpa.seenBy(row % rows, columns);
      for (int64_t column = first; column < end; ++column) {
        float score = static_cast<float>(sdpa.scale) *
                      rowDot(q + row * depth, k + column * depth, depth);
        result[column] +=
            std::exp(score + (biases ? biases[column] : 0) - lse[row]);
      }
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
  StridedView biasView;
};

} // namespace

static std::vector<double> boundSdpa(const BoundQuery &query) {
  return SdpaBound(query.manifest, query.command, query.values, query.pool)
      .compute(query.output);
}

static Products sdpaProducts(const Manifest &manifest, const Sdpa &sdpa,
                             bool isBackward) {
  const std::vector<int64_t> q = sdpa.viewOf(manifest, "q", sdpa.q).shape;
  const int64_t keys = sdpa.viewOf(manifest, "k", sdpa.k).shape[2];
  return {prec::attentionFlops(q[0], q[1], q[2], keys, q[3], sdpa.causal,
                               sdpa.window, isBackward),
          {sdpa.q}};
}

template <>
Status
CommandRules<CommandKind::sdpaForward>::verify(const CommandCheck &check) {
  return verifySdpa(check);
}
template <>
Status
CommandRules<CommandKind::sdpaBackward>::verify(const CommandCheck &check) {
  return verifySdpa(check);
}
template <>
std::vector<double>
CommandRules<CommandKind::sdpaForward>::bound(const BoundQuery &query) {
  return boundSdpa(query);
}
template <>
std::vector<double>
CommandRules<CommandKind::sdpaBackward>::bound(const BoundQuery &query) {
  return boundSdpa(query);
}
template <>
std::optional<Products>
CommandRules<CommandKind::sdpaForward>::products(const Manifest &manifest,
                                                 const Command &command) {
  return sdpaProducts(manifest, command.sdpa, /*isBackward=*/false);
}
template <>
std::optional<Products>
CommandRules<CommandKind::sdpaBackward>::products(const Manifest &manifest,
                                                  const Command &command) {
  return sdpaProducts(manifest, command.sdpa, /*isBackward=*/true);
}
