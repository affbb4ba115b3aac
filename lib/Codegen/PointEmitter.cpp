//===- PointEmitter.cpp - values of a dispatch body at a position ---------===//
#include "PointEmitter.h"

#include "DispatchShape.h"
#include "FloatConversion.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace mlir;
using namespace mlir::prec;

static RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

Type prec::storageType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  return registerType(element);
}

PointEmitter::PointEmitter(KernelBuilder &kernel, sched::DispatchOp dispatch,
                           ArrayRef<Value> inputs, ArrayRef<Value> results)
    : kernel(kernel), dispatch(dispatch), inputs(inputs), results(results) {}

InFlightDiagnostic PointEmitter::unsupported(Operation *op) {
  return op->emitError("dispatch bodies must be generated, but got '")
         << op->getName() << "'";
}

Expr PointEmitter::expr(unsigned depth, Value value) {
  return Expr(kernel.at(depth), kernel.loc(), value);
}
Expr PointEmitter::expr(Value value) {
  return expr(kernel.depthOf(value), value);
}

static KernelBuilder::Key keyOf(Value tensor, ArrayRef<Digit> at) {
  KernelBuilder::Key key{4, uintptr_t(tensor.getAsOpaquePointer())};
  for (const Digit &digit : at) {
    key.push_back(uintptr_t(digit.extent));
    key.push_back(uintptr_t(digit.value.getAsOpaquePointer()));
    key.push_back(uintptr_t(digit.lanes));
  }
  return key;
}

void PointEmitter::bind(Value tensor, ArrayRef<Digit> at, Value value) {
  Position position = kernel.canonical(at);
  kernel.remember(kernel.depthOf(value), keyOf(tensor, position), value);
}

Value PointEmitter::emit(Value tensor, ArrayRef<Digit> at) {
  Position position = kernel.canonical(at);
  KernelBuilder::Key key = keyOf(tensor, position);
  if (Value known = kernel.lookup(key))
    return known;
  Value value = compute(tensor, position);
  if (value)
    kernel.remember(kernel.depthOf(value), key, value);
  return value;
}

Value PointEmitter::compute(Value tensor, ArrayRef<Digit> at) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return load(argument.getArgNumber(), at);
  Operation *op = tensor.getDefiningOp();
  kernel.setLoc(op->getLoc());
  return computeOp(op, at);
}

Value PointEmitter::computeOp(Operation *op, ArrayRef<Digit> at) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
          [&](auto reshape) { return emit(reshape.getSrc(), at); })
      .Case([&](train::BroadcastOp o) { return broadcast(o, at); })
      .Case([&](train::TransposeOp o) { return transpose(o, at); })
      .Case([&](tensor::ExtractSliceOp o) { return slice(o, at); })
      .Case([&](tensor::ConcatOp o) { return concat(o, at); })
      .Case([&](train::IotaOp o) { return iota(o, at); })
      .Case([&](train::GatherOp o) { return gather(o, at); })
      .Case([&](train::ReduceOp o) { return reduce(o, at); })
      .Case([&](arith::ConstantOp o) { return constant(o, at); })
      .Case<arith::ExtFOp, arith::TruncFOp, prec::QuantizeOp,
            prec::DequantizeOp>([&](auto o) { return convert(o, at); })
      .Default([&](Operation *o) { return elementwise(o, at); });
}

/// Lanes that end in the middle of a dimension: one by one.
Value PointEmitter::perLane(Value tensor, ArrayRef<Digit> at, bool isBroken) {
  brokenLanes |= isBroken;
  SmallVector<Value> lanes;
  for (int64_t lane = 0, count = lanesOf(at); lane < count; ++lane) {
    Value value = emit(tensor, kernel.lane(at, lane));
    if (!value)
      return {};
    lanes.push_back(value);
  }
  unsigned depth = 0;
  for (Value lane : lanes)
    depth = std::max(depth, kernel.depthOf(lane));
  return vector::FromElementsOp::create(
      kernel.at(depth), kernel.loc(),
      VectorType::get(int64_t(lanes.size()), lanes.front().getType()), lanes);
}

