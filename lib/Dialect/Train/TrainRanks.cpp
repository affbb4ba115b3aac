//===- TrainRanks.cpp - what ranks give each other ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Train/Ranks.h"
#include "prec/Dialect/Train/TensorType.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace prec::train;
using prec::Structure;

/// Axes that a mesh may have.
static constexpr StringLiteral kAxes[] = {kBatchAxis, kExpertAxis, kLayerAxis};

int64_t Mesh::getSize(StringRef axis) const {
  for (const auto &[name, size] : axes)
    if (name == axis)
      return size;
  return 1;
}

std::string Mesh::getBatchAxes() const {
  std::string joined;
  for (const auto &[name, size] : axes)
    if (name != kLayerAxis)
      joined += (joined.empty() ? "" : ",") + name;
  return joined;
}

void prec::train::setSentAs(Operation *exchange, const Twine &why) {
  exchange->setAttr(kSentAs, StringAttr::get(exchange->getContext(), why));
}

void prec::train::copySentAs(Operation *from, Operation *to) {
  if (Attribute why = from->getAttr(kSentAs))
    to->setAttr(kSentAs, why);
}

std::string prec::train::getSentAs(Operation *exchange) {
  if (auto why = exchange->getAttrOfType<StringAttr>(kSentAs))
    return why.str();
  Type element = cast<RankedTensorType>(exchange->getOperand(0).getType())
                     .getElementType();
  const bool isFloat = isa<FloatType>(element);
  if (element.getIntOrFloatBitWidth() <= 8)
    return "quantized before, as it is read";
  return isFloat ? "computed in it" : "whole numbers";
}

Value prec::train::createLargest(OpBuilder &builder, Location loc, Value own,
                                 StringRef axis, int64_t ranks,
                                 function_ref<void(Operation *)> note) {
  auto type = cast<RankedTensorType>(own.getType());
  SmallVector<int64_t> shape{ranks};
  llvm::append_range(shape, type.getShape());
  auto all = ExchangeOp::create(builder, loc, type.clone(shape),
                                ExchangeKind::AllGather, own, axis);
  note(all);
  setSentAs(all, "the largest of all ranks is of these");
  auto largest = ReduceOp::create(builder, loc, type, ReduceKind::Max,
                                  all.getResult(), ArrayRef<int64_t>{0});
  note(largest);
  return largest;
}

void prec::train::addAxis(ModuleOp module, StringRef axis, int64_t ranks) {
  Builder builder(module.getContext());
  NamedAttrList axes(module->getAttrOfType<DictionaryAttr>(kMesh));
  axes.set(axis, builder.getI64IntegerAttr(ranks));
  module->setAttr(kMesh, axes.getDictionary(module.getContext()));
}

std::optional<int64_t> prec::train::getAxisSize(DictionaryAttr mesh,
                                                StringRef axes) {
  SmallVector<StringRef> names;
  axes.split(names, ',');
  int64_t ranks = 1;
  for (StringRef name : names) {
    auto size = mesh ? mesh.getAs<IntegerAttr>(name) : IntegerAttr();
    if (!size)
      return std::nullopt;
    ranks *= size.getInt();
  }
  return ranks;
}

FailureOr<Mesh>
prec::train::parseMesh(StringRef text,
                       function_ref<InFlightDiagnostic()> emitError) {
  Mesh mesh;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    StringRef name = part.split('=').first, number = part.split('=').second;
    int64_t size = 0;
    // mesh_c1
    if (!llvm::is_contained(kAxes, name) || number.getAsInteger(10, size) ||
        size < 1 ||
        llvm::any_of(
            mesh.axes, [&](const auto &axis) { return axis.first == name; }))
      return emitError() << "a mesh must be dp=N, of N ranks that have batches "
                            "of their own, ep=N, of N that have experts of "
                            "their own, too, tp=N, of N that have parts of "
                            "layers, or several of them, such as dp=M,tp=N, "
                            "but got '"
                         << text << "'";
    mesh.axes.emplace_back(name.str(), size);
  }
  llvm::sort(mesh.axes);
  return mesh;
}

LogicalResult prec::train::verifyExchange(Operation *op, ExchangeKind kind) {
  RankedTensorType input = typeOf(op->getOperand(0)),
                   result = typeOf(op->getResult(0));
  // What has a slice for each rank, and one slice of it.
  RankedTensorType all = kind == ExchangeKind::AllGather ? result : input;
  // exchange_c1
  if (all.getRank() == 0 || all.getDimSize(0) == 0)
    return op->emitOpError("the first dimension must have a slice for each "
                           "rank, but got ")
           << all;
  RankedTensorType slice = all.clone(all.getShape().drop_front());
  RankedTensorType expected = kind == ExchangeKind::OwnSlice ? slice : all;
  // exchange_c2
  if (result != expected || (kind == ExchangeKind::AllGather && input != slice))
    return op->emitOpError("the result must have the elements of the input, ")
           << (kind == ExchangeKind::AllToAll    ? "in its shape"
               : kind == ExchangeKind::AllGather ? "once for each rank"
                                                 : "of one rank")
           << ", but got " << input << " and " << result;
  return success();
}

LogicalResult ExchangeOp::verify() { return verifyExchange(*this, getKind()); }

/// What ranks give each other is looked up of all that they have, in the format
/// in which it is stored. So is a slice of it.
Structure ExchangeOp::getStructure() {
  return getKind() == ExchangeKind::OwnSlice ? Structure::Layout
                                             : Structure::Gather;
}
int64_t ExchangeOp::getAccumulationLength() { return 1; }
double ExchangeOp::getFlops() { return 0; }

LogicalResult AllReduceOp::verify() {
  // all_reduce_c1
  if (int64_t(getRanks()) < 2)
    return emitOpError("must be of at least 2 ranks, but got ")
           << int64_t(getRanks());
  return success();
}

/// Where what is added up is stored, so is the sum.
Structure AllReduceOp::getStructure() { return Structure::Layout; }
int64_t AllReduceOp::getAccumulationLength() { return int64_t(getRanks()); }
double AllReduceOp::getFlops() {
  return double(int64_t(getRanks()) - 1) *
         double(typeOf(getInput()).getNumElements());
}
