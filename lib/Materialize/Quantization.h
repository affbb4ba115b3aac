//===- Quantization.h - scaling to FP8 and FP4 ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_QUANTIZATION_H
#define PREC_LIB_MATERIALIZE_QUANTIZATION_H

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

#include "mlir/IR/Builders.h"

namespace prec {

/// FP8 and FP4.
inline bool isNarrow(Type elementType) {
  return isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type,
             mlir::Float4E2M1FNType>(elementType);
}

/// How the amax of one tensor becomes a scale.
struct ScaleRule {
  /// What one scale is of.
  Scaling scaling;
  AmaxAttr options;
  /// The one of `options` for this kind of operand.
  FloatAttr epsilon;
  /// Names the tensor where its earlier amaxes make the scale; else null.
  StringAttr history;
  MicroscalingAttr microscaling;
  bool isWeight = false;
  /// What its amax is taken for before any was seen; null for a scale of 1.
  FloatAttr firstAmax = nullptr;

  /// Whether square blocks have one scale, the same in both layouts.
  bool hasSquareBlocks() const {
    return isWeight && hasTensorScale(scaling) &&
           microscaling.getSquareWeights();
  }
};

struct Scale {
  Value scale;
  /// Inverse scale.
  Value scaleInv;
};

/// From which ratio to the largest finite value of `format` on a value is
/// saturated: nearer ones are rounded to it by rounding to nearest alone.
double getSaturationRatio(Format format);

/// Of rank 3, `value` has a matrix for each expert, and where scales are of
/// tensors an amax for each: as rows of a view. So it is for quantizations.
Value createAmax(OpBuilder &builder, Location loc, Value value,
                 Scaling scaling);

/// One of all elements of `value`, whatever its rank.
Value createTensorAmax(OpBuilder &builder, Location loc, Value value);
/// The amax of a matrix of weights: of square blocks where `rule` says so, each
/// row of a block with that of the block.
Value createWeightAmax(OpBuilder &builder, Location loc, Value matrix,
                       const ScaleRule &rule);
/// `tensorScale` is that of the whole tensor where blocks have scales within it
/// (NVFP4), else null.
Scale createScale(OpBuilder &builder, Location loc, Value amax, Format format,
                  const ScaleRule &rule, Value tensorScale = nullptr);
/// The scale of the whole tensor; `rule` is that of its blocks.
Scale createTensorScale(OpBuilder &builder, Location loc, Value amax,
                        Format format, const ScaleRule &rule);
/// Where random bits come from; no seed for rounding to the nearest.
struct Randomness {
  Value seed;
  int32_t stream = 0;
};
Value createQuantize(OpBuilder &builder, Location loc, Value value, Value scale,
                     Format format, Scaling scaling,
                     Randomness randomness = {});
/// Transposed copy of a matrix, or of the matrix of each expert.
Value createTranspose(OpBuilder &builder, Location loc, Value matrix);

/// Whether operand `index` of `op` is stored with the contracted dimension
/// last, as FP8 products need it.
bool isContractedLast(train::MatmulOp op, unsigned index);
/// Makes `op`, a matmul or grouped matmul, read operand `index` the other way
/// round.
void flipTranspose(Operation *op, unsigned index);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_QUANTIZATION_H
