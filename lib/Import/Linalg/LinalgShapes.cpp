//===- LinalgShapes.cpp - shapes while linalg is converted ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Import/Linalg/LinalgConverter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace prec;
using linalg::LinalgOp;

static bool addTerms(AffineExpr expr, int64_t factor, LinearIndex &index) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    index.offset += factor * constant.getValue();
    return true;
  }
  if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
    for (auto &[known, times] : index.terms)
      if (known == loop.getPosition()) {
        times += factor;
        return true;
      }
    index.terms.push_back({loop.getPosition(), factor});
    return true;
  }
  auto both = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!both)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return addTerms(both.getLHS(), factor, index) &&
           addTerms(both.getRHS(), factor, index);
  auto constant = dyn_cast<AffineConstantExpr>(both.getRHS());
  return expr.getKind() == AffineExprKind::Mul && constant &&
         addTerms(both.getLHS(), factor * constant.getValue(), index);
}

std::optional<LinearIndex>
prec::getLinearIndex(AffineExpr expr, unsigned loops,
                     const DenseMap<unsigned, int64_t> &fixed) {
  MLIRContext *context = expr.getContext();
  SmallVector<AffineExpr> known;
  for (unsigned loop = 0; loop < loops; ++loop) {
    auto found = fixed.find(loop);
    known.push_back(found == fixed.end()
                        ? getAffineDimExpr(loop, context)
                        : getAffineConstantExpr(found->second, context));
  }
  expr = simplifyAffineExpr(expr.replaceDims(known), loops, 0);
  LinearIndex index;
  if (!addTerms(expr, 1, index))
    return std::nullopt;
  llvm::erase_if(index.terms, [](auto term) { return term.second == 0; });
  return index;
}

std::optional<Loops> prec::getLoops(AffineMap map) {
  Loops loops;
  for (AffineExpr result : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim || llvm::is_contained(loops, dim.getPosition()))
      return std::nullopt;
    loops.push_back(dim.getPosition());
  }
  return loops;
}

Type prec::getStored(Type scalar) {
  return scalar.isIndex() ? IntegerType::get(scalar.getContext(), 32) : scalar;
}

Value LinalgConverter::createElementwise(OperationName name,
                                         ValueRange operands,
                                         RankedTensorType type,
                                         ArrayRef<NamedAttribute> attributes) {
  OperationState state(op->getLoc(), name, operands, type, attributes);
  Operation *made = builder.create(state);
  train::copyProvenance(op, made);
  return made->getResult(0);
}

/// From one width of whole numbers to another; empty if there is nothing to do.
static StringRef getResize(Type from, Type to, bool isSigned) {
  unsigned have = from.getIntOrFloatBitWidth(),
           want = to.getIntOrFloatBitWidth();
  if (have == want)
    return {};
  if (have > want)
    return arith::TruncIOp::getOperationName();
  return isSigned ? arith::ExtSIOp::getOperationName()
                  : arith::ExtUIOp::getOperationName();
}

Value LinalgConverter::createLike(Operation *scalar, ValueRange operands) {
  Type element = getStored(scalar->getResult(0).getType());
  RankedTensorType from = linalgTypeOf(operands[0]);
  if (!isa<arith::IndexCastOp, arith::IndexCastUIOp>(scalar))
    return createElementwise(scalar->getName(), operands, from.clone(element),
                             scalar->getAttrs());
  StringRef resize = getResize(from.getElementType(), element,
                               isa<arith::IndexCastOp>(scalar));
  if (resize.empty())
    return operands[0];
  return createElementwise(OperationName(resize, op->getContext()), operands,
                           from.clone(element), {});
}

FailureOr<Value>
LinalgConverter::createFrom(Operation *scalar,
                            llvm::function_ref<FailureOr<Value>(Value)> build) {
  SmallVector<Value> operands;
  for (Value operand : scalar->getOperands()) {
    FailureOr<Value> built = build(operand);
    if (failed(built))
      return failure();
    operands.push_back(*built);
  }
  return createLike(scalar, operands);
}

