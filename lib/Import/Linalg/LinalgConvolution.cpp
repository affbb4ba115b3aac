//===- LinalgConvolution.cpp - convolutions of linalg ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum of products whose one operand, the image, is read at places that two
// loops give together, position * stride + place * dilation, is a convolution,
// whatever its name and the order of its dimensions. Each loop is something by
// where it is read and written:
//
//   image  kernel  result
//     x               x     batch
//             x       x     output channels
//     x       x             input channels, or a place of the kernel
//     x       x       x     groups (the channels of a depthwise one)
//
// Operands are brought to [batch, places..., groups and channels] and [groups
// and outputs, places..., channels], each group of loops as one dimension, and
// the result back. Zeros that were put around the image become the operation's
// own.
//
//===----------------------------------------------------------------------===//
#include "Import/Linalg/LinalgConverter.h"
#include "Import/Linalg/LinalgPayload.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace prec;
using linalg::LinalgOp;

namespace {

/// A spatial dimension.
struct Spatial {
  /// Which dimension of the image it is.
  int64_t dim;
  unsigned position, place;
  int64_t stride, dilation;
};

class ConvolutionReader {
public:
  ConvolutionReader(LinalgOp linalg, LinalgConverter &c)
      : linalg(linalg), c(c), ranges(linalg.getStaticLoopRanges()) {}

  /// False where it is no convolution that prec_train has.
  bool read() {
    if (!multipliesAndAdds(linalg))
      return false;
    OpOperand *first = linalg.getDpsInputOperand(0);
    OpOperand *second = linalg.getDpsInputOperand(1);
    bool isFirst = !getLoops(linalg.getMatchingIndexingMap(first));
    image = isFirst ? first : second;
    kernel = isFirst ? second : first;
    result = linalg.getDpsInitOperand(0);
    std::optional<Loops> ofKernel =
        getLoops(linalg.getMatchingIndexingMap(kernel));
    std::optional<Loops> ofResult =
        getLoops(linalg.getMatchingIndexingMap(result));
    if (!ofKernel || !ofResult)
      return false;
    kernelLoops = *ofKernel;
    resultLoops = *ofResult;
    return readImage() && classify() && isFloat();
  }

  Value build();

private:
  bool isFloat() {
    Type element = linalgTypeOf(result->get()).getElementType();
    return element.isF32() || element.isBF16() || element.isF16();
  }
  bool readImage();
  bool classify();
  int64_t count(ArrayRef<unsigned> loops) {
    int64_t product = 1;
    for (unsigned loop : loops)
      product *= ranges[loop];
    return product;
  }
  Value takePadding(Value value, SmallVectorImpl<int64_t> &low,
                    SmallVectorImpl<int64_t> &high);
  Value arrangeImage(Value value);
  Value arrangeKernel();

  LinalgOp linalg;
  LinalgConverter &c;
  SmallVector<int64_t> ranges;
  OpOperand *image = nullptr, *kernel = nullptr, *result = nullptr;
  /// The loop of each dimension of the image that is read along one.
  SmallVector<std::optional<unsigned>> imageLoops;
  Loops kernelLoops, resultLoops, batch, groups, outputs, channels;
  SmallVector<Spatial> spatial;
};

} // namespace

bool ConvolutionReader::readImage() {
  AffineMap map = linalg.getMatchingIndexingMap(image);
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    std::optional<LinearIndex> index = getLinearIndex(expr, ranges.size());
    if (!index || index->offset != 0)
      return false;
    if (isa<AffineDimExpr>(expr)) {
      imageLoops.push_back(index->terms[0].first);
      continue;
    }
    if (index->terms.size() != 2)
      return false;
    auto [first, firstFactor] = index->terms[0];
    auto [second, secondFactor] = index->terms[1];
    bool isPosition = llvm::is_contained(resultLoops, first);
    Spatial found =
        isPosition
            ? Spatial{int64_t(dim), first, second, firstFactor, secondFactor}
            : Spatial{int64_t(dim), second, first, secondFactor, firstFactor};
    if (found.stride < 1 || found.dilation < 1)
      return false;
    spatial.push_back(found);
    imageLoops.push_back(std::nullopt);
  }
  return !spatial.empty() && spatial.size() <= 3;
}

bool ConvolutionReader::classify() {
  for (unsigned loop = 0; loop < ranges.size(); ++loop) {
    unsigned inSpatial = llvm::count_if(spatial, [&](const Spatial &s) {
      return s.position == loop || s.place == loop;
    });
    bool isPlace = llvm::any_of(
        spatial, [&](const Spatial &s) { return s.place == loop; });
    bool inImage = llvm::count(imageLoops, loop);
    bool inKernel = llvm::is_contained(kernelLoops, loop);
    bool inResult = llvm::is_contained(resultLoops, loop);
    if (inSpatial > 1 || (inSpatial == 1 && inImage))
      return false;
    if (inSpatial == 1) {
      if (inKernel != isPlace || inResult == isPlace)
        return false;
      continue;
    }
    if (inImage && inKernel)
      (inResult ? groups : channels).push_back(loop);
    else if (inImage && inResult)
      batch.push_back(loop);
    else if (inKernel && inResult)
      outputs.push_back(loop);
    else
      return false;
  }
  return true;
}

