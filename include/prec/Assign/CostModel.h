//===- CostModel.h - times of products and casts ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measured times where a policy has them, else a roofline (Williams, Waterman,
// Patterson, 2009): the longer of computing and moving, and the launch.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_ASSIGN_COSTMODEL_H
#define PREC_ASSIGN_COSTMODEL_H

#include "prec/Assign/Candidates.h"
#include "prec/Target/MachineModel.h"
#include "prec/Policy/MeasuredPolicy.h"

namespace prec {

/// Prices are whole picoseconds, so that sums are exact and the same on every
/// machine.
constexpr double toMicroseconds(int64_t picoseconds) {
  return double(picoseconds) * 1e-6;
}

/// What quantizing a tensor costs, apart for what can be shared: whoever needs
/// one layout or both pays `once`, and each layout is written once.
struct QuantizationPrice {
  int64_t once = 0, rows = 0, columns = 0;
};

/// What is quantized, and where it comes from.
struct QuantizationSource {
  /// As the tensor lies.
  int64_t rows = 0, columns = 0;
  Format from = Format::BF16;
  /// A kernel of ours computes it, which can write the quantized copy as well
  /// if the scale is known by then.
  bool isFusible = false;

  double getElements() const { return double(rows) * double(columns); }
};

class CostModel {
public:
  /// `measured` may be null. Keeps both.
  CostModel(const MachineModel &target, const Measurements *measured)
      : target(target), measured(measured) {}

  /// By the roofline. Scales are applied where the product is rounded, so
  /// dequantizing costs nothing of its own.
  int64_t priceProduct(const ContractionShape &shape,
                       const Candidate &candidate) const;
  /// As measured; none if it was not.
  std::optional<int64_t> findProduct(Direction direction,
                                     const ContractionShape &shape,
                                     const Candidate &candidate) const;

  /// By the roofline, times what the nearest measured product of the same
  /// formats took for its own roofline; none if no such product was measured.
  std::optional<int64_t> correctProduct(const ContractionShape &shape,
                                        const Candidate &candidate) const;

  /// Bytes that a kernel of its own moves.
  int64_t priceKernel(double bytes) const;
  /// Bytes that a kernel moves in addition.
  int64_t priceBytes(double bytes) const;

  /// Scales of a whole tensor or of square blocks are the same for both
  /// layouts; others make the transposed copy a quantization of its own. As
  /// measured where it is a kernel of its own; else as modelled, times what
  /// measured ones of about its size took for what is modelled.
  QuantizationPrice priceQuantization(const QuantizationSource &source,
                                      Format to, Scaling scaling) const;
  /// The pass that finds a whole tensor's amax before it can be quantized;
  /// nothing where the kernel that computes the tensor finds it.
  int64_t priceAmax(const QuantizationSource &source) const;

  const MachineModel &getTarget() const { return target; }

private:
  QuantizationPrice modelQuantization(const QuantizationSource &source,
                                      Format to, Scaling scaling) const;
  /// What quantizations of about this size and these formats took for what is
  /// modelled; 1 where none was measured.
  double getQuantizationRatio(const QuantizationSource &source, Format to,
                              Scaling scaling) const;
  std::optional<QuantizationPrice>
  findQuantization(const QuantizationSource &source, Format to,
                   Scaling scaling) const;

  const MachineModel &target;
  const Measurements *measured;
};

} // namespace prec

#endif // PREC_ASSIGN_COSTMODEL_H
