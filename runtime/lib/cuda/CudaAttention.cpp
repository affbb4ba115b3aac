//===- CudaAttention.cpp - the attention of a step module -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before the first step every command of attention gets its plan, a graph of
// cuDNN, by the text of its problem; a command that has kernels of the module
// needs room for their statistics instead. At run time a command adds the
// offsets of its views to the addresses of its buffers and launches one or the
// other.
//
//===----------------------------------------------------------------------===//

#include "CudaAttention.h"

#include "CudaRules.h"
#include "SdpaKernels.h"

#include <algorithm>

using namespace prec::rt;

Status CudaAttention::plan(const Command &command) {
  Result<SdpaProblem> problem = SdpaProblem::of(command, *module.manifest);
  if (!problem.ok())
    return problem.status();
  if (!command.sdpa.kernels.empty()) {
    workspace = std::max(workspace, sdpaStatisticBytes(*problem));
    return Status();
  }
  if (!engine) {
    Result<std::unique_ptr<SdpaEngine>> opened =
        SdpaEngine::open(module.options.libraryFolders, stream);
    if (!opened.ok())
      return opened.status();
    engine = std::move(*opened);
  }
  Result<std::shared_ptr<const SdpaPlan>> plan = engine->plan(*problem);
  if (!plan.ok())
    return plan.status();
  workspace = std::max(workspace, SdpaEngine::workspaceBytes(**plan));
  plans[problem->text()] = *plan;
  return Status();
}

Engine CudaAttention::engineOf(const Command &command) {
  if (!command.sdpa.kernels.empty())
    return {"generated kernels"};
  // Forward there is one order of sums.
  if (command.kind == CommandKind::sdpaForward)
    return {"cuDNN"};
  return {command.sdpa.deterministic ? "cuDNN deterministic" : "cuDNN fast"};
}

Status CudaAttention::launch(const Command &command,
                             const CudaSegments &segments) const {
  const Manifest &manifest = *module.manifest;
  Result<SdpaProblem> problem = SdpaProblem::of(command, manifest);
  if (!problem.ok())
    return problem.status();
  const Sdpa &given = command.sdpa;
  auto begin = [&](int buffer) {
    return segments.address(manifest.buffers[static_cast<size_t>(buffer)]);
  };
  auto address = [&](const char *operand, int buffer) -> CUdeviceptr {
    int64_t offset = given.viewOf(manifest, operand, buffer).offset;
    return begin(buffer) +
           static_cast<CUdeviceptr>(offset * byteSize(problem->dtype));
  };
  auto gradient = [&](const char *operand, int buffer) -> CUdeviceptr {
    return problem->backward ? address(operand, buffer) : 0;
  };
  SdpaOperands operands{
      address("q", given.q),    address("k", given.k),
      address("v", given.v),    address("o", given.o),
      begin(given.lse),         gradient("do", given.dO),
      gradient("dq", given.dq), gradient("dk", given.dk),
      gradient("dv", given.dv), given.bias ? begin(*given.bias) : 0};
  if (!given.kernels.empty())
    return launchSdpaKernels(driver, kernels, stream, given.kernels, *problem,
                             operands, segments.libraryWorkspace());
  auto plan = plans.find(problem->text());
  if (plan == plans.end())
    return Status::internal("attention must be one of the module's, but got " +
                            problem->text());
  return engine->launch(*plan->second, operands, segments.libraryWorkspace());
}

template <>
Status CudaRules<CommandKind::sdpaForward>::plan(CudaWork &work,
                                                 const Command &command) {
  return work.attention.plan(command);
}
template <>
Status CudaRules<CommandKind::sdpaForward>::launch(CudaWork &work,
                                                   const Command &command) {
  return work.attention.launch(command, *work.segments);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::sdpaForward>::engine(CudaWork &,
                                            const Command &command) {
  return std::optional(CudaAttention::engineOf(command));
}

template <>
Status CudaRules<CommandKind::sdpaBackward>::plan(CudaWork &work,
                                                  const Command &command) {
  return work.attention.plan(command);
}
template <>
Status CudaRules<CommandKind::sdpaBackward>::launch(CudaWork &work,
                                                    const Command &command) {
  return work.attention.launch(command, *work.segments);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::sdpaBackward>::engine(CudaWork &,
                                             const Command &command) {
  return std::optional(CudaAttention::engineOf(command));
}
