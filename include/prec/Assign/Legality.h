//===- Legality.h - what a target can contract ------------------*- C++ -*-===//
#ifndef PREC_ASSIGN_LEGALITY_H
#define PREC_ASSIGN_LEGALITY_H

#include "prec/Dialect/Prec/Prec.h"

#include <optional>
#include <string>

namespace mlir::prec {

/// What a target's matrix units can do, beside the dispatch table that all
/// targets share.
struct Target {
  llvm::StringRef name;
  /// Why the target has no FP8 contractions; empty if it has.
  llvm::StringRef fp8Missing;
  /// M, N and K of an FP8 contraction are multiples of this: both operands lie
  /// along K and rows start at 16 bytes.
  int64_t fp8Multiple;
};

/// sm_80, sm_89, sm_90a, cpu. Null for any other name.
const Target *findTarget(llvm::StringRef name);
/// The names of all targets, for messages.
std::string getTargetNames();

/// Formats of one contraction.
struct Dispatch {
  Format lhs, rhs, result;
  Accumulator accumulator = Accumulator::Full;
};

/// Why a target cannot run a contraction, as a clause of a sentence; none if it
/// can. The order of the operands does not matter.
std::optional<std::string>
findIllegality(const Target &target, ContractionShape shape, Dispatch dispatch);

} // namespace mlir::prec

#endif // PREC_ASSIGN_LEGALITY_H
