//===- LinalgBuilder.cpp - upstream operations in place of one ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Export/LinalgBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace prec;

Value LinalgBuilder::empty(RankedTensorType type) {
  return create<tensor::EmptyOp>(type.getShape(), type.getElementType());
}

Value LinalgBuilder::fill(double number, RankedTensorType type) {
  Value scalar = create<arith::ConstantOp>(
      builder.getFloatAttr(type.getElementType(), number));
  return create<linalg::FillOp>(scalar, empty(type));
}

Value LinalgBuilder::splat(double number, RankedTensorType type) {
  return create<arith::ConstantOp>(DenseElementsAttr::get(
      type, builder.getFloatAttr(type.getElementType(), number)));
}

Value LinalgBuilder::toF32(Value value) {
  return toElement(value, builder.getF32Type());
}

Value LinalgBuilder::toElement(Value value, Type element) {
  RankedTensorType type = typeOf(value);
  if (type.getElementType() == element)
    return value;
  if (type.getElementTypeBitWidth() < element.getIntOrFloatBitWidth())
    return create<arith::ExtFOp>(type.clone(element), value);
  return create<arith::TruncFOp>(type.clone(element), value);
}

Value LinalgBuilder::transpose(Value value, ArrayRef<int64_t> permutation) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  return create<linalg::TransposeOp>(value, empty(type.clone(shape)),
                                     permutation);
}

Value LinalgBuilder::broadcast(Value value, ArrayRef<int64_t> dims,
                               ArrayRef<int64_t> shape) {
  SmallVector<int64_t> added;
  for (int64_t dim = 0, rank = shape.size(); dim < rank; ++dim)
    if (!llvm::is_contained(dims, dim))
      added.push_back(dim);
  if (added.empty())
    return value;
  return create<linalg::BroadcastOp>(value, empty(typeOf(value).clone(shape)),
                                     added);
}

/// What changes nothing where elements are combined.
static TypedAttr getNeutral(train::ReduceKind kind, Type element,
                            Builder &builder) {
  if (auto format = dyn_cast<FloatType>(element)) {
    double infinity = std::numeric_limits<double>::infinity();
    return builder.getFloatAttr(format, kind == train::ReduceKind::Sum ? 0
                                        : kind == train::ReduceKind::Max
                                            ? -infinity
                                            : infinity);
  }
  unsigned width = element.getIntOrFloatBitWidth();
  return builder.getIntegerAttr(element, kind == train::ReduceKind::Sum
                                             ? APInt::getZero(width)
                                         : kind == train::ReduceKind::Max
                                             ? APInt::getSignedMinValue(width)
                                             : APInt::getSignedMaxValue(width));
}

static Value combine(train::ReduceKind kind, Value a, Value b,
                     OpBuilder &builder, Location loc) {
  bool isFloat = isa<FloatType>(a.getType());
  switch (kind) {
  case train::ReduceKind::Sum:
    return isFloat ? Value(arith::AddFOp::create(builder, loc, a, b))
                   : arith::AddIOp::create(builder, loc, a, b);
  case train::ReduceKind::Max:
    return isFloat ? Value(arith::MaxNumFOp::create(builder, loc, a, b))
                   : arith::MaxSIOp::create(builder, loc, a, b);
  case train::ReduceKind::Min:
    return isFloat ? Value(arith::MinNumFOp::create(builder, loc, a, b))
                   : arith::MinSIOp::create(builder, loc, a, b);
  }
  llvm_unreachable("all kinds are handled");
}

Value LinalgBuilder::reduce(train::ReduceKind kind, Value value,
                            ArrayRef<int64_t> dims) {
  if (dims.empty())
    return value;
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> ascending(dims), shape;
  llvm::sort(ascending);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      shape.push_back(type.getDimSize(dim));
  Value start = create<arith::ConstantOp>(
      getNeutral(kind, type.getElementType(), builder));
  Value init = create<linalg::FillOp>(start, empty(type.clone(shape)));
  // The order that the short form of the operation has: element, sum so far.
  return create<linalg::ReduceOp>(
      ValueRange{value}, ValueRange{init}, ascending,
      [kind](OpBuilder &inner, Location at, ValueRange scalars) {
        linalg::YieldOp::create(
            inner, at, combine(kind, scalars[0], scalars[1], inner, at));
      });
}

Value LinalgBuilder::takeFirst(Value value, ArrayRef<int64_t> sizes) {
  RankedTensorType type = typeOf(value);
  if (type.getShape() == sizes)
    return value;
  SmallVector<int64_t> offsets(sizes.size(), 0), strides(sizes.size(), 1);
  return create<tensor::ExtractSliceOp>(type.clone(sizes), value, ValueRange(),
                                        ValueRange(), ValueRange(), offsets,
                                        sizes, strides);
}

