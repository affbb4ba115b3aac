//===- WorkWeights.h - what is derived from a master weight -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_WEIGHTS_WORKWEIGHTS_H
#define PREC_LIB_MATERIALIZE_WEIGHTS_WORKWEIGHTS_H

#include "prec/Support/LLVM.h"

#include "Materialize/Quantization.h"

namespace prec {

/// One tensor derived from a master: a copy in a work format, its transposed
/// copy, the inverse scale that dequantizes both (or the copy alone, if its
/// rows or blocks have inverse scales; then those of the transposed copy), the
/// inverse scale of the tensor around those of its blocks, or the scale that
/// made them, where the master does not say it.
struct WorkSlot {
  enum class Kind {
    Copy,
    Transposed,
    ScaleInv,
    TransposedScaleInv,
    TensorScaleInv,
    Scale
  };

  Format format;
  Kind kind;

  bool operator==(const WorkSlot &other) const {
    return format == other.format && kind == other.kind;
  }
  bool operator<(const WorkSlot &other) const {
    return std::tie(format, kind) < std::tie(other.format, other.kind);
  }

  /// Value of `prec_train.slot`: bf16, e4m3, e4m3_t, e4m3_scale, e4m3_t_scale,
  /// e2m1_tensor_scale, e4m3_quantization.
  std::string getName() const;
  /// The slot of that name; none if no slot has it.
  static std::optional<WorkSlot> parse(StringRef name);
  /// The inverse scale of this copy where each of the two copies has its own,
  /// as rows and blocks do; that of both is the slot of the direct copy.
  WorkSlot getScaleInv() const {
    return {format, kind == Kind::Transposed ? Kind::TransposedScaleInv
                                             : Kind::ScaleInv};
  }
  /// Whether it is a scale or its inverse, of whatever granularity.
  bool isScale() const {
    return kind != Kind::Copy && kind != Kind::Transposed;
  }
  train::Role getRole() const;
  /// Type of the slot for a master of type `master`.
  RankedTensorType getType(RankedTensorType master, Scaling scaling) const;
  /// Attributes of an argument or result of role `role` that is this slot of
  /// the parameter `path`, by which all functions know it.
  SmallVector<NamedAttribute> getAttributes(Builder &builder, StringAttr path,
                                            train::Role role) const;
};

/// A master, f32 or narrower, as work weights are made from it.
Value widenMaster(OpBuilder &builder, Location loc, Value master);
SmallVector<Value> widenMasters(OpBuilder &builder, Location loc,
                                ValueRange masters);

/// Along which dimension masters are concatenated, and with how many zeros
/// behind them.
struct MasterJoin {
  int64_t dim = 0, padding = 0;
};

/// f32 masters, concatenated.
Value joinMasters(OpBuilder &builder, Location loc, ValueRange masters,
                  MasterJoin join);

/// Computes `slots` (sorted, without repetition) from an f32 master, or from
/// several that are concatenated. A history that `rule` names is
/// one for each FP8 format.
SmallVector<Value> buildWorkSlots(OpBuilder &builder, Location loc,
                                  ValueRange masters, ArrayRef<WorkSlot> slots,
                                  const ScaleRule &rule, MasterJoin join = {});

/// The copies among `slots`, quantized by the scale of their format in `scales`
/// (in the order of the scales in `slots`) instead of one of their own.
SmallVector<Value> rebuildCopies(OpBuilder &builder, Location loc, Value master,
                                 ArrayRef<WorkSlot> slots, ValueRange scales);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_WEIGHTS_WORKWEIGHTS_H
