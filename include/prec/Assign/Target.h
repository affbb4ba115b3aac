//===- Target.h - the products of a target ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_ASSIGN_TARGET_H
#define PREC_ASSIGN_TARGET_H

#include "prec/Dialect/Prec/Prec.h"
#include "prec/Numerics/Accumulation.h"
#include "prec/Support/LLVM.h"

#include <array>
#include <optional>
#include <string>

namespace prec {

/// How the operands of a product lie in memory.
enum class OperandLayout : uint8_t {
  /// Either dimension may be contiguous.
  Any,
  /// The contracted dimension is contiguous in both (TN): an operand that lies
  /// the other way needs a transposed copy.
  ContractedLast
};

/// Scalings of lhs and rhs.
using ScalingPair = std::array<Scaling, 2>;

/// One row of a target's table of matrix products. The order of the operands
/// does not matter.
struct Product {
  Format lhs, rhs;
  ArrayRef<Format> results;
  ArrayRef<ScalingPair> scalings;
  ArrayRef<Accumulator> accumulators;
  OperandLayout layout = OperandLayout::Any;
  /// M and N, and K, are multiples of these.
  int64_t multipleOfMN = 1, multipleOfK = 1;
  bool hasBatch = true;
};

/// Formats of one contraction.
struct Dispatch {
  Format lhs, rhs, result;
  Accumulator accumulator = Accumulator::Full;
  /// {None, None} for a product without scales, or where the scaling is not
  /// asked about.
  ScalingPair scalings = {Scaling::None, Scaling::None};
};

/// A target's legality module: its matrix products, one module each in
/// lib/Assign/Targets, put together from rows that several share.
struct Target {
  llvm::StringRef name;
  ArrayRef<ArrayRef<Product>> products;
  /// What adds up FP8 products if nothing promotes them; none where that is
  /// FP32, or where there are no such products.
  std::optional<Fp8Accumulator> fp8Accumulator = std::nullopt;
  /// Words of the names of its GPUs, as drivers print them.
  ArrayRef<llvm::StringLiteral> gpus = {};

  /// The row that has these formats and scalings, whatever its result; null if
  /// none has.
  const Product *find(const Dispatch &dispatch) const;
  bool hasFormat(Format format) const;
  /// Whether a GPU of this name ("NVIDIA H200") runs code of this target.
  bool hasGpu(llvm::StringRef name) const;
  /// What adds up FP8 products in a mode that is legal here; none for FP32.
  std::optional<Fp8Accumulator> findAccumulator(Accumulator mode) const;
  /// The mode that a dispatch runs in: its own, or promoted where it asks for a
  /// full sum and the target keeps none.
  Accumulator settleAccumulator(const Dispatch &dispatch) const;
};

} // namespace prec

#endif // PREC_ASSIGN_TARGET_H
