//===- CpuDevice.cpp - runs a step module on the CPU ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a step module on the CPU. `prepare` checks that this CPU has the
// instructions that the module was compiled for, gets zeroed memory for the
// segments (from the caller, or pages of the system), and lets every command
// reserve its scratch memory before anything runs. Commands run one after the
// other; each divides its work among the threads of one pool. Results do not
// depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#include "Bf16Pairs.h"
#include "CpuRules.h"
#include "Device.h"
#include "Multiversion.h"
#include "NormalDeviate.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sys/mman.h>
#include <unistd.h>

using namespace prec::rt;

PREC_RT_MULTIVERSION
static void fillNormalRange(float *target, int64_t first, int64_t count,
                            float mean, float stddev, uint64_t seed) {
  for (int64_t i = 0; i < count; ++i)
    target[i] = normalDeviate(seed, first + i, mean, stddev);
}

/// Whether this CPU runs code for an x86-64 microarchitecture level.
static Status checkChip(const std::string &chip) {
#if defined(__x86_64__)
  static constexpr std::string_view levels[] = {"x86-64", "x86-64-v2",
                                                "x86-64-v3", "x86-64-v4"};
  if (std::find(std::begin(levels), std::end(levels), chip) == std::end(levels))
    return Status::badFile(
        "module must be for a cpu of level x86-64, x86-64-v2, "
        "x86-64-v3 or x86-64-v4, but got " +
        chip);
  __builtin_cpu_init();
  auto need = [&](bool has, const char *feature) {
    return has ? Status()
               : Status::deviceError("module needs a cpu of level " + chip +
                                     ", but this one lacks " + feature);
  };
  if (chip != "x86-64") {
    PREC_RT_RETURN_IF_ERROR(need(__builtin_cpu_supports("sse4.2"), "sse4.2"));
    PREC_RT_RETURN_IF_ERROR(need(__builtin_cpu_supports("popcnt"), "popcnt"));
  }
  if (chip == "x86-64-v3" || chip == "x86-64-v4") {
    PREC_RT_RETURN_IF_ERROR(need(__builtin_cpu_supports("avx2"), "avx2"));
    PREC_RT_RETURN_IF_ERROR(need(__builtin_cpu_supports("fma"), "fma"));
    PREC_RT_RETURN_IF_ERROR(need(__builtin_cpu_supports("bmi2"), "bmi2"));
  }
  if (chip == "x86-64-v4") {
    for (auto [has, feature] :
         {std::pair<bool, const char *>{__builtin_cpu_supports("avx512f"),
                                        "avx512f"},
          {__builtin_cpu_supports("avx512bw"), "avx512bw"},
          {__builtin_cpu_supports("avx512vl"), "avx512vl"},
          {__builtin_cpu_supports("avx512dq"), "avx512dq"}})
      PREC_RT_RETURN_IF_ERROR(need(has, feature));
  }
#else
  (void)chip;
#endif
  return {};
}

namespace {

/// Zeroed memory, of the system or the caller, given back at the end.
class Pages {
public:
  Pages() = default;
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;
  ~Pages() {
    if (size && owner)
      owner.deallocate(start, size, owner.user);
    else if (size)
      munmap(start, size);
  }
  Status allocate(int64_t bytes, const std::string &what,
                  const Allocator &allocator) {
    if (bytes == 0)
      return {};
    if (!allocator)
      return map(bytes, what);
    void *memory = allocator.allocate(static_cast<size_t>(bytes),
                                      kAllocationAlignment, allocator.user);
    if (!memory)
      return Status::outOfMemory(what + " needs " + std::to_string(bytes) +
                                 " bytes of memory, but the caller's allocate "
                                 "gave none");
    start = static_cast<char *>(memory);
    size = bytes;
    owner = allocator;
    if (reinterpret_cast<uintptr_t>(memory) % kAllocationAlignment != 0)
      return Status::invalidArgument(
          what + " needs memory at a multiple of " +
          std::to_string(kAllocationAlignment) +
          " bytes, but the caller's allocate gave another");
    memset(start, 0, static_cast<size_t>(bytes));
    return {};
  }
  char *data() const { return start; }

private:
  Status map(int64_t bytes, const std::string &what) {
    void *pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
      return Status::outOfMemory(what + " needs " + std::to_string(bytes) +
                                 " bytes of memory, but got none");
    madvise(pages, bytes, MADV_HUGEPAGE);
    start = static_cast<char *>(pages);
    size = bytes;
    return {};
  }

