//===- CpuCall.cpp - calls of the caller's functions on a CPU -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CpuRules.h"

#include <array>

using namespace prec::rt;

/// What a function may say of why it failed, with the zero at the end.
static constexpr size_t kMaxMessage = 1024;

static prec_rt_tensor describe(const CpuPlan &plan, int index) {
  const Buffer &buffer = plan.manifest.buffers[static_cast<size_t>(index)];
  prec_rt_tensor tensor{};
  tensor.name = "";
  tensor.dtype = static_cast<prec_rt_dtype>(buffer.dtype);
  tensor.device_kind = PREC_RT_HOST;
  tensor.rank = buffer.shape.size();
  tensor.shape = buffer.shape.data();
  tensor.data = plan.address[static_cast<size_t>(index)];
  return tensor;
}

template <>
Status CpuRules<CommandKind::call>::prepare(CpuPlan &plan,
                                            const Command &command) {
  const Call &call = command.call;
  auto found = plan.functions.find(call.function);
  if (found == plan.functions.end())
    return Status::invalidArgument("command '" + command.name +
                                   "' must have its function '" +
                                   call.function +
                                   "', but none of that name was given: open "
                                   "the module with the functions "
                                   "that it calls");
  HostCall &host = plan.calls[&command];
  host.function = found->second;
  for (int input : call.inputs)
    host.inputs.push_back(describe(plan, input));
  for (int result : call.results)
    host.results.push_back(describe(plan, result));
  host.call.size = sizeof(prec_rt_call);
  host.call.command = command.name.c_str();
  host.call.function = call.function.c_str();
  host.call.settings = call.settings.c_str();
  host.call.inputs = host.inputs.data();
  host.call.num_inputs = host.inputs.size();
  host.call.results = host.results.data();
  host.call.num_results = host.results.size();
  return {};
}

template <>
Status CpuRules<CommandKind::call>::run(const CpuContext &context,
                                        const Command &command) {
  const HostCall &host = context.calls.find(&command)->second;
  std::array<char, kMaxMessage> message{};
  if (host.function.call(&host.call, message.data(), message.size(),
                         host.function.user) == 0)
    return {};
  message.back() = '\0';
  return Status::functionFailed("function '" + command.call.function +
                                "' of command '" + command.name +
                                "' must return 0, but did not" +
                                (message.front() ? ": " : "") + message.data());
}
