//===- LinalgLookups.cpp - padding, gathers and scatters ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of tensor that stand beside those of linalg and are not what
// graphs of prec have. Padding is a concatenation. A gather takes places of
// some dimensions: these become the rows of a table. So they do for a scatter,
// whose indices are all different: each row of the result is the sum of the
// updates that go there, of which there is one, or the row that was there.
//
//===----------------------------------------------------------------------===//
#include "Import/Linalg/LinalgConverter.h"
#include "Import/Linalg/LinalgPayload.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

/// Whether a tensor is padded with a constant, by sizes that are known.
static bool hasKnownPadding(tensor::PadOp pad) {
  return pad.getConstantPaddingValue() &&
         matchPattern(pad.getConstantPaddingValue(), m_Constant()) &&
         llvm::none_of(pad.getStaticLow(), ShapedType::isDynamic) &&
         llvm::none_of(pad.getStaticHigh(), ShapedType::isDynamic);
}

static bool isKnown(tensor::InsertSliceOp insert) {
  auto isDynamic = [](ArrayRef<int64_t> numbers) {
    return llvm::any_of(numbers, ShapedType::isDynamic);
  };
  return !isDynamic(insert.getStaticOffsets()) &&
         !isDynamic(insert.getStaticSizes()) &&
         llvm::all_of(insert.getStaticStrides(),
                      [](int64_t stride) { return stride == 1; });
}

std::optional<ZeroPadding> prec::findZeroPadding(Value value) {
  if (auto pad = value.getDefiningOp<tensor::PadOp>())
    if (hasKnownPadding(pad) &&
        matchPattern(pad.getConstantPaddingValue(), m_AnyZeroFloat()))
      return ZeroPadding{pad.getSource(),
                         SmallVector<int64_t>(pad.getStaticLow()),
                         SmallVector<int64_t>(pad.getStaticHigh())};
  auto insert = value.getDefiningOp<tensor::InsertSliceOp>();
  if (!insert || !isKnown(insert) || !startsFrom(insert.getDest(), 0) ||
      insert.getSourceType().getRank() != insert.getDestType().getRank())
    return std::nullopt;
  ZeroPadding padding{insert.getSource(), {}, {}};
  for (auto [offset, size, whole] :
       llvm::zip_equal(insert.getStaticOffsets(), insert.getStaticSizes(),
                       insert.getDestType().getShape())) {
    padding.low.push_back(offset);
    padding.high.push_back(whole - offset - size);
  }
  return padding;
}

/// What a chain of insertions makes a whole tensor of, in the order of places
/// along one dimension; nothing where it leaves or writes twice any place.
static std::optional<std::pair<int64_t, SmallVector<Value>>>
findConcatenation(tensor::InsertSliceOp last) {
  SmallVector<tensor::InsertSliceOp> chain = {last};
  while (auto before =
             chain.back().getDest().getDefiningOp<tensor::InsertSliceOp>())
    chain.push_back(before);
  RankedTensorType type = last.getDestType();
  std::optional<int64_t> along;
  for (tensor::InsertSliceOp part : chain) {
    if (!isKnown(part) || part.getSourceType().getRank() != type.getRank())
      return std::nullopt;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (part.getStaticSizes()[dim] == type.getDimSize(dim))
        continue;
      if (along && *along != dim)
        return std::nullopt;
      along = dim;
    }
  }
  if (!along)
    return std::nullopt;
  llvm::stable_sort(
      chain, [&](tensor::InsertSliceOp a, tensor::InsertSliceOp b) {
        return a.getStaticOffsets()[*along] < b.getStaticOffsets()[*along];
      });
  SmallVector<Value> parts;
  int64_t end = 0;
  for (tensor::InsertSliceOp part : chain) {
    if (part.getStaticOffsets()[*along] != end)
      return std::nullopt;
    end += part.getStaticSizes()[*along];
    parts.push_back(part.getSource());
  }
  if (end != type.getDimSize(*along))
    return std::nullopt;
  return std::pair(*along, parts);
}

