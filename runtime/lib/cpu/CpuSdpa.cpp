//===- CpuSdpa.cpp - attention on the CPU ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention on the CPU, rounded where flash attention on a GPU rounds: scores,
// softmax and sums in f32; the unnormalized probabilities exp(s - row maximum)
// and, backward, P and dS are rounded to the dtype of q before they enter a
// matmul. Query rows are handled in blocks of 64, so that scratch memory is
// that of 64 rows of scores, and a causal block leaves out the columns that
// none of its rows sees (row i sees columns 0 to i, with a window the last few
// of these; its weights of others are zeros). Forward, a head is the work of
// one thread. Backward, a group of heads that share keys is, because
// their dK and dV are one sum. P is computed again from q, k and lse.
//
//===----------------------------------------------------------------------===//

#include "CpuRules.h"

#include "FloatConvert.h"
#include "HeadProduct.h"
#include "RowMath.h"

#include <algorithm>
#include <cmath>

using namespace prec::rt;

namespace {

/// Query rows handled at once: bounds scratch to this many rows of scores and
/// lets causal attention skip the columns that no row of the block sees.
constexpr int64_t blockRows = 64;

struct Shape {
  int64_t batch, heads, groups, rows, columns, depth; // B H G S T D

  Shape(const Manifest &manifest, const Sdpa &sdpa) {
    const std::vector<int64_t> q = sdpa.viewOf(manifest, "q", sdpa.q).shape;
    const std::vector<int64_t> k = sdpa.viewOf(manifest, "k", sdpa.k).shape;
    batch = q[0], heads = q[1], rows = q[2], depth = q[3];
    groups = k[1], columns = k[2];
  }
};

int64_t perWorkerScratch(const Shape &shape, bool backward) {
  const int64_t T = shape.columns, D = shape.depth;
  auto factor = [](int64_t extent, int64_t k) {
    return pieceOf(HeadProduct::scratch(extent, k));
  };
  const int64_t keys = factor(T, D), queries = factor(blockRows, D),
                scores = pieceOf(blockRows * T) + pieceOf(T);
  if (!backward)
    return keys + factor(D, T) + queries + pieceOf(blockRows * D) + scores +
           factor(blockRows, T);
  return 2 * keys + factor(D, T) + 2 * pieceOf(T * D) + queries +
         2 * factor(D, blockRows) + 3 * pieceOf(blockRows * D) + 2 * scores +
         factor(T, blockRows) + factor(blockRows, T);
}

/// A tensor [B,H,S,D] in a buffer.
class Operand {
public:
  Operand(const CpuContext &context, const Sdpa &sdpa, std::string_view name,
          int buffer)
      : dtype(context.manifest.buffers[buffer].dtype),
        view(sdpa.viewOf(context.manifest, name, buffer)),
        bytes(context.address[buffer]) {}

  /// Rows [row, row + count) of a head as an operand of a product, with the
  /// depth along k or the rows.
  MatrixSource alongDepth(int64_t batch, int64_t head, int64_t row,
                          int64_t count) const {
    return {dtype, at(batch, head, row), true, view.strides[2],
            count, view.shape[3]};
  }
  MatrixSource alongRows(int64_t batch, int64_t head, int64_t row,
                         int64_t count) const {
    return {dtype,           at(batch, head, row), false,
            view.strides[2], view.shape[3],        count};
  }

  /// Rows [row, row + count) of a head as f32; uses `scratch` unless they are
  /// that in memory.
  const float *read(int64_t batch, int64_t head, int64_t row, int64_t count,
                    float *scratch) const {
    const int64_t depth = view.shape[3];
    if (dtype == DType::f32 && view.strides[2] == depth)
      return reinterpret_cast<const float *>(at(batch, head, row));
    forRuns(batch, head, row, count, [&](char *run, int64_t first, int64_t n) {
      toFloat(dtype, run, scratch + first * depth, n * depth);
    });
    return scratch;
  }
  void write(int64_t batch, int64_t head, int64_t row, int64_t count,
             const float *values) const {
    const int64_t depth = view.shape[3];
    forRuns(batch, head, row, count, [&](char *run, int64_t first, int64_t n) {
      fromFloat(dtype, values + first * depth, run, n * depth);
    });
  }

