//===- MachineModel.h - how fast a machine is -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data, as recipes are: targets/NAME.json, each number with its source. A user
// can give another file for another device of the same target.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_TARGET_MACHINEMODEL_H
#define PREC_TARGET_MACHINEMODEL_H

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

/// What scheduling counts, in whole numbers, so that a graph is scheduled alike
/// everywhere. Costs are bytes: what memory moves in as much time.
struct ScheduleModel {
  /// Of a launch behind another one.
  int64_t launchBytes = 0;
  /// Arithmetic operations of threads while memory moves a byte.
  int64_t operationsPerByte = 0;
  /// Operations of matrix units while memory moves a byte.
  int64_t matrixOperationsPerByte = 0;
  /// Blocks of a kernel end one after the other: as if the last so many were
  /// alone.
  int64_t lastBlocks = 0;
  /// Fewest blocks that occupy the machine.
  int64_t fewestBlocks = 0;
  /// A kernel over at most so many elements takes as long as its launch.
  int64_t launchElements = 0;
  /// A kernel does not wait to share a read of fewer elements.
  int64_t sharedElements = 0;
  /// Of exchanges between ranks that begin together.
  int64_t exchangeBytes = 0;
  /// Bytes that memory moves while a rank gets one of another rank.
  int64_t bytesPerExchanged = 0;
};

struct MachineModel {
  std::string name, device;
  /// By MatrixUnit: floating-point operations a second of large products, a
  /// multiply-add counted as two; none where the target has no such unit.
  std::array<std::optional<double>, kNumMatrixUnits> flopsPerSecond;
  /// Bytes a second that a copy reads and writes together.
  double bytesPerSecond = 0;
  /// What a kernel costs beside its work, in microseconds.
  double launchMicroseconds = 0;
  /// None in a file that has times for choosing formats only.
  std::optional<ScheduleModel> schedule;
};

/// Every error begins "fileName:line:column: error: ".
llvm::Expected<MachineModel> parseMachineModel(llvm::StringRef text,
                                               llvm::StringRef fileName);

} // namespace prec

#endif // PREC_TARGET_MACHINEMODEL_H