/// Along one dimension after the other what is before, the part that the
/// insertion changes and what is behind are concatenated; a part that it
/// replaces as a whole is the source.
FailureOr<SmallVector<Value>>
LinalgConverter::convertInsert(tensor::InsertSliceOp insert) {
  // linalg_c12
  if (!isKnown(insert))
    return insert.emitOpError("what is inserted must have constant offsets, "
                              "sizes and strides of 1 to be converted");
  if (auto parts = findConcatenation(insert))
    return SmallVector<Value>{concat(parts->first, parts->second)};
  RankedTensorType type = insert.getDestType();
  // What nobody wrote may be anything.
  Value dest = insert.getDest();
  if (dest.getDefiningOp<tensor::EmptyOp>())
    dest = splatTensor(builder.getZeroAttr(type.getElementType()), type);
  ArrayRef<int64_t> starts = insert.getStaticOffsets();
  ArrayRef<int64_t> counts = insert.getStaticSizes();
  int64_t rank = type.getRank();
  Value value = insert.getSource();
  // Dimensions of 1 that the source has not.
  auto dropped = insert.getDroppedDims();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dropped.test(dim))
      value = addDim(value, dim);
  SmallVector<int64_t> ones(rank, 1);
  for (int64_t dim = rank; dim-- > 0;) {
    // In dimensions before, what the insertion reaches; all of those behind.
    SmallVector<int64_t> offsets(starts), sizes(counts);
    for (int64_t behind = dim + 1; behind < rank; ++behind) {
      offsets[behind] = 0;
      sizes[behind] = type.getDimSize(behind);
    }
    SmallVector<Value> parts;
    auto keep = [&](int64_t begin, int64_t end) {
      offsets[dim] = begin;
      sizes[dim] = end - begin;
      if (begin < end)
        parts.push_back(slice(dest, offsets, sizes, ones));
    };
    keep(0, starts[dim]);
    parts.push_back(value);
    keep(starts[dim] + counts[dim], type.getDimSize(dim));
    value = concat(dim, parts);
  }
  return SmallVector<Value>{value};
}

FailureOr<SmallVector<Value>> LinalgConverter::convertPad(tensor::PadOp pad) {
  auto isBelowZero = [](int64_t size) { return size < 0; };
  // linalg_c10
  if (!hasKnownPadding(pad) || llvm::any_of(pad.getStaticLow(), isBelowZero) ||
      llvm::any_of(pad.getStaticHigh(), isBelowZero))
    return pad.emitOpError("padding must be a constant, of constant sizes that "
                           "are not negative, to be converted");
  Attribute element;
  matchPattern(pad.getConstantPaddingValue(), m_Constant(&element));
  Value value = pad.getSource();
  for (int64_t dim = 0; dim < linalgTypeOf(value).getRank(); ++dim) {
    SmallVector<Value> parts;
    auto add = [&](int64_t size) {
      SmallVector<int64_t> shape(linalgTypeOf(value).getShape());
      shape[dim] = size;
      if (size > 0)
        parts.push_back(splatTensor(element, linalgTypeOf(value).clone(shape)));
    };
    add(pad.getStaticLow()[dim]);
    parts.push_back(value);
    add(pad.getStaticHigh()[dim]);
    value = concat(dim, parts);
  }
  return SmallVector<Value>{value};
}

/// All dimensions but `first`, behind these.
static SmallVector<int64_t> orderWithFirst(ArrayRef<int64_t> first,
                                           int64_t rank) {
  SmallVector<int64_t> order(first);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(first, dim))
      order.push_back(dim);
  return order;
}

/// Of indices [..., n], one for each of `dims` of a tensor: the row of a table
/// that these dimensions make together.
Value LinalgConverter::buildRowIds(Value indices, ArrayRef<int64_t> dims,
                                   ArrayRef<int64_t> shape) {
  RankedTensorType type = linalgTypeOf(indices);
  int64_t last = type.getRank() - 1;
  SmallVector<int64_t> sizes(type.getShape()), offsets(last + 1, 0),
      ones(last + 1, 1);
  sizes.back() = 1;
  SmallVector<bool> dropped(last + 1, false);
  dropped.back() = true;
  Type i32 = builder.getI32Type();
  Value ids;
  for (auto [place, dim] : llvm::enumerate(dims)) {
    offsets.back() = static_cast<int64_t>(place);
    Value id = dropDims(slice(indices, offsets, sizes, ones), dropped);
    RankedTensorType own = linalgTypeOf(id);
    if (own.getElementTypeBitWidth() > 32)
      id = create<arith::TruncIOp>(own.clone(i32), id);
    else if (own.getElementTypeBitWidth() < 32)
      id = create<arith::ExtSIOp>(own.clone(i32), id);
    ids = ids ? create<arith::AddIOp>(
                    create<arith::MulIOp>(ids,
                                          splatInt(shape[dim], own.getShape())),
                    id)
              : id;
  }
  return ids;
}

