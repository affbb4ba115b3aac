//===- Decisions.h - the record of decisions in a module --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_PREC_DECISIONS_H
#define PREC_DIALECT_PREC_DECISIONS_H

#include "llvm/ADT/StringRef.h"

namespace prec {

/// Attribute of a module: what --assign-precision decided, what it beat and
/// why. Tags name formats and rules only. A resource of bytes:
///
///   bytes 0-7   "precmap", then 0 (as it is) or 1 (compressed by zstd)
///   bytes 8-15  size of the text, little endian
///   the rest    the text: a precision map as JSON (docs/Explaining.md)
inline constexpr llvm::StringLiteral kDecisions = "prec.decisions";

/// Attribute of a lookup of rows that products of experts alone read, in one
/// format: the tokens are quantized, and rows of the quantized ones are looked
/// up. --assign-precision decides it, --prec-insert-casts does it.
inline constexpr llvm::StringLiteral kQuantizedTokens = "prec.quantized_tokens";

} // namespace prec

#endif // PREC_DIALECT_PREC_DECISIONS_H
