//===- LoadBounds.h - what a pass is told of bounds -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_BOUNDS_LOADBOUNDS_H
#define PREC_LIB_ASSIGN_BOUNDS_LOADBOUNDS_H

#include "prec/Support/LLVM.h"

#include "Assign/Decided.h"

namespace prec {

/// Bounds with what they refer to.
struct BoundSources {
  std::optional<Numerics> numerics;
  std::string numericsFile;
  BoundAssumptions assumptions;
  BoundLimits limits;

  BoundInputs getInputs() const {
    return {numerics ? &*numerics : nullptr, assumptions, limits};
  }
};

/// The name, empty if it has none, that two entries NAME:VALUE of a list have.
std::optional<StringRef> findRepeatedName(ArrayRef<std::string> entries);

/// `assume` and `limits` are lists of NAME:NUMBER. The file may be empty.
llvm::Expected<BoundSources> loadBounds(StringRef numericsFile,
                                        ArrayRef<std::string> assume,
                                        ArrayRef<std::string> limits);

/// Warns of entries of numerics.json that no function has.
void warnOfUnmatched(Location loc, const BoundSources &sources,
                     ArrayRef<DecidedFunction> functions);

/// One diagnostic for each rule, the worst places first; errors if `isRefused`.
/// Whether there was any.
bool reportFindings(const DecidedFunction &decided, bool isRefused);

} // namespace prec

#endif // PREC_LIB_ASSIGN_BOUNDS_LOADBOUNDS_H