Value PointEmitter::spread(Value value, ArrayRef<Digit> at) {
  int64_t lanes = lanesOf(at);
  if (!value || lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  KernelBuilder::Key key{5, uintptr_t(value.getAsOpaquePointer()),
                         uintptr_t(lanes)};
  if (Value known = kernel.lookup(key))
    return known;
  unsigned depth = kernel.depthOf(value);
  Value result = vector::BroadcastOp::create(
      kernel.at(depth), kernel.loc(), VectorType::get(lanes, value.getType()),
      value);
  kernel.remember(depth, key, result);
  return result;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

PointEmitter::Address PointEmitter::address(ArrayRef<Digit> at) {
  Address result{kernel.constant(0), 0, 0};
  int64_t stride = 1;
  SmallVector<Value> terms;
  for (const Digit &digit : llvm::reverse(at)) {
    terms.push_back(kernel.mul(digit.value, stride));
    result.divisor = std::gcd(result.divisor, digit.divisor * stride);
    if (digit.lanes > 1)
      result.laneStride = stride;
    stride *= digit.extent;
  }
  // Major digits first: they change least, so their sum is built outermost.
  for (Value term : llvm::reverse(terms))
    result.offset = kernel.add(result.offset, term);
  return result;
}

Value PointEmitter::pointer(unsigned depth, Value base, Value offset,
                            Type element) {
  return LLVM::GEPOp::create(kernel.at(depth), kernel.loc(), base.getType(),
                             element, base, ValueRange{offset},
                             LLVM::GEPNoWrapFlags::inbounds);
}

/// Bytes that a vector access at a multiple of `divisor` elements is aligned
/// to.
static unsigned alignmentOf(int64_t divisor, int64_t lanes, Type element) {
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  // Every buffer is 256-byte aligned; 0 stands for no offset.
  int64_t known = divisor ? (divisor & -divisor) * bytes : 256;
  return std::min(
      {known, int64_t(llvm::PowerOf2Ceil(lanes * bytes)), int64_t(64)});
}

Value PointEmitter::load(unsigned input, ArrayRef<Digit> at) {
  return loadFrom(
      inputs[input],
      typeOf(dispatch.getBody().getArgument(input)).getElementType(), at);
}

Value PointEmitter::loadFrom(Value base, Type element,
                             ArrayRef<Digit> position) {
  Position at = kernel.canonical(position);
  Type stored = storageType(element);
  Address where = address(at);
  unsigned depth = kernel.depthOf(at);
  int64_t lanes = lanesOf(at);
  auto loadAt = [&](Value offset, Type type, unsigned alignment) -> Value {
    Value from = pointer(depth, base, offset, stored);
    return LLVM::LoadOp::create(kernel.at(depth), kernel.loc(), type, from,
                                alignment);
  };
  unsigned bytes = stored.getIntOrFloatBitWidth() / 8;
  Value value;
  if (lanes == 1) {
    value = loadAt(where.offset, stored, bytes);
  } else if (where.laneStride == 1) {
    value = loadAt(where.offset, VectorType::get(lanes, stored),
                   alignmentOf(where.divisor, lanes, stored));
  } else {
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane < lanes; ++lane)
      elements.push_back(loadAt(
          kernel.add(where.offset, lane * where.laneStride), stored, bytes));
    value = vector::FromElementsOp::create(kernel.at(depth), kernel.loc(),
                                           VectorType::get(lanes, stored),
                                           elements);
  }
  if (element.isInteger(1))
    value =
        arith::TruncIOp::create(kernel.at(depth), kernel.loc(),
                                withLanesOf(element, value.getType()), value);
  return value;
}

Value PointEmitter::pointerTo(BlockArgument input, ArrayRef<Digit> at) {
  Position position = kernel.canonical(at);
  return pointer(kernel.depthOf(position), inputs[input.getArgNumber()],
                 address(position).offset,
                 storageType(typeOf(input).getElementType()));
}

LogicalResult PointEmitter::store(unsigned result, ArrayRef<Digit> at,
                                  Value value) {
  Type element = typeOf(dispatch.getResult(result)).getElementType();
  Type stored = storageType(element);
  Position position = kernel.canonical(at);
  value = spread(value, position);
  Address where = address(position);
  OpBuilder &b = kernel.here();
  if (element.isInteger(1))
    value = arith::ExtUIOp::create(b, kernel.loc(),
                                   withLanesOf(stored, value.getType()), value);
  unsigned bytes = stored.getIntOrFloatBitWidth() / 8;
  int64_t lanes = lanesOf(position);
  auto storeAt = [&](Value what, Value offset, unsigned alignment) {
    Value to = pointer(kernel.depth(), results[result], offset, stored);
    LLVM::StoreOp::create(kernel.here(), kernel.loc(), what, to, alignment);
  };
  if (lanes == 1) {
    storeAt(value, where.offset, bytes);
  } else if (where.laneStride == 1) {
    storeAt(value, where.offset, alignmentOf(where.divisor, lanes, stored));
  } else {
    for (int64_t lane = 0; lane < lanes; ++lane)
      storeAt(
          vector::ExtractOp::create(kernel.here(), kernel.loc(), value, lane),
          kernel.add(where.offset, lane * where.laneStride), bytes);
  }
  return success();
}

LogicalResult PointEmitter::emitResults(ArrayRef<unsigned> results,
                                        ArrayRef<Digit> at) {
  int64_t walked = 1;
  for (const Digit &digit : at)
    walked *= digit.extent;
  SmallVector<SmallVector<Value, 2>> values;
  Operation *yield = dispatch.getBody().front().getTerminator();
  for (unsigned result : results) {
    Value whole = yield->getOperand(result);
    bool isWhole = elementsOf(whole) == walked;
    values.emplace_back();
    for (Value part : isWhole ? SmallVector<Value, 2>{whole} : partsOf(whole)) {
      values.back().push_back(emit(part, at));
      if (!values.back().back())
        return failure();
    }
  }
  for (auto [result, parts] : llvm::zip(results, values))
    for (auto [part, value] : llvm::enumerate(parts))
      if (failed(storePart(result, at, part, parts.size(), value)))
        return failure();
  return success();
}

LogicalResult PointEmitter::storePart(unsigned result, ArrayRef<Digit> at,
                                      unsigned part, unsigned parts,
                                      Value value) {
  if (parts == 1)
    return store(result, at, value);
  RankedTensorType type = typeOf(dispatch.getResult(result));
  int64_t columns = type.getShape().back() / parts;
  auto groups =
      kernel.split(at, {type.getNumElements() / parts / columns, columns});
  auto column = groups ? kernel.merge((*groups)[1]) : std::nullopt;
  if (!column) {
    // Single elements have a column; nothing else is kept of this try.
    brokenLanes = true;
    return success();
  }
  Digit whole = columnOfPart(kernel, *column, part, parts);
  return store(result, kernel.concat({(*groups)[0], Position{whole}}),
               spread(value, at));
}

//===----------------------------------------------------------------------===//
// Movement of data
//===----------------------------------------------------------------------===//

static int64_t product(ArrayRef<int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t(1),
                         std::multiplies<>());
}

