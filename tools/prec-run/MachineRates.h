//===- MachineRates.h - how fast a machine can be ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_MACHINERATES_H
#define PREC_RUN_MACHINERATES_H

#include "Status.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace prec::run {

/// What a matrix unit multiplies; wider ones first.
enum class MatrixUnit { f32, bf16, f16, fp8, fp4 };
inline constexpr std::array<std::string_view, 5> kMatrixUnitNames = {
    "f32", "bf16", "f16", "fp8", "fp4"};

struct MachineRates {
  std::string name, device;
  double bytesPerSecond = 0; ///< that a copy reads and writes together
  /// A multiply-add counts as two. f32 is always there.
  std::array<std::optional<double>, kMatrixUnitNames.size()> flopsPerSecond;

  /// What has no unit of its own is multiplied in f32.
  double flops(MatrixUnit unit) const {
    return flopsPerSecond[static_cast<size_t>(unit)].value_or(
        *flopsPerSecond[static_cast<size_t>(MatrixUnit::f32)]);
  }
};

/// Reads speeds of a target (docs/schemas/target.schema.json). Messages begin
/// with the path.
rt::Result<MachineRates> readMachineRates(const std::string &path);

} // namespace prec::run

#endif // PREC_RUN_MACHINERATES_H
