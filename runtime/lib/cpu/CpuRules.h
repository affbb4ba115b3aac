//===- CpuRules.h - what runs a kind of command on a CPU --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CPU_CPURULES_H
#define PREC_RT_CPU_CPURULES_H

#include "CpuContext.h"

namespace prec::rt {

/// What commands ask for before the first one runs.
struct CpuPlan {
  const Manifest &manifest;
  const std::vector<char *> &address;
  unsigned threads;
  bool hasBf16Pairs;
  KernelArguments &arguments;
  const HostFunctions &functions;
  HostCalls &calls;
  int64_t scratchFloats = 0; ///< the most that a command needs
  bool needsBlas = false;
};

/// Each kind of command (prec-rt/enums.def) defines these.
template <CommandKind kind> struct CpuRules {
  static Status prepare(CpuPlan &plan, const Command &command);
  static Status run(const CpuContext &context, const Command &command);
};

#define PREC_COMMAND(name, spelling, isLibrary, countsFlips)                   \
  template <>                                                                  \
  Status CpuRules<CommandKind::name>::prepare(CpuPlan &, const Command &);     \
  template <>                                                                  \
  Status CpuRules<CommandKind::name>::run(const CpuContext &,                  \
                                          const Command &);
#include "prec-rt/enums.def"

/// Products take 32-bit extents. `what` has them: "a gemm".
Status checkExtents(const Command &command, const char *what,
                    std::initializer_list<int64_t> extents);

/// What a thread copies or clears at a time.
inline constexpr int64_t kCopyRange = 1 << 18;
void copyBytes(ThreadPool &pool, char *target, const char *source,
               int64_t bytes);

} // namespace prec::rt

#endif // PREC_RT_CPU_CPURULES_H
