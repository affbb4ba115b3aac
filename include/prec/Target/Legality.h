//===- Legality.h - what a target can contract ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_TARGET_LEGALITY_H
#define PREC_TARGET_LEGALITY_H

#include "prec/Target/Target.h"

namespace prec {

/// Why a target cannot run a contraction, as a clause of a sentence; none if it
/// can. The order of the operands does not matter.
std::optional<std::string>
findIllegality(const Target &target, ContractionShape shape, Dispatch dispatch);

/// The sizes that a contraction has where zeros make one of them larger, so
/// that it may read FP8 with scales of tensors (--prec-pad-narrow-products);
/// its own ones where nothing needs that, or more than one size did.
ContractionShape getPaddedShape(ContractionShape shape,
                                const Dispatch &dispatch);

/// The same for formats and scalings alone, whatever the shape and the result:
/// what a whole recipe asks of a target.
std::optional<std::string> findMissing(const Target &target, Dispatch dispatch);

} // namespace prec

#endif // PREC_TARGET_LEGALITY_H