/// The number of dimensions that make rows, then one for each other.
static SmallVector<size_t> countTableDims(size_t rows, int64_t rank) {
  SmallVector<size_t> counts = {rows};
  counts.append(rank - rows, 1);
  return counts;
}

/// Those of the dimensions that make rows together, then each other's.
static SmallVector<SmallVector<int64_t>> getTableSizes(Value ordered,
                                                       size_t rows) {
  SmallVector<SmallVector<int64_t>> sizes(1);
  for (auto [place, size] : llvm::enumerate(linalgTypeOf(ordered).getShape())) {
    if (place >= rows)
      sizes.emplace_back();
    sizes.back().push_back(size);
  }
  return sizes;
}

FailureOr<SmallVector<Value>>
LinalgConverter::convertGather(tensor::GatherOp gather) {
  RankedTensorType type = linalgTypeOf(gather.getSource());
  ArrayRef<int64_t> dims = gather.getGatherDims();
  SmallVector<int64_t> order = orderWithFirst(dims, type.getRank());
  Value table = join(transpose(gather.getSource(), order),
                     countTableDims(dims.size(), type.getRank()));
  Value ids = buildRowIds(gather.getIndices(), dims, type.getShape());
  SmallVector<int64_t> shape(linalgTypeOf(ids).getShape());
  int64_t leading = shape.size();
  llvm::append_range(shape, linalgTypeOf(table).getShape().drop_front());
  Value value = create<train::GatherOp>(type.clone(shape), table, ids,
                                        ArrayAttr(), ArrayAttr());
  // Where the result keeps the dimensions, they have size 1.
  if (linalgTypeOf(gather.getResult()).getRank() != int64_t(shape.size()))
    for (int64_t dim : dims)
      value = addDim(value, leading + dim);
  return SmallVector<Value>{value};
}

FailureOr<SmallVector<Value>>
LinalgConverter::convertScatter(tensor::ScatterOp scatter) {
  RankedTensorType type = linalgTypeOf(scatter.getDest());
  Type element = type.getElementType();
  // linalg_c11
  if (!element.isF32() && !element.isBF16() && !element.isF16())
    return scatter.emitOpError("what is scattered must be floats of at most 32 "
                               "bits to be converted, but got ")
           << type;
  ArrayRef<int64_t> dims = scatter.getScatterDims();
  SmallVector<int64_t> order = orderWithFirst(dims, type.getRank());
  SmallVector<size_t> counts = countTableDims(dims.size(), type.getRank());
  Value ordered = transpose(scatter.getDest(), order);
  SmallVector<SmallVector<int64_t>> sizes = getTableSizes(ordered, dims.size());
  Value table = join(ordered, counts);
  Value ids = buildRowIds(scatter.getIndices(), dims, type.getShape());
  RankedTensorType rows = linalgTypeOf(table);
  SmallVector<int64_t> shape(linalgTypeOf(ids).getShape());
  int64_t leading = shape.size();
  llvm::append_range(shape, rows.getShape().drop_front());
  Value updates = scatter.getSource();
  if (linalgTypeOf(updates).getRank() != int64_t(shape.size())) {
    SmallVector<bool> dropped(linalgTypeOf(updates).getRank(), false);
    for (int64_t dim : dims)
      dropped[leading + dim] = true;
    updates = dropDims(updates, dropped);
  }
  auto sum = [&](Value added, RankedTensorType of) {
    Value zeros = splatTensor(builder.getFloatAttr(element, 0), of);
    return create<train::ScatterAddOp>(of, zeros, ids, added,
                                       /*sorted=*/Value(), ArrayAttr(),
                                       ArrayAttr());
  };
  RankedTensorType flags = rows.clone(rows.getShape().take_front());
  Value ones = splatTensor(builder.getFloatAttr(element, 1),
                           linalgTypeOf(ids).clone(element));
  Value isSet = create<arith::CmpFOp>(
      arith::CmpFPredicate::OGT, sum(ones, flags),
      splatTensor(builder.getFloatAttr(element, 0), flags));
  isSet = create<train::BroadcastOp>(rows.clone(builder.getI1Type()), isSet,
                                     ArrayRef<int64_t>{0});
  Value made = create<arith::SelectOp>(isSet, sum(updates, rows), table);
  return SmallVector<Value>{
      transpose(split(made, sizes), invertPermutationVector(order))};
}

