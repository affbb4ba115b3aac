//===- Scales.cpp - what one scale is of ----------------------------------===//
#include "prec/Dialect/Prec/Prec.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::prec;

bool prec::isFine(Scaling scaling) {
  return scaling != Scaling::None && !isTensorScaling(scaling);
}

RankedTensorType prec::getScaleType(RankedTensorType tensor, Scaling scaling) {
  auto getBlocks = [](int64_t size) {
    return int64_t(llvm::divideCeil(size, kScaleBlock));
  };
  SmallVector<int64_t> shape;
  if (isFine(scaling)) {
    int64_t rows = tensor.getDimSize(0), columns = tensor.getDimSize(1);
    if (scaling == Scaling::Row)
      shape = {rows};
    else if (scaling == Scaling::Block1x128)
      shape = {rows, getBlocks(columns)};
    else
      shape = {getBlocks(rows), getBlocks(columns)};
  }
  return RankedTensorType::get(shape, Float32Type::get(tensor.getContext()));
}

bool prec::isScaleType(RankedTensorType tensor, Type scales) {
  auto isOf = [&](Scaling scaling) {
    return getScaleType(tensor, scaling) == scales;
  };
  return isOf(Scaling::TensorCurrent) ||
         (tensor.getRank() == 2 &&
          (isOf(Scaling::Row) || isOf(Scaling::Block1x128) ||
           isOf(Scaling::Block128x128)));
}
