//===- Slices.cpp - slices of tensors of static shape ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Train/Slices.h"

using namespace mlir;
using namespace prec;

tensor::ExtractSliceOp prec::train::createSlice(OpBuilder &builder,
                                                Location loc,
                                                RankedTensorType type,
                                                Value value,
                                                ArrayRef<int64_t> offsets) {
  SmallVector<int64_t> zeros(type.getRank(), 0), strides(type.getRank(), 1);
  return tensor::ExtractSliceOp::create(
      builder, loc, type, value, ValueRange(), ValueRange(), ValueRange(),
      offsets.empty() ? ArrayRef<int64_t>(zeros) : offsets, type.getShape(),
      strides);
}

bool prec::train::isFirstAlong(tensor::ExtractSliceOp slice, int64_t dim) {
  RankedTensorType source = slice.getSourceType(), type = slice.getType();
  if (!slice.hasUnitStride() || type.getRank() != source.getRank())
    return false;
  return llvm::all_of(llvm::seq<int64_t>(0, type.getRank()), [&](int64_t i) {
    return slice.getStaticOffsets()[i] == 0 &&
           (i == dim || type.getDimSize(i) == source.getDimSize(i));
  });
}