Value PointEmitter::broadcast(train::BroadcastOp op, ArrayRef<Digit> at) {
  ArrayRef<int64_t> shape = typeOf(op.getResult()).getShape();
  llvm::SmallDenseSet<int64_t> kept(op.getDims().begin(), op.getDims().end());
  // Neighbours that are kept, or dropped, together need no division.
  SmallVector<int64_t> extents;
  SmallVector<bool> keeps;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    bool keep = kept.contains(dim);
    if (keeps.empty() || keeps.back() != keep) {
      extents.push_back(1);
      keeps.push_back(keep);
    }
    extents.back() *= size;
  }
  auto groups = kernel.split(at, extents);
  if (!groups)
    return perLane(op.getResult(), at);
  SmallVector<Position> selected;
  for (auto [group, keep] : llvm::zip(*groups, keeps))
    if (keep)
      selected.push_back(group);
  return spread(emit(op.getInput(), kernel.concat(selected)), at);
}

Value PointEmitter::transpose(train::TransposeOp op, ArrayRef<Digit> at) {
  ArrayRef<int64_t> shape = typeOf(op.getResult()).getShape(),
                    permutation = op.getPermutation();
  SmallVector<int64_t> extents, firstDim;
  for (auto [dim, from] : llvm::enumerate(permutation)) {
    if (dim == 0 || from != permutation[dim - 1] + 1) {
      extents.push_back(1);
      firstDim.push_back(from);
    }
    extents.back() *= shape[dim];
  }
  auto groups = kernel.split(at, extents);
  if (!groups)
    return perLane(op.getResult(), at);
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, extents.size()));
  llvm::sort(order,
             [&](unsigned a, unsigned b) { return firstDim[a] < firstDim[b]; });
  SmallVector<Position> reordered;
  for (unsigned group : order)
    reordered.push_back((*groups)[group]);
  return emit(op.getInput(), kernel.concat(reordered));
}

