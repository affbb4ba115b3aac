//===- CpuConv.cpp - convolutions on the CPU ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions on the CPU as products of matrices of which one is never whole
// in memory. A tile of the result is the work of one thread, which copies what
// the tile reads into a small matrix, multiplies it in f32 (HeadProduct.h) and
// rounds once. With channels last a window is a run of channels for each place
// of the kernel.
//
//   fprop: rows are positions of the output, columns outputs; a row of A is a
//          window, B the weight.
//   dgrad: rows are positions of the input that lie alike between strides, and
//          so meet the same places of the kernel; a row of A is what windows
//          gave at these places, B the weight of these places.
//   wgrad: rows are outputs, columns places and channels; positions are added
//   up
//          in pieces, in their order.
//
// A convolution of each channel by itself multiplies no matrices: its rows of
// channels are multiplied element by element. Tiles depend on sizes only, so
// the bits do not depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#include "CpuRules.h"

#include "ConvShape.h"
#include "FloatConvert.h"
#include "HeadProduct.h"
#include "RowMath.h"

#include <algorithm>
#include <cstring>

using namespace prec::rt;

namespace {

/// Columns of a tile, and the most rows.
constexpr int64_t tileColumns = 256, mostRows = 256;
/// Positions that a gradient of a weight adds up at a time; even, as pairs are.
constexpr int64_t positionsAtOnce = 256;
/// Elements that a gathered matrix has at most, unless 8 rows have more.
constexpr int64_t mostGathered = int64_t(1) << 21;

int64_t countTiles(int64_t extent, int64_t tile) {
  return (extent + tile - 1) / tile;
}

/// The sizes of tiles, and the scratch memory that one needs.
struct Tiling {
  bool isByChannel; ///< a convolution of each channel by itself
  int64_t rows, columns, depth;

  Tiling(const ConvShape &shape, const std::string &direction) {
    isByChannel = shape.groupChannels() == 1 && shape.groupOutputs() == 1;
    const int64_t places = shape.places();
    if (direction == "wgrad") {
      rows = std::min(mostRows, shape.groupOutputs());
      columns = std::min(tileColumns, places * shape.groupChannels());
      depth = positionsAtOnce;
      return;
    }
    depth = places * (direction == "fprop" ? shape.groupChannels()
                                           : shape.groupOutputs());
    const int64_t most = mostGathered / depth;
    columns = std::min(std::clamp(most / pairPanelColumns * pairPanelColumns,
                                  pairPanelColumns, tileColumns),
                       direction == "fprop" ? shape.groupOutputs()
                                            : shape.groupChannels());
    rows = std::clamp(most / pairPanelRows * pairPanelRows, pairPanelRows,
                      mostRows);
  }

  /// Floats of a worker.
  int64_t scratch(const ConvShape &shape) const {
    if (isByChannel)
      return 4 * pieceOf(shape.channels) +
             pieceOf(shape.places() * shape.channels);
    return pieceOf(rows * depth) + pieceOf(columns * depth) +
           pieceOf(HeadProduct::scratch(rows, depth)) +
           pieceOf(HeadProduct::scratch(columns, depth)) +
           pieceOf(rows * columns);
  }
};

/// A command on its way: what its tiles read and write.
class Convolver {
public:
  Convolver(const CpuContext &context, const Conv &conv)
      : context(context), shape(context.manifest, conv),
        tiling(shape, conv.direction), x(context, conv.x), w(context, conv.w),
        y(context, conv.y),
        product(context.blas,
                context.hasBf16Pairs &&
                    (conv.direction == "fprop" ? x.dtype : y.dtype) ==
                        DType::bf16),
        perWorker(tiling.scratch(shape)) {}

  void computeOutput() const;
  void computeInput() const;
  void computeWeight() const;

private:
  struct Tensor : CpuOperand {
    using CpuOperand::CpuOperand;