Value LinalgConverter::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return value;
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(linalgTypeOf(value).getDimSize(dim));
  return create<train::TransposeOp>(linalgTypeOf(value).clone(shape), value,
                                    permutation);
}

/// Of dimensions some of which are ones that go to their neighbours: the first
/// ones to the one behind them, all others to the one before.
static SmallVector<ReassociationIndices> groupOnes(ArrayRef<bool> isOne) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (auto [dim, one] : llvm::enumerate(isOne)) {
    if (one && groups.empty()) {
      leading.push_back(dim);
    } else if (one) {
      groups.back().push_back(dim);
    } else {
      groups.push_back(leading);
      leading.clear();
      groups.back().push_back(dim);
    }
  }
  return groups;
}

Value LinalgConverter::dropDims(Value value, ArrayRef<bool> dropped) {
  if (!llvm::is_contained(dropped, true))
    return value;
  SmallVector<int64_t> shape;
  for (auto [dim, drop] : llvm::enumerate(dropped))
    if (!drop)
      shape.push_back(linalgTypeOf(value).getDimSize(dim));
  return create<tensor::CollapseShapeOp>(linalgTypeOf(value).clone(shape),
                                         value, groupOnes(dropped));
}

Value LinalgConverter::addDim(Value value, int64_t dim) {
  SmallVector<int64_t> shape(linalgTypeOf(value).getShape());
  shape.insert(shape.begin() + dim, 1);
  SmallVector<bool> isOne(shape.size(), false);
  isOne[dim] = true;
  return create<tensor::ExpandShapeOp>(linalgTypeOf(value).clone(shape), value,
                                       groupOnes(isOne));
}

Value LinalgConverter::slice(Value value, ArrayRef<int64_t> offsets,
                             ArrayRef<int64_t> sizes,
                             ArrayRef<int64_t> strides) {
  RankedTensorType type = linalgTypeOf(value);
  if (type.getShape() == sizes)
    return value;
  MLIRContext *context = op->getContext();
  return create<tensor::ExtractSliceOp>(
      type.clone(sizes), value, getAsIndexOpFoldResult(context, offsets),
      getAsIndexOpFoldResult(context, sizes),
      getAsIndexOpFoldResult(context, strides));
}

Value LinalgConverter::concat(int64_t dim, ArrayRef<Value> parts) {
  return parts.size() == 1 ? parts.front()
                           : create<tensor::ConcatOp>(dim, parts);
}

Value LinalgConverter::splatTensor(Attribute element, RankedTensorType type) {
  return create<arith::ConstantOp>(DenseElementsAttr::get(type, element));
}

Value LinalgConverter::splatInt(int64_t value, ArrayRef<int64_t> shape) {
  return splatTensor(builder.getI32IntegerAttr(static_cast<int32_t>(value)),
                     RankedTensorType::get(shape, builder.getI32Type()));
}

Value LinalgConverter::join(Value value, ArrayRef<size_t> groups) {
  SmallVector<ReassociationIndices> joined;
  SmallVector<int64_t> shape, whole;
  int64_t dim = 0;
  for (size_t count : groups) {
    int64_t size = 1;
    ReassociationIndices dims;
    for (size_t i = 0; i < count; ++i, ++dim) {
      size *= linalgTypeOf(value).getDimSize(dim);
      dims.push_back(dim);
    }
    whole.push_back(size);
    if (count == 0)
      continue;
    joined.push_back(dims);
    shape.push_back(size);
  }
  if (llvm::any_of(groups, [](size_t count) { return count > 1; }))
    value = create<tensor::CollapseShapeOp>(linalgTypeOf(value).clone(shape),
                                            value, joined);
  if (!llvm::is_contained(groups, 0u))
    return value;
  SmallVector<bool> isOne;
  for (size_t count : groups)
    isOne.push_back(count == 0);
  return create<tensor::ExpandShapeOp>(linalgTypeOf(value).clone(whole), value,
                                       groupOnes(isOne));
}

