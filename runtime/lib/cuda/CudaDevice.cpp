//===- CudaDevice.cpp - step modules on an NVIDIA GPU ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a step module on an NVIDIA GPU, on one stream, in the primary context,
// so that other libraries of the process share its memory. `prepare` loads
// kernels, measures gemms, and then allocates the segments; whether these will
// fit is checked first, and gemms are measured before, while memory is free.
// The first run of an entry point puts its commands on the stream one by one,
// since the driver and libraries load kernels at first use, and decides between
// rival algorithms; the second run is recorded as a CUDA graph, which later
// runs launch with one call. Copies wait for the stream, unless both sides are
// memory of the GPU.
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"
#include "LaunchTimer.h"

#include "FillNormalPtx.h"
#include "SdpaKernels.h"

using namespace prec::rt;

/// The number of the GPU of a context, as devices are handles.
static Result<int> indexOf(const CudaDriver &driver, CUcontext context,
                           int count) {
  CudaContextScope scope(driver, context);
  PREC_RT_RETURN_IF_ERROR(scope.status());
  CUdevice device = 0, other = 0;
  PREC_RT_RETURN_IF_ERROR(
      driver.check(driver.cuCtxGetDevice(&device), "reading a context's GPU"));
  for (int i = 0; i < count; ++i) {
    PREC_RT_RETURN_IF_ERROR(driver.check(driver.cuDeviceGet(&other, i),
                                         "opening GPU " + std::to_string(i)));
    if (other == device)
      return i;
  }
  return Status::deviceError("a context must be of a GPU of this process, but "
                             "got one of another");
}

static Result<int> chooseGpu(const CudaDriver &driver,
                             const OpenOptions &options) {
  int count = 0;
  PREC_RT_RETURN_IF_ERROR(
      driver.check(driver.cuDeviceGetCount(&count), "counting the GPUs"));
  if (options.device >= count)
    return Status::invalidArgument("a device must be one of " +
                                   std::to_string(count) +
                                   " GPUs, from 0, "
                                   "but got " +
                                   std::to_string(options.device));
  if (options.device != PREC_RT_ANY_DEVICE)
    return options.device;
  CUcontext context = nullptr;
  if (options.stream)
    PREC_RT_RETURN_IF_ERROR(driver.check(
        driver.cuStreamGetCtx(static_cast<CUstream>(options.stream), &context),
        "reading the context of the stream"));
  else
    PREC_RT_RETURN_IF_ERROR(driver.check(driver.cuCtxGetCurrent(&context),
                                         "reading the current context"));
  return context ? indexOf(driver, context, count) : Result<int>(0);
}

Result<CudaPrimaryContext>
CudaPrimaryContext::retain(const CudaDriver &driver,
                           const OpenOptions &options) {
  Result<int> index = chooseGpu(driver, options);
  if (!index.ok())
    return index.status();
  CudaPrimaryContext result;
  result.index = *index;
  const std::string gpu = "GPU " + std::to_string(*index);
  PREC_RT_RETURN_IF_ERROR(driver.check(
      driver.cuDeviceGet(&result.device, *index), "opening " + gpu));
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
      "opening " + gpu + " (" + result.info.name + ")"));
  result.release = driver.cuDevicePrimaryCtxRelease;
  return result;
}

/// Whether the options are those of a module for a GPU.
static Status checkOptions(const OpenOptions &options) {
  if (options.threads != 0)
    return Status::invalidArgument(
        "a module for a GPU must be opened with 0 threads, which are of the "
        "CPU, but got " +
        std::to_string(options.threads));
  auto stream = static_cast<CUstream>(options.stream);
  if (stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD)
    return Status::invalidArgument(
        "a stream must be one that was created, as CUDA graphs cannot be "
        "recorded from the default streams, but got one of these");
  return Status();
}

Result<std::unique_ptr<Device>>
prec::rt::createCudaDevice(const ModuleImage &module) {
  PREC_RT_RETURN_IF_ERROR(checkOptions(module.options));
  Result<CudaDriver> driver = CudaDriver::open();
  if (!driver.ok())
    return driver.status();
  driver->allocator = module.options.allocator;
  Result<CudaPrimaryContext> context =
      CudaPrimaryContext::retain(*driver, module.options);
  if (!context.ok())
    return context.status();
  return std::unique_ptr<Device>(
      std::make_unique<CudaDevice>(module, *driver, std::move(*context)));
}

CudaDevice::~CudaDevice() {
  teardown.emplace(driver, context.get());
  // Whoever gets the memory back may use it at once.
  if (queue)
    (void)driver.cuStreamSynchronize(queue.get());
}

/// In the place of destruction, of a stream that is the caller's.
static CUresult leaveStream(CUstream) { return CUDA_SUCCESS; }