    /// A row as f32; uses `scratch` unless it is that in memory.
    const float *read(int64_t element, int64_t count, float *scratch) const {
      if (dtype == DType::f32)
        return reinterpret_cast<const float *>(at(element));
      toFloat(dtype, at(element), scratch, count);
      return scratch;
    }
    void write(int64_t element, const float *values, int64_t count) const {
      fromFloat(dtype, values, at(element), count);
    }
  };

  /// Positions of the input that lie alike between strides: first, first +
  /// stride, ..., by the places that they meet.
  struct Residue {
    Spatial first, counts;
    std::vector<Spatial> places;
    int64_t tiles; ///< of each group
  };
  std::vector<Residue> findResidues() const;

  template <typename Work> void forTiles(int64_t count, Work work) const {
    context.pool.parallelFor(
        count, 1, [&](int64_t begin, int64_t end, unsigned worker) {
          for (int64_t tile = begin; tile < end; ++tile)
            work(tile, context.scratch + worker * perWorker);
        });
  }
  /// `count` elements of a tensor behind one another, or zeros.
  static char *gather(const Tensor &from, int64_t element, bool isThere,
                      int64_t count, char *to) {
    const size_t bytes = static_cast<size_t>(count * from.size);
    if (isThere)
      std::memcpy(to, from.at(element), bytes);
    else
      std::memset(to, 0, bytes);
    return to + bytes;
  }
  Spatial placeAt(int64_t place) const {
    return ConvShape::split(place, shape.kernel);
  }

  void computeInputTile(const Residue &residue, int64_t group, int64_t row,
                        float *scratch) const;
  void computeOutputByChannel() const;
  void computeInputByChannel() const;
  void computeWeightByChannel() const;
  /// The weight [places, channels] in f32.
  const float *readByPlace(float *scratch) const;

  const CpuContext &context;
  const ConvShape shape;
  const Tiling tiling;
  const Tensor x, w, y;
  const HeadProduct product;
  const int64_t perWorker;
};

} // namespace

void Convolver::computeOutput() const {
  if (tiling.isByChannel)
    return computeOutputByChannel();
  const int64_t channels = shape.groupChannels(),
                outputs = shape.groupOutputs(), depth = tiling.depth,
                rowTiles = countTiles(shape.allPositions(), tiling.rows),
                positions = ConvShape::productOf(shape.positions),
                sizes = ConvShape::productOf(shape.sizes);
  forTiles(shape.groups * rowTiles, [&](int64_t tile, float *scratch) {
    const int64_t group = tile / rowTiles,
                  first = tile % rowTiles * tiling.rows,
                  rows = std::min(tiling.rows, shape.allPositions() - first);
    ScratchPieces arena(scratch);
    char *windows = reinterpret_cast<char *>(arena.take(tiling.rows * depth));
    float *left = arena.take(HeadProduct::scratch(tiling.rows, depth));
    float *right = arena.take(HeadProduct::scratch(tiling.columns, depth));
    float *sum = arena.take(tiling.rows * tiling.columns);
    char *to = windows;
    for (int64_t row = first; row < first + rows; ++row) {
      const Spatial at = ConvShape::split(row % positions, shape.positions);
      for (int64_t place = 0; place < shape.places(); ++place) {
        const int64_t element = shape.inputAt(at, placeAt(place));
        to = gather(x,
                    (row / positions * sizes + element) * shape.channels +
                        group * channels,
                    element >= 0, channels, to);
      }
    }
    const HeadProduct::Left a =
        product.left({x.dtype, windows, true, depth, rows, depth}, left);
    for (int64_t column = 0; column < outputs; column += tiling.columns) {
      const int64_t columns = std::min(tiling.columns, outputs - column),
                    output = group * outputs + column;
      product.multiply(a,
                       product.right({w.dtype, w.at(output * depth), true,
                                      depth, columns, depth},
                                     right),
                       rows, columns, depth, /*adds=*/false, sum);
      for (int64_t row = 0; row < rows; ++row)
        y.write((first + row) * shape.outputs + output, sum + row * columns,
                columns);
    }
  });
}

