//===- CudaDevice.cpp - step modules on an NVIDIA GPU ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaDevice.h"

#include "FillNormalPtx.h"
#include "SdpaKernels.h"

using namespace prec::rt;

Result<CudaPrimaryContext>
CudaPrimaryContext::retain(const CudaDriver &driver) {
  CudaPrimaryContext result;
  PREC_RT_RETURN_IF_ERROR(
      driver.check(driver.cuDeviceGet(&result.device, 0), "opening GPU 0"));
  char name[256] = "";
  PREC_RT_RETURN_IF_ERROR(
      driver.check(driver.cuDeviceGetName(name, sizeof(name), result.device),
                   "reading the GPU's name"));
  result.info.name = name;
  const std::pair<CUdevice_attribute, int &> attributes[] = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, result.info.major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, result.info.minor},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, result.info.cacheBytes}};
  for (const auto &[attribute, value] : attributes)
    PREC_RT_RETURN_IF_ERROR(driver.check(
        driver.cuDeviceGetAttribute(&value, attribute, result.device),
        "reading the GPU's architecture"));
  PREC_RT_RETURN_IF_ERROR(driver.check(
      driver.cuDevicePrimaryCtxRetain(&result.context, result.device),
      "opening GPU 0 (" + result.info.name + ")"));
  result.release = driver.cuDevicePrimaryCtxRelease;
  return result;
}

Result<std::unique_ptr<Device>>
prec::rt::createCudaDevice(const ModuleImage &module) {
  Result<CudaDriver> driver = CudaDriver::open();
  if (!driver.ok())
    return driver.status();
  Result<CudaPrimaryContext> context = CudaPrimaryContext::retain(*driver);
  if (!context.ok())
    return context.status();
  return std::unique_ptr<Device>(
      std::make_unique<CudaDevice>(module, *driver, std::move(*context)));
}

CudaDevice::~CudaDevice() { teardown.emplace(driver, context.get()); }

Status CudaDevice::prepare() {
  if (stream)
    return Status::error("a device must be prepared once, but got it twice");
  PREC_RT_RETURN_IF_ERROR(checkChip(manifest.target.chip, context.info));
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  CUstream created = nullptr;
  PREC_RT_RETURN_IF_ERROR(
      driver.check(driver.cuStreamCreate(&created, CU_STREAM_NON_BLOCKING),
                   "creating a stream"));
  stream = CudaStream(created, driver.cuStreamDestroy);

  Result<CudaKernels> loaded = CudaKernels::load(driver, module, context.info);
  if (!loaded.ok())
    return loaded.status();
  kernels = std::move(*loaded);
  // A module that is too large is told before its GEMMs are measured, and they
  // are measured before its segments take the memory.
  PREC_RT_RETURN_IF_ERROR(CudaSegments::checkFits(driver, manifest, 0));
  PREC_RT_RETURN_IF_ERROR(planCommands());
  Result<CudaSegments> memory =
      CudaSegments::create(driver, stream.get(), module, libraryWorkspace);
  if (!memory.ok())
    return memory.status();
  segments = std::move(*memory);
  return Status();
}

Status CudaDevice::planCommands() {
  Result<AlgorithmFile> file =
      AlgorithmFile::read(module.path + ".algorithms.json");
  if (!file.ok())
    return file.status();
  algorithms = std::move(*file);
  std::optional<GemmPlanner> planner;
  for (const auto &[name, commands] : manifest.entryPoints) {
    for (const Command &command : commands) {
      bool isGemm = command.kind == CommandKind::gemm;
      if (isGemm && !lt) {
        Result<std::unique_ptr<CublasLt>> opened =
            CublasLt::open(module.librarySearchPaths);
        if (!opened.ok())
          return opened.status();
        lt = std::move(*opened);
        planner.emplace(driver, *lt, stream.get(), context.info, *algorithms);
      }
      Status planned;
      if (isGemm)
        planned = planGemm(*planner, command);
      else if (command.kind == CommandKind::sdpaForward ||
               command.kind == CommandKind::sdpaBackward)
        planned = planSdpa(command);
      if (!planned.ok())
        return Status::error("command '" + command.name +
                             "': " + planned.message());
    }
  }
  return algorithms->changed() ? algorithms->write() : Status();
}

Status CudaDevice::planGemm(GemmPlanner &planner, const Command &command) {
  Result<GemmProblem> problem = GemmProblem::of(command.gemm, manifest);
  if (!problem.ok())
    return problem.status();
  std::string key = problem->key(context.info.name, lt->version());
  if (gemmPlans.count(key))
    return Status();
  Result<GemmPlan> plan = planner.plan(*problem);
  if (!plan.ok())
    return plan.status();
  libraryWorkspace =
      std::max(libraryWorkspace, static_cast<int64_t>(plan->workspace));
  for (const GemmContender &rival : plan->rivals)
    libraryWorkspace =
        std::max(libraryWorkspace, static_cast<int64_t>(rival.workspace));
  gemmPlans.emplace(key, std::move(*plan));
  return Status();
}

Status CudaDevice::planSdpa(const Command &command) {
  Result<SdpaProblem> problem = SdpaProblem::of(command, manifest);
  if (!problem.ok())
    return problem.status();
  if (!command.sdpa.kernels.empty()) {
    libraryWorkspace = std::max(libraryWorkspace, sdpaStatisticBytes(*problem));
    return Status();
  }
  if (!sdpa) {
    Result<std::unique_ptr<SdpaEngine>> opened =
        SdpaEngine::open(module.librarySearchPaths, stream.get());
    if (!opened.ok())
      return opened.status();
    sdpa = std::move(*opened);
  }
  Result<std::shared_ptr<const SdpaPlan>> plan = sdpa->plan(*problem);
  if (!plan.ok())
    return plan.status();
  libraryWorkspace =
      std::max(libraryWorkspace, SdpaEngine::workspaceBytes(**plan));
  sdpaPlans[problem->text()] = *plan;
  return Status();
}