Value LinalgConverter::split(Value value,
                             ArrayRef<SmallVector<int64_t>> groups) {
  SmallVector<bool> isOne;
  for (const SmallVector<int64_t> &group : groups)
    isOne.push_back(group.empty());
  value = dropDims(value, isOne);
  SmallVector<ReassociationIndices> parts;
  SmallVector<int64_t> shape;
  for (const SmallVector<int64_t> &group : groups) {
    if (group.empty())
      continue;
    parts.emplace_back();
    for (int64_t size : group) {
      parts.back().push_back(shape.size());
      shape.push_back(size);
    }
  }
  if (shape.size() == size_t(linalgTypeOf(value).getRank()))
    return value;
  return create<tensor::ExpandShapeOp>(linalgTypeOf(value).clone(shape), value,
                                       parts);
}

FailureOr<Value> LinalgConverter::fromSpace(Value value,
                                            ArrayRef<unsigned> loops,
                                            OpOperand &init, LinalgOp linalg) {
  AffineMap map = linalg.getMatchingIndexingMap(&init);
  SmallVector<int64_t> permutation, kept;
  for (auto [dim, result] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(result);
    auto place = dyn_cast<AffineConstantExpr>(result);
    // A dimension of 1 that a reduction leaves.
    if (place && place.getValue() == 0 &&
        linalgTypeOf(init.get()).getDimSize(dim) == 1) {
      kept.push_back(dim);
      continue;
    }
    const unsigned *found =
        loop ? llvm::find(loops, loop.getPosition()) : loops.end();
    int64_t from = found - loops.begin();
    // linalg_c1
    if (found == loops.end() || llvm::is_contained(permutation, from))
      return op->emitOpError("a result must be written along loops, each once, "
                             "to be converted, but got ")
             << AffineMapAttr::get(map);
    permutation.push_back(from);
  }
  // linalg_c1
  if (permutation.size() != loops.size())
    return op->emitOpError("a result must be written along loops, each once, "
                           "to be converted, but got ")
           << AffineMapAttr::get(map);
  value = transpose(value, permutation);
  for (int64_t dim : kept)
    value = addDim(value, dim);
  return value;
}

FailureOr<Value> LinalgConverter::buildScalar(Value scalar) {
  Attribute value;
  Type element = getStored(scalar.getType());
  if (matchPattern(scalar, m_Constant(&value))) {
    auto type = RankedTensorType::get({}, element);
    if (auto index = dyn_cast<IntegerAttr>(value))
      value = IntegerAttr::get(element, index.getInt());
    return splatTensor(value, type);
  }
  Operation *made = scalar.getDefiningOp();
  if (auto extract = dyn_cast_if_present<tensor::ExtractOp>(made)) {
    SmallVector<int64_t> at;
    for (Value index : extract.getIndices())
      if (std::optional<int64_t> known = getConstantIntValue(index))
        at.push_back(*known);
    auto type = linalgTypeOf(extract.getTensor());
    if (at.size() == size_t(type.getRank()) && type.hasStaticShape()) {
      SmallVector<int64_t> ones(at.size(), 1);
      Value one = slice(extract.getTensor(), at, ones, ones);
      return dropDims(one, SmallVector<bool>(at.size(), true));
    }
  }
  // linalg_c3
  if (!made || !made->hasTrait<OpTrait::Elementwise>() ||
      made->getNumResults() != 1 || made->getNumRegions() != 0 ||
      made->getNumOperands() == 0)
    return op->emitOpError("a scalar that is read must be a constant, an "
                           "element of a tensor or arithmetic of such to be "
                           "converted, but got one of type ")
           << scalar.getType();
  return createFrom(made, [&](Value operand) { return buildScalar(operand); });
}
