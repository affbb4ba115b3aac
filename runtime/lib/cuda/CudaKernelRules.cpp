//===- CudaKernelRules.cpp - commands that run the module's kernels -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaRules.h"

using namespace prec::rt;

template <>
Status CudaRules<CommandKind::kernel>::plan(CudaWork &, const Command &) {
  return {};
}
template <>
Status CudaRules<CommandKind::kernel>::launch(CudaWork &work,
                                              const Command &command) {
  std::vector<CUdeviceptr> arguments;
  for (int buffer : command.kernel.args)
    arguments.push_back(work.address(buffer));
  std::vector<void *> pointers;
  for (CUdeviceptr &argument : arguments)
    pointers.push_back(&argument);
  return work.kernels.launch(work.driver, work.stream, command.kernel,
                             pointers);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::kernel>::engine(CudaWork &, const Command &) {
  return std::optional<Engine>();
}
