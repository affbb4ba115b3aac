//===- CallParameter.h - what a kernel of the user's takes ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_CALLPARAMETER_H
#define PREC_RT_COMMON_CALLPARAMETER_H

#include "Status.h"

#include <cstdint>

namespace prec::rt {

/// The address of an input or a result of a call, or a number by value.
struct CallParameter {
  enum class Kind { input, result, number };

  Kind kind = Kind::number;
  size_t index = 0;  ///< of an input or a result
  uint64_t bits = 0; ///< of a number, in its first bytes
};

/// Reads "in N", "out N", "i32 N", "i64 N", "f32 X" or "f64 X". The error says
/// what it must be.
Result<CallParameter> parseCallParameter(const std::string &text);

} // namespace prec::rt

#endif // PREC_RT_COMMON_CALLPARAMETER_H
