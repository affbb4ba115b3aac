//===- Numerics.h - measured numerics of a training step --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// numerics.json: what tensors and uses of a step were seen to hold. The
// schema is in docs/Bounds.md.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_NUMERICS_NUMERICS_H
#define PREC_NUMERICS_NUMERICS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace prec {

/// What rounding to one format under one scaling did to a tensor.
struct FormatLoss {
  std::string format, scaling;
  /// Fractions of all elements: nonzero ones that became zero, and ones beyond
  /// the largest finite value.
  double underflow = 0, overflow = 0;
  /// Signal to quantization noise in decibels; infinite where rounding was
  /// exact. Of several steps the least, as the fractions are the largest.
  double sqnr = 0;
  /// Its mean over the steps in which something was rounded.
  std::optional<double> meanSqnr;
};

struct TensorNumerics {
  /// A location or an argument's path, as in the precision map.
  std::string path;
  /// Of tensors; empty for uses.
  std::string phase;
  /// Of uses; empty for tensors.
  std::string direction;
  /// Number of the operation's result, or of its operand.
  int64_t index = 0;
  /// Largest magnitude and root mean square over all steps that were seen.
  double amax = 0, rms = 0;
  /// Of parameters: root mean square of one step's update and of the gradient.
  std::optional<double> updateRms, gradientRms;
  std::vector<FormatLoss> losses;

  /// Null if not measured.
  const FormatLoss *findLoss(llvm::StringRef format,
                             llvm::StringRef scaling) const;
};

/// What reading narrow formats did to the gradient of a step: noise is the sum
/// of squared errors over the sum of squares, of the elements of all gradients.
struct GradientNoise {
  /// Whose formats were read.
  std::string recipe;
  int64_t numSteps = 0;
  /// With no operand in a narrow format, and with all of them.
  double wide = 0, together = 0;
  /// Of a contraction alone, by path and direction.
  llvm::StringMap<double> noise;

  /// Of a contraction that reads narrow formats; none if it was not measured.
  std::optional<double> find(llvm::StringRef path,
                             llvm::StringRef direction) const;
  /// False, and nothing added, if its place is taken.
  bool add(llvm::StringRef path, llvm::StringRef direction, double value);
};

class Numerics {
public:
  std::string producer;
  int64_t firstStep = 0, numSteps = 0;
  /// None if it was not measured.
  std::optional<GradientNoise> gradientNoise;

  llvm::ArrayRef<TensorNumerics> getTensors() const { return tensors; }
  llvm::ArrayRef<TensorNumerics> getUses() const { return uses; }

  /// A result (or argument) of a phase; null if not measured.
  const TensorNumerics *findTensor(llvm::StringRef path, llvm::StringRef phase,
                                   int64_t result = 0) const;
  /// An operand of a contraction; null if not measured.
  const TensorNumerics *findUse(llvm::StringRef path, llvm::StringRef direction,
                                int64_t operand) const;

  /// False, and nothing added, if its place is taken.
  bool addTensor(TensorNumerics tensor);
  bool addUse(TensorNumerics use);

private:
  std::vector<TensorNumerics> tensors, uses;
  llvm::StringMap<size_t> tensorIndex, useIndex;
};

/// Reads numerics.json. Every error begins "fileName:line:column: error: ".
llvm::Expected<Numerics> parseNumerics(llvm::StringRef text,
                                       llvm::StringRef fileName);

} // namespace prec

#endif // PREC_NUMERICS_NUMERICS_H
