//===- CastGroups.cpp - FP8 copies of rows of experts ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The casts of rows that are grouped by expert. Where scales are of tensors
// each group has one: an amax for each group makes it, each row is multiplied
// by that of its group, and the product reads one inverse scale for each group.
// Rows of no group have a scale of 0. Products for the gradients of experts'
// matrices contract over rows: they read transposed copies, in which each group
// begins at a multiple of 128, with zeros between. With scales of groups such a
// copy has the bits of the direct one; with scales of rows or blocks it is
// quantized by itself, and each block has rows of one group alone. Everything
// is made once, as by the rest of the CastCache.
//
//===----------------------------------------------------------------------===//
#include "Materialize/CastCache.h"

using namespace mlir;
using namespace prec;

Value CastCache::getAligned(Value rows, Value ends, Operation *user) {
  Value &result = aligned[{rows, ends}];
  if (!result) {
    auto type = cast<RankedTensorType>(rows.getType());
    int64_t groups = cast<RankedTensorType>(ends.getType()).getDimSize(0);
    result = AlignGroupsOp::create(
        builder, user->getLoc(),
        type.clone(
            {alignedRows(type.getDimSize(0), groups), type.getDimSize(1)}),
        rows, ends);
    train::copyProvenance(user, result.getDefiningOp());
  }
  return result;
}

const Scale &CastCache::getScaleOf(Value amax, Type elementType, Value origin,
                                   TagAttr tag, Operation *user) {
  Scale &scale =
      scales[{amax, elementType, static_cast<unsigned>(tag.getScaling())}];
  if (!scale.scale) {
    scale = createScale(builder, user->getLoc(), amax, tag.getFormat(),
                        getRule(origin, tag.getScaling(), user));
    train::copyProvenance(user, scale.scale.getDefiningOp());
  }
  return scale;
}

ScaledOperand CastCache::quantizeByGroup(Value rows, Value ends, TagAttr tag,
                                         Operation *user) {
  auto type = cast<RankedTensorType>(rows.getType());
  Type elementType = getElementType(type.getContext(), tag.getFormat());
  auto perGroup = RankedTensorType::get(
      cast<RankedTensorType>(ends.getType()).getShape(), builder.getF32Type());
  builder.setInsertionPoint(user);
  Value origin = getOrigin(rows);
  Value &amax = groupAmaxes[{origin, ends}];
  if (!amax) {
    amax = GroupAmaxOp::create(builder, user->getLoc(), perGroup, rows, ends);
    train::copyProvenance(user, amax.getDefiningOp());
  }
  const Scale &scale = getScaleOf(amax, elementType, origin, tag, user);
  Value &ofRows = groupScales[{scale.scale, ends}];
  if (!ofRows) {
    ofRows = GroupScalesOp::create(builder, user->getLoc(),
                                   perGroup.clone({type.getDimSize(0)}),
                                   scale.scale, ends);
    train::copyProvenance(user, ofRows.getDefiningOp());
  }
  Value &data = quantized[{scale.scale, type.clone(elementType)}];
  if (!data) {
    data = createQuantize(builder, user->getLoc(), rows, ofRows,
                          tag.getFormat(), Scaling::Row);
    train::copyProvenance(user, data.getDefiningOp());
  }
  return {data, {scale.scaleInv, Value()}};
}

FailureOr<ScaledOperand> CastCache::quantizeGroups(Value rows, Value ends,
                                                   TagAttr tag, bool transposed,
                                                   Operation *user) {
  if (quantizedRows.contains(rows))
    return getOfTokens(rows, ends, tag, transposed, user);
  if (isFine(tag.getScaling())) {
    builder.setInsertionPoint(user);
    if (!transposed)
      return quantizeDirectly(rows, rows, getOrigin(rows), tag, user);
    Value matrix = getTransposed(getAligned(rows, ends, user), user);
    return quantizeDirectly(matrix, matrix, getOrigin(rows), tag, user);
  }
  ScaledOperand operand = quantizeByGroup(rows, ends, tag, user);
  if (transposed) {
    builder.setInsertionPoint(user);
    operand.data = getTransposed(getAligned(operand.data, ends, user), user);
  }
  return operand;
}