  char *start = nullptr;
  int64_t size = 0;
  Allocator owner; ///< none of mapped pages
};

/// Ranks of one computer share its processors.
unsigned countThreads(const OpenOptions &options) {
  if (options.threads)
    return options.threads;
  auto sharing =
      static_cast<unsigned>(options.ranks ? options.ranks->ranksOfHost() : 1);
  return std::max(1u, ThreadPool::hardwareThreads() / sharing);
}

class CpuDevice final : public Device {
public:
  explicit CpuDevice(const ModuleImage &module)
      : module(module), manifest(*module.manifest),
        pool(countThreads(module.options)),
        arenas(module.options.arenas.lock()) {
    if (!arenas)
      arenas = std::make_shared<Arenas>();
  }
  ~CpuDevice() override {
    arenas->workspace.leave(this);
    arenas->scratch.leave(this);
  }

  Status prepare() override;
  void *address(int buffer) const override { return addresses[buffer]; }
  void *stateMemory() const override { return segment(Segment::state); }
  std::shared_ptr<Arenas> sharedArenas() const override { return arenas; }
  Status upload(int buffer, const void *source, int64_t bytes,
                int64_t offset) override;
  Status download(int buffer, void *target, int64_t bytes,
                  int64_t offset) override;
  Status fillNormal(int buffer, const Slice &slice, float mean, float stddev,
                    uint64_t seed) override;
  Status run(const std::string &entryPoint) override;
  Status runCommand(const Command &command) override {
    return runCommand(command, Exchanges::run);
  }
  Status synchronize() override { return {}; }
  Result<std::vector<double>>
  timeCommands(const std::vector<const Command *> &commands) override;
  Result<double> timeRuns(const std::string &entryPoint, int count,
                          Exchanges exchanges) override;
  Result<DeviceReport> describe() override;
  Result<double> measureCopyRate() override;

private:
  Status runCommand(const Command &command, Exchanges exchanges);
  Status checkRange(int buffer, int64_t bytes, int64_t offset) const;
  Status checkArenas() const;
  Arena::Allocate allocator(std::string what) const;
  /// Tells commands where buffers are, if these are anywhere.
  Status placeBuffers();
  /// Its own memory, or that of another module's state.
  char *segment(Segment which) const {
    if (which == Segment::state && module.options.stateMemory)
      return static_cast<char *>(module.options.stateMemory);
    if (which == Segment::workspace)
      return workspace;
    return segments[static_cast<size_t>(which)].data();
  }

  const ModuleImage &module;
  const Manifest &manifest;
  ThreadPool pool;
  const bool hasBf16Pairs = multipliesBf16Pairs();
  Blas blas;
  std::array<Pages, 5> segments; ///< none of the workspace
  std::shared_ptr<Arenas> arenas;
  char *workspace = nullptr;
  Status placement; ///< what the commands said to it
  float *scratch = nullptr;
  int64_t scratchFloats = 0;
  bool needsBlas = false;
  std::vector<char *> addresses;
  KernelArguments arguments;
  HostCalls calls;
};

} // namespace

static Status prepareCommand(CpuPlan &plan, const Command &command) {
  switch (command.kind) {
#define PREC_COMMAND(name, spelling, isLibrary, countsFlips)                   \
  case CommandKind::name:                                                      \
    return CpuRules<CommandKind::name>::prepare(plan, command);
#include "prec-rt/enums.def"
  }
  return {};
}

Status CpuDevice::prepare() {
  PREC_RT_RETURN_IF_ERROR(checkChip(manifest.target.chip));
  for (size_t i = 0; i < segments.size(); ++i) {
    auto which = static_cast<Segment>(i);
    if ((which == Segment::state && module.options.stateMemory) ||
        which == Segment::workspace)
      continue;
    PREC_RT_RETURN_IF_ERROR(segments[i].allocate(
        manifest.segmentSize[i], "segment " + std::string(name(which)),
        module.options.allocator));
  }
  if (!module.constants.empty())
    memcpy(segments[static_cast<size_t>(Segment::constants)].data(),
           module.constants.data(), module.constants.size());
  constexpr auto kWorkspace = static_cast<size_t>(Segment::workspace);
  PREC_RT_RETURN_IF_ERROR(arenas->workspace.join(
      this, manifest.segmentSize[kWorkspace], allocator("segment workspace"),
      [this](void *memory) {
        workspace = static_cast<char *>(memory);
        placement = placeBuffers();
      }));
  PREC_RT_RETURN_IF_ERROR(placement);
  PREC_RT_RETURN_IF_ERROR(arenas->scratch.join(
      this, scratchFloats * static_cast<int64_t>(sizeof(float)),
      allocator("scratch"),
      [this](void *memory) { scratch = static_cast<float *>(memory); }));
  if (!needsBlas)
    return {};
  Result<Blas> opened = Blas::open(pool.size());
  if (!opened.ok())
    return opened.status();
  blas = std::move(*opened);
  return {};
}

