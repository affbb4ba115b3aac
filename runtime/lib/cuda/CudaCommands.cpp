//===- CudaCommands.cpp - one command of a step module on the stream ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How each kind of command is planned and put on the stream. Before the first
// step every gemm and attention gets its plan (algorithm and workspace), and
// the algorithm file is written if a plan is new. At run time a command looks
// its plan up by the same key, fills in addresses and launches. CudaRules has
// one specialization for each kind, and the switches over kinds are made from
// the list of commands, so a program without the rules of a new kind does not
// link.
//
//===----------------------------------------------------------------------===//

#include "CudaRules.h"
#include "GemmAlgorithm.h"
#include "SdpaKernels.h"

using namespace prec::rt;

Status CudaDevice::enqueueAll(const std::vector<Command> &commands) {
  for (const Command &command : commands)
    PREC_RT_RETURN_IF_ERROR(enqueue(command));
  return Status();
}

Status CudaDevice::plan(const Command &command) {
  switch (command.kind) {
#define PREC_COMMAND(name, spelling, isLibrary, countsFlips)                   \
  case CommandKind::name:                                                      \
    return CudaRules<CommandKind::name>::plan(*this, command);
#include "prec-rt/enums.def"
  }
  return {};
}

Status CudaDevice::launch(const Command &command) {
  switch (command.kind) {
#define PREC_COMMAND(name, spelling, isLibrary, countsFlips)                   \
  case CommandKind::name:                                                      \
    return CudaRules<CommandKind::name>::launch(*this, command);
#include "prec-rt/enums.def"
  }
  return {};
}

Result<std::optional<Engine>> CudaDevice::engineOf(const Command &command) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  switch (command.kind) {
#define PREC_COMMAND(name, spelling, isLibrary, countsFlips)                   \
  case CommandKind::name:                                                      \
    return CudaRules<CommandKind::name>::engine(*this, command);
#include "prec-rt/enums.def"
  }
  return std::optional<Engine>();
}

/// An error of a command, with its name.
static Status named(const Command &command, Status status) {
  if (status.ok())
    return status;
  return status.prefixed("command '" + command.name + "': ");
}

Status CudaDevice::planCommands() {
  std::string path = module.options.algorithmFile;
  if (path.empty() && module.isFile)
    path = module.path + ".algorithms.json";
  Result<AlgorithmFile> file = AlgorithmFile::read(std::move(path));
  if (!file.ok())
    return file.status();
  algorithms = std::move(*file);
  for (const auto &[name, commands] : manifest.entryPoints)
    for (const Command &command : commands)
      PREC_RT_RETURN_IF_ERROR(named(command, plan(command)));
  planner.reset();
  return algorithms->changed() ? algorithms->write() : Status();
}

Status CudaDevice::enqueue(const Command &command) {
  return named(command, launch(command));
}

Status CudaDevice::launchKernel(const Command &command) {
  std::vector<CUdeviceptr> arguments;
  for (int buffer : command.kernel.args)
    arguments.push_back(deviceAddress(buffer));
  std::vector<void *> pointers;
  for (CUdeviceptr &argument : arguments)
    pointers.push_back(&argument);
  return kernels->launch(driver, queue.get(), command.kernel, pointers);
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
  return Status::internal("a gemm must be one of the module's, but got " +
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

Result<std::optional<Engine>> CudaDevice::engineOfGemm(const Gemm &gemm) {
  Result<GemmPlan *> plan = findPlan(gemm);
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
      *lt, queue.get(), operands, static_cast<float>(gemm.alpha),
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
    return launchSdpaKernels(driver, *kernels, queue.get(), given.kernels,
                             *problem, operands, segments->libraryWorkspace());
  auto plan = sdpaPlans.find(problem->text());
  if (plan == sdpaPlans.end())
    return Status::internal("attention must be one of the module's, but got " +
                            problem->text());
  return sdpa->launch(*plan->second, operands, segments->libraryWorkspace());
}

Status CudaDevice::launchCopy(const Command &command) {
  const Buffer &source =
      manifest.buffers[static_cast<size_t>(command.copied.src)];
  if (source.bytes() == 0)
    return Status();
  return driver.check(driver.cuMemcpyDtoDAsync(
                          deviceAddress(command.copied.dst),
                          deviceAddress(command.copied.src),
                          static_cast<size_t>(source.bytes()), queue.get()),
                      "copying " + std::to_string(source.bytes()) + " bytes");
}

Status CudaDevice::launchFill(const Command &command) {
  const Buffer &target =
      manifest.buffers[static_cast<size_t>(command.copied.dst)];
  if (target.bytes() == 0)
    return Status();
  return driver.check(
      driver.cuMemsetD8Async(deviceAddress(command.copied.dst), 0,
                             static_cast<size_t>(target.bytes()), queue.get()),
      "clearing " + std::to_string(target.bytes()) + " bytes");
}

template <>
Status CudaRules<CommandKind::kernel>::plan(CudaDevice &, const Command &) {
  return {};
}
template <>
Status CudaRules<CommandKind::kernel>::launch(CudaDevice &device,
                                              const Command &command) {
  return device.launchKernel(command);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::kernel>::engine(CudaDevice &, const Command &) {
  return std::optional<Engine>();
}

template <>
Status CudaRules<CommandKind::gemm>::plan(CudaDevice &device,
                                          const Command &command) {
  return device.planGemm(command);
}
template <>
Status CudaRules<CommandKind::gemm>::launch(CudaDevice &device,
                                            const Command &command) {
  return device.launchGemm(command);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::gemm>::engine(CudaDevice &device,
                                     const Command &command) {
  return device.engineOfGemm(command.gemm);
}

template <>
Status CudaRules<CommandKind::sdpaForward>::plan(CudaDevice &device,
                                                 const Command &command) {
  return device.planSdpa(command);
}
template <>
Status CudaRules<CommandKind::sdpaForward>::launch(CudaDevice &device,
                                                   const Command &command) {
  return device.launchSdpa(command);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::sdpaForward>::engine(CudaDevice &,
                                            const Command &command) {
  return std::optional(attentionEngineOf(command));
}

template <>
Status CudaRules<CommandKind::sdpaBackward>::plan(CudaDevice &device,
                                                  const Command &command) {
  return device.planSdpa(command);
}
template <>
Status CudaRules<CommandKind::sdpaBackward>::launch(CudaDevice &device,
                                                    const Command &command) {
  return device.launchSdpa(command);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::sdpaBackward>::engine(CudaDevice &,
                                             const Command &command) {
  return std::optional(attentionEngineOf(command));
}

template <>
Status CudaRules<CommandKind::copy>::plan(CudaDevice &, const Command &) {
  return {};
}
template <>
Status CudaRules<CommandKind::copy>::launch(CudaDevice &device,
                                            const Command &command) {
  return device.launchCopy(command);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::copy>::engine(CudaDevice &, const Command &) {
  return std::optional<Engine>();
}

template <>
Status CudaRules<CommandKind::fill>::plan(CudaDevice &, const Command &) {
  return {};
}
template <>
Status CudaRules<CommandKind::fill>::launch(CudaDevice &device,
                                            const Command &command) {
  return device.launchFill(command);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::fill>::engine(CudaDevice &, const Command &) {
  return std::optional<Engine>();
}