Value PointEmitter::slice(tensor::ExtractSliceOp op, ArrayRef<Digit> at) {
  ArrayRef<int64_t> full = op.getSourceType().getShape(),
                    sizes = op.getStaticSizes(),
                    offsets = op.getStaticOffsets(),
                    strides = op.getStaticStrides();
  for (ArrayRef<int64_t> numbers : {sizes, offsets, strides})
    if (llvm::any_of(numbers, ShapedType::isDynamic)) {
      unsupported(op) << " with dynamic sizes";
      return {};
    }
  // Whole dimensions behind or between cut ones stay together.
  struct Cut {
    int64_t full, offset, stride;
    bool isCut;
  };
  SmallVector<int64_t> extents;
  SmallVector<Cut> cuts;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    bool isCut = size != full[dim];
    if (isCut || cuts.empty() || cuts.back().isCut) {
      extents.push_back(1);
      cuts.push_back({1, 0, 1, isCut});
    }
    extents.back() *= size;
    cuts.back().full *= full[dim];
    if (isCut) {
      cuts.back().offset = offsets[dim];
      cuts.back().stride = strides[dim];
    }
  }
  auto groups = kernel.split(at, extents);
  if (!groups)
    return perLane(op.getResult(), at);
  for (auto [group, cut] : llvm::zip(*groups, cuts)) {
    if (!cut.isCut)
      continue;
    auto digit = kernel.merge(group);
    if (!digit)
      return perLane(op.getResult(), at);
    // Lanes follow each other; with a stride they are single elements, and
    // fewer of them would not help.
    if (digit->lanes > 1 && cut.stride != 1)
      return perLane(op.getResult(), at, /*isBroken=*/false);
    digit->value = kernel.add(kernel.mul(digit->value, cut.stride), cut.offset);
    digit->divisor = std::gcd(digit->divisor * cut.stride, cut.offset);
    digit->extent = cut.full;
    group.assign(1, *digit);
  }
  return emit(op.getSource(), kernel.concat(*groups));
}

void PointEmitter::choosePiece(tensor::ConcatOp concat,
                               std::optional<unsigned> piece) {
  if (piece)
    chosenPieces[concat] = *piece;
  else
    chosenPieces.erase(concat);
}

/// Which inputs of the dispatch `value` is computed of.
static llvm::SmallBitVector findSources(Value value) {
  llvm::SmallSetVector<Value, 16> values;
  llvm::SmallBitVector sources;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    Value next = values[i];
    if (Operation *op = next.getDefiningOp()) {
      values.insert_range(op->getOperands());
      continue;
    }
    unsigned input = cast<BlockArgument>(next).getArgNumber();
    sources.resize(std::max<size_t>(sources.size(), input + 1));
    sources.set(input);
  }
  return sources;
}

