//===- CudaDevice.cpp - step modules on an NVIDIA GPU ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a step module on an NVIDIA GPU, on one stream, in the primary context,
// so that other libraries of the process share its memory. `prepare` loads
// kernels, measures gemms, and then allocates the segments; whether these will
// fit is checked first, and gemms are measured before, while memory is free.
// Parts that stand for themselves do the work: context and stream
// (CudaPrimaryContext), kernels (CudaKernels), memory (CudaSegments), copies
// (CudaTransfers), commands (CudaCommands), and first and recorded runs of
// entry points (CudaEntryPoints). This file puts them together, and enters the
// context before each is used.
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"

#include "LaunchTimer.h"

#include <algorithm>

using namespace prec::rt;

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
  if (arenas) {
    arenas->workspace.leave(this);
    arenas->scratch.leave(this);
  }
}

Status CudaDevice::prepare() {
  if (queue)
    return Status::internal("a device must be prepared once, but got it twice");
  const CudaDeviceInfo &gpu = context.info;
  PREC_RT_RETURN_IF_ERROR(checkChip(manifest.target.chip, gpu));
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  Result<CudaStream> stream = context.openStream(driver, module.options);
  if (!stream.ok())
    return stream.status();
  queue = std::move(*stream);
  Result<CudaKernels> loaded = CudaKernels::load(driver, module, gpu);
  if (!loaded.ok())
    return loaded.status();
  kernels = std::move(*loaded);
  // A module that is too large is told before its GEMMs are measured, and they
  // are measured before its segments take the memory.
  PREC_RT_RETURN_IF_ERROR(CudaSegments::checkFits(driver, module, 0));
  PREC_RT_RETURN_IF_ERROR(connectRanks());
  Result<std::unique_ptr<CudaGemms>> opened =
      CudaGemms::open(driver, module, gpu, queue.get());
  if (!opened.ok())
    return opened.status();
  gemms = std::move(*opened);
  attention.emplace(driver, module, *kernels, queue.get());
  convolutions.emplace(module, queue.get());
  commands.emplace(CudaWork{driver, manifest, queue.get(), *kernels, *gemms,
                            *attention, *convolutions, ranks.get()});
  PREC_RT_RETURN_IF_ERROR(plan());
  const bool joins = !module.options.arenas.expired();
  Result<CudaSegments> memory = CudaSegments::create(
      driver, queue.get(), module, joins ? 0 : commands->workspaceBytes());
  if (!memory.ok())
    return memory.status();
  segments = std::move(*memory);
  commands->useMemory(*segments);
  transfers.emplace(driver, context.get(), queue.get(), manifest, *segments,
                    ranks.get());
  return shareWorkspaces();
}

static bool isExchange(const Command &command) {
  return command.kind == CommandKind::allGather ||
         command.kind == CommandKind::allToAll;
}

Status CudaDevice::connectRanks() {
  if (!module.options.ranks || module.options.ranks->size() == 1)
    return {};
  hosts = module.options.ranks->apart();
  const bool exchanges =
      std::any_of(manifest.entryPoints.begin(), manifest.entryPoints.end(),
                  [](const auto &entry) {
                    return std::any_of(entry.second.begin(), entry.second.end(),
                                       isExchange);
                  });
  if (!exchanges)
    return {};
  // Where one has no NCCL, all say so.
  Result<Nccl> nccl = Nccl::open(module.options.libraryFolders);
  PREC_RT_RETURN_IF_ERROR(agree(*hosts, nccl.ok() ? Status() : nccl.status()));
  Result<std::unique_ptr<CudaRanks>> connected =
      CudaRanks::connect(*nccl, hosts);
  if (!connected.ok())
    return connected.status();
  ranks = std::move(*connected);
  return {};
}

Status CudaDevice::plan() {
  if (!hosts)
    return commands->plan();
  const bool isFirst = hosts->rank() == 0;
  PREC_RT_RETURN_IF_ERROR(agree(*hosts, isFirst ? commands->plan() : Status()));
  Result<std::string> chosen =
      shareText(*hosts, isFirst ? gemms->algorithmText() : "");
  if (!chosen.ok())
    return chosen.status();
  if (isFirst)
    return {};
  PREC_RT_RETURN_IF_ERROR(gemms->adoptAlgorithms(*chosen));
  return commands->plan();
}

