//===- WorkCopies.cpp - what is derived from a master weight --------------===//
#include "WorkCopies.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::prec;

std::string WorkSlot::getName() const {
  static constexpr StringRef kSuffixes[] = {"", "_t", "_scale",
                                            "_quantisation"};
  return (stringifyFormat(format) + kSuffixes[static_cast<unsigned>(kind)])
      .str();
}

train::Role WorkSlot::getRole() const {
  return isScalar() ? train::Role::ScaleState : train::Role::WorkWeight;
}

RankedTensorType WorkSlot::getType(RankedTensorType master) const {
  if (isScalar())
    return RankedTensorType::get({}, master.getElementType());
  SmallVector<int64_t> shape(master.getShape());
  if (kind == Kind::Transposed)
    std::swap(shape.front(), shape.back());
  return RankedTensorType::get(shape,
                               getElementType(master.getContext(), format));
}

SmallVector<Value> prec::buildWorkSlots(OpBuilder &builder, Location loc,
                                        Value master, ArrayRef<WorkSlot> slots,
                                        const ScaleRule &rule) {
  auto type = cast<RankedTensorType>(master.getType());
  SmallVector<Value> values;
  // What the slots of one FP8 format share.
  std::optional<Format> quantized;
  Value amax, data;
  Scale scale;
  for (const WorkSlot &slot : slots) {
    if (!isFp8(slot.format)) {
      values.push_back(
          arith::TruncFOp::create(builder, loc, slot.getType(type), master));
      continue;
    }
    if (quantized != slot.format) {
      quantized = slot.format;
      if (!amax)
        amax = createAmax(builder, loc, master);
      ScaleRule own = rule;
      if (rule.history)
        own.history = builder.getStringAttr(Twine(rule.history) + "/" +
                                            stringifyFormat(slot.format));
      scale = createScale(builder, loc, amax, slot.format, own);
      data = createQuantize(builder, loc, master, scale.scale, slot.format);
    }
    switch (slot.kind) {
    case WorkSlot::Kind::Copy:
      values.push_back(data);
      break;
    case WorkSlot::Kind::Transposed:
      values.push_back(createTranspose(builder, loc, data));
      break;
    case WorkSlot::Kind::Factor:
      values.push_back(scale.factor);
      break;
    case WorkSlot::Kind::Scale:
      values.push_back(scale.scale);
      break;
    }
  }
  return values;
}

SmallVector<Value> prec::rebuildCopies(OpBuilder &builder, Location loc,
                                       Value master, ArrayRef<WorkSlot> slots,
                                       ValueRange scales) {
  SmallVector<Value> copies;
  DenseMap<Format, Value> data;
  for (const WorkSlot &slot : slots)
    if (slot.kind == WorkSlot::Kind::Scale)
      data[slot.format] = createQuantize(builder, loc, master,
                                         scales[data.size()], slot.format);
  for (const WorkSlot &slot : slots) {
    if (slot.isScalar() || !isFp8(slot.format))
      continue;
    Value copy = data.at(slot.format);
    copies.push_back(slot.kind == WorkSlot::Kind::Transposed
                         ? createTranspose(builder, loc, copy)
                         : copy);
  }
  return copies;
}
