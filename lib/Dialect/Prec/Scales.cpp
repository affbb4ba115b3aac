//===- Scales.cpp - what one scale is of ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Prec/Prec.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace prec;

static constexpr Scaling kFineScalings[] = {Scaling::Row, Scaling::Block1x128,
                                            Scaling::Block128x128,
                                            Scaling::Mx1x32, Scaling::Nvfp4};

bool prec::isFine(Scaling scaling) {
  return llvm::is_contained(kFineScalings, scaling);
}

static int64_t getBlocks(int64_t size, int64_t block) {
  return llvm::divideCeil(size, block);
}

RankedTensorType prec::getScaleType(RankedTensorType tensor, Scaling scaling) {
  SmallVector<int64_t> shape;
  if (isFine(scaling)) {
    int64_t rows = tensor.getDimSize(0), columns = tensor.getDimSize(1);
    if (scaling == Scaling::Row)
      shape = {rows};
    else if (scaling == Scaling::Block1x128)
      shape = {rows, getBlocks(columns, kScaleBlock)};
    else if (scaling == Scaling::Mx1x32)
      shape = {rows, getBlocks(columns, kMxBlock)};
    else if (scaling == Scaling::Nvfp4)
      shape = {rows, getBlocks(columns, kNvfp4Block)};
    else
      shape = {getBlocks(rows, kScaleBlock), getBlocks(columns, kScaleBlock)};
  }
  return RankedTensorType::get(shape, Float32Type::get(tensor.getContext()));
}

/// The tiles that inverse scales of a matrix of blocks lie in.
static SmallVector<int64_t> getTiles(ArrayRef<int64_t> blocks) {
  return {getBlocks(blocks[0], kScaleInvTile),
          getBlocks(blocks[1], kScaleInvGroup), kScaleInvStride,
          kScaleInvTile / kScaleInvStride * kScaleInvGroup};
}

RankedTensorType prec::getScaleInvsOf(RankedTensorType scales,
                                      Scaling scaling) {
  ArrayRef<int64_t> shape = scales.getShape();
  switch (scaling) {
  case Scaling::Block1x128:
    return scales.clone({shape[1], shape[0]});
  case Scaling::Block128x128:
    return scales.clone(
        {shape[0], getBlocks(shape[1], kScaleInvGroup), kScaleInvGroup});
  case Scaling::Mx1x32:
    return RankedTensorType::get(getTiles(shape),
                                 Float8E8M0FNUType::get(scales.getContext()));
  case Scaling::Nvfp4:
    return RankedTensorType::get(getTiles(shape),
                                 Float8E4M3FNType::get(scales.getContext()));
  case Scaling::None:
  case Scaling::TensorCurrent:
  case Scaling::TensorDelayed:
  case Scaling::Row:
    return scales;
  }
  llvm_unreachable("all scalings are handled");
}

RankedTensorType prec::getScaleInvType(RankedTensorType tensor,
                                       Scaling scaling) {
  return getScaleInvsOf(getScaleType(tensor, scaling), scaling);
}

/// Whether some granularity of `tensor` has the type that `getType` gives it.
static bool
isOneOf(RankedTensorType tensor, Type type,
        function_ref<RankedTensorType(RankedTensorType, Scaling)> getType) {
  return getType(tensor, Scaling::TensorCurrent) == type ||
         (tensor.getRank() == 2 &&
          llvm::any_of(kFineScalings, [&](Scaling scaling) {
            return getType(tensor, scaling) == type;
          }));
}

bool prec::isScaleType(RankedTensorType tensor, Type scales) {
  return isOneOf(tensor, scales, getScaleType);
}

bool prec::isScaleInvType(RankedTensorType tensor, Type scaleInvs) {
  return isOneOf(tensor, scaleInvs, getScaleInvType);
}

int64_t prec::getBlockSize(int64_t size, int64_t count) {
  for (int64_t block : {kScaleBlock, kMxBlock, kNvfp4Block})
    if (getBlocks(size, block) == count)
      return std::min(block, size);
  return 1;
}

RankedTensorType prec::getUnpackedType(RankedTensorType stored) {
  if (!stored.getElementType().isInteger(8))
    return stored;
  SmallVector<int64_t> shape(stored.getShape());
  shape.back() *= 2;
  return RankedTensorType::get(shape,
                               Float4E2M1FNType::get(stored.getContext()));
}

bool prec::haveOneGranularity(RankedTensorType lhs, RankedTensorType rhs) {
  return std::min<int64_t>(lhs.getRank(), 2) ==
         std::min<int64_t>(rhs.getRank(), 2);
}