  const DType dtype;

private:
  char *at(int64_t batch, int64_t head, int64_t row) const {
    return bytes +
           byteSize(dtype) * (view.offset + batch * view.strides[0] +
                              head * view.strides[1] + row * view.strides[2]);
  }
  /// Calls `handle` with each run of rows that follow one another in memory,
  /// the number of its first and how many they are.
  template <typename Handle>
  void forRuns(int64_t batch, int64_t head, int64_t row, int64_t count,
               Handle handle) const {
    if (view.strides[2] == view.shape[3])
      return handle(at(batch, head, row), 0, count);
    for (int64_t i = 0; i < count; ++i)
      handle(at(batch, head, row + i), i, 1);
  }

  StridedView view;
  char *bytes;
};

/// Adds biases to scores, where a command has any.
class Bias {
public:
  Bias(const CpuContext &context, const Sdpa &sdpa) {
    if (!sdpa.bias)
      return;
    view = sdpa.viewOfBias(context.manifest);
    dtype = context.manifest.buffers[*sdpa.bias].dtype;
    bytes = context.address[*sdpa.bias];
  }

  /// To the scores of a row from column `first` to before `end`; uses
  /// `scratch`, of all columns, unless biases are f32.
  void add(int64_t batch, int64_t head, int64_t row, int64_t first, int64_t end,
           float *scores, float *scratch) const {
    if (!bytes)
      return;
    const char *begin =
        bytes +
        byteSize(dtype) * (batch * view.strides[0] + head * view.strides[1] +
                           row * view.strides[2] + first);
    auto *biases = reinterpret_cast<const float *>(begin);
    if (dtype != DType::f32) {
      toFloat(dtype, begin, scratch, end - first);
      biases = scratch;
    }
    for (int64_t i = 0; i < end - first; ++i)
      scores[first + i] += biases[i];
  }

private:
  StridedView view;
  DType dtype = DType::f32;
  const char *bytes = nullptr;
};

/// Zeros where a row of weights sees nothing.
void clearUnseen(float *line, int64_t first, int64_t end, int64_t columns) {
  std::fill(line, line + first, 0.0f);
  std::fill(line + end, line + columns, 0.0f);
}

/// Scores [rows, columns] as an operand with either along k.
MatrixSource denseAlongColumns(const float *scores, int64_t rows,
                               int64_t columns) {
  return {DType::f32, reinterpret_cast<const char *>(scores),
          true,       columns,
          rows,       columns};
}
MatrixSource denseAlongRows(const float *scores, int64_t rows,
                            int64_t columns) {
  return {DType::f32, reinterpret_cast<const char *>(scores),
          false,      columns,
          columns,    rows};
}

/// Probabilities and dS are rounded to the dtype of q.
HeadProduct headProduct(const CpuContext &context, const Operand &q,
                        std::initializer_list<DType> others) {
  return {context.blas,
          context.hasBf16Pairs && q.dtype == DType::bf16 &&
              std::all_of(others.begin(), others.end(), isWithinBf16)};
}

} // namespace

static Status prepareSdpa(CpuPlan &plan, const Command &command) {
  int64_t floats = plan.threads *
                   perWorkerScratch(Shape(plan.manifest, command.sdpa),
                                    command.kind == CommandKind::sdpaBackward);
  plan.scratchFloats = std::max(plan.scratchFloats, floats);
  plan.needsBlas = true;
  return {};
}

template <>
Status CpuRules<CommandKind::sdpaForward>::prepare(CpuPlan &plan,
                                                   const Command &command) {
  return prepareSdpa(plan, command);
}
template <>
Status CpuRules<CommandKind::sdpaBackward>::prepare(CpuPlan &plan,
                                                    const Command &command) {
  return prepareSdpa(plan, command);
}