std::vector<Convolver::Residue> Convolver::findResidues() const {
  std::vector<Residue> residues;
  for (int64_t i = 0; i < ConvShape::productOf(shape.strides); ++i) {
    Residue residue{ConvShape::split(i, shape.strides), {}, {}, 0};
    bool isEmpty = false;
    for (size_t d = 0; d < 3; ++d) {
      const int64_t left = shape.sizes[d] - residue.first[d];
      residue.counts[d] =
          countTiles(std::max<int64_t>(left, 0), shape.strides[d]);
      isEmpty |= residue.counts[d] == 0;
    }
    if (isEmpty)
      continue;
    for (int64_t place = 0; place < shape.places(); ++place) {
      const Spatial at = placeAt(place);
      bool isMet = true;
      for (size_t d = 0; d < 3; ++d)
        isMet &=
            (residue.first[d] + shape.low[d] - at[d] * shape.dilations[d]) %
                shape.strides[d] ==
            0;
      if (isMet)
        residue.places.push_back(at);
    }
    residue.tiles = countTiles(
        shape.batch * ConvShape::productOf(residue.counts), tiling.rows);
    residues.push_back(std::move(residue));
  }
  return residues;
}

void Convolver::computeInputTile(const Residue &residue, int64_t group,
                                 int64_t first, float *scratch) const {
  const int64_t channels = shape.groupChannels(),
                outputs = shape.groupOutputs(),
                depth = static_cast<int64_t>(residue.places.size()) * outputs,
                each = ConvShape::productOf(residue.counts),
                rows = std::min(tiling.rows, shape.batch * each - first),
                positions = ConvShape::productOf(shape.positions),
                sizes = ConvShape::productOf(shape.sizes);
  ScratchPieces arena(scratch);
  char *gradients =
      reinterpret_cast<char *>(arena.take(tiling.rows * tiling.depth));
  char *weights =
      reinterpret_cast<char *>(arena.take(tiling.columns * tiling.depth));
  float *left = arena.take(HeadProduct::scratch(tiling.rows, tiling.depth));
  float *right = arena.take(HeadProduct::scratch(tiling.columns, tiling.depth));
  float *sum = arena.take(tiling.rows * tiling.columns);
  auto elementOf = [&](int64_t row) {
    Spatial at = ConvShape::split(row % each, residue.counts);
    for (size_t d = 0; d < 3; ++d)
      at[d] = residue.first[d] + at[d] * shape.strides[d];
    return at;
  };
  char *to = gradients;
  for (int64_t row = first; row < first + rows; ++row) {
    const Spatial at = elementOf(row);
    for (const Spatial &place : residue.places) {
      const int64_t position = shape.outputAt(at, place);
      to = gather(y,
                  (row / each * positions + position) * shape.outputs +
                      group * outputs,
                  position >= 0, outputs, to);
    }
  }
  HeadProduct::Left a{};
  if (depth > 0)
    a = product.left({y.dtype, gradients, true, depth, rows, depth}, left);
  else
    std::fill(sum, sum + rows * tiling.columns, 0.0f);
  for (int64_t column = 0; column < channels; column += tiling.columns) {
    const int64_t columns = std::min(tiling.columns, channels - column);
    if (depth > 0) {
      char *at = weights;
      for (const Spatial &place : residue.places)
        for (int64_t output = 0; output < outputs; ++output)
          at = gather(w,
                      ((group * outputs + output) * shape.places() +
                       ConvShape::join(place, shape.kernel)) *
                              channels +
                          column,
                      true, columns, at);
      product.multiply(
          a,
          product.right({w.dtype, weights, false, columns, columns, depth},
                        right),
          rows, columns, depth, /*adds=*/false, sum);
    }
    for (int64_t row = 0; row < rows; ++row)
      x.write(((first + row) / each * sizes +
               ConvShape::join(elementOf(first + row), shape.sizes)) *
                      shape.channels +
                  group * channels + column,
              sum + row * columns, columns);
  }
}

