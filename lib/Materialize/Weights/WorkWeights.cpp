//===- WorkWeights.cpp - what is derived from a master weight -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Weights/WorkWeights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;

/// What follows the name of the format in the name of a slot, by its kind.
static constexpr StringLiteral kSuffixes[] = {
    "", "_t", "_scale", "_t_scale", "_tensor_scale", "_quantization"};

std::string WorkSlot::getName() const {
  return (stringifyFormat(format) + kSuffixes[static_cast<unsigned>(kind)])
      .str();
}

std::optional<WorkSlot> WorkSlot::parse(StringRef name) {
  std::optional<Format> format = symbolizeFormat(name.split('_').first);
  if (!format)
    return std::nullopt;
  const auto *suffix =
      llvm::find(kSuffixes, name.substr(stringifyFormat(*format).size()));
  if (suffix == std::end(kSuffixes))
    return std::nullopt;
  return WorkSlot{*format, static_cast<Kind>(std::distance(kSuffixes, suffix))};
}

train::Role WorkSlot::getRole() const {
  return isScale() ? train::Role::ScaleState : train::Role::WorkWeight;
}

RankedTensorType WorkSlot::getType(RankedTensorType master,
                                   Scaling scaling) const {
  SmallVector<int64_t> shape(master.getShape());
  if (kind == Kind::Transposed || kind == Kind::TransposedScaleInv)
    std::swap(shape.end()[-2], shape.end()[-1]);
  RankedTensorType copy = master.clone(shape);
  if (!isScale())
    return copy.clone(getElementType(master.getContext(), format));
  if (copy.getRank() == 3)
    return getGroupedScaleInvType(copy, scaling, copy.getDimSize(0));
  if (kind == Kind::TensorScaleInv)
    return getScaleInvType(copy, Scaling::TensorCurrent);
  return kind == Kind::Scale ? getScaleType(copy, scaling)
                             : getScaleInvType(copy, scaling);
}

SmallVector<NamedAttribute> WorkSlot::getAttributes(Builder &builder,
                                                    StringAttr path,
                                                    train::Role role) const {
  return {builder.getNamedAttr(
              train::kRole, train::RoleAttr::get(builder.getContext(), role)),
          builder.getNamedAttr(train::kPath, path),
          builder.getNamedAttr(train::kParamOf, path),
          builder.getNamedAttr(train::kSlot, builder.getStringAttr(getName()))};
}

Value prec::widenMaster(OpBuilder &builder, Location loc, Value master) {
  auto type = cast<RankedTensorType>(master.getType());
  if (type.getElementType().isF32())
    return master;
  return arith::ExtFOp::create(builder, loc, type.clone(builder.getF32Type()),
                               master);
}

SmallVector<Value> prec::widenMasters(OpBuilder &builder, Location loc,
                                      ValueRange masters) {
  return llvm::map_to_vector(
      masters, [&](Value master) { return widenMaster(builder, loc, master); });
}

namespace {

/// Quantizes a master, in either layout; what several slots need is made once.
class Quantizer {
public:
  Quantizer(OpBuilder &builder, Location loc, ValueRange masters,
            const ScaleRule &rule, MasterJoin join)
      : builder(builder), loc(loc), rule(rule), masters(masters), join(join) {}

  Value get(const WorkSlot &slot) {
    switch (slot.kind) {
    case WorkSlot::Kind::Copy:
      return quantize(slot.format, false).data;
    case WorkSlot::Kind::Transposed:
      if (isFine(rule.scaling))
        return quantize(slot.format, true).data;
      return createTranspose(builder, loc, quantize(slot.format, false).data);
    case WorkSlot::Kind::ScaleInv:
      return quantize(slot.format, false).scale.scaleInv;
    case WorkSlot::Kind::TransposedScaleInv:
      return quantize(slot.format, true).scale.scaleInv;
    case WorkSlot::Kind::TensorScaleInv:
      return getTensorScale(slot.format).scaleInv;
    case WorkSlot::Kind::Scale:
      return quantize(slot.format, false).scale.scale;
    }
    llvm_unreachable("all kinds are handled");
  }

private:
  struct Quantized {
    Scale scale;
    Value data;
  };
  struct Layout {
    Value matrix, amax;
    DenseMap<Format, Quantized> made;
  };

  /// Of blocks that are scaled within their tensor; of others nothing.
  const Scale &getTensorScale(Format format) {
    Scale &scale = tensorScales[format];
    if (!scale.scale && hasTensorScale(rule.scaling)) {
      scale = createTensorScale(
          builder, loc, createTensorAmax(Scaling::TensorCurrent), format, rule);
    }
    return scale;
  }

