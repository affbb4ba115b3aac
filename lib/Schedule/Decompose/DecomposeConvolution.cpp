//===- DecomposeConvolution.cpp - convolutions without a library ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a convolution as one product for each group. `gatherWindows` puts what
// each window of the input sees side by side: one strided slice for each place
// of the kernel, which are joined. The output is the product of the windows
// with the weight, the weight's gradient that of the output's gradient with the
// windows. The input's gradient is a product, whose elements are added back to
// where windows read them: a slice for each place, with zeros between its
// elements where strides leave some out.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Decompose/Decompose.h"

#include "prec/Dialect/Train/Convolution.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace prec;

namespace {

class ConvolutionBuilder {
public:
  ConvolutionBuilder(Operation *op, PrimitiveBuilder &b)
      : b(b), context(op->getContext()), of(*train::Convolution::of(op)),
        rank(of.getSpatialRank()), places(of.countPlaces()),
        positions(of.countPositions()) {}

  Value computeOutput(Value input, Value weight) {
    Value product = multiply(
        gatherWindows(input), reshape(weight, matrixShape()),
        /*transposeA=*/false, /*transposeB=*/true, of.output.getElementType());
    return byPosition(product, of.output.getShape());
  }

  Value computeInput(Value grad, Value weight) {
    Type f32 = Float32Type::get(context);
    Value products = multiply(byGroup(grad), reshape(weight, matrixShape()),
                              /*transposeA=*/false, /*transposeB=*/false, f32);
    products =
        reshape(products, {of.groups, positions, places, of.getChannels()});
    SmallVector<int64_t> shape(of.output.getShape());
    shape.back() = of.groups * of.getChannels();
    Value total;
    for (int64_t place = 0; place < places; ++place) {
      Value part =
          slice(products, {0, 0, place, 0},
                {of.groups, positions, 1, of.getChannels()}, {1, 1, 1, 1});
      part = reshape(part, {of.groups, positions, of.getChannels()});
      part = byPosition(part, shape);
      SmallVector<int64_t> at = getPlace(place);
      for (int64_t d = 0; d < rank; ++d)
        part = spread(part, d + 1, at[d] * of.dilations[d], of.strides[d],
                      getPaddedSize(d));
      total = total ? b.add(total, part) : part;
    }
    SmallVector<int64_t> first(rank + 2, 0);
    llvm::copy(of.low, first.begin() + 1);
    return slice(total, first, of.input.getShape(),
                 SmallVector<int64_t>(rank + 2, 1));
  }

  Value computeWeight(Value grad, Value input) {
    Value product = multiply(byGroup(grad), gatherWindows(input),
                             /*transposeA=*/true, /*transposeB=*/false,
                             of.weight.getElementType());
    return reshape(product, of.weight.getShape());
  }

private:
  int64_t getPaddedSize(int64_t dim) const {
    return of.input.getDimSize(dim + 1) + of.low[dim] + of.high[dim];
  }
  SmallVector<int64_t> matrixShape() const {
    return {of.groups, of.getOutputs(), places * of.getChannels()};
  }
  /// The coordinates of a place of the kernel.
  SmallVector<int64_t> getPlace(int64_t place) const {
    SmallVector<int64_t> at(rank);
    for (int64_t d = rank; d-- > 0;) {
      at[d] = place % of.weight.getDimSize(d + 1);
      place /= of.weight.getDimSize(d + 1);
    }
    return at;
  }

  /// Through one dimension, whatever the shapes.
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    RankedTensorType type = tensorType(value);
    if (type.getShape() == shape)
      return value;
    auto all = [](int64_t count) {
      return SmallVector<ReassociationIndices>{
          llvm::to_vector<2>(llvm::seq<int64_t>(0, count))};
    };
    if (type.getRank() > 1)
      value = b.create<tensor::CollapseShapeOp>(value, all(type.getRank()));
    if (shape.size() == 1)
      return value;
    return b.create<tensor::ExpandShapeOp>(type.clone(shape), value,
                                           all(shape.size()));
  }

  Value transpose(Value value, ArrayRef<int64_t> permutation) {
    SmallVector<int64_t> shape;
    for (int64_t dim : permutation)
      shape.push_back(shapeOf(value)[dim]);
    return b.create<train::TransposeOp>(tensorType(value).clone(shape), value,
                                        permutation);
  }

  Value slice(Value value, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
              ArrayRef<int64_t> strides) {
    return b.create<tensor::ExtractSliceOp>(
        tensorType(value).clone(sizes), value,
        getAsIndexOpFoldResult(context, offsets),
        getAsIndexOpFoldResult(context, sizes),
        getAsIndexOpFoldResult(context, strides));
  }

