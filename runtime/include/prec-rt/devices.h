//===- devices.h - what runs the kernels of modules -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_DEVICES_H
#define PREC_RT_DEVICES_H

#include <string_view>

namespace prec::rt {

/// How commands name their kernels.
enum class KernelCalls {
  /// By their number in the module's query table: functions of the module that
  /// are called for parts of an extent.
  table,
  /// By their symbol in an image, with the grid that they are started with.
  launch
};

struct DeviceKind {
  std::string_view name;
  KernelCalls calls;
};
inline constexpr DeviceKind kDeviceKinds[] = {
#define PREC_DEVICE(kind, calls, Symbol) {#kind, KernelCalls::calls},
#include "prec-rt/devices.def"
};

/// Null for a name that is none of theirs.
constexpr const DeviceKind *findDeviceKind(std::string_view name) {
  for (const DeviceKind &kind : kDeviceKinds)
    if (kind.name == name)
      return &kind;
  return nullptr;
}

} // namespace prec::rt

#endif // PREC_RT_DEVICES_H