template <>
Status CpuRules<CommandKind::sdpaForward>::run(const CpuContext &context,
                                               const Command &command) {
  const Sdpa &sdpa = command.sdpa;
  const Shape shape(context.manifest, sdpa);
  const Operand q(context, sdpa, "q", sdpa.q), k(context, sdpa, "k", sdpa.k),
      v(context, sdpa, "v", sdpa.v), o(context, sdpa, "o", sdpa.o);
  const Bias bias(context, sdpa);
  float *lse = reinterpret_cast<float *>(context.address[sdpa.lse]);
  const float scale = static_cast<float>(sdpa.scale);
  const int64_t S = shape.rows, T = shape.columns, D = shape.depth;
  const int64_t perWorker = perWorkerScratch(shape, /*backward=*/false);
  const HeadProduct product = headProduct(context, q, {k.dtype, v.dtype});

  auto attendHead = [&](int64_t index, unsigned worker) {
    int64_t b = index / shape.heads, h = index % shape.heads;
    int64_t group = h / (shape.heads / shape.groups);
    ScratchPieces arena(context.scratch + worker * perWorker);
    auto factor = [&](int64_t extent, int64_t k) {
      return arena.take(HeadProduct::scratch(extent, k));
    };
    const auto keys = product.right(k.alongDepth(b, group, 0, T), factor(T, D));
    const auto values =
        product.right(v.alongRows(b, group, 0, T), factor(D, T));
    float *queryScratch = factor(blockRows, D);
    float *weightScratch = factor(blockRows, T);
    float *result = arena.take(blockRows * D);
    float *scores = arena.take(blockRows * T);
    float *biasScratch = arena.take(T);
    for (int64_t row = 0; row < S; row += blockRows) {
      int64_t rows = std::min(blockRows, S - row);
      int64_t columns = sdpa.seenBy(row + rows - 1, T).second;
      product.multiply(
          product.left(q.alongDepth(b, h, row, rows), queryScratch), keys, rows,
          columns, D, /*adds=*/false, scores);
      float sums[blockRows];
      for (int64_t i = 0; i < rows; ++i) {
        auto [first, end] = sdpa.seenBy(row + i, T);
        float *line = scores + i * columns, *seen = line + first;
        rowScale(seen, scale, end - first);
        bias.add(b, h, row + i, first, end, line, biasScratch);
        float maximum = rowMax(seen, end - first);
        sums[i] = rowExp(seen, maximum, end - first);
        clearUnseen(line, first, end, columns);
        roundTo(q.dtype, seen, end - first);
        lse[index * S + row + i] = maximum + std::log(sums[i]);
      }
      const auto weights =
          product.left(denseAlongColumns(scores, rows, columns), weightScratch);
      product.multiply(weights, values, rows, D, columns, /*adds=*/false,
                       result);
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < D; ++j)
          result[i * D + j] /= sums[i];
      o.write(b, h, row, rows, result);
    }
  };
  context.pool.parallelFor(shape.batch * shape.heads, 1,
                           [&](int64_t begin, int64_t end, unsigned worker) {
                             for (int64_t i = begin; i < end; ++i)
                               attendHead(i, worker);
                           });
  return {};
}

