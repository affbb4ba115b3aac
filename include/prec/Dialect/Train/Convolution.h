//===- Convolution.h - sizes of a convolution -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_CONVOLUTION_H
#define PREC_DIALECT_TRAIN_CONVOLUTION_H

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

#include <optional>

namespace prec::train {

/// A convolution or one of its gradients: the three tensors, of which two are
/// operands and one is the result, with channels last.
struct Convolution {
  RankedTensorType input, weight, output;
  ArrayRef<int64_t> strides, low, high, dilations;
  int64_t groups = 1;

  /// Of an operation of prec_train; none of others.
  static std::optional<Convolution> of(Operation *op);

  int64_t getSpatialRank() const { return input.getRank() - 2; }
  /// Places of the kernel, and positions of the output with those of all of the
  /// batch.
  int64_t countPlaces() const;
  int64_t countPositions() const;
  /// Of the output along a spatial dimension; less than 1 where the kernel is
  /// larger than the padded input.
  int64_t getPositions(unsigned dim) const;
  /// Of a group.
  int64_t getChannels() const { return weight.getShape().back(); }
  int64_t getOutputs() const { return weight.getShape()[0] / groups; }
};

/// Checks sizes and attributes, whatever dialect the operation is of.
LogicalResult verifyConvolution(Operation *op, const Convolution &of);

} // namespace prec::train

#endif // PREC_DIALECT_TRAIN_CONVOLUTION_H