/// Whether pieces of equal shape are all computed of the same inputs.
bool PointEmitter::haveOneSource(tensor::ConcatOp op) {
  auto [known, isNew] = oneSource.insert({op, false});
  if (!isNew)
    return known->second;
  Value front = op.getInputs().front();
  llvm::SmallBitVector sources = findSources(front);
  return known->second = llvm::all_of(op.getInputs(), [&](Value piece) {
           return piece.getType() == front.getType() &&
                  findSources(piece) == sources;
         });
}

Value PointEmitter::concat(tensor::ConcatOp op, ArrayRef<Digit> at) {
  auto type = typeOf(op.getResult());
  ArrayRef<int64_t> shape = type.getShape();
  unsigned dim = op.getDim();
  int64_t extents[] = {product(shape.take_front(dim)), shape[dim],
                       product(shape.drop_front(dim + 1))};
  auto groups = kernel.split(at, extents);
  auto digit = groups ? kernel.merge((*groups)[1]) : std::nullopt;
  if (!digit)
    return perLane(op.getResult(), at);
  int64_t lanes = digit->lanes, begin = 0;
  Value result;
  SmallVector<std::pair<int64_t, Value>> pieces;
  auto chosen = chosenPieces.find(op);
  bool repeats = haveOneSource(op);
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    int64_t size = typeOf(input).getDimSize(dim);
    if (size % lanes || begin % lanes || digit->divisor % lanes)
      return perLane(op.getResult(), at);
    // Outside its piece a position is moved into it: what is read there is not
    // used, but has to be readable. Pieces of the same elements are all read
    // at one place, others at their border, which stays in the cache.
    Value inside = digit->value;
    if (repeats)
      inside = kernel.rem(inside, size);
    else if (chosen != chosenPieces.end())
      inside = kernel.subtract(inside, kernel.constant(begin));
    else
      inside = kernel.min(kernel.subtractFloor(inside, begin), size - lanes);
    begin += size;
    if (chosen != chosenPieces.end() && chosen->second != index)
      continue;
    Digit moved{size, inside, lanes, std::gcd(lanes, digit->divisor)};
    Position piece =
        kernel.concat({(*groups)[0], Position{moved}, (*groups)[2]});
    Value value = spread(emit(input, piece), at);
    if (!value)
      return {};
    pieces.push_back({begin - size, value});
  }
  result = pieces.back().second;
  for (unsigned i = pieces.size() - 1; i-- > 0;) {
    Value before = kernel.lessThan(digit->value, pieces[i + 1].first);
    unsigned depth = std::max({kernel.depthOf(before), kernel.depthOf(result),
                               kernel.depthOf(pieces[i].second)});
    result = arith::SelectOp::create(kernel.at(depth), kernel.loc(), before,
                                     pieces[i].second, result);
  }
  return result;
}

std::optional<Digit> PointEmitter::positionOf(train::IotaOp op,
                                              ArrayRef<Digit> at) {
  ArrayRef<int64_t> shape = typeOf(op.getResult()).getShape();
  unsigned dim = op.getDim();
  int64_t extents[] = {product(shape.take_front(dim)), shape[dim],
                       product(shape.drop_front(dim + 1))};
  auto groups = kernel.split(at, extents);
  return groups ? kernel.merge((*groups)[1]) : std::nullopt;
}