template <>
Status CpuRules<CommandKind::sdpaBackward>::run(const CpuContext &context,
                                                const Command &command) {
  const Sdpa &sdpa = command.sdpa;
  const Shape shape(context.manifest, sdpa);
  const Operand q(context, sdpa, "q", sdpa.q), k(context, sdpa, "k", sdpa.k),
      v(context, sdpa, "v", sdpa.v), o(context, sdpa, "o", sdpa.o),
      dO(context, sdpa, "do", sdpa.dO), dq(context, sdpa, "dq", sdpa.dq),
      dk(context, sdpa, "dk", sdpa.dk), dv(context, sdpa, "dv", sdpa.dv);
  const Bias bias(context, sdpa);
  const float *lse = reinterpret_cast<float *>(context.address[sdpa.lse]);
  const float scale = static_cast<float>(sdpa.scale);
  const int64_t S = shape.rows, T = shape.columns, D = shape.depth;
  const int64_t headsPerGroup = shape.heads / shape.groups;
  const int64_t perWorker = perWorkerScratch(shape, /*backward=*/true);
  const HeadProduct product =
      headProduct(context, q, {k.dtype, v.dtype, dO.dtype});

  auto differentiateGroup = [&](int64_t index, unsigned worker) {
    int64_t b = index / shape.groups, group = index % shape.groups;
    ScratchPieces arena(context.scratch + worker * perWorker);
    auto factor = [&](int64_t extent, int64_t k) {
      return arena.take(HeadProduct::scratch(extent, k));
    };
    const auto keys = product.right(k.alongDepth(b, group, 0, T), factor(T, D));
    const auto keysByRow =
        product.right(k.alongRows(b, group, 0, T), factor(D, T));
    const auto values =
        product.right(v.alongDepth(b, group, 0, T), factor(T, D));
    float *keyGradient = arena.take(T * D);
    float *valueGradient = arena.take(T * D);
    float *leftScratch = factor(blockRows, D);
    float *queryScratch = factor(D, blockRows);
    float *gradientScratch = factor(D, blockRows);
    float *scoreScratch = factor(T, blockRows);
    float *scoreByRowScratch = factor(blockRows, T);
    float *resultRows = arena.take(blockRows * D);
    float *gradientRows = arena.take(blockRows * D);
    float *queryGradient = arena.take(blockRows * D);
    float *p = arena.take(blockRows * T);
    float *ds = arena.take(blockRows * T);
    float *biasScratch = arena.take(T);
    std::fill(keyGradient, keyGradient + T * D, 0.0f);
    std::fill(valueGradient, valueGradient + T * D, 0.0f);
    for (int64_t head = group * headsPerGroup;
         head < (group + 1) * headsPerGroup; ++head)
      for (int64_t row = 0; row < S; row += blockRows) {
        int64_t rows = std::min(blockRows, S - row);
        int64_t columns = sdpa.seenBy(row + rows - 1, T).second;
        const float *results = o.read(b, head, row, rows, resultRows);
        const float *gradients = dO.read(b, head, row, rows, gradientRows);
        product.multiply(
            product.left(q.alongDepth(b, head, row, rows), leftScratch), keys,
            rows, columns, D, /*adds=*/false, p);
        product.multiply(
            product.left(dO.alongDepth(b, head, row, rows), leftScratch),
            values, rows, columns, D, /*adds=*/false, ds);
        for (int64_t i = 0; i < rows; ++i) {
          auto [first, end] = sdpa.seenBy(row + i, T);
          const int64_t seen = end - first;
          float *pLine = p + i * columns, *pSeen = pLine + first;
          float *dsLine = ds + i * columns, *dsSeen = dsLine + first;
          rowScale(pSeen, scale, seen);
          bias.add(b, head, row + i, first, end, pLine, biasScratch);
          rowExp(pSeen, lse[(b * shape.heads + head) * S + row + i], seen);
          float delta = rowDot(gradients + i * D, results + i * D, D);
          rowSoftmaxGradient(pSeen, dsSeen, delta, scale, seen);
          roundTo(q.dtype, pSeen, seen);
          roundTo(q.dtype, dsSeen, seen);
          clearUnseen(pLine, first, end, columns);
          clearUnseen(dsLine, first, end, columns);
        }
        product.multiply(
            product.left(denseAlongRows(p, rows, columns), scoreScratch),
            product.right(dO.alongRows(b, head, row, rows), gradientScratch),
            columns, D, rows, /*adds=*/true, valueGradient);
        product.multiply(
            product.left(denseAlongRows(ds, rows, columns), scoreScratch),
            product.right(q.alongRows(b, head, row, rows), queryScratch),
            columns, D, rows, /*adds=*/true, keyGradient);
        product.multiply(product.left(denseAlongColumns(ds, rows, columns),
                                      scoreByRowScratch),
                         keysByRow, rows, D, columns, /*adds=*/false,
                         queryGradient);
        dq.write(b, head, row, rows, queryGradient);
      }
    dk.write(b, group, 0, T, keyGradient);
    dv.write(b, group, 0, T, valueGradient);
  };
  context.pool.parallelFor(shape.batch * shape.groups, 1,
                           [&](int64_t begin, int64_t end, unsigned worker) {
                             for (int64_t i = begin; i < end; ++i)
                               differentiateGroup(i, worker);
                           });
  return {};
}
