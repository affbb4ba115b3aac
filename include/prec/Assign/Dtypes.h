//===- Dtypes.h - the five dtypes of a training step ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names, options, defaults and refusals are those of Surogate's documentation,
// "Mixed-Precision Training".
//
//===----------------------------------------------------------------------===//
#ifndef PREC_ASSIGN_DTYPES_H
#define PREC_ASSIGN_DTYPES_H

#include "prec/Dialect/Prec/Prec.h"

#include "llvm/Support/Error.h"

#include <array>
#include <optional>
#include <string>

namespace prec {

enum class Dtype : uint8_t { Model, Matmul, Gradient, Master, Lora };
inline constexpr unsigned kNumDtypes = 5;

/// "model_dtype" and so on.
llvm::StringRef stringifyDtype(Dtype dtype);
std::optional<Dtype> symbolizeDtype(llvm::StringRef name);
/// "model-dtype" and so on, as options are spelled.
std::string getOptionName(Dtype dtype);

/// The document's names of formats: fp32, bf16, fp16, e4m3, e5m2, e2m1.
llvm::StringRef stringifyDtypeFormat(Format format);

/// Reads an option of a dtype. The error gives the options and, for a format
/// that exists, why it is refused:
/// "matmul_dtype must be one of 'fp32', 'bf16', 'e4m3', but got 'e5m2': ...".
llvm::Expected<Format> parseDtype(Dtype dtype, llvm::StringRef text);

/// What is set of the five, and what the rest follows from.
struct Dtypes {
  std::array<std::optional<Format>, kNumDtypes> set;

  std::optional<Format> &operator[](Dtype dtype) {
    return set[static_cast<unsigned>(dtype)];
  }
  const std::optional<Format> &operator[](Dtype dtype) const {
    return set[static_cast<unsigned>(dtype)];
  }
  bool any() const;

  /// The dtype as it is set, or its default: model bf16; matmul and master
  /// follow model, gradient follows matmul, lora fp32. A gradient_dtype that
  /// would follow matmul_dtype=e4m3 is e5m2: e4m3 is refused for gradients.
  Format get(Dtype dtype) const;
  /// Whether that exception holds.
  bool isGradientReplaced() const;
  /// What `over` sets, and this elsewhere.
  Dtypes overriddenBy(const Dtypes &over) const;
};

} // namespace prec

#endif // PREC_ASSIGN_DTYPES_H
