//===- PointConstant.cpp - elements that no input says --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that come from no input: positions along a dimension (iota) and
// constants. An iota is the digit of its dimension, plus 0, 1, 2, ... in the
// lanes. A constant that is the same everywhere becomes a scalar at the start
// of the kernel. Another one becomes a table beside the kernel, which is read
// as a buffer would be; each constant has one table, however often it is read.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Emitter/FloatConversion.h"
#include "Codegen/Emitter/PointOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace prec;

std::optional<Digit> prec::positionOf(PointEmitter &emitter, train::IotaOp op,
                                      ArrayRef<Digit> at) {
  KernelBuilder &kernel = emitter.getKernel();
  ArrayRef<int64_t> shape = typeOf(op.getResult()).getShape();
  unsigned dim = op.getDim();
  int64_t extents[] = {computeProduct(shape.take_front(dim)), shape[dim],
                       computeProduct(shape.drop_front(dim + 1))};
  auto groups = kernel.split(at, extents);
  return groups ? kernel.merge((*groups)[1]) : std::nullopt;
}

Value prec::emitIota(PointEmitter &emitter, train::IotaOp op,
                     ArrayRef<Digit> at) {
  KernelBuilder &kernel = emitter.getKernel();
  auto type = typeOf(op.getResult());
  auto digit = positionOf(emitter, op, at);
  if (!digit)
    return emitter.perLane(op.getResult(), at);
  Type element = type.getElementType();
  Type integer = isa<IntegerType>(element)
                     ? element
                     : IntegerType::get(element.getContext(), 32);
  unsigned depth = kernel.depthOf(digit->value);
  Expr index = emitter.expr(depth, digit->value).convert(integer);
  if (digit->lanes > 1) {
    SmallVector<Attribute> lanes;
    for (int64_t lane = 0; lane < digit->lanes; ++lane)
      lanes.push_back(IntegerAttr::get(integer, lane));
    auto vector = VectorType::get(digit->lanes, integer);
    Expr offsets = emitter.expr(
        depth,
        arith::ConstantOp::create(kernel.at(depth), kernel.loc(), vector,
                                  DenseElementsAttr::get(vector, lanes)));
    index = emitter.expr(depth, emitter.spread(index, *digit)) + offsets;
  }
  if (!element.isInteger() && !element.isF32()) {
    reportUngenerated(op) << " of " << element;
    return {};
  }
  return emitter.spread(index.convert(element), at);
}

/// Elements as they lie in memory, with zeros up to `size`.
static DenseElementsAttr storedElements(DenseElementsAttr values,
                                        int64_t size) {
  Type stored = storageType(values.getElementType());
  auto type = RankedTensorType::get(size, stored);
  SmallVector<APInt> bits;
  for (Attribute value : values.getValues<Attribute>()) {
    APInt raw = isa<FloatAttr>(value)
                    ? cast<FloatAttr>(value).getValue().bitcastToAPInt()
                    : cast<IntegerAttr>(value).getValue();
    bits.push_back(raw.zext(stored.getIntOrFloatBitWidth()));
  }
  bits.resize(size, APInt(stored.getIntOrFloatBitWidth(), 0));
  if (stored.isF32()) {
    SmallVector<APFloat> floats;
    for (const APInt &raw : bits)
      floats.emplace_back(APFloat::IEEEsingle(), raw);
    return DenseElementsAttr::get(type, floats);
  }
  return DenseElementsAttr::get(type, bits);
}

Value ConstantTables::emit(PointEmitter &emitter, arith::ConstantOp op,
                           ArrayRef<Digit> at) {
  KernelBuilder &kernel = emitter.getKernel();
  auto values = dyn_cast<DenseElementsAttr>(op.getValue());
  Type element = values ? values.getElementType() : Type();
  bool isStorable = element && (values.isSplat() || element.isF32() ||
                                isa<IntegerType>(element) ||
                                registerType(element) != element);
  if (!isStorable) {
    reportUngenerated(op) << " of " << op.getType();
    return {};
  }
  if (values.isSplat()) {
    TypedAttr splat = cast<TypedAttr>(values.getSplatValue<Attribute>());
    if (registerType(element) != element)
      splat =
          IntegerAttr::get(registerType(element),
                           values.getSplatValue<APFloat>().bitcastToAPInt());
    Value scalar = arith::ConstantOp::create(kernel.at(0), kernel.loc(), splat);
    return emitter.spread(scalar, at);
  }
  Value &memory = tables[op];
  if (!memory)
    memory = create(emitter, op, values.getNumElements());
  return emitter.loadFrom(memory, element, at);
}

Value ConstantTables::create(PointEmitter &emitter, arith::ConstantOp op,
                             int64_t size) {
  KernelBuilder &kernel = emitter.getKernel();
  DenseElementsAttr stored =
      storedElements(cast<DenseElementsAttr>(op.getValue()), size);
  unsigned space =
      cast<LLVM::LLVMPointerType>(emitter.getResultPointer(0).getType())
          .getAddressSpace();
  std::string symbol = kernel.name + "_constant" + std::to_string(numTables++);
  auto builder = OpBuilder::atBlockBegin(kernel.module.getBody());
  LLVM::GlobalOp::create(
      builder, op.getLoc(),
      LLVM::LLVMArrayType::get(stored.getElementType(), stored.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, symbol, stored,
      /*alignment=*/256, space);
  return LLVM::AddressOfOp::create(
      kernel.at(0), kernel.loc(),
      LLVM::LLVMPointerType::get(op.getContext(), space), symbol);
}