Status CudaDevice::checkPrepared() const {
  if (segments)
    return Status();
  return Status::error("a device must be prepared before it is used, but got "
                       "none of its memory");
}

CUdeviceptr CudaDevice::deviceAddress(int buffer) const {
  return segments->address(manifest.buffers[static_cast<size_t>(buffer)]);
}

void *CudaDevice::address(int buffer) const {
  if (!segments)
    return nullptr;
  return reinterpret_cast<void *>(deviceAddress(buffer));
}

Status CudaDevice::wait(const std::string &what) {
  return driver.check(driver.cuStreamSynchronize(stream.get()), what);
}

Status CudaDevice::checkRange(int buffer, int64_t bytes, int64_t offset) const {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  int64_t size = manifest.buffers[static_cast<size_t>(buffer)].bytes();
  if (bytes >= 0 && offset >= 0 && offset <= size && bytes <= size - offset)
    return Status();
  return Status::error("a copy must lie within buffer " +
                       std::to_string(buffer) + " of " + std::to_string(size) +
                       " bytes, but got " + std::to_string(bytes) +
                       " bytes at " + std::to_string(offset));
}

Status CudaDevice::upload(int buffer, const void *source, int64_t bytes,
                          int64_t offset) {
  PREC_RT_RETURN_IF_ERROR(checkRange(buffer, bytes, offset));
  if (bytes == 0)
    return Status();
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  PREC_RT_RETURN_IF_ERROR(
      driver.check(driver.cuMemcpyHtoDAsync(
                       deviceAddress(buffer) + static_cast<CUdeviceptr>(offset),
                       source, static_cast<size_t>(bytes), stream.get()),
                   "uploading a buffer"));
  return wait("uploading a buffer");
}

Status CudaDevice::download(int buffer, void *target, int64_t bytes,
                            int64_t offset) {
  PREC_RT_RETURN_IF_ERROR(checkRange(buffer, bytes, offset));
  if (bytes == 0)
    return Status();
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  PREC_RT_RETURN_IF_ERROR(driver.check(
      driver.cuMemcpyDtoHAsync(
          target, deviceAddress(buffer) + static_cast<CUdeviceptr>(offset),
          static_cast<size_t>(bytes), stream.get()),
      "downloading a buffer"));
  return wait("downloading a buffer");
}

Status CudaDevice::fillNormal(int buffer, float mean, float stddev,
                              uint64_t seed) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  const Buffer &target = manifest.buffers[static_cast<size_t>(buffer)];
  if (target.dtype != DType::f32)
    return Status::error("random values need a f32 buffer, but got " +
                         std::string(name(target.dtype)));
  uint64_t count = static_cast<uint64_t>(target.elements());
  if (count == 0)
    return Status();
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  if (!fillModule) {
    Result<CudaModule> loaded =
        loadPtx(driver, fillNormalPtx, "the kernel of random values");
    if (!loaded.ok())
      return loaded.status();
    fillModule = std::move(*loaded);
  }
  CUfunction function = nullptr;
  PREC_RT_RETURN_IF_ERROR(driver.check(
      driver.cuModuleGetFunction(&function, fillModule.get(), fillNormalSymbol),
      "finding the kernel of random values"));
  CUdeviceptr pointer = deviceAddress(buffer);
  void *arguments[] = {&pointer, &count, &seed, &mean, &stddev};
  constexpr unsigned block = 256;
  PREC_RT_RETURN_IF_ERROR(driver.check(
      driver.cuLaunchKernel(
          function, static_cast<unsigned>((count + block - 1) / block), 1, 1,
          block, 1, 1, 0, stream.get(), arguments, nullptr),
      "filling a buffer with random values"));
  return wait("filling a buffer with random values");
}

Status CudaDevice::run(const std::string &entryPoint) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  auto found = manifest.entryPoints.find(entryPoint);
  if (found == manifest.entryPoints.end())
    return Status::error(
        "an entry point must be one of the module's, but got '" + entryPoint +
        "'");
  const std::vector<Command> &commands = found->second;
  if (commands.empty())
    return Status();
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  EntryPoint &state = entryPoints[entryPoint];
  // The first run is not recorded: the driver and the libraries load their
  // kernels at first use, which a recording stream forbids some of them. The
  // work and its results are the same.
  if (!state.ran) {
    PREC_RT_RETURN_IF_ERROR(chooseInPlace(commands));
    PREC_RT_RETURN_IF_ERROR(enqueueAll(commands));
    state.ran = true;
    return Status();
  }
  std::string what = "entry point '" + entryPoint + "'";
  if (!state.graph) {
    Result<CudaGraph> graph = CudaGraph::record(
        driver, stream.get(), what, [&] { return enqueueAll(commands); });
    if (!graph.ok())
      return graph.status();
    state.graph = std::move(*graph);
  }
  return state.graph->launch(driver, stream.get(), what);
}

Status CudaDevice::runCommand(const Command &command) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  PREC_RT_RETURN_IF_ERROR(enqueue(command));
  return wait("running command '" + command.name + "'");
}

Status CudaDevice::synchronize() {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  return wait("waiting for the GPU");
}
