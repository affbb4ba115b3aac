#ifndef PREC_DIALECT_TRAIN_BATCHATTRIBUTES_H
#define PREC_DIALECT_TRAIN_BATCHATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::train {

inline constexpr llvm::StringLiteral kShiftUnknown = "train.shift_unknown";
inline constexpr llvm::StringLiteral kCodes = "train.codes";
inline constexpr llvm::StringLiteral kPadding = "train.padding";
inline constexpr llvm::StringLiteral kEqualMicroBatches =
    "train.equal_micro_batches";

} // namespace mlir::train

#endif // PREC_DIALECT_TRAIN_BATCHATTRIBUTES_H
