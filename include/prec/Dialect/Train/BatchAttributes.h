// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_BATCHATTRIBUTES_H
#define PREC_DIALECT_TRAIN_BATCHATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace prec::train {

inline constexpr llvm::StringLiteral kShiftUnknown = "prec_train.shift_unknown";
inline constexpr llvm::StringLiteral kCodes = "prec_train.codes";
inline constexpr llvm::StringLiteral kPadding = "prec_train.padding";
inline constexpr llvm::StringLiteral kEqualMicroBatches =
    "prec_train.equal_micro_batches";

/// Path of the hyper argument that numbers the micro-batches of a step, of all
/// ranks together.
inline constexpr llvm::StringLiteral kMicroBatch = "micro_batch";

} // namespace prec::train

#endif // PREC_DIALECT_TRAIN_BATCHATTRIBUTES_H
