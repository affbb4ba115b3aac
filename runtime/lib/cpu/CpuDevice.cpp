//===- CpuDevice.cpp - runs a step module on the CPU ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bf16Pairs.h"
#include "CpuGemm.h"
#include "CpuSdpa.h"
#include "Device.h"
#include "Multiversion.h"
#include "NormalDeviate.h"

#include "prec-rt/module.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unordered_map>

using namespace prec::rt;

/// Below this many bytes of operands a loop ends sooner than threads wake.
static constexpr int64_t smallKernelBytes = 16 << 10;

/// What a thread copies or clears at a time.
static constexpr int64_t copyRange = 1 << 18;

PREC_RT_MULTIVERSION
static void fillNormalRange(float *target, int64_t begin, int64_t end,
                            float mean, float stddev, uint64_t seed) {
  for (int64_t i = begin; i < end; ++i)
    target[i] = normalDeviate(seed, i, mean, stddev);
}

/// Whether this CPU runs code for an x86-64 microarchitecture level.
static Status checkChip(const std::string &chip) {
#if defined(__x86_64__)
  static constexpr std::string_view levels[] = {"x86-64", "x86-64-v2",
                                                "x86-64-v3", "x86-64-v4"};
  if (std::find(std::begin(levels), std::end(levels), chip) == std::end(levels))
    return Status::error("module must be for a cpu of level x86-64, x86-64-v2, "
                         "x86-64-v3 or x86-64-v4, but got " +
                         chip);
  __builtin_cpu_init();
  auto need = [&](bool has, const char *feature) {
    return has ? Status()
               : Status::error("module needs a cpu of level " + chip +
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

/// Zeroed pages, given back at the end.
class Pages {
public:
  Pages() = default;
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;
  ~Pages() {
    if (size)
      munmap(start, size);
  }
  Status allocate(int64_t bytes, const std::string &what) {
    if (bytes == 0)
      return {};
    void *pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
      return Status::error(what + " needs " + std::to_string(bytes) +
                           " bytes of memory, but got none");
    madvise(pages, bytes, MADV_HUGEPAGE);
    start = static_cast<char *>(pages);
    size = bytes;
    return {};
  }
  char *data() const { return start; }

private:
  char *start = nullptr;
  int64_t size = 0;
};

class CpuDevice final : public Device {
public:
  explicit CpuDevice(const ModuleImage &module)
      : module(module), manifest(*module.manifest),
        pool(ThreadPool::hardwareThreads()) {}

  Status prepare() override;
  void *address(int buffer) const override { return addresses[buffer]; }
  Status upload(int buffer, const void *source, int64_t bytes,
                int64_t offset) override;
  Status download(int buffer, void *target, int64_t bytes,
                  int64_t offset) override;
  Status fillNormal(int buffer, float mean, float stddev,
                    uint64_t seed) override;
  Status run(const std::string &entryPoint) override;
  Status runCommand(const Command &command) override;
  Status synchronize() override { return {}; }
  Result<std::vector<double>>
  timeCommands(const std::vector<const Command *> &commands) override;
  Result<double> measureCopyRate() override;

private:
  Status prepareCommand(const Command &command, int64_t &scratchFloats,
                        bool &needsBlas);
  Status checkRange(int buffer, int64_t bytes, int64_t offset) const;
  void runKernel(const Command &command);
  void copyBytes(char *target, const char *source, int64_t bytes);

  const ModuleImage &module;
  const Manifest &manifest;
  ThreadPool pool;
  const bool hasBf16Pairs = multipliesBf16Pairs();
  Blas blas;
  std::array<Pages, 5> segments;
  Pages scratch;
  std::vector<char *> addresses;
  /// Pointers of a kernel's args; built once, as a step allocates nothing.
  std::unordered_map<const Command *, std::vector<void *>> arguments;
};

} // namespace

Status CpuDevice::prepareCommand(const Command &command, int64_t &scratchFloats,
                                 bool &needsBlas) {
  switch (command.kind) {
  case CommandKind::kernel: {
    std::vector<void *> &pointers = arguments[&command];
    for (int arg : command.kernel.args)
      pointers.push_back(addresses[arg]);
    return {};
  }
  case CommandKind::gemm:
    for (int64_t extent : {command.gemm.m, command.gemm.n, command.gemm.k})
      if (extent > INT_MAX)
        return Status::error("command '" + command.name +
                             "': extents of a gemm on the cpu must be below "
                             "2^31, but got " +
                             std::to_string(extent));
    scratchFloats =
        std::max(scratchFloats, gemmScratch(manifest, command.gemm, pool.size(),
                                            hasBf16Pairs));
    needsBlas = true;
    return {};
  case CommandKind::sdpaForward:
  case CommandKind::sdpaBackward:
    scratchFloats =
        std::max(scratchFloats, sdpaScratch(manifest, command, pool.size()));
    needsBlas = true;
    return {};
  case CommandKind::copy:
  case CommandKind::fill:
    break;
  }
  return {};
}

Status CpuDevice::prepare() {
  PREC_RT_RETURN_IF_ERROR(checkChip(manifest.target.chip));
  for (size_t i = 0; i < segments.size(); ++i)
    PREC_RT_RETURN_IF_ERROR(segments[i].allocate(
        manifest.segmentSize[i],
        "segment " + std::string(name(static_cast<Segment>(i)))));
  if (!module.constants.empty())
    memcpy(segments[static_cast<size_t>(Segment::constants)].data(),
           module.constants.data(), module.constants.size());
  for (const Buffer &buffer : manifest.buffers)
    addresses.push_back(segments[static_cast<size_t>(buffer.segment)].data() +
                        buffer.offset);
  int64_t scratchFloats = 0;
  bool needsBlas = false;
  for (const auto &[entryPoint, commands] : manifest.entryPoints)
    for (const Command &command : commands)
      PREC_RT_RETURN_IF_ERROR(
          prepareCommand(command, scratchFloats, needsBlas));
  PREC_RT_RETURN_IF_ERROR(
      scratch.allocate(scratchFloats * sizeof(float), "scratch"));
  if (!needsBlas)
    return {};
  Result<Blas> opened = Blas::open(pool.size());
  if (!opened.ok())
    return opened.status();
  blas = std::move(*opened);
  return {};
}

Status CpuDevice::checkRange(int buffer, int64_t bytes, int64_t offset) const {
  int64_t size = manifest.buffers[buffer].bytes();
  if (bytes >= 0 && offset >= 0 && offset <= size && bytes <= size - offset)
    return {};
  return Status::error("range must lie in buffer " + std::to_string(buffer) +
                       " of " + std::to_string(size) + " bytes, but got " +
                       std::to_string(bytes) + " at " + std::to_string(offset));
}

Status CpuDevice::upload(int buffer, const void *source, int64_t bytes,
                         int64_t offset) {
  PREC_RT_RETURN_IF_ERROR(checkRange(buffer, bytes, offset));
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

Status CpuDevice::fillNormal(int buffer, float mean, float stddev,
                             uint64_t seed) {
  const Buffer &info = manifest.buffers[buffer];
  if (info.dtype != DType::f32)
    return Status::error("fillNormal needs a f32 buffer, but got " +
                         std::string(name(info.dtype)));
  float *target = reinterpret_cast<float *>(addresses[buffer]);
  pool.parallelFor(info.elements(), 1 << 14,
                   [&](int64_t begin, int64_t end, unsigned) {
                     fillNormalRange(target, begin, end, mean, stddev, seed);
                   });
  return {};
}

void CpuDevice::runKernel(const Command &command) {
  auto *table = static_cast<const prec_module_v1 *>(module.query);
  prec_cpu_kernel kernel = table->kernels[command.kernel.index];
  void *const *buffers = arguments.find(&command)->second.data();
  int64_t bytes = 0;
  for (int arg : command.kernel.args)
    bytes += manifest.buffers[arg].bytes();
  const int64_t extent = command.kernel.extent;
  // Four ranges a thread even out cores that are busy elsewhere.
  int64_t ranges = bytes < smallKernelBytes ? 1 : 4 * int64_t(pool.size());
  pool.parallelFor(extent, (extent + ranges - 1) / ranges,
                   [&](int64_t begin, int64_t end, unsigned) {
                     kernel(buffers, begin, end);
                   });
}

void CpuDevice::copyBytes(char *target, const char *source, int64_t bytes) {
  pool.parallelFor(bytes, copyRange, [&](int64_t begin, int64_t end, unsigned) {
    memcpy(target + begin, source + begin, end - begin);
  });
}

Status CpuDevice::runCommand(const Command &command) {
  const CpuContext context{manifest,
                           addresses,
                           blas,
                           pool,
                           reinterpret_cast<float *>(scratch.data()),
                           hasBf16Pairs};
  switch (command.kind) {
  case CommandKind::kernel:
    runKernel(command);
    return {};
  case CommandKind::gemm:
    runGemm(context, command.gemm);
    return {};
  case CommandKind::sdpaForward:
    runSdpaForward(context, command.sdpa);
    return {};
  case CommandKind::sdpaBackward:
    runSdpaBackward(context, command.sdpa);
    return {};
  case CommandKind::copy:
    if (addresses[command.src] != addresses[command.dst])
      copyBytes(addresses[command.dst], addresses[command.src],
                manifest.buffers[command.dst].bytes());
    return {};
  case CommandKind::fill:
    pool.parallelFor(manifest.buffers[command.dst].bytes(), copyRange,
                     [&](int64_t begin, int64_t end, unsigned) {
                       memset(addresses[command.dst] + begin, 0, end - begin);
                     });
    return {};
  }
  return {};
}

Status CpuDevice::run(const std::string &entryPoint) {
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

Result<double> CpuDevice::measureCopyRate() {
  using Clock = std::chrono::steady_clock;
  constexpr int64_t bytes = 256 << 20;
  constexpr int copies = 5;
  Pages source, target;
  for (Pages *pages : {&source, &target}) {
    PREC_RT_RETURN_IF_ERROR(pages->allocate(bytes, "measuring a copy"));
    // Pages that were never written share one of zeros, which a cache holds.
    pool.parallelFor(bytes, copyRange,
                     [&](int64_t begin, int64_t end, unsigned) {
                       memset(pages->data() + begin, 1, end - begin);
                     });
  }
  double rate = 0;
  for (int i = 0; i < copies; ++i) {
    Clock::time_point start = Clock::now();
    copyBytes(target.data(), source.data(), bytes);
    std::chrono::duration<double> elapsed = Clock::now() - start;
    rate = std::max(rate, 2.0 * bytes / elapsed.count());
  }
  return rate;
}

Result<std::unique_ptr<Device>>
prec::rt::createCpuDevice(const ModuleImage &module) {
  if (module.manifest->target.kind != "cpu")
    return Status::error(module.path + ": target must be cpu, but got " +
                         module.manifest->target.kind);
  return std::unique_ptr<Device>(new CpuDevice(module));
}