Status CudaDevice::meetBefore(const std::string &entryPoint) {
  const std::vector<Command> &list = manifest.entryPoints.at(entryPoint);
  if (!ranks || entryPoints.isRecorded(entryPoint) ||
      std::none_of(list.begin(), list.end(), isExchange))
    return {};
  PREC_RT_RETURN_IF_ERROR(
      wait("waiting for what runs before '" + entryPoint + "'"));
  std::vector<CudaPeers::Region> regions;
  for (size_t i = 0; i < manifest.segmentSize.size(); ++i)
    if (manifest.segmentSize[i] > 0)
      regions.push_back({segments->address(static_cast<Segment>(i)),
                         manifest.segmentSize[i]});
  PREC_RT_RETURN_IF_ERROR(ranks->reach(driver, regions));
  if (std::string way = ranks->describeWay();
      way != saidWay && ranks->rank() == 0) {
    module.options.log(PREC_RT_LOG_NOTE, module.path + ": " +
                                             std::to_string(ranks->size()) +
                                             " ranks exchange by " + way);
    saidWay = way;
  }
  return ranks->meet();
}

static void *asPointer(CUdeviceptr address) {
  return reinterpret_cast<void *>(address);
}

/// Memory that is given back when nobody holds it.
static Arena::Memory hold(DeviceMemory memory) {
  auto held = std::make_shared<DeviceMemory>(std::move(memory));
  return Arena::Memory(held, asPointer(held->get()));
}

Status CudaDevice::shareWorkspaces() {
  constexpr auto kWorkspace = static_cast<size_t>(Segment::workspace);
  const int64_t bytes = manifest.segmentSize[kWorkspace];
  const int64_t scratch = commands->workspaceBytes();
  auto placeWorkspace = [this](void *place) {
    segments->placeWorkspace(reinterpret_cast<CUdeviceptr>(place));
    entryPoints.forgetGraphs();
  };
  auto placeScratch = [this](void *place) {
    segments->placeLibraryWorkspace(reinterpret_cast<CUdeviceptr>(place));
    entryPoints.forgetGraphs();
  };
  DeviceMemory ofSegment, ofLibraries;
  segments->share(ofSegment, ofLibraries);
  arenas = module.options.arenas.lock();
  if (!arenas) {
    arenas = std::make_shared<Arenas>();
    arenas->workspace.found(this, hold(std::move(ofSegment)), bytes,
                            placeWorkspace);
    arenas->scratch.found(this, hold(std::move(ofLibraries)), scratch,
                          placeScratch);
    return Status();
  }
  // Other modules' work may be in flight, in memory that is given back.
  PREC_RT_RETURN_IF_ERROR(wait("the module that has the state"));
  auto allocator = [this](const char *what) {
    return [this, what](int64_t size) -> Result<Arena::Memory> {
      DeviceMemory memory;
      PREC_RT_RETURN_IF_ERROR(
          allocateZero(driver, queue.get(), size, what, memory));
      return hold(std::move(memory));
    };
  };
  PREC_RT_RETURN_IF_ERROR(arenas->workspace.join(
      this, bytes, allocator("segment workspace"), placeWorkspace));
  return arenas->scratch.join(
      this, scratch, allocator("the libraries' workspace"), placeScratch);
}

Status CudaDevice::checkPrepared() const {
  constexpr auto kWorkspace = static_cast<size_t>(Segment::workspace);
  if (segments && ((manifest.segmentSize[kWorkspace] > 0 &&
                    !segments->address(Segment::workspace)) ||
                   (libraryBytes() > 0 && !segments->libraryWorkspace())))
    return lostArena();
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
  return waitFor(ranks.get(), driver, queue.get(), what);
}

Status CudaDevice::upload(int buffer, const void *source, int64_t bytes,
                          int64_t offset) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  return transfers->upload(buffer, source, bytes, offset);
}

Status CudaDevice::setWord(int buffer, uint32_t word) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  return transfers->setWord(buffer, word);
}

Status CudaDevice::download(int buffer, void *target, int64_t bytes,
                            int64_t offset) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  return transfers->download(buffer, target, bytes, offset);
}

Status CudaDevice::checkMemory(const void *memory, int64_t bytes) const {
  return checkGpuMemory(driver, context.index, memory, bytes);
}

Status CudaDevice::copyIn(int buffer, const void *source, int64_t bytes) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  return transfers->copyIn(buffer, source, bytes);
}

Status CudaDevice::copyOut(int buffer, void *target, int64_t bytes) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  return transfers->copyOut(buffer, target, bytes);
}

Status CudaDevice::readMemory(void *host, const void *memory, int64_t bytes) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  return transfers->readMemory(host, memory, bytes);
}

Status CudaDevice::writeMemory(void *memory, const void *host, int64_t bytes) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  return transfers->writeMemory(memory, host, bytes);
}

