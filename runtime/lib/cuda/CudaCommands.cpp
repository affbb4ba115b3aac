//===- CudaCommands.cpp - one command of a step module on the stream ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaDevice.h"
#include "GemmAlgorithm.h"
#include "SdpaKernels.h"

using namespace prec::rt;

Status CudaDevice::enqueueAll(const std::vector<Command> &commands) {
  for (const Command &command : commands)
    PREC_RT_RETURN_IF_ERROR(enqueue(command));
  return Status();
}

Status CudaDevice::enqueue(const Command &command) {
  auto launch = [&]() -> Status {
    switch (command.kind) {
    case CommandKind::kernel:
      return launchKernel(command);
    case CommandKind::gemm:
      return launchGemm(command);
    case CommandKind::sdpaForward:
    case CommandKind::sdpaBackward:
      return launchSdpa(command);
    case CommandKind::copy:
      return launchCopy(command);
    case CommandKind::fill:
      return launchFill(command);
    }
    return Status::error("a command must be of a known kind, but got " +
                         std::to_string(static_cast<int>(command.kind)));
  };
  Status status = launch();
  if (status.ok())
    return status;
  return Status::error("command '" + command.name + "': " + status.message());
}

Status CudaDevice::launchKernel(const Command &command) {
  std::vector<CUdeviceptr> arguments;
  for (int buffer : command.kernel.args)
    arguments.push_back(deviceAddress(buffer));
  std::vector<void *> pointers;
  for (CUdeviceptr &argument : arguments)
    pointers.push_back(&argument);
  return kernels->launch(driver, stream.get(), command.kernel, pointers);
}

Result<GemmPlan *> CudaDevice::findPlan(const Gemm &gemm) {
  Result<GemmProblem> problem = GemmProblem::of(gemm, manifest);
  if (!problem.ok())
    return problem.status();
  if (lt) {
    auto plan = gemmPlans.find(problem->key(context.info.name, lt->version()));
    if (plan != gemmPlans.end())
      return &plan->second;
  }
  return Status::error("a gemm must be one of the module's, but got " +
                       problem->text());
}

static Engine attentionEngineOf(const Command &command) {
  if (!command.sdpa.kernels.empty())
    return {"generated kernels"};
  // Forward there is one order of sums.
  if (command.kind == CommandKind::sdpaForward)
    return {"cuDNN"};
  return {command.sdpa.deterministic ? "cuDNN deterministic" : "cuDNN fast"};
}

Result<std::optional<Engine>> CudaDevice::engineOf(const Command &command) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  if (command.kind == CommandKind::sdpaForward ||
      command.kind == CommandKind::sdpaBackward)
    return std::optional(attentionEngineOf(command));
  if (command.kind != CommandKind::gemm)
    return std::optional<Engine>();
  Result<GemmPlan *> plan = findPlan(command.gemm);
  if (!plan.ok())
    return plan.status();
  Result<GemmAlgorithm> algorithm = describe(*lt, (*plan)->algorithm);
  if (!algorithm.ok())
    return algorithm.status();
  algorithm->milliseconds = (*plan)->milliseconds;
  if ((*plan)->candidates > 0)
    algorithm->candidates = (*plan)->candidates;
  return std::optional(
      Engine{"cuBLASLt " + lt->version(), std::move(*algorithm)});
}

Status CudaDevice::launchGemm(const Command &command) {
  const Gemm &gemm = command.gemm;
  Result<GemmPlan *> plan = findPlan(gemm);
  if (!plan.ok())
    return plan.status();
  auto addressOf = [&](const std::optional<int> &buffer) -> CUdeviceptr {
    return buffer ? deviceAddress(*buffer) : 0;
  };
  CUdeviceptr d = deviceAddress(gemm.d);
  GemmOperands operands{deviceAddress(gemm.a),
                        deviceAddress(gemm.b),
                        (*plan)->problem.addsC ? deviceAddress(*gemm.c) : d,
                        d,
                        addressOf(gemm.scaleA),
                        addressOf(gemm.scaleB),
                        addressOf(gemm.bias)};
  return (*plan)->launch(
      *lt, stream.get(), operands, static_cast<float>(gemm.alpha),
      static_cast<float>(gemm.beta), segments->libraryWorkspace());
}

Status CudaDevice::launchSdpa(const Command &command) {
  Result<SdpaProblem> problem = SdpaProblem::of(command, manifest);
  if (!problem.ok())
    return problem.status();
  const Sdpa &given = command.sdpa;
  auto address = [&](const char *operand, int buffer) -> CUdeviceptr {
    int64_t offset = given.viewOf(manifest, operand, buffer).offset;
    return deviceAddress(buffer) +
           static_cast<CUdeviceptr>(offset * byteSize(problem->dtype));
  };
  auto gradient = [&](const char *operand, int buffer) -> CUdeviceptr {
    return problem->backward ? address(operand, buffer) : 0;
  };
  SdpaOperands operands{address("q", given.q),    address("k", given.k),
                        address("v", given.v),    address("o", given.o),
                        deviceAddress(given.lse), gradient("do", given.dO),
                        gradient("dq", given.dq), gradient("dk", given.dk),
                        gradient("dv", given.dv)};
  if (!given.kernels.empty())
    return launchSdpaKernels(driver, *kernels, stream.get(), given.kernels,
                             *problem, operands, segments->libraryWorkspace());
  auto plan = sdpaPlans.find(problem->text());
  if (plan == sdpaPlans.end())
    return Status::error("attention must be one of the module's, but got " +
                         problem->text());
  return sdpa->launch(*plan->second, operands, segments->libraryWorkspace());
}

Status CudaDevice::launchCopy(const Command &command) {
  const Buffer &source = manifest.buffers[static_cast<size_t>(command.src)];
  if (source.bytes() == 0)
    return Status();
  return driver.check(driver.cuMemcpyDtoDAsync(
                          deviceAddress(command.dst),
                          deviceAddress(command.src),
                          static_cast<size_t>(source.bytes()), stream.get()),
                      "copying " + std::to_string(source.bytes()) + " bytes");
}

Status CudaDevice::launchFill(const Command &command) {
  const Buffer &target = manifest.buffers[static_cast<size_t>(command.dst)];
  if (target.bytes() == 0)
    return Status();
  return driver.check(
      driver.cuMemsetD8Async(deviceAddress(command.dst), 0,
                             static_cast<size_t>(target.bytes()), stream.get()),
      "clearing " + std::to_string(target.bytes()) + " bytes");
}
