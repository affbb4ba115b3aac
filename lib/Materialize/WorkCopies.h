//===- WorkCopies.h - what is derived from a master weight ------*- C++ -*-===//
#ifndef PREC_LIB_MATERIALIZE_WORKCOPIES_H
#define PREC_LIB_MATERIALIZE_WORKCOPIES_H

#include "prec/Dialect/Train/Train.h"

#include "mlir/IR/Builders.h"

namespace mlir::prec {

/// One tensor derived from a master: a copy in a work format, its transposed
/// copy, or the factor that dequantises both.
struct WorkSlot {
  enum class Kind { Copy, Transposed, Scale };

  Format format;
  Kind kind;

  bool operator==(const WorkSlot &other) const {
    return format == other.format && kind == other.kind;
  }
  bool operator<(const WorkSlot &other) const {
    return std::tie(format, kind) < std::tie(other.format, other.kind);
  }

  /// Value of `train.slot`: bf16, e4m3, e4m3_t, e4m3_scale.
  std::string getName() const;
  train::Role getRole() const;
  /// Type of the slot for a master of type `master`.
  RankedTensorType getType(RankedTensorType master) const;
};

/// Computes `slots` (sorted, without repetition) from an f32 master, in order.
SmallVector<Value> buildWorkSlots(OpBuilder &builder, Location loc,
                                  Value master, ArrayRef<WorkSlot> slots);

} // namespace mlir::prec

#endif // PREC_LIB_MATERIALIZE_WORKCOPIES_H
