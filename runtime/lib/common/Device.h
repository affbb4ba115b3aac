//===- Device.h - where the commands of a step module run -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One implementation for each kind of devices.def: cpu/CpuDevice.cpp,
// cuda/CudaDevice.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_DEVICE_H
#define PREC_RT_COMMON_DEVICE_H

#include "Arena.h"
#include "Engine.h"
#include "Manifest.h"
#include "OpenOptions.h"
#include "Slice.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace prec::rt {

/// What a device needs of an opened module file. Outlives the device.
struct ModuleImage {
  const Manifest *manifest;
  std::string path;            ///< of the file, or what errors call it
  bool isFile = true;          ///< whether `path` is one
  std::string_view constants;  ///< bytes of section .prec.constants
  std::string_view gpuImages;  ///< bytes of section .prec.gpu
  const void *query = nullptr; ///< const prec_module_v1 *
  OpenOptions options{};
};

/// Where memory is.
struct Place {
  prec_rt_device_kind kind = PREC_RT_HOST;
  int index = 0; ///< of the GPU

  bool isHost() const { return kind == PREC_RT_HOST; }
  bool operator==(const Place &) const = default;
};

/// "the host", "GPU 1".
std::string formatPlace(const Place &place);

/// What a device is, for reports of measurements.
struct DeviceReport {
  std::string name; ///< "NVIDIA H200"; of a CPU it begins with "CPU "
  /// Of what its times depend on, by name.
  std::map<std::string, std::string> versions{};
  int64_t cacheBytes = 0; ///< of the last cache
  int64_t freeBytes = 0;  ///< of memory
};

/// How fast a GPU runs at a moment, and what power that takes.
struct ClockSample {
  double megahertz = 0, watts = 0;
};

/// Whether ranks give each other what their steps exchange, or, to time the
/// rest, each copies what it gives to where it would get that of the others.
enum class Exchanges { run, copied };

class Device {
public:
  virtual ~Device() = default;

  /// Allocates every segment (zero filled, constants copied in), loads
  /// kernels. Says how many bytes were needed when memory does not suffice.
  virtual Status prepare() = 0;

  /// Bytes that libraries' workspaces take beside the segments.
  virtual int64_t libraryBytes() const { return 0; }

  /// Where buffers are.
  virtual Place place() const { return {}; }
  /// On which all work is put, of a GPU.
  virtual void *stream() const { return nullptr; }

  /// Device address of a buffer; host code may only pass it back.
  virtual void *address(int buffer) const = 0;

  /// Where the state segment is; null before it is allocated.
  virtual void *stateMemory() const = 0;
  /// What modules of that state use in turn.
  virtual std::shared_ptr<Arenas> sharedArenas() const = 0;

  /// Sets a buffer of one element of four bytes, and waits for nothing.
  virtual Status setWord(int buffer, uint32_t word) {
    return upload(buffer, &word, sizeof word);
  }

  /// Blocking copies of `bytes` bytes at byte `offset` of a buffer.
  virtual Status upload(int buffer, const void *source, int64_t bytes,
                        int64_t offset = 0) = 0;
  virtual Status download(int buffer, void *target, int64_t bytes,
                          int64_t offset = 0) = 0;

  /// Of a GPU: whether all bytes are memory of it.
  virtual Status checkMemory(const void *memory, int64_t bytes) const;
  /// The same with memory of the GPU that is no buffer, behind the work that
  /// was started. Copies to and from the host wait; those on the GPU are put on
  /// the stream, where the source must stay as it is until they are done.
  virtual Status copyIn(int buffer, const void *source, int64_t bytes);
  virtual Status copyOut(int buffer, void *target, int64_t bytes);
  virtual Status readMemory(void *host, const void *memory, int64_t bytes);
  virtual Status writeMemory(void *memory, const void *host, int64_t bytes);

  /// Fills a f32 buffer with normal deviates, reproducible from `seed`
  /// (counter-based: the same values on every device): each element with that
  /// of its place in the whole tensor, of which the buffer is `slice`.
  virtual Status fillNormal(int buffer, const Slice &slice, float mean,
                            float stddev, uint64_t seed) = 0;

  /// Runs all commands of an entry point. May return before they end;
  /// download and synchronize wait.
  virtual Status run(const std::string &entryPoint) = 0;

  /// Runs one command alone (profiling, comparison) and waits for it.
  virtual Status runCommand(const Command &command) = 0;

  virtual Status synchronize() = 0;

  /// Who computes a command of a prepared device; nothing where there is no
  /// choice.
  virtual Result<std::optional<Engine>> engineOf(const Command &) {
    return std::optional<Engine>();
  }

  /// Milliseconds of commands that run one right behind the other, each from
  /// the end of the one before; their sum is the time of all. They follow what
  /// was started before, and all take effect.
  virtual Result<std::vector<double>>
  timeCommands(const std::vector<const Command *> &commands) = 0;

  /// Seconds of `count` runs of an entry point, which has run twice before, one
  /// right behind the other. All ranks do so together.
  virtual Result<double> timeRuns(const std::string &entryPoint, int count,
                                  Exchanges exchanges = Exchanges::run) = 0;

  /// Of a prepared device.
  virtual Result<DeviceReport> describe() = 0;
  /// None where nobody says.
  virtual std::optional<ClockSample> sampleClock() { return std::nullopt; }

  /// Bytes read and written a second by the fastest of some copies within
  /// memory, of more than caches hold.
  virtual Result<double> measureCopyRate() = 0;
};

#define PREC_DEVICE(kind, calls, Symbol)                                       \
  Result<std::unique_ptr<Device>> create##Symbol##Device(const ModuleImage &);
#include "prec-rt/devices.def"

/// The device that a module's target names, not yet prepared. Keeps the image.
Result<std::unique_ptr<Device>> createDevice(const ModuleImage &module);

} // namespace prec::rt

#endif // PREC_RT_COMMON_DEVICE_H
