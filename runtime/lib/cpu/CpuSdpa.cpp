//===- CpuSdpa.cpp - attention on the CPU ---------------------------------===//

#include "CpuSdpa.h"

#include "FloatConvert.h"
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
    const std::vector<int64_t> &q = manifest.buffers[sdpa.q].shape;
    const std::vector<int64_t> &k = manifest.buffers[sdpa.k].shape;
    batch = q[0], heads = q[1], rows = q[2], depth = q[3];
    groups = k[1], columns = k[2];
  }
  int64_t visible(bool causal, int64_t row) const {
    return causal ? std::min(columns, row + 1) : columns;
  }
};

/// One worker's scratch memory, handed out piece by piece.
class Arena {
public:
  explicit Arena(float *start) : next(start) {}
  float *take(int64_t floats) {
    float *piece = next;
    next += (floats + 15) & ~15;
    return piece;
  }

private:
  float *next;
};

int64_t rounded(int64_t floats) { return (floats + 15) & ~15; }

int64_t perWorkerScratch(const Shape &shape, bool backward) {
  int64_t keys = rounded(shape.columns * shape.depth);
  int64_t queries = rounded(blockRows * shape.depth);
  int64_t scores = rounded(blockRows * shape.columns);
  return backward ? 4 * keys + 4 * queries + 2 * scores
                  : 2 * keys + 2 * queries + scores;
}

class Operand {
public:
  Operand(const CpuContext &context, int buffer)
      : dtype(context.manifest.buffers[buffer].dtype),
        bytes(context.address[buffer]) {}

  /// Elements [offset, offset + count) as f32; uses `scratch` if narrower.
  const float *read(int64_t offset, int64_t count, float *scratch) const {
    const char *source = bytes + offset * byteSize(dtype);
    if (dtype == DType::f32)
      return reinterpret_cast<const float *>(source);
    toFloat(dtype, source, scratch, count);
    return scratch;
  }
  void write(int64_t offset, int64_t count, const float *values) const {
    fromFloat(dtype, values, bytes + offset * byteSize(dtype), count);
  }

  const DType dtype;

private:
  char *bytes;
};

} // namespace

int64_t prec::rt::sdpaScratch(const Manifest &manifest, const Command &command,
                              unsigned threads) {
  return threads * perWorkerScratch(Shape(manifest, command.sdpa),
                                    command.kind == CommandKind::sdpaBackward);
}

void prec::rt::runSdpaForward(const CpuContext &context, const Sdpa &sdpa) {
  const Shape shape(context.manifest, sdpa);
  const Operand q(context, sdpa.q), k(context, sdpa.k), v(context, sdpa.v),
      o(context, sdpa.o);
  float *lse = reinterpret_cast<float *>(context.address[sdpa.lse]);
  const float scale = static_cast<float>(sdpa.scale);
  const int64_t S = shape.rows, T = shape.columns, D = shape.depth;
  const int64_t perWorker = perWorkerScratch(shape, /*backward=*/false);

  auto attendHead = [&](int64_t index, unsigned worker) {
    int64_t b = index / shape.heads, h = index % shape.heads;
    int64_t group = b * shape.groups + h / (shape.heads / shape.groups);
    Arena arena(context.scratch + worker * perWorker);
    const float *keys = k.read(group * T * D, T * D, arena.take(T * D));
    const float *values = v.read(group * T * D, T * D, arena.take(T * D));
    float *queryScratch = arena.take(blockRows * D);
    float *result = arena.take(blockRows * D);
    float *scores = arena.take(blockRows * T);
    for (int64_t row = 0; row < S; row += blockRows) {
      int64_t rows = std::min(blockRows, S - row);
      int64_t columns = shape.visible(sdpa.causal, row + rows - 1);
      int64_t offset = (index * S + row) * D;
      const float *queries = q.read(offset, rows * D, queryScratch);
      context.blas.sgemm(false, true, rows, columns, D, scale, queries, D, keys,
                         D, 0, scores, columns);
      float sums[blockRows];
      for (int64_t i = 0; i < rows; ++i) {
        int64_t seen = shape.visible(sdpa.causal, row + i);
        float *line = scores + i * columns;
        float maximum = rowMax(line, seen);
        sums[i] = rowExp(line, maximum, seen);
        std::fill(line + seen, line + columns, 0.0f);
        roundTo(q.dtype, line, seen);
        lse[index * S + row + i] = maximum + std::log(sums[i]);
      }
      context.blas.sgemm(false, false, rows, D, columns, 1, scores, columns,
                         values, D, 0, result, D);
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < D; ++j)
          result[i * D + j] /= sums[i];
      o.write(offset, rows * D, result);
    }
  };
  context.pool.parallelFor(shape.batch * shape.heads, 1,
                           [&](int64_t begin, int64_t end, unsigned worker) {
                             for (int64_t i = begin; i < end; ++i)
                               attendHead(i, worker);
                           });
}

