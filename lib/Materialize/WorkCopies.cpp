//===- WorkCopies.cpp - what is derived from a master weight --------------===//
#include "WorkCopies.h"

#include "Quantisation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::prec;

std::string WorkSlot::getName() const {
  StringRef suffix = kind == Kind::Copy         ? ""
                     : kind == Kind::Transposed ? "_t"
                                                : "_scale";
  return (stringifyFormat(format) + suffix).str();
}

train::Role WorkSlot::getRole() const {
  return kind == Kind::Scale ? train::Role::ScaleState
                             : train::Role::WorkWeight;
}

RankedTensorType WorkSlot::getType(RankedTensorType master) const {
  if (kind == Kind::Scale)
    return RankedTensorType::get({}, master.getElementType());
  SmallVector<int64_t> shape(master.getShape());
  if (kind == Kind::Transposed)
    std::swap(shape.front(), shape.back());
  return RankedTensorType::get(shape,
                               getElementType(master.getContext(), format));
}

SmallVector<Value> prec::buildWorkSlots(OpBuilder &builder, Location loc,
                                        Value master,
                                        ArrayRef<WorkSlot> slots) {
  auto type = cast<RankedTensorType>(master.getType());
  SmallVector<Value> values;
  // What the slots of one FP8 format share.
  std::optional<Format> quantized;
  Value amax, data, factor;
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
      UpdateScaleOp scale = createScale(builder, loc, amax, slot.format);
      data =
          createQuantize(builder, loc, master, scale.getScale(), slot.format);
      factor = scale.getDequantisation();
    }
    switch (slot.kind) {
    case WorkSlot::Kind::Copy:
      values.push_back(data);
      break;
    case WorkSlot::Kind::Transposed:
      values.push_back(createTranspose(builder, loc, data));
      break;
    case WorkSlot::Kind::Scale:
      values.push_back(factor);
      break;
    }
  }
  return values;
}
