//===- OpenOptions.h - how a module is opened -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_OPENOPTIONS_H
#define PREC_RT_COMMON_OPENOPTIONS_H

#include "prec-rt/prec-rt.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace prec::rt {

class Communicator;
class Session;
struct Arenas;

/// The caller's functions for memory; none where the runtime allocates itself.
struct Allocator {
  prec_rt_allocate_function allocate = nullptr;
  prec_rt_deallocate_function deallocate = nullptr;
  void *user = nullptr;

  explicit operator bool() const { return allocate != nullptr; }
};

/// What memory is allocated at multiples of.
inline constexpr size_t kAllocationAlignment = 256;

/// Takes one line of a level of prec_rt_log_level.
using Log = std::function<void(prec_rt_log_level level, const std::string &)>;

/// Notes on stderr, nothing else.
void logToStderr(prec_rt_log_level level, const std::string &text);

/// A function of the caller's, which computes calls.
struct HostFunction {
  prec_rt_host_function call = nullptr;
  void *user = nullptr;
};
using HostFunctions = std::map<std::string, HostFunction, std::less<>>;

/// prec_rt_options without those that are refused.
struct OpenOptions {
  /// CUDA: folders in which to look for cuBLASLt, cuDNN, NCCL, NVRTC and the
  /// CUDA runtime when the dynamic linker does not find them (a Python
  /// package's site-packages/nvidia; its lib folders one and two levels down
  /// count too).
  std::vector<std::string> libraryFolders{};
  int device = PREC_RT_ANY_DEVICE;
  unsigned threads = 0;   ///< of a module for the CPU; 0: one a processor
  void *stream = nullptr; ///< CUstream
  Allocator allocator{};
  Log log = logToStderr;
  /// Empty: beside the module's file.
  std::string algorithmFile{};
  /// Whose state is used, and where that is; none where the module has its own.
  std::shared_ptr<Session> stateOf{};
  void *stateMemory = nullptr;
  HostFunctions functions{};
  /// That run the module together; none where it is run alone.
  std::shared_ptr<Communicator> ranks{};
  /// And what modules of that state use in turn: devices hold it, which give
  /// memory back where that may be done.
  std::weak_ptr<Arenas> arenas{};
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_OPENOPTIONS_H