void Convolver::computeInput() const {
  if (tiling.isByChannel)
    return computeInputByChannel();
  const std::vector<Residue> residues = findResidues();
  int64_t count = 0;
  for (const Residue &residue : residues)
    count += shape.groups * residue.tiles;
  forTiles(count, [&](int64_t tile, float *scratch) {
    auto residue = residues.begin();
    for (; tile >= shape.groups * residue->tiles; ++residue)
      tile -= shape.groups * residue->tiles;
    computeInputTile(*residue, tile / residue->tiles,
                     tile % residue->tiles * tiling.rows, scratch);
  });
}

void Convolver::computeWeight() const {
  if (tiling.isByChannel)
    return computeWeightByChannel();
  const int64_t channels = shape.groupChannels(),
                outputs = shape.groupOutputs(),
                elements = shape.places() * channels,
                rowTiles = countTiles(outputs, tiling.rows),
                columnTiles = countTiles(elements, tiling.columns),
                positions = ConvShape::productOf(shape.positions),
                sizes = ConvShape::productOf(shape.sizes);
  forTiles(shape.groups * rowTiles * columnTiles, [&](int64_t tile,
                                                      float *scratch) {
    const int64_t group = tile / (rowTiles * columnTiles),
                  row = tile / columnTiles % rowTiles * tiling.rows,
                  column = tile % columnTiles * tiling.columns,
                  rows = std::min(tiling.rows, outputs - row),
                  columns = std::min(tiling.columns, elements - column);
    ScratchPieces arena(scratch);
    char *seen =
        reinterpret_cast<char *>(arena.take(tiling.columns * tiling.depth));
    float *left = arena.take(HeadProduct::scratch(tiling.rows, tiling.depth));
    float *right =
        arena.take(HeadProduct::scratch(tiling.columns, tiling.depth));
    float *sum = arena.take(tiling.rows * tiling.columns);
    std::fill(sum, sum + rows * columns, 0.0f);
    for (int64_t first = 0; first < shape.allPositions();
         first += tiling.depth) {
      const int64_t depth =
          std::min(tiling.depth, shape.allPositions() - first);
      char *to = seen;
      for (int64_t i = first; i < first + depth; ++i) {
        const Spatial at = ConvShape::split(i % positions, shape.positions);
        for (int64_t next = column; next < column + columns;) {
          const int64_t channel = next % channels,
                        count = std::min(channels - channel,
                                         column + columns - next),
                        element = shape.inputAt(at, placeAt(next / channels));
          to = gather(x,
                      (i / positions * sizes + element) * shape.channels +
                          group * channels + channel,
                      element >= 0, count, to);
          next += count;
        }
      }
      product.multiply(
          product.left({y.dtype,
                        y.at(first * shape.outputs + group * outputs + row),
                        false, shape.outputs, rows, depth},
                       left),
          product.right({x.dtype, seen, false, columns, columns, depth}, right),
          rows, columns, depth, /*adds=*/true, sum);
    }
    for (int64_t i = 0; i < rows; ++i)
      w.write((group * outputs + row + i) * elements + column,
              sum + i * columns, columns);
  });
}

//===----------------------------------------------------------------------===//
// Each channel by itself
//===----------------------------------------------------------------------===//

const float *Convolver::readByPlace(float *scratch) const {
  for (int64_t channel = 0; channel < shape.channels; ++channel)
    for (int64_t place = 0; place < shape.places(); ++place)
      toFloat(w.dtype, w.at(channel * shape.places() + place),
              scratch + place * shape.channels + channel, 1);
  return scratch;
}

void Convolver::computeOutputByChannel() const {
  const int64_t channels = shape.channels,
                positions = ConvShape::productOf(shape.positions),
                sizes = ConvShape::productOf(shape.sizes),
                tiles = countTiles(shape.allPositions(), mostRows);
  forTiles(tiles, [&](int64_t tile, float *scratch) {
    ScratchPieces arena(scratch);
    float *sum = arena.take(channels), *row = arena.take(channels);
    const float *weights = readByPlace(arena.take(shape.places() * channels));
    const int64_t end = std::min((tile + 1) * mostRows, shape.allPositions());
    for (int64_t i = tile * mostRows; i < end; ++i) {
      const Spatial at = ConvShape::split(i % positions, shape.positions);
      std::fill(sum, sum + channels, 0.0f);
      for (int64_t place = 0; place < shape.places(); ++place)
        if (const int64_t element = shape.inputAt(at, placeAt(place));
            element >= 0)
          rowAddScaled(sum,
                       x.read((i / positions * sizes + element) * channels,
                              channels, row),
                       weights + place * channels, 1.0f, channels);
      y.write(i * channels, sum, channels);
    }
  });
}