Status CudaDevice::openStream() {
  auto given = static_cast<CUstream>(module.options.stream);
  if (!given) {
    CUstream created = nullptr;
    PREC_RT_RETURN_IF_ERROR(
        driver.check(driver.cuStreamCreate(&created, CU_STREAM_NON_BLOCKING),
                     "creating a stream"));
    queue = CudaStream(created, driver.cuStreamDestroy);
    return Status();
  }
  CUcontext owner = nullptr;
  PREC_RT_RETURN_IF_ERROR(driver.check(driver.cuStreamGetCtx(given, &owner),
                                       "reading the context of the stream"));
  if (owner != context.get())
    return Status::invalidArgument(
        "a stream must be of the primary context of GPU " +
        std::to_string(context.index) + ", but got one of another");
  queue = CudaStream(given, leaveStream);
  return Status();
}

Status CudaDevice::prepare() {
  if (queue)
    return Status::internal("a device must be prepared once, but got it twice");
  PREC_RT_RETURN_IF_ERROR(checkChip(manifest.target.chip, context.info));
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  PREC_RT_RETURN_IF_ERROR(openStream());

  Result<CudaKernels> loaded = CudaKernels::load(driver, module, context.info);
  if (!loaded.ok())
    return loaded.status();
  kernels = std::move(*loaded);
  // A module that is too large is told before its GEMMs are measured, and they
  // are measured before its segments take the memory.
  PREC_RT_RETURN_IF_ERROR(CudaSegments::checkFits(driver, module, 0));
  PREC_RT_RETURN_IF_ERROR(planCommands());
  Result<CudaSegments> memory =
      CudaSegments::create(driver, queue.get(), module, libraryWorkspace);
  if (!memory.ok())
    return memory.status();
  segments = std::move(*memory);
  return Status();
}

Status CudaDevice::planGemm(const Command &command) {
  if (!lt) {
    Result<std::unique_ptr<CublasLt>> opened =
        CublasLt::open(module.options.libraryFolders);
    if (!opened.ok())
      return opened.status();
    lt = std::move(*opened);
  }
  if (!planner)
    planner.emplace(driver, *lt, queue.get(), context.info, *algorithms);
  Result<GemmProblem> problem = GemmProblem::of(command.gemm, manifest);
  if (!problem.ok())
    return problem.status();
  std::string key = problem->key(context.info.name, lt->version());
  if (gemmPlans.count(key))
    return Status();
  Result<GemmPlan> plan = planner->plan(*problem);
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
        SdpaEngine::open(module.options.libraryFolders, queue.get());
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
  return Status::internal(
      "a device must be prepared before it is used, but got "
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

void *CudaDevice::stateMemory() const {
  return segments ? reinterpret_cast<void *>(segments->address(Segment::state))
                  : nullptr;
}

Status CudaDevice::wait(const std::string &what) {
  return driver.check(driver.cuStreamSynchronize(queue.get()), what);
}

Status CudaDevice::checkRange(int buffer, int64_t bytes, int64_t offset) const {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  int64_t size = manifest.buffers[static_cast<size_t>(buffer)].bytes();
  if (bytes >= 0 && offset >= 0 && offset <= size && bytes <= size - offset)
    return Status();
  return Status::internal(
      "a copy must lie within buffer " + std::to_string(buffer) + " of " +
      std::to_string(size) + " bytes, but got " + std::to_string(bytes) +
      " bytes at " + std::to_string(offset));
}

template <typename Copy>
Status CudaDevice::copy(int64_t bytes, const char *what, Wait waits,
                        Copy begin) {
  if (bytes == 0)
    return Status();
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  PREC_RT_RETURN_IF_ERROR(
      driver.check(begin(static_cast<size_t>(bytes)), what));
  return waits == Wait::yes ? wait(what) : Status();
}

Status CudaDevice::upload(int buffer, const void *source, int64_t bytes,
                          int64_t offset) {
  PREC_RT_RETURN_IF_ERROR(checkRange(buffer, bytes, offset));
  return copy(bytes, "uploading a buffer", Wait::yes, [&](size_t size) {
    return driver.cuMemcpyHtoDAsync(deviceAddress(buffer) +
                                        static_cast<CUdeviceptr>(offset),
                                    source, size, queue.get());
  });
}

/// A fill has no memory of the host to wait for.
Status CudaDevice::setWord(int buffer, uint32_t word) {
  PREC_RT_RETURN_IF_ERROR(checkRange(buffer, sizeof word, 0));
  return copy(sizeof word, "setting a number", Wait::no, [&](size_t) {
    return driver.cuMemsetD32Async(deviceAddress(buffer), word, 1, queue.get());
  });
}

Status CudaDevice::download(int buffer, void *target, int64_t bytes,
                            int64_t offset) {
  PREC_RT_RETURN_IF_ERROR(checkRange(buffer, bytes, offset));
  return copy(bytes, "downloading a buffer", Wait::yes, [&](size_t size) {
    return driver.cuMemcpyDtoHAsync(
        target, deviceAddress(buffer) + static_cast<CUdeviceptr>(offset), size,
        queue.get());
  });
}

/// The driver knows all memory of GPUs by its address, also that of others.
Status CudaDevice::checkMemory(const void *memory, int64_t bytes) const {
  if (bytes == 0)
    return Status();
  auto address = reinterpret_cast<CUdeviceptr>(memory);
  const Status absent =
      Status::invalidArgument("a tensor must be memory of GPU " +
                              std::to_string(context.index) + ", but is not");
  for (CUdeviceptr byte :
       {address, address + static_cast<CUdeviceptr>(bytes) - 1}) {
    int index = -1;
    if (driver.cuPointerGetAttribute(&index,
                                     CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                     byte) != CUDA_SUCCESS ||
        index != context.index)
      return absent;
  }
  return Status();
}

Status CudaDevice::copyIn(int buffer, const void *source, int64_t bytes) {
  PREC_RT_RETURN_IF_ERROR(checkRange(buffer, bytes, 0));
  return copy(bytes, "copying into a buffer", Wait::no, [&](size_t size) {
    return driver.cuMemcpyDtoDAsync(deviceAddress(buffer),
                                    reinterpret_cast<CUdeviceptr>(source), size,
                                    queue.get());
  });
}

Status CudaDevice::copyOut(int buffer, void *target, int64_t bytes) {
  PREC_RT_RETURN_IF_ERROR(checkRange(buffer, bytes, 0));
  return copy(bytes, "copying from a buffer", Wait::no, [&](size_t size) {
    return driver.cuMemcpyDtoDAsync(reinterpret_cast<CUdeviceptr>(target),
                                    deviceAddress(buffer), size, queue.get());
  });
}

Status CudaDevice::readMemory(void *host, const void *memory, int64_t bytes) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  return copy(
      bytes, "copying a tensor to the host", Wait::yes, [&](size_t size) {
        return driver.cuMemcpyDtoHAsync(
            host, reinterpret_cast<CUdeviceptr>(memory), size, queue.get());
      });
}

Status CudaDevice::writeMemory(void *memory, const void *host, int64_t bytes) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  return copy(
      bytes, "copying a tensor from the host", Wait::yes, [&](size_t size) {
        return driver.cuMemcpyHtoDAsync(reinterpret_cast<CUdeviceptr>(memory),
                                        host, size, queue.get());
      });
}

