//===- CudaGemms.cpp - the matrix products of a step module ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before the first step every product gets a plan (GemmPlanner.h): descriptors,
// algorithm and workspace. The key of a plan is the text of its problem, so
// that a model of 32 equal layers measures each of its shapes once. At run time
// a product finds its plan by the same key, fills in addresses and launches.
//
// Ranks take the algorithms of the first one, so that what they compute alike
// has the same bits on all. There is no measuring inside the step then, which
// would take as many runs on each rank as it has rivals, and a step of several
// ranks is run by all or none.
//
//===----------------------------------------------------------------------===//

#include "CudaGemms.h"

#include "Communicator.h"
#include "CudaRules.h"
#include "GemmAlgorithm.h"

#include <algorithm>

using namespace prec::rt;

Result<std::unique_ptr<CudaGemms>> CudaGemms::open(const CudaDriver &driver,
                                                   const ModuleImage &module,
                                                   const CudaDeviceInfo &gpu,
                                                   CUstream stream) {
  std::string path = module.options.algorithmFile;
  if (path.empty() && module.isFile)
    path = module.path + ".algorithms.json";
  // Of several ranks the first one reads it, and writes it.
  if (module.options.ranks && module.options.ranks->rank() != 0)
    path.clear();
  Result<AlgorithmFile> file = AlgorithmFile::read(std::move(path));
  if (!file.ok())
    return file.status();
  return std::make_unique<CudaGemms>(driver, module, gpu, stream,
                                     std::move(*file));
}

Status CudaGemms::plan(const Gemm &gemm) {
  if (!lt) {
    Result<std::unique_ptr<CublasLt>> opened =
        CublasLt::open(module.options.libraryFolders);
    if (!opened.ok())
      return opened.status();
    lt = std::move(*opened);
  }
  if (!planner)
    planner.emplace(driver, *lt, stream, gpu, algorithms,
                    /*isFinal=*/module.options.ranks != nullptr);
  Result<GemmProblem> problem = GemmProblem::of(gemm, *module.manifest);
  if (!problem.ok())
    return problem.status();
  std::string key = problem->key(gpu.name, lt->version());
  if (plans.count(key))
    return Status();
  Result<GemmPlan> plan = planner->plan(*problem);
  if (!plan.ok())
    return plan.status();
  workspace = std::max(workspace, static_cast<int64_t>(plan->workspace));
  for (const GemmContender &rival : plan->rivals)
    workspace = std::max(workspace, static_cast<int64_t>(rival.workspace));
  plans.emplace(key, std::move(*plan));
  return Status();
}

Status CudaGemms::adoptAlgorithms(const std::string &text) {
  Result<AlgorithmFile> given = AlgorithmFile::parse(text);
  if (!given.ok())
    return given.status();
  algorithms = std::move(*given);
  return {};
}

Status CudaGemms::endPlanning() {
  planner.reset();
  return algorithms.changed() ? algorithms.write() : Status();
}

Result<GemmPlan *> CudaGemms::find(const Gemm &gemm) {
  Result<GemmProblem> problem = GemmProblem::of(gemm, *module.manifest);
  if (!problem.ok())
    return problem.status();
  if (lt) {
    auto plan = plans.find(problem->key(gpu.name, lt->version()));
    if (plan != plans.end())
      return &plan->second;
  }
  return Status::internal("a gemm must be one of the module's, but got " +
                          problem->text());
}

Status CudaGemms::choose(const std::vector<Command> &commands,
                         const TimeCommands &time) {
  return chooseRivals(
      commands, *module.manifest, plans, algorithms,
      [&](const Gemm &gemm) { return find(gemm); }, time);
}

Result<Engine> CudaGemms::engineOf(const Gemm &gemm) {
  Result<GemmPlan *> plan = find(gemm);
  if (!plan.ok())
    return plan.status();
  Result<GemmAlgorithm> algorithm = describe(*lt, (*plan)->algorithm);
  if (!algorithm.ok())
    return algorithm.status();
  algorithm->milliseconds = (*plan)->milliseconds;
  if ((*plan)->candidates > 0)
    algorithm->candidates = (*plan)->candidates;
  return Engine{"cuBLASLt " + lt->version(), std::move(*algorithm)};
}

Status CudaGemms::launch(const Gemm &gemm, const CudaSegments &segments) {
  Result<GemmPlan *> plan = find(gemm);
  if (!plan.ok())
    return plan.status();
  auto address = [&](int buffer) {
    return segments.address(
        module.manifest->buffers[static_cast<size_t>(buffer)]);
  };
  auto addressOf = [&](const std::optional<int> &buffer) -> CUdeviceptr {
    return buffer ? address(*buffer) : 0;
  };
  CUdeviceptr d = address(gemm.d);
  GemmOperands operands{address(gemm.a),
                        address(gemm.b),
                        (*plan)->problem.addsC ? address(*gemm.c) : d,
                        d,
                        addressOf(gemm.scaleA),
                        addressOf(gemm.scaleB),
                        addressOf(gemm.bias)};
  return (*plan)->launch(*lt, stream, operands, static_cast<float>(gemm.alpha),
                         static_cast<float>(gemm.beta),
                         segments.libraryWorkspace());
}

template <>
Status CudaRules<CommandKind::gemm>::plan(CudaWork &work,
                                          const Command &command) {
  return work.gemms.plan(command.gemm);
}
template <>
Status CudaRules<CommandKind::gemm>::launch(CudaWork &work,
                                            const Command &command) {
  return work.gemms.launch(command.gemm, *work.segments);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::gemm>::engine(CudaWork &work, const Command &command) {
  Result<Engine> engine = work.gemms.engineOf(command.gemm);
  if (!engine.ok())
    return engine.status();
  return std::optional(std::move(*engine));
}