void Convolver::computeInputByChannel() const {
  const int64_t channels = shape.channels,
                positions = ConvShape::productOf(shape.positions),
                sizes = ConvShape::productOf(shape.sizes),
                tiles = countTiles(shape.allSizes(), mostRows);
  forTiles(tiles, [&](int64_t tile, float *scratch) {
    ScratchPieces arena(scratch);
    float *sum = arena.take(channels), *row = arena.take(channels);
    const float *weights = readByPlace(arena.take(shape.places() * channels));
    const int64_t end = std::min((tile + 1) * mostRows, shape.allSizes());
    for (int64_t i = tile * mostRows; i < end; ++i) {
      const Spatial at = ConvShape::split(i % sizes, shape.sizes);
      std::fill(sum, sum + channels, 0.0f);
      for (int64_t place = 0; place < shape.places(); ++place)
        if (const int64_t position = shape.outputAt(at, placeAt(place));
            position >= 0)
          rowAddScaled(sum,
                       y.read((i / sizes * positions + position) * channels,
                              channels, row),
                       weights + place * channels, 1.0f, channels);
      x.write(i * channels, sum, channels);
    }
  });
}

/// A place is the work of one thread, which adds up rows of positions first.
void Convolver::computeWeightByChannel() const {
  const int64_t channels = shape.channels,
                positions = ConvShape::productOf(shape.positions),
                sizes = ConvShape::productOf(shape.sizes);
  forTiles(shape.places(), [&](int64_t place, float *scratch) {
    ScratchPieces arena(scratch);
    float *total = arena.take(channels), *sum = arena.take(channels);
    float *row = arena.take(channels), *gradients = arena.take(channels);
    const Spatial at = placeAt(place);
    std::fill(total, total + channels, 0.0f);
    for (int64_t first = 0; first < shape.allPositions();
         first += positionsAtOnce) {
      std::fill(sum, sum + channels, 0.0f);
      const int64_t end =
          std::min(first + positionsAtOnce, shape.allPositions());
      for (int64_t i = first; i < end; ++i)
        if (const int64_t element = shape.inputAt(
                ConvShape::split(i % positions, shape.positions), at);
            element >= 0)
          rowAddScaled(sum, y.read(i * channels, channels, gradients),
                       x.read((i / positions * sizes + element) * channels,
                              channels, row),
                       1.0f, channels);
      rowAdd(total, sum, channels);
    }
    for (int64_t channel = 0; channel < channels; ++channel)
      w.write(channel * shape.places() + place, total + channel, 1);
  });
}

template <>
Status CpuRules<CommandKind::conv>::prepare(CpuPlan &plan,
                                            const Command &command) {
  const ConvShape shape(plan.manifest, command.conv);
  PREC_RT_RETURN_IF_ERROR(checkExtents(
      command, "a convolution",
      {shape.channels, shape.outputs, shape.places() * shape.groupChannels(),
       shape.places() * shape.groupOutputs()}));
  plan.scratchFloats = std::max(
      plan.scratchFloats,
      plan.threads * Tiling(shape, command.conv.direction).scratch(shape));
  plan.needsBlas = true;
  return {};
}

template <>
Status CpuRules<CommandKind::conv>::run(const CpuContext &context,
                                        const Command &command) {
  const Conv &conv = command.conv;
  const Convolver convolver(context, conv);
  if (conv.direction == "fprop")
    convolver.computeOutput();
  else if (conv.direction == "dgrad")
    convolver.computeInput();
  else
    convolver.computeWeight();
  return {};
}