Status CudaDevice::fillNormal(int buffer, float mean, float stddev,
                              uint64_t seed) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  const Buffer &target = manifest.buffers[static_cast<size_t>(buffer)];
  if (target.dtype != DType::f32)
    return Status::internal("random values need a f32 buffer, but got " +
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
          block, 1, 1, 0, queue.get(), arguments, nullptr),
      "filling a buffer with random values"));
  return wait("filling a buffer with random values");
}

Status CudaDevice::run(const std::string &entryPoint) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  auto found = manifest.entryPoints.find(entryPoint);
  if (found == manifest.entryPoints.end())
    return Status::internal(
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
        driver, queue.get(), what, [&] { return enqueueAll(commands); });
    if (!graph.ok())
      return graph.status();
    state.graph = std::move(*graph);
  }
  return state.graph->launch(driver, queue.get(), what);
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

Result<std::vector<double>>
CudaDevice::timeCommands(const std::vector<const Command *> &commands) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  if (commands.empty())
    return std::vector<double>();
  std::string what = "timing command '" + commands.front()->name + "'";
  if (commands.back() != commands.front())
    what += " to '" + commands.back()->name + "'";
  return timeLaunches(driver, queue.get(), commands.size(), what,
                      [&](size_t i) { return enqueue(*commands[i]); });
}

Result<double> CudaDevice::measureCopyRate() {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  return prec::rt::measureCopyRate(driver, queue.get(),
                                   context.info.cacheBytes);
}

Status CudaDevice::chooseInPlace(const std::vector<Command> &commands) {
  return chooseRivals(
      commands, manifest, gemmPlans, *algorithms,
      [&](const Gemm &gemm) { return findPlan(gemm); },
      [&](const std::vector<const Command *> &repeated,
          const std::function<void(size_t)> &prepare) {
        return timeLaunches(driver, queue.get(), repeated.size(),
                            "measuring products in the step", [&](size_t i) {
                              prepare(i);
                              return enqueue(*repeated[i]);
                            });
      });
}