Value PointEmitter::iota(train::IotaOp op, ArrayRef<Digit> at) {
  auto type = typeOf(op.getResult());
  auto digit = positionOf(op, at);
  if (!digit)
    return perLane(op.getResult(), at);
  Type element = type.getElementType();
  Type integer = isa<IntegerType>(element)
                     ? element
                     : IntegerType::get(element.getContext(), 32);
  unsigned depth = kernel.depthOf(digit->value);
  Expr index = expr(depth, digit->value).convert(integer);
  if (digit->lanes > 1) {
    SmallVector<Attribute> lanes;
    for (int64_t lane = 0; lane < digit->lanes; ++lane)
      lanes.push_back(IntegerAttr::get(integer, lane));
    auto vector = VectorType::get(digit->lanes, integer);
    Expr offsets =
        expr(depth,
             arith::ConstantOp::create(kernel.at(depth), kernel.loc(), vector,
                                       DenseElementsAttr::get(vector, lanes)));
    index = expr(depth, spread(index, *digit)) + offsets;
  }
  if (!element.isInteger() && !element.isF32()) {
    unsupported(op) << " of " << element;
    return {};
  }
  return spread(index.convert(element), at);
}

Value PointEmitter::gather(train::GatherOp op, ArrayRef<Digit> at) {
  auto table = typeOf(op.getTable()), ids = typeOf(op.getIds());
  auto groups = kernel.split(
      at, {ids.getNumElements(), product(table.getShape().drop_front())});
  if (!groups || lanesOf((*groups)[0]) > 1)
    return perLane(op.getResult(), at);
  Value id = emit(op.getIds(), (*groups)[0]);
  if (!id)
    return {};
  Value row = expr(id).convert(kernel.indexType);
  Digit digit{table.getDimSize(0), row};
  return emit(op.getTable(), kernel.concat({Position{digit}, (*groups)[1]}));
}

/// Elements as they lie in memory.
static DenseElementsAttr storedElements(DenseElementsAttr values) {
  Type stored = storageType(values.getElementType());
  auto type = RankedTensorType::get(values.getNumElements(), stored);
  SmallVector<APInt> bits;
  for (Attribute value : values.getValues<Attribute>()) {
    APInt raw = isa<FloatAttr>(value)
                    ? cast<FloatAttr>(value).getValue().bitcastToAPInt()
                    : cast<IntegerAttr>(value).getValue();
    bits.push_back(raw.zext(stored.getIntOrFloatBitWidth()));
  }
  if (stored.isF32()) {
    SmallVector<APFloat> floats;
    for (const APInt &raw : bits)
      floats.emplace_back(APFloat::IEEEsingle(), raw);
    return DenseElementsAttr::get(type, floats);
  }
  return DenseElementsAttr::get(type, bits);
}

Value PointEmitter::constant(arith::ConstantOp op, ArrayRef<Digit> at) {
  auto values = dyn_cast<DenseElementsAttr>(op.getValue());
  Type element = values ? values.getElementType() : Type();
  bool isStorable = element && (values.isSplat() || element.isF32() ||
                                isa<IntegerType>(element) ||
                                registerType(element) != element);
  if (!isStorable) {
    unsupported(op) << " of " << op.getType();
    return {};
  }
  if (values.isSplat()) {
    TypedAttr splat = cast<TypedAttr>(values.getSplatValue<Attribute>());
    if (registerType(element) != element)
      splat =
          IntegerAttr::get(registerType(element),
                           values.getSplatValue<APFloat>().bitcastToAPInt());
    Value scalar = arith::ConstantOp::create(kernel.at(0), kernel.loc(), splat);
    return spread(scalar, at);
  }
  Value &memory = tables[op];
  if (!memory) {
    DenseElementsAttr stored = storedElements(values);
    unsigned space =
        cast<LLVM::LLVMPointerType>(results[0].getType()).getAddressSpace();
    std::string symbol =
        kernel.name + "_constant" + std::to_string(tables.size() - 1);
    auto builder = OpBuilder::atBlockBegin(kernel.module.getBody());
    LLVM::GlobalOp::create(
        builder, op.getLoc(),
        LLVM::LLVMArrayType::get(stored.getElementType(), stored.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, symbol, stored,
        /*alignment=*/256, space);
    memory = LLVM::AddressOfOp::create(
        kernel.at(0), kernel.loc(),
        LLVM::LLVMPointerType::get(op.getContext(), space), symbol);
  }
  return loadFrom(memory, element, at);
}
