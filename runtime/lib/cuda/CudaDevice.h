//===- CudaDevice.h - step modules on an NVIDIA GPU -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDADEVICE_H
#define PREC_RT_CUDA_CUDADEVICE_H

#include "CudaCommands.h"
#include "CudaEntryPoints.h"
#include "CudaPrimaryContext.h"
#include "CudaTransfers.h"
#include "NormalFill.h"
#include "Nvml.h"

#include <optional>

namespace prec::rt {

class CudaDevice : public Device {
public:
  CudaDevice(const ModuleImage &module, const CudaDriver &driver,
             CudaPrimaryContext context)
      : module(module), manifest(*module.manifest), driver(driver),
        context(std::move(context)) {}
  ~CudaDevice() override;

  Status prepare() override;
  int64_t libraryBytes() const override {
    return commands ? commands->workspaceBytes() : 0;
  }
  Place place() const override { return {PREC_RT_CUDA, context.index}; }
  void *stream() const override { return queue.get(); }
  void *address(int buffer) const override;
  Status checkMemory(const void *memory, int64_t bytes) const override;
  void *stateMemory() const override;
  std::shared_ptr<Arenas> sharedArenas() const override { return arenas; }
  Status setWord(int buffer, uint32_t word) override;
  Status copyIn(int buffer, const void *source, int64_t bytes) override;
  Status copyOut(int buffer, void *target, int64_t bytes) override;
  Status readMemory(void *host, const void *memory, int64_t bytes) override;
  Status writeMemory(void *memory, const void *host, int64_t bytes) override;
  Status upload(int buffer, const void *source, int64_t bytes,
                int64_t offset) override;
  Status download(int buffer, void *target, int64_t bytes,
                  int64_t offset) override;
  Status fillNormal(int buffer, const Slice &slice, float mean, float stddev,
                    uint64_t seed) override;
  Status run(const std::string &entryPoint) override;
  Status runCommand(const Command &command) override;
  Status synchronize() override;
  Result<std::optional<Engine>> engineOf(const Command &command) override;
  Result<std::vector<double>>
  timeCommands(const std::vector<const Command *> &commands) override;
  Result<double> timeRuns(const std::string &entryPoint, int count,
                          Exchanges exchanges) override;
  Result<DeviceReport> describe() override;
  std::optional<ClockSample> sampleClock() override;
  Result<double> measureCopyRate() override;

private:
  Status checkPrepared() const;
  Status connectRanks();
  /// Plans of all commands; ranks take what the first one has chosen.
  Status plan();
  /// Before what exchanges with other ranks is run for the first time or
  /// recorded: no rank has anything else in flight.
  Status meetBefore(const std::string &entryPoint);
  /// Workspaces become those of all modules of the state.
  Status shareWorkspaces();
  CUdeviceptr deviceAddress(int buffer) const;
  Status wait(const std::string &what);

  ModuleImage module;
  const Manifest &manifest;
  CudaDriver driver;
  CudaPrimaryContext context; ///< released last
  /// Entered by the destructor: what follows is destroyed inside the context.
  std::optional<CudaContextScope> teardown;
  CudaStream queue; ///< of all work, the module's own or the caller's
  // Made by `prepare`, in this order; each may refer to those before it.
  /// Of the hosts, and of the GPUs where commands exchange; these end when the
  /// graphs of `entryPoints` are gone.
  std::shared_ptr<Communicator> hosts;
  std::unique_ptr<CudaRanks> ranks;
  std::string saidWay; ///< by which they exchange
  std::optional<CudaKernels> kernels;
  std::unique_ptr<CudaGemms> gemms;
  std::optional<CudaAttention> attention;
  std::optional<CudaConvolutions> convolutions;
  std::optional<CudaCommands> commands;
  std::optional<CudaSegments> segments;
  std::optional<CudaTransfers> transfers;
  NormalFill normal;
  CudaEntryPoints entryPoints;
  std::optional<Nvml> nvml; ///< opened by `describe`, where it is there
  /// Made by `prepare`, where they are no other module's.
  std::shared_ptr<Arenas> arenas;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDADEVICE_H
