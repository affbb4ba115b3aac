//===- Layers.h - layers in paths -------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_EXPLAIN_LAYERS_H
#define PREC_LIB_EXPLAIN_LAYERS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace prec {

/// A path with a number among its parts: "model.layers" 3 "mlp.up_proj".
struct LayerPath {
  llvm::StringRef stack;
  int64_t layer = 0;
  /// What follows the number; may be empty.
  llvm::StringRef inner;
};

/// Splits at the first part that is a number, but for the first part.
std::optional<LayerPath> splitLayer(llvm::StringRef path);

} // namespace prec

#endif // PREC_LIB_EXPLAIN_LAYERS_H