/// The number `place` (row-major) of a tensor of whole numbers that depend on
/// no argument.
static std::optional<int64_t> getElement(Value value, int64_t place) {
  Operation *made = value.getDefiningOp();
  auto at = [&](RankedTensorType type) {
    return delinearize(place, computeStrides(type.getShape()));
  };
  auto from = [](Value source, ArrayRef<int64_t> indices) {
    return getElement(
        source,
        linearize(indices, computeStrides(linalgTypeOf(source).getShape())));
  };
  auto combine = [&](auto combineTwo) -> std::optional<int64_t> {
    std::optional<int64_t> lhs = getElement(made->getOperand(0), place);
    std::optional<int64_t> rhs = getElement(made->getOperand(1), place);
    if (!lhs || !rhs)
      return std::nullopt;
    return combineTwo(*lhs, *rhs);
  };
  DenseIntElementsAttr dense;
  if (!made)
    return std::nullopt;
  if (matchPattern(value, m_Constant(&dense)))
    return dense.getValues<APInt>()[place].getSExtValue();
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(made)
      .Case([&](train::IotaOp iota) {
        return at(linalgTypeOf(value))[iota.getDim()];
      })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp, arith::ExtSIOp,
            arith::TruncIOp>(
          [&](Operation *op) { return getElement(op->getOperand(0), place); })
      .Case([&](tensor::ExtractSliceOp slice) -> std::optional<int64_t> {
        SmallVector<int64_t> indices = at(linalgTypeOf(value));
        if (slice.getSourceType().getRank() != slice.getType().getRank() ||
            llvm::any_of(slice.getStaticOffsets(), ShapedType::isDynamic))
          return std::nullopt;
        for (auto [index, offset, stride] : llvm::zip_equal(
                 indices, slice.getStaticOffsets(), slice.getStaticStrides()))
          index = offset + index * stride;
        return from(slice.getSource(), indices);
      })
      .Case([&](tensor::ConcatOp concat) -> std::optional<int64_t> {
        SmallVector<int64_t> indices = at(linalgTypeOf(value));
        int64_t &along = indices[concat.getDim()];
        for (Value part : concat.getInputs()) {
          int64_t size = linalgTypeOf(part).getDimSize(concat.getDim());
          if (along < size)
            return from(part, indices);
          along -= size;
        }
        return std::nullopt;
      })
      // Insertions are replaced last of all.
      .Case([&](tensor::InsertSliceOp insert) -> std::optional<int64_t> {
        SmallVector<int64_t> indices = at(linalgTypeOf(value));
        if (!isKnown(insert) ||
            insert.getSourceType().getRank() != insert.getDestType().getRank())
          return std::nullopt;
        SmallVector<int64_t> inner(indices);
        for (auto [index, offset] :
             llvm::zip_equal(inner, insert.getStaticOffsets()))
          index -= offset;
        bool isInserted = llvm::all_of(
            llvm::zip_equal(inner, insert.getStaticSizes()), [](auto pair) {
              auto [index, size] = pair;
              return index >= 0 && index < size;
            });
        return isInserted ? from(insert.getSource(), inner)
                          : from(insert.getDest(), indices);
      })
      .Case([&](train::BroadcastOp broadcast) {
        SmallVector<int64_t> all = at(linalgTypeOf(value)), indices;
        for (int64_t dim : broadcast.getDims())
          indices.push_back(all[dim]);
        return from(broadcast.getInput(), indices);
      })
      .Case([&](arith::MaxSIOp) {
        return combine([](int64_t a, int64_t b) { return std::max(a, b); });
      })
      .Case([&](arith::MinSIOp) {
        return combine([](int64_t a, int64_t b) { return std::min(a, b); });
      })
      .Default(std::optional<int64_t>());
}