Arena::Allocate CpuDevice::allocator(std::string what) const {
  return
      [this, what = std::move(what)](int64_t bytes) -> Result<Arena::Memory> {
        auto pages = std::make_shared<Pages>();
        PREC_RT_RETURN_IF_ERROR(
            pages->allocate(bytes, what, module.options.allocator));
        return Arena::Memory(pages, pages->data());
      };
}

Status CpuDevice::placeBuffers() {
  constexpr auto kWorkspace = static_cast<size_t>(Segment::workspace);
  if (manifest.segmentSize[kWorkspace] > 0 && !workspace)
    return {};
  addresses.clear();
  arguments.clear();
  calls.clear();
  for (const Buffer &buffer : manifest.buffers)
    addresses.push_back(segment(buffer.segment) + buffer.offset);
  CpuPlan plan{manifest,     addresses, pool.size(),
               hasBf16Pairs, arguments, module.options.functions,
               calls};
  for (const auto &[entryPoint, commands] : manifest.entryPoints)
    for (const Command &command : commands)
      PREC_RT_RETURN_IF_ERROR(prepareCommand(plan, command));
  scratchFloats = plan.scratchFloats;
  needsBlas = plan.needsBlas;
  return {};
}

Status CpuDevice::checkArenas() const {
  constexpr auto kWorkspace = static_cast<size_t>(Segment::workspace);
  if ((manifest.segmentSize[kWorkspace] > 0 && !workspace) ||
      (scratchFloats > 0 && !scratch))
    return lostArena();
  return {};
}

Status CpuDevice::checkRange(int buffer, int64_t bytes, int64_t offset) const {
  int64_t size = manifest.buffers[buffer].bytes();
  if (bytes >= 0 && offset >= 0 && offset <= size && bytes <= size - offset)
    return {};
  return Status::internal("range must lie in buffer " + std::to_string(buffer) +
                          " of " + std::to_string(size) + " bytes, but got " +
                          std::to_string(bytes) + " at " +
                          std::to_string(offset));
}

Status CpuDevice::upload(int buffer, const void *source, int64_t bytes,
                         int64_t offset) {
  PREC_RT_RETURN_IF_ERROR(checkRange(buffer, bytes, offset));
  PREC_RT_RETURN_IF_ERROR(checkArenas());
  if (bytes)
    memcpy(addresses[buffer] + offset, source, bytes);
  return {};
}

Status CpuDevice::download(int buffer, void *target, int64_t bytes,
                           int64_t offset) {
  PREC_RT_RETURN_IF_ERROR(checkRange(buffer, bytes, offset));
  if (bytes)
    memcpy(target, addresses[buffer] + offset, bytes);
  return {};
}

Status CpuDevice::fillNormal(int buffer, const Slice &slice, float mean,
                             float stddev, uint64_t seed) {
  const Buffer &info = manifest.buffers[buffer];
  if (info.dtype != DType::f32)
    return Status::internal("fillNormal needs a f32 buffer, but got " +
                            std::string(name(info.dtype)));
  float *target = reinterpret_cast<float *>(addresses[buffer]);
  pool.parallelFor(
      info.elements(), 1 << 14, [&](int64_t begin, int64_t end, unsigned) {
        Status visited =
            slice.visit(begin, end - begin,
                        [&](int64_t element, int64_t whole, int64_t count) {
                          fillNormalRange(target + element, whole, count, mean,
                                          stddev, seed);
                          return Status();
                        });
        (void)visited; // no part fails
      });
  return {};
}

