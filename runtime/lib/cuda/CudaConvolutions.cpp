//===- CudaConvolutions.cpp - the convolutions of a step module -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before the first step every convolution gets its plan, a graph of cuDNN, by
// the text of its problem. At run time a command finds it again and launches it
// with the addresses of its buffers.
//
//===----------------------------------------------------------------------===//

#include "CudaConvolutions.h"

#include "CudaRules.h"

#include <algorithm>

using namespace prec::rt;

Status CudaConvolutions::plan(const Command &command) {
  if (!engine) {
    Result<std::unique_ptr<ConvEngine>> opened =
        ConvEngine::open(module.options.libraryFolders, stream);
    if (!opened.ok())
      return opened.status();
    engine = std::move(*opened);
  }
  const ConvProblem problem = ConvProblem::of(command, *module.manifest);
  Result<std::shared_ptr<const ConvPlan>> plan = engine->plan(problem);
  if (!plan.ok())
    return plan.status();
  workspace = std::max(workspace, ConvEngine::workspaceBytes(**plan));
  plans[problem.text()] = *plan;
  return Status();
}

Status CudaConvolutions::launch(const Command &command,
                                const CudaSegments &segments) const {
  const Manifest &manifest = *module.manifest;
  const std::string text = ConvProblem::of(command, manifest).text();
  auto plan = plans.find(text);
  if (plan == plans.end())
    return Status::internal(
        "a convolution must be one of the module's, but got " + text);
  auto address = [&](int buffer) {
    return segments.address(manifest.buffers[static_cast<size_t>(buffer)]);
  };
  const Conv &conv = command.conv;
  return engine->launch(*plan->second, address(conv.x), address(conv.w),
                        address(conv.y), segments.libraryWorkspace());
}

template <>
Status CudaRules<CommandKind::conv>::plan(CudaWork &work,
                                          const Command &command) {
  return work.convolutions.plan(command);
}
template <>
Status CudaRules<CommandKind::conv>::launch(CudaWork &work,
                                            const Command &command) {
  return work.convolutions.launch(command, *work.segments);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::conv>::engine(CudaWork &, const Command &) {
  return std::optional(Engine{"cuDNN"});
}