/// The image without zeros around it, which become the operation's own: those
/// that it reads, however many there are.
Value ConvolutionReader::takePadding(Value value, SmallVectorImpl<int64_t> &low,
                                     SmallVectorImpl<int64_t> &high) {
  low.assign(spatial.size(), 0);
  high.assign(spatial.size(), 0);
  SmallVector<int64_t> excess;
  for (const Spatial &s : spatial)
    excess.push_back(linalgTypeOf(value).getDimSize(s.dim) -
                     ((ranges[s.position] - 1) * s.stride +
                      (ranges[s.place] - 1) * s.dilation + 1));
  if (std::optional<ZeroPadding> pad = findZeroPadding(value)) {
    bool isSpatial = true, isEnough = true;
    for (int64_t dim = 0; dim < linalgTypeOf(value).getRank(); ++dim) {
      auto found = llvm::find_if(
          spatial, [&](const Spatial &s) { return s.dim == dim; });
      int64_t before = pad->low[dim], behind = pad->high[dim];
      if (found == spatial.end()) {
        isSpatial &= before == 0 && behind == 0;
        continue;
      }
      int64_t which = found - spatial.begin();
      low[which] = before;
      high[which] = behind - excess[which];
      isEnough &= high[which] >= 0;
    }
    if (isSpatial && isEnough)
      return pad->source;
    low.assign(spatial.size(), 0);
    high.assign(spatial.size(), 0);
  }
  SmallVector<int64_t> sizes(linalgTypeOf(value).getShape());
  for (auto [s, more] : llvm::zip_equal(spatial, excess))
    sizes[s.dim] -= more;
  return c.slice(value, SmallVector<int64_t>(sizes.size(), 0), sizes,
                 SmallVector<int64_t>(sizes.size(), 1));
}

Value ConvolutionReader::arrangeImage(Value value) {
  SmallVector<int64_t> permutation;
  auto append = [&](ArrayRef<unsigned> loops) {
    for (unsigned loop : loops)
      permutation.push_back(llvm::find(imageLoops, loop) - imageLoops.begin());
  };
  append(batch);
  for (const Spatial &s : spatial)
    permutation.push_back(s.dim);
  append(groups);
  append(channels);
  SmallVector<size_t> counts = {batch.size()};
  counts.append(spatial.size(), 1);
  counts.push_back(groups.size() + channels.size());
  return c.join(c.transpose(value, permutation), counts);
}

Value ConvolutionReader::arrangeKernel() {
  SmallVector<int64_t> permutation;
  auto append = [&](unsigned loop) {
    permutation.push_back(llvm::find(kernelLoops, loop) - kernelLoops.begin());
  };
  llvm::for_each(groups, append);
  llvm::for_each(outputs, append);
  for (const Spatial &s : spatial)
    append(s.place);
  llvm::for_each(channels, append);
  SmallVector<size_t> counts = {groups.size() + outputs.size()};
  counts.append(spatial.size(), 1);
  counts.push_back(channels.size());
  return c.join(c.transpose(widen(*kernel, linalg, c), permutation), counts);
}

Value ConvolutionReader::build() {
  SmallVector<int64_t> low, high, strides, dilations;
  Value value = takePadding(image->get(), low, high);
  Type element = linalgTypeOf(result->get()).getElementType();
  if (linalgTypeOf(value).getElementType() != element)
    value = c.create<arith::ExtFOp>(linalgTypeOf(value).clone(element), value);
  value = arrangeImage(value);
  SmallVector<int64_t> shape = {count(batch)};
  SmallVector<SmallVector<int64_t>> sizes(1);
  Loops order(batch);
  for (unsigned loop : batch)
    sizes[0].push_back(ranges[loop]);
  for (const Spatial &s : spatial) {
    strides.push_back(s.stride);
    dilations.push_back(s.dilation);
    shape.push_back(ranges[s.position]);
    sizes.push_back({ranges[s.position]});
    order.push_back(s.position);
  }
  shape.push_back(count(groups) * count(outputs));
  sizes.emplace_back();
  for (ArrayRef<unsigned> loops : {ArrayRef(groups), ArrayRef(outputs)})
    for (unsigned loop : loops) {
      sizes.back().push_back(ranges[loop]);
      order.push_back(loop);
    }
  Value made = c.create<train::ConvOp>(
      linalgTypeOf(result->get()).clone(shape), value, arrangeKernel(), strides,
      low, high, dilations, uint32_t(count(groups)), ArrayAttr(), ArrayAttr());
  made = c.split(made, sizes);
  SmallVector<int64_t> permutation;
  for (unsigned loop : resultLoops)
    permutation.push_back(llvm::find(order, loop) - order.begin());
  made = c.transpose(made, permutation);
  if (startsFrom(result->get(), 0))
    return made;
  return c.create<arith::AddFOp>(made, result->get());
}

std::optional<Value> prec::convertConvolution(LinalgOp linalg,
                                              LinalgConverter &c) {
  ConvolutionReader reader(linalg, c);
  if (!reader.read())
    return std::nullopt;
  return reader.build();
}