Status CpuDevice::runCommand(const Command &command, Exchanges exchanges) {
  PREC_RT_RETURN_IF_ERROR(checkArenas());
  Communicator *ranks =
      exchanges == Exchanges::run ? module.options.ranks.get() : nullptr;
  auto *table = static_cast<const prec_module_v1 *>(module.query);
  const CpuContext context{manifest, addresses,    blas,           pool,
                           scratch,  hasBf16Pairs, table->kernels, arguments,
                           calls,    ranks};
  switch (command.kind) {
#define PREC_COMMAND(name, spelling, isLibrary, countsFlips)                   \
  case CommandKind::name:                                                      \
    return CpuRules<CommandKind::name>::run(context, command);
#include "prec-rt/enums.def"
  }
  return {};
}

Status CpuDevice::run(const std::string &entryPoint) {
  const NamedCall call(module.options.ranks.get(), entryPoint);
  for (const Command &command : manifest.commands(entryPoint))
    PREC_RT_RETURN_IF_ERROR(runCommand(command));
  return {};
}

Result<std::vector<double>>
CpuDevice::timeCommands(const std::vector<const Command *> &commands) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> milliseconds;
  milliseconds.reserve(commands.size());
  Clock::time_point start = Clock::now();
  for (const Command *command : commands) {
    PREC_RT_RETURN_IF_ERROR(runCommand(*command));
    Clock::time_point end = Clock::now();
    milliseconds.push_back(
        std::chrono::duration<double, std::milli>(end - start).count());
    start = end;
  }
  return milliseconds;
}

Result<double> CpuDevice::timeRuns(const std::string &entryPoint, int count,
                                   Exchanges exchanges) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  for (int i = 0; i < count; ++i)
    for (const Command &command : manifest.commands(entryPoint))
      PREC_RT_RETURN_IF_ERROR(runCommand(command, exchanges));
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// As the system calls it, "AMD EPYC"; "x86-64" where it does not say.
static std::string findCpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos)
      return line.substr(colon + 2);
  }
  return "x86-64";
}

Result<DeviceReport> CpuDevice::describe() {
  // Others share a cache that is larger.
  constexpr int64_t leastCache = 1 << 20, mostCache = 64 << 20;
  DeviceReport report;
  report.name =
      "CPU " + findCpuName() + ", " + std::to_string(pool.size()) + " threads";
  report.cacheBytes = std::clamp<int64_t>(sysconf(_SC_LEVEL3_CACHE_SIZE),
                                          leastCache, mostCache);
  report.freeBytes = sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
  return report;
}

Result<double> CpuDevice::measureCopyRate() {
  using Clock = std::chrono::steady_clock;
  constexpr int64_t bytes = 256 << 20;
  constexpr int copies = 5;
  Pages source, target;
  for (Pages *pages : {&source, &target}) {
    PREC_RT_RETURN_IF_ERROR(pages->allocate(bytes, "measuring a copy", {}));
    // Pages that were never written share one of zeros, which a cache holds.
    pool.parallelFor(bytes, kCopyRange,
                     [&](int64_t begin, int64_t end, unsigned) {
                       memset(pages->data() + begin, 1, end - begin);
                     });
  }
  double rate = 0;
  for (int i = 0; i < copies; ++i) {
    Clock::time_point start = Clock::now();
    copyBytes(pool, target.data(), source.data(), bytes);
    std::chrono::duration<double> elapsed = Clock::now() - start;
    rate = std::max(rate, 2.0 * bytes / elapsed.count());
  }
  return rate;
}

/// More than any machine has; a number that was meant for something else.
static constexpr unsigned kMaxThreads = 1 << 14;

static Status checkOptions(const OpenOptions &options) {
  if (options.device != PREC_RT_ANY_DEVICE && options.device != 0)
    return Status::invalidArgument(
        "a module for the CPU must be opened on device 0, but got " +
        std::to_string(options.device));
  if (options.stream)
    return Status::invalidArgument("a module for the CPU must be opened "
                                   "without a stream, but got one");
  if (options.threads > kMaxThreads)
    return Status::invalidArgument(
        "a module must have at most " + std::to_string(kMaxThreads) +
        " threads, but got " + std::to_string(options.threads));
  return {};
}

Result<std::unique_ptr<Device>>
prec::rt::createCpuDevice(const ModuleImage &module) {
  if (module.manifest->target.kind != "cpu")
    return Status::internal(module.path + ": target must be cpu, but got " +
                            module.manifest->target.kind);
  PREC_RT_RETURN_IF_ERROR(checkOptions(module.options));
  return std::unique_ptr<Device>(new CpuDevice(module));
}