  /// Zeros in front and behind.
  Value pad(Value value, int64_t dim, int64_t low, int64_t high) {
    SmallVector<Value> pieces;
    auto add = [&](int64_t size) {
      SmallVector<int64_t> shape(shapeOf(value));
      shape[dim] = size;
      if (size > 0)
        pieces.push_back(b.zeros(tensorType(value).clone(shape)));
    };
    add(low);
    pieces.push_back(value);
    add(high);
    if (pieces.size() == 1)
      return value;
    return b.create<tensor::ConcatOp>(dim, pieces);
  }

  /// Zeros of `size` along `dim`, with the elements from `start` on at every
  /// `step`.
  Value spread(Value value, int64_t dim, int64_t start, int64_t step,
               int64_t size) {
    SmallVector<int64_t> shape(shapeOf(value));
    int64_t count = shape[dim];
    if (step > 1 && count > 1) {
      shape.insert(shape.begin() + dim + 1, 1);
      value = pad(reshape(value, shape), dim + 1, 0, step - 1);
      shape.erase(shape.begin() + dim + 1);
      shape[dim] = count * step;
      value = reshape(value, shape);
      shape[dim] = count = (count - 1) * step + 1;
      value = slice(value, SmallVector<int64_t>(shape.size(), 0), shape,
                    SmallVector<int64_t>(shape.size(), 1));
    }
    return pad(value, dim, start, size - start - count);
  }

  Value multiply(Value lhs, Value rhs, bool transposeA, bool transposeB,
                 Type element) {
    ArrayRef<int64_t> l = shapeOf(lhs), r = shapeOf(rhs);
    auto type = RankedTensorType::get(
        {of.groups, l[transposeA ? 2 : 1], r[transposeB ? 1 : 2]}, element);
    return b.create<train::MatmulOp>(type, lhs, rhs, /*bias=*/Value(),
                                     transposeA, transposeB,
                                     /*result_tags=*/nullptr,
                                     /*operand_tags=*/nullptr);
  }

  /// [N, S..., C] as [groups, positions, places * channels].
  Value gatherWindows(Value input) {
    for (int64_t d = 0; d < rank; ++d)
      input = pad(input, d + 1, of.low[d], of.high[d]);
    SmallVector<int64_t> sizes(of.output.getShape()), strides(rank + 2, 1);
    sizes.back() = shapeOf(input).back();
    llvm::copy(of.strides, strides.begin() + 1);
    SmallVector<Value> seen;
    for (int64_t place = 0; place < places; ++place) {
      SmallVector<int64_t> offsets(rank + 2, 0), at = getPlace(place);
      for (int64_t d = 0; d < rank; ++d)
        offsets[d + 1] = at[d] * of.dilations[d];
      seen.push_back(reshape(slice(input, offsets, sizes, strides),
                             {positions, of.groups, 1, of.getChannels()}));
    }
    Value windows = seen.size() == 1
                        ? seen.front()
                        : b.create<tensor::ConcatOp>(/*dim=*/2, seen);
    return reshape(transpose(windows, {1, 0, 2, 3}),
                   {of.groups, positions, places * of.getChannels()});
  }

  /// [N, P..., O] as [groups, positions, outputs].
  Value byGroup(Value output) {
    return transpose(reshape(output, {positions, of.groups, of.getOutputs()}),
                     {1, 0, 2});
  }
  /// The inverse, of any number of elements a group.
  Value byPosition(Value value, ArrayRef<int64_t> shape) {
    return reshape(transpose(value, {1, 0, 2}), shape);
  }

  PrimitiveBuilder &b;
  MLIRContext *context;
  train::Convolution of;
  int64_t rank, places, positions;
};

} // namespace

Values prec::decompose(train::ConvOp op, PrimitiveBuilder &b) {
  return {
      ConvolutionBuilder(op, b).computeOutput(op.getInput(), op.getWeight())};
}

Values prec::decompose(train::ConvGradInputOp op, PrimitiveBuilder &b) {
  Value sum =
      ConvolutionBuilder(op, b).computeInput(op.getGrad(), op.getWeight());
  return {b.roundTo(sum, op.getGradInput())};
}

Values prec::decompose(train::ConvGradWeightOp op, PrimitiveBuilder &b) {
  return {ConvolutionBuilder(op, b).computeWeight(op.getGrad(), op.getInput())};
}
