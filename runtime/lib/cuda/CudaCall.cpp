//===- CudaCall.cpp - calls of the user's kernels on a GPU ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CallParameter.h"
#include "CudaRules.h"

using namespace prec::rt;

template <>
Status CudaRules<CommandKind::call>::plan(CudaWork &, const Command &) {
  return {};
}

/// The parameters of the kernel lie in 8 bytes each, of which it reads the
/// first; x86-64 and the GPU have the least first.
template <>
Status CudaRules<CommandKind::call>::launch(CudaWork &work,
                                            const Command &command) {
  const Call &call = command.call;
  std::vector<uint64_t> arguments;
  for (const std::string &text : call.parameters) {
    Result<CallParameter> parameter = parseCallParameter(text);
    if (!parameter.ok())
      return parameter.status();
    switch (parameter->kind) {
    case CallParameter::Kind::input:
      arguments.push_back(work.address(call.inputs[parameter->index]));
      break;
    case CallParameter::Kind::result:
      arguments.push_back(work.address(call.results[parameter->index]));
      break;
    case CallParameter::Kind::number:
      arguments.push_back(parameter->bits);
      break;
    }
  }
  std::vector<void *> pointers;
  for (uint64_t &argument : arguments)
    pointers.push_back(&argument);
  return work.kernels.launch(work.driver, work.stream, command.kernel,
                             pointers);
}

template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::call>::engine(CudaWork &, const Command &) {
  return std::optional<Engine>();
}
