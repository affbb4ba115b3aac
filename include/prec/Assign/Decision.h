//===- Decision.h - one decided format --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_ASSIGN_DECISION_H
#define PREC_ASSIGN_DECISION_H

#include "prec/Dialect/Prec/Prec.h"

#include "llvm/Support/StringSaver.h"

namespace prec {

/// What a value may be stored in, widest first.
inline constexpr Format kStorageFormats[] = {Format::F32, Format::BF16,
                                             Format::F16};

/// One decided format: of a value or of an operand's use.
struct Decision {
  Format format = Format::F32;
  Scaling scaling = Scaling::None;
  Accumulator accumulator = Accumulator::Full;
  /// Why, in one line; empty where nothing was decided.
  llvm::StringRef rule;
  /// False for what only passes through registers or is a view.
  bool isStored = true;
  /// A moment that has codes of 8 bits between steps (`dynamic8`).
  bool isCoded = false;

  bool isDecided() const { return !rule.empty(); }
};

/// What a decision says of a value's storage, by name.
llvm::StringRef getStoredName(const Decision &decision);
/// Bytes in which so many elements are stored.
double getStoredBytes(const Decision &decision, double elements);

/// Owns the texts of rules, each once.
class RuleTexts {
public:
  llvm::StringRef save(const llvm::Twine &text) { return strings.save(text); }

private:
  llvm::BumpPtrAllocator allocator;
  llvm::UniqueStringSaver strings{allocator};
};

} // namespace prec

#endif // PREC_ASSIGN_DECISION_H
