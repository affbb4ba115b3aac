//===- Legality.h - what a target can contract ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_ASSIGN_LEGALITY_H
#define PREC_ASSIGN_LEGALITY_H

#include "prec/Assign/Target.h"

namespace prec {

/// All targets, in the order sm_80, sm_89, sm_90a, sm_100a, cpu.
ArrayRef<const Target *> getTargets();
/// Null for a name that is none of theirs.
const Target *findTarget(llvm::StringRef name);
/// The names of all targets, for messages.
std::string getTargetNames();

/// Why a target cannot run a contraction, as a clause of a sentence; none if it
/// can. The order of the operands does not matter.
std::optional<std::string>
findIllegality(const Target &target, ContractionShape shape, Dispatch dispatch);

/// The same for formats and scalings alone, whatever the shape and the result:
/// what a whole recipe asks of a target.
std::optional<std::string> findMissing(const Target &target, Dispatch dispatch);

} // namespace prec

#endif // PREC_ASSIGN_LEGALITY_H