Status CudaDevice::fillNormal(int buffer, const Slice &slice, float mean,
                              float stddev, uint64_t seed) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  const Buffer &target = manifest.buffers[static_cast<size_t>(buffer)];
  if (target.dtype != DType::f32)
    return Status::internal("random values need a f32 buffer, but got " +
                            std::string(name(target.dtype)));
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  return normal.fill(driver, queue.get(), deviceAddress(buffer), slice, mean,
                     stddev, seed);
}

Status CudaDevice::run(const std::string &entryPoint) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  auto found = manifest.entryPoints.find(entryPoint);
  if (found == manifest.entryPoints.end())
    return Status::internal(
        "an entry point must be one of the module's, but got '" + entryPoint +
        "'");
  const std::vector<Command> &list = found->second;
  if (list.empty())
    return Status();
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  PREC_RT_RETURN_IF_ERROR(meetBefore(entryPoint));
  auto enqueue = [&] { return commands->enqueueAll(list); };
  auto start = [&] {
    PREC_RT_RETURN_IF_ERROR(commands->chooseRivals(list));
    return enqueue();
  };
  // A full queue makes whoever launches wait.
  CudaRanks::Waiting waiting(ranks.get());
  return entryPoints.run(driver, queue.get(), entryPoint, start, enqueue);
}

Status CudaDevice::runCommand(const Command &command) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  PREC_RT_RETURN_IF_ERROR(commands->enqueue(command));
  return wait("running command '" + command.name + "'");
}

Status CudaDevice::synchronize() {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  return wait("waiting for the GPU");
}

Result<std::optional<Engine>> CudaDevice::engineOf(const Command &command) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  return commands->engineOf(command);
}

Result<std::vector<double>>
CudaDevice::timeCommands(const std::vector<const Command *> &timed) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  if (timed.empty())
    return std::vector<double>();
  std::string what = "timing command '" + timed.front()->name + "'";
  if (timed.back() != timed.front())
    what += " to '" + timed.back()->name + "'";
  return commands->time(timed, what, [](size_t) {});
}

Result<double> CudaDevice::timeRuns(const std::string &entryPoint, int count,
                                    Exchanges exchanges) {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  const std::string what = "timing entry point '" + entryPoint + "'";
  std::optional<CudaGraph> alone;
  if (exchanges == Exchanges::copied) {
    Result<CudaGraph> graph = CudaGraph::record(driver, queue.get(), what, [&] {
      return commands->enqueueAll(manifest.commands(entryPoint), exchanges);
    });
    if (!graph.ok())
      return graph.status();
    alone = std::move(*graph);
  }
  auto runOnce = [&] {
    return alone ? alone->launch(driver, queue.get(), what) : run(entryPoint);
  };
  Result<CudaEvent> begin = createEvent(driver);
  if (!begin.ok())
    return begin.status();
  Result<CudaEvent> end = createEvent(driver);
  if (!end.ok())
    return end.status();
  auto record = [&](const Result<CudaEvent> &event) {
    return driver.check(driver.cuEventRecord(event->get(), queue.get()), what);
  };
  // One more in front keeps the GPU busy while the first is launched.
  PREC_RT_RETURN_IF_ERROR(runOnce());
  PREC_RT_RETURN_IF_ERROR(record(begin));
  for (int i = 0; i < count; ++i)
    PREC_RT_RETURN_IF_ERROR(runOnce());
  PREC_RT_RETURN_IF_ERROR(record(end));
  PREC_RT_RETURN_IF_ERROR(wait(what));
  float milliseconds = 0;
  PREC_RT_RETURN_IF_ERROR(driver.check(
      driver.cuEventElapsedTime(&milliseconds, begin->get(), end->get()),
      what));
  return static_cast<double>(milliseconds) * 1e-3;
}

Result<DeviceReport> CudaDevice::describe() {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  size_t free = 0, total = 0;
  PREC_RT_RETURN_IF_ERROR(driver.check(driver.cuMemGetInfo(&free, &total),
                                       "reading the free device memory"));
  DeviceReport report;
  report.name = context.info.name;
  report.cacheBytes = context.info.cacheBytes;
  report.freeBytes = static_cast<int64_t>(free);
  nvml = Nvml::open(context.index);
  if (std::string version = nvml ? nvml->driverVersion() : ""; !version.empty())
    report.versions["driver"] = version;
  return report;
}

std::optional<ClockSample> CudaDevice::sampleClock() {
  return nvml ? nvml->sample() : std::nullopt;
}

Result<double> CudaDevice::measureCopyRate() {
  PREC_RT_RETURN_IF_ERROR(checkPrepared());
  CudaContextScope scope(driver, context.get());
  PREC_RT_RETURN_IF_ERROR(scope.status());
  return prec::rt::measureCopyRate(driver, queue.get(),
                                   context.info.cacheBytes);
}