void prec::rt::runSdpaBackward(const CpuContext &context, const Sdpa &sdpa) {
  const Shape shape(context.manifest, sdpa);
  const Operand q(context, sdpa.q), k(context, sdpa.k), v(context, sdpa.v),
      o(context, sdpa.o), dO(context, sdpa.dO), dq(context, sdpa.dq),
      dk(context, sdpa.dk), dv(context, sdpa.dv);
  const float *lse = reinterpret_cast<float *>(context.address[sdpa.lse]);
  const float scale = static_cast<float>(sdpa.scale);
  const int64_t S = shape.rows, T = shape.columns, D = shape.depth;
  const int64_t headsPerGroup = shape.heads / shape.groups;
  const int64_t perWorker = perWorkerScratch(shape, /*backward=*/true);

  auto differentiateGroup = [&](int64_t group, unsigned worker) {
    Arena arena(context.scratch + worker * perWorker);
    const float *keys = k.read(group * T * D, T * D, arena.take(T * D));
    const float *values = v.read(group * T * D, T * D, arena.take(T * D));
    float *keyGradient = arena.take(T * D);
    float *valueGradient = arena.take(T * D);
    float *queryScratch = arena.take(blockRows * D);
    float *resultScratch = arena.take(blockRows * D);
    float *gradientScratch = arena.take(blockRows * D);
    float *queryGradient = arena.take(blockRows * D);
    float *p = arena.take(blockRows * T);
    float *ds = arena.take(blockRows * T);
    std::fill(keyGradient, keyGradient + T * D, 0.0f);
    std::fill(valueGradient, valueGradient + T * D, 0.0f);
    // Heads of a group follow one another, and so do their rows.
    for (int64_t head = group * headsPerGroup;
         head < (group + 1) * headsPerGroup; ++head)
      for (int64_t row = 0; row < S; row += blockRows) {
        int64_t rows = std::min(blockRows, S - row);
        int64_t columns = shape.visible(sdpa.causal, row + rows - 1);
        int64_t offset = (head * S + row) * D;
        const float *queries = q.read(offset, rows * D, queryScratch);
        const float *results = o.read(offset, rows * D, resultScratch);
        const float *gradients = dO.read(offset, rows * D, gradientScratch);
        context.blas.sgemm(false, true, rows, columns, D, scale, queries, D,
                           keys, D, 0, p, columns);
        context.blas.sgemm(false, true, rows, columns, D, 1, gradients, D,
                           values, D, 0, ds, columns);
        for (int64_t i = 0; i < rows; ++i) {
          int64_t seen = shape.visible(sdpa.causal, row + i);
          float *pLine = p + i * columns, *dsLine = ds + i * columns;
          rowExp(pLine, lse[head * S + row + i], seen);
          float delta = rowDot(gradients + i * D, results + i * D, D);
          rowSoftmaxGradient(pLine, dsLine, delta, scale, seen);
          roundTo(q.dtype, pLine, seen);
          roundTo(q.dtype, dsLine, seen);
          std::fill(pLine + seen, pLine + columns, 0.0f);
          std::fill(dsLine + seen, dsLine + columns, 0.0f);
        }
        context.blas.sgemm(true, false, columns, D, rows, 1, p, columns,
                           gradients, D, 1, valueGradient, D);
        context.blas.sgemm(true, false, columns, D, rows, 1, ds, columns,
                           queries, D, 1, keyGradient, D);
        context.blas.sgemm(false, false, rows, D, columns, 1, ds, columns, keys,
                           D, 0, queryGradient, D);
        dq.write(offset, rows * D, queryGradient);
      }
    dk.write(group * T * D, T * D, keyGradient);
    dv.write(group * T * D, T * D, valueGradient);
  };
  context.pool.parallelFor(shape.batch * shape.groups, 1,
                           [&](int64_t begin, int64_t end, unsigned worker) {
                             for (int64_t i = begin; i < end; ++i)
                               differentiateGroup(i, worker);
                           });
}
