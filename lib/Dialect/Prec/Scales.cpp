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

/// Whether a predicate holds for one of the scalings that `tensor` can have.
static bool anyScaling(RankedTensorType tensor,
                       llvm::function_ref<bool(Scaling)> holds) {
  return holds(Scaling::TensorCurrent) ||
         (tensor.getRank() == 2 &&
          (holds(Scaling::Row) || holds(Scaling::Block1x128) ||
           holds(Scaling::Block128x128)));
}

bool prec::isScaleType(RankedTensorType tensor, Type scales) {
  return anyScaling(tensor, [&](Scaling scaling) {
    return getScaleType(tensor, scaling) == scales;
  });
}

RankedTensorType prec::getFactorType(RankedTensorType scales, Scaling scaling) {
  ArrayRef<int64_t> shape = scales.getShape();
  if (scaling == Scaling::Block1x128)
    return scales.clone({shape[1], shape[0]});
  if (scaling == Scaling::Block128x128)
    return scales.clone({shape[0],
                         int64_t(llvm::divideCeil(shape[1], kFactorGroup)),
                         kFactorGroup});
  return scales;
}

bool prec::isFactorType(RankedTensorType tensor, Type factors) {
  return anyScaling(tensor, [&](Scaling scaling) {
    return getFactorType(getScaleType(tensor, scaling), scaling) == factors;
  });
}

bool prec::haveOneGranularity(RankedTensorType lhs, RankedTensorType rhs) {
  return std::min<int64_t>(lhs.getRank(), 2) ==
         std::min<int64_t>(rhs.getRank(), 2);
}