std::optional<size_t> prec::findOnlyComputed(ArrayRef<Value> ids,
                                             ArrayRef<int64_t> shape) {
  if (ids.size() != shape.size() || ids.size() < 2)
    return std::nullopt;
  int64_t count = linalgTypeOf(ids.front()).getNumElements();
  std::optional<size_t> computed;
  int64_t repeat = count;
  for (auto [dim, id] : llvm::enumerate(ids)) {
    // The first of the numbers already says for most that are computed.
    if (!getElement(id, 0)) {
      if (computed)
        return std::nullopt;
      computed = dim;
      continue;
    }
    if (repeat % shape[dim] != 0)
      return std::nullopt;
    repeat /= shape[dim];
    for (int64_t place = 0; place < count; ++place)
      if (getElement(id, place) != place / repeat % shape[dim])
        return std::nullopt;
  }
  return repeat == 1 ? computed : std::nullopt;
}

/// The dimensions of a tensor but one.
static SmallVector<int64_t> getOtherDims(size_t along, int64_t rank) {
  auto others = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  others.erase(others.begin() + along);
  return others;
}

Value LinalgConverter::buildIsAt(Value ids, size_t along,
                                 RankedTensorType type) {
  SmallVector<int64_t> others = getOtherDims(along, type.getRank());
  auto whole = type.clone(getElementTypeOrSelf(ids.getType()));
  Value wanted = create<train::BroadcastOp>(whole, ids, others);
  Value own = create<train::IotaOp>(whole, along, ArrayAttr(), ArrayAttr());
  return create<arith::CmpIOp>(arith::CmpIPredicate::eq, wanted, own);
}

/// A tensor of one dimension, row-major in the dimensions of `type` but one.
Value LinalgConverter::spreadAlong(Value list, size_t along,
                                   RankedTensorType type) {
  SmallVector<int64_t> sizes(type.getShape());
  sizes.erase(sizes.begin() + along);
  return split(list, {sizes});
}

Value LinalgConverter::addRows(Value init, ArrayRef<int64_t> dims,
                               ArrayRef<Value> ids, Value updates) {
  RankedTensorType type = linalgTypeOf(init);
  int64_t rank = type.getRank();
  bool isFromZero = startsFrom(init, 0);
  // One place of each line along a dimension: no sums, and no order of them.
  if (std::optional<size_t> along =
          linalgTypeOf(updates).getRank() == 1 && isFromZero
              ? findOnlyComputed(ids, type.getShape())
              : std::nullopt) {
    Value isAt =
        buildIsAt(spreadAlong(ids[*along], *along, type), *along, type);
    Value given = create<train::BroadcastOp>(
        type, spreadAlong(updates, *along, type), getOtherDims(*along, rank));
    Value zeros =
        splatTensor(builder.getFloatAttr(type.getElementType(), 0), type);
    return create<arith::SelectOp>(isAt, given, zeros);
  }
  SmallVector<int64_t> order = orderWithFirst(dims, rank);
  Value ordered = transpose(init, order);
  SmallVector<SmallVector<int64_t>> sizes = getTableSizes(ordered, dims.size());
  Value table = join(ordered, countTableDims(dims.size(), rank));
  // Ones may stand anywhere in an update.
  SmallVector<bool> dropped;
  for (auto [dim, size] : llvm::enumerate(linalgTypeOf(updates).getShape()))
    dropped.push_back(dim > 0 && size == 1);
  updates = dropDims(updates, dropped);
  SmallVector<int64_t> shape = {linalgTypeOf(ids.front()).getDimSize(0)};
  llvm::append_range(shape, linalgTypeOf(table).getShape().drop_front());
  for (auto [dim, size] : llvm::enumerate(shape))
    if (dim > 0 && size == 1)
      updates = addDim(updates, dim);
  assert(linalgTypeOf(updates).getShape() == ArrayRef(shape));
  // The only update of the only row.
  Value made = updates;
  if (linalgTypeOf(table).getDimSize(0) != 1 || shape.front() != 1 ||
      !isFromZero) {
    Value rows = ids.front();
    for (size_t k = 1; k < ids.size(); ++k)
      rows = create<arith::AddIOp>(
          create<arith::MulIOp>(
              rows, splatInt(type.getDimSize(dims[k]), {shape.front()})),
          ids[k]);
    made = create<train::ScatterAddOp>(table.getType(), table, rows, updates,
                                       /*sorted=*/Value(), ArrayAttr(),
                                       ArrayAttr());
  }
  return transpose(split(made, sizes), invertPermutationVector(order));
}
