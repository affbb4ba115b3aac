//===- TargetCosts.h - how fast a target is ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data, as recipes are: targets/NAME.json, each number with its source. A user
// can give another file for another device of the same target.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_ASSIGN_TARGETCOSTS_H
#define PREC_ASSIGN_TARGETCOSTS_H

#include "prec/Dialect/Prec/Prec.h"

#include "llvm/Support/Error.h"

#include <array>
#include <optional>
#include <string>

namespace prec {

/// Formats that one matrix unit multiplies.
enum class MatrixUnit : uint8_t { F32, BF16, F16, FP8, FP4 };
inline constexpr unsigned kNumMatrixUnits = 5;
MatrixUnit getMatrixUnit(Format format);
/// f32, bf16, f16, fp8, fp4.
llvm::StringRef stringifyMatrixUnit(MatrixUnit unit);

struct TargetCosts {
  std::string name, device;
  /// By MatrixUnit: floating-point operations a second of large products, a
  /// multiply-add counted as two; none where the target has no such unit.
  std::array<std::optional<double>, kNumMatrixUnits> flopsPerSecond;
  /// Bytes a second that a copy reads and writes together.
  double bytesPerSecond = 0;
  /// What a kernel costs beside its work, in microseconds.
  double launchMicroseconds = 0;
};

/// Every error begins "fileName:line:column: error: ".
llvm::Expected<TargetCosts> parseTargetCosts(llvm::StringRef text,
                                             llvm::StringRef fileName);
/// The text of a target's file; empty for other names.
llvm::StringRef findBuiltinTargetCosts(llvm::StringRef target);

} // namespace prec

#endif // PREC_ASSIGN_TARGETCOSTS_H