Value LinalgBuilder::padLast(Value value, int64_t size) {
  RankedTensorType type = typeOf(value);
  int64_t missing = size - type.getShape().back();
  if (missing == 0)
    return value;
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = size;
  SmallVector<OpFoldResult> low(shape.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> high(low);
  high.back() = builder.getIndexAttr(missing);
  Value zero = create<arith::ConstantOp>(
      cast<TypedAttr>(builder.getZeroAttr(type.getElementType())));
  return create<tensor::PadOp>(type.clone(shape), value, low, high, zero);
}

Value LinalgBuilder::splitLast(Value value, int64_t size) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    groups.push_back({dim});
  groups.back().push_back(type.getRank());
  shape.back() /= size;
  shape.push_back(size);
  return create<tensor::ExpandShapeOp>(type.clone(shape), value, groups);
}

Value LinalgBuilder::joinDims(Value value, int64_t first) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (dim == first + 1) {
      shape.back() *= type.getDimSize(dim);
      groups.back().push_back(dim);
      continue;
    }
    shape.push_back(type.getDimSize(dim));
    groups.push_back({dim});
  }
  return create<tensor::CollapseShapeOp>(type.clone(shape), value, groups);
}

Value LinalgBuilder::joinFirst(Value value, int64_t count) {
  if (count == 0) {
    RankedTensorType type = typeOf(value);
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), 1);
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      groups.push_back({dim + 1});
    if (!groups.empty())
      groups.front().insert(groups.front().begin(), 0);
    return create<tensor::ExpandShapeOp>(type.clone(shape), value, groups);
  }
  for (; count > 1; --count)
    value = joinDims(value, 0);
  return value;
}

ArrayAttr LinalgBuilder::getMaps(unsigned loops,
                                 ArrayRef<SmallVector<unsigned>> dims) {
  SmallVector<AffineMap> maps;
  for (ArrayRef<unsigned> targets : dims)
    maps.push_back(AffineMap::getMultiDimMapWithTargets(loops, targets,
                                                        builder.getContext()));
  return builder.getAffineMapArrayAttr(maps);
}

static SmallVector<unsigned> firstLoops(unsigned count) {
  return llvm::to_vector(llvm::seq<unsigned>(0, count));
}

Value LinalgBuilder::generic(RankedTensorType type, ValueRange inputs,
                             ArrayRef<SmallVector<unsigned>> maps,
                             unsigned loops, Payload payload) {
  unsigned rank = type.getRank();
  SmallVector<SmallVector<unsigned>> dims(maps);
  dims.push_back(firstLoops(rank));
  SmallVector<AffineMap> all;
  for (Attribute map : getMaps(loops, dims))
    all.push_back(cast<AffineMapAttr>(map).getValue());
  SmallVector<utils::IteratorType> kinds(loops, utils::IteratorType::reduction);
  std::fill_n(kinds.begin(), rank, utils::IteratorType::parallel);
  Value init = rank == loops ? empty(type) : fill(0, type);
  return create<linalg::GenericOp>(
      TypeRange{type}, inputs, ValueRange{init}, all, kinds,
      [&](OpBuilder &inner, Location at, ValueRange scalars) {
        linalg::YieldOp::create(inner, at, payload(inner, at, scalars));
      });
}

Value LinalgBuilder::multiply(Value lhs, Value rhs, bool transposeA,
                              bool transposeB) {
  ArrayRef<int64_t> l = typeOf(lhs).getShape(), r = typeOf(rhs).getShape();
  unsigned rank = l.size(), m = rank - 2, n = rank - 1, k = rank;
  SmallVector<int64_t> shape(l);
  shape[m] = l[transposeA ? rank - 1 : rank - 2];
  shape[n] = r[transposeB ? rank - 2 : rank - 1];
  auto withLast = [&](unsigned first, unsigned second) {
    SmallVector<unsigned> dims = firstLoops(m);
    dims.append({first, second});
    return dims;
  };
  ArrayAttr maps = getMaps(
      rank + 1, {transposeA ? withLast(k, m) : withLast(m, k),
                 transposeB ? withLast(n, k) : withLast(k, n), withLast(m, n)});
  Value init = fill(0, RankedTensorType::get(shape, builder.getF32Type()));
  TypeRange result(init);
  if (rank == 2) {
    auto product = linalg::MatmulOp::create(builder, loc, result,
                                            ValueRange{lhs, rhs}, init);
    product.setIndexingMapsAttr(maps);
    return product->getResult(0);
  }
  if (rank == 3) {
    auto product = linalg::BatchMatmulOp::create(builder, loc, result,
                                                 ValueRange{lhs, rhs}, init);
    product.setIndexingMapsAttr(maps);
    return product->getResult(0);
  }
  return create<linalg::ContractOp>(result, ValueRange{lhs, rhs},
                                    ValueRange{init}, maps);
}

Value prec::buildNearestIndex(Value id, int64_t count, OpBuilder &builder,
                              Location loc) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(id.getType(), value));
  };
  Value atLeast = arith::MaxSIOp::create(builder, loc, id, constant(0));
  Value nearest =
      arith::MinSIOp::create(builder, loc, atLeast, constant(count - 1));
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    nearest);
}