  /// Of several masters the largest of theirs: each is a by-product of its own
  /// update.
  Value createTensorAmax(Scaling scaling) {
    Value largest;
    for (Value master : masters) {
      Value amax = createAmax(builder, loc, master, scaling);
      largest = largest ? arith::MaxNumFOp::create(builder, loc, largest, amax)
                        : amax;
    }
    return largest;
  }

  Value getMatrix(bool transposed) {
    Value &matrix = layouts[transposed].matrix;
    if (!matrix)
      matrix = transposed ? createTranspose(builder, loc, getMatrix(false))
                          : joinMasters(builder, loc, masters, join);
    return matrix;
  }

  /// A scale of earlier amaxes is there before the masters are: each of them
  /// is quantized where it is updated.
  Value quantizeEach(Value scale, Format format) {
    return joinMasters(builder, loc,
                       llvm::map_to_vector(masters,
                                           [&](Value master) -> Value {
                                             return createQuantize(
                                                 builder, loc, master, scale,
                                                 format, rule.scaling);
                                           }),
                       join);
  }

  const Quantized &quantize(Format format, bool transposed) {
    Layout &layout = layouts[transposed];
    Quantized &result = layout.made[format];
    if (result.data)
      return result;
    if (!layout.amax)
      layout.amax =
          isFine(rule.scaling)
              ? createWeightAmax(builder, loc, getMatrix(transposed), rule)
              : createTensorAmax(rule.scaling);
    ScaleRule own = rule;
    if (rule.history)
      own.history = builder.getStringAttr(Twine(rule.history) + "/" +
                                          stringifyFormat(format));
    result.scale = createScale(builder, loc, layout.amax, format, own,
                               getTensorScale(format).scale);
    // Zeros are quantized with the masters that they lie behind.
    result.data =
        rule.history && !join.padding
            ? quantizeEach(result.scale.scale, format)
            : createQuantize(builder, loc, getMatrix(transposed),
                             result.scale.scale, format, rule.scaling);
    return result;
  }

  OpBuilder &builder;
  Location loc;
  const ScaleRule &rule;
  ValueRange masters;
  MasterJoin join;
  /// As it is and transposed.
  Layout layouts[2];
  DenseMap<Format, Scale> tensorScales;
};

} // namespace

Value prec::joinMasters(OpBuilder &builder, Location loc, ValueRange masters,
                        MasterJoin join) {
  SmallVector<Value> pieces(masters);
  if (join.padding) {
    auto type = cast<RankedTensorType>(masters.front().getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[join.dim] = join.padding;
    pieces.push_back(arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(type.clone(shape))));
  }
  if (pieces.size() == 1)
    return pieces.front();
  return tensor::ConcatOp::create(builder, loc, join.dim, pieces);
}

SmallVector<Value> prec::buildWorkSlots(OpBuilder &builder, Location loc,
                                        ValueRange masters,
                                        ArrayRef<WorkSlot> slots,
                                        const ScaleRule &rule,
                                        MasterJoin join) {
  Quantizer quantizer(builder, loc, masters, rule, join);
  SmallVector<Value> values;
  for (const WorkSlot &slot : slots)
    values.push_back(prec::isNarrow(slot.format)
                         ? quantizer.get(slot)
                         : arith::TruncFOp::create(
                               builder, loc,
                               slot.getType(cast<RankedTensorType>(
                                                masters.front().getType()),
                                            rule.scaling),
                               masters.front()));
  return values;
}

SmallVector<Value> prec::rebuildCopies(OpBuilder &builder, Location loc,
                                       Value master, ArrayRef<WorkSlot> slots,
                                       ValueRange scales) {
  SmallVector<Value> copies;
  DenseMap<Format, Value> data;
  for (const WorkSlot &slot : slots)
    if (slot.kind == WorkSlot::Kind::Scale)
      data[slot.format] =
          createQuantize(builder, loc, master, scales[data.size()], slot.format,
                         Scaling::TensorDelayed);
  for (const WorkSlot &slot : slots) {
    if (slot.isScale() || !prec::isNarrow(slot.format))
      continue;
    Value copy = data.at(slot.format);
    copies.push_back(slot.kind == WorkSlot::Kind::Transposed
                         ? createTranspose(builder, loc, copy)
                         : copy);
  }
  return copies;
}
