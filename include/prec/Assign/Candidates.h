//===- Candidates.h - the ways to run a contraction -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recipe and keep-high rules give each contraction the ways it may run; layers,
// legality and a user's rules veto some; whoever chooses (the recipe's order, a
// policy, a cost model) chooses among the rest. What was beaten stays, with the
// reason.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_ASSIGN_CANDIDATES_H
#define PREC_ASSIGN_CANDIDATES_H

#include "prec/Assign/Decision.h"
#include "prec/Target/Target.h"
#include "prec/Assign/Recipe.h"
#include "prec/Support/LLVM.h"

namespace prec {

/// Why a candidate may not be taken.
enum class Veto : uint8_t {
  None,
  /// The recipe keeps its class high.
  KeepHigh,
  /// Its layer is skipped, or it belongs to an adapter.
  Place,
  /// The target cannot run it.
  Legality,
  /// A user's rule forbids it, or pins another.
  Rule,
  /// A numeric bound says that it loses too much.
  Bound
};
llvm::StringRef stringifyVeto(Veto veto);

/// What a cost model says of a candidate, in microseconds.
struct CandidatePrice {
  /// The product alone.
  double product = 0;
  /// How much slower the step is with it, if all others are chosen to suit it;
  /// 0 for the winner.
  double extra = 0;
  /// The product's time was measured.
  bool isMeasured = false;
  /// What it adds to the noise of the gradient (GradientNoise); none if that is
  /// not known.
  std::optional<double> noise = std::nullopt;
};

/// One way to run a contraction.
struct Candidate {
  /// What both operands are read in, with the texts of their tags.
  std::array<Decision, 2> uses;
  /// What the result is stored in.
  Format result = Format::F32;
  Veto veto = Veto::None;
  /// Why, as a clause; empty without a veto.
  llvm::StringRef vetoReason;
  /// The same without the numbers of one place: what places have in common.
  llvm::StringRef vetoRule;
  /// None unless a cost model chose.
  std::optional<CandidatePrice> price;

  Dispatch getDispatch() const;
  /// "e4m3 x e5m2".
  std::string getName() const;
  /// Whether an operand has scales.
  bool isScaled() const;
  void setVetoReason(llvm::StringRef reason) { vetoReason = vetoRule = reason; }
};

struct ContractionChoice {
  NodeId node = kNone;
  /// The first is what recipe and rules want; the last ones are what every
  /// target can run.
  SmallVector<Candidate, 3> candidates;
  /// kNone if nothing is possible.
  unsigned winner = kNone;
  /// Why the winner is not the first one without a veto; empty if it is.
  llvm::StringRef reason;
  /// What would make it another, as a noun, where a policy chose; else empty.
  llvm::StringRef change;

  const Candidate *getWinner() const {
    return winner == kNone ? nullptr : &candidates[winner];
  }
  /// The first candidate without a veto; kNone if there is none.
  unsigned getFirstPermitted() const;
};

} // namespace prec

#endif // PREC_ASSIGN_CANDIDATES_H
