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

enum class StorageKind : uint8_t;
enum class Aspect : uint8_t;

/// What decided, as data: the text of a decision is for people. What names none
/// of these was decided by a policy, a cost model, a bound or the target, or
/// was no choice.
struct Reason {
  enum class Kind : uint8_t {
    Other,
    /// What the recipe says of `storage`.
    Storage,
    /// What it says of `aspect` of `tensorClass`: that of the operation, or a
    /// router's for what something is chosen by.
    KeepHigh,
    /// What it says that the operation's direction reads.
    Read,
    /// A user's rule pins a format, or forbids another.
    UserRule
  };
  Kind kind = Kind::Other;
  StorageKind storage = {};
  Aspect aspect = {};
  TensorClass tensorClass = {};

  static Reason of(StorageKind storage) { return {Kind::Storage, storage}; }
  static Reason of(Aspect aspect, TensorClass tensorClass) {
    return {Kind::KeepHigh, {}, aspect, tensorClass};
  }
};

/// One decided format: of a value or of an operand's use.
struct Decision {
  Format format = Format::F32;
  Scaling scaling = Scaling::None;
  Accumulator accumulator = Accumulator::Full;
  /// Why, in one line; empty where nothing was decided.
  llvm::StringRef rule;
  Reason reason = {};
  /// False for what only passes through registers or is a view.
  bool isStored = true;
  /// A moment that has codes of 8 bits between steps (`dynamic8`).
  bool isCoded = false;

  bool isDecided() const { return !rule.empty(); }
  /// Something else decided: text and data change together.
  void decide(llvm::StringRef text, Reason why = {}) {
    rule = text;
    reason = why;
  }
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
