//===- CudaDevice.h - step modules on an NVIDIA GPU -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDADEVICE_H
#define PREC_RT_CUDA_CUDADEVICE_H

#include "CudaGraph.h"
#include "CudaKernels.h"
#include "CudaSegments.h"
#include "GemmPlanner.h"
#include "GemmRivals.h"
#include "Sdpa.h"

#include <map>
#include <optional>

namespace prec::rt {

/// The primary context of a GPU, which the CUDA runtime inside cuDNN uses too.
class CudaPrimaryContext {
public:
  /// Of the GPU that the options name, or else that of their stream, of the
  /// calling thread's context, or the first one.
  static Result<CudaPrimaryContext> retain(const CudaDriver &driver,
                                           const OpenOptions &options);
  CudaPrimaryContext() = default;
  CudaPrimaryContext(CudaPrimaryContext &&other) noexcept
      : info(std::move(other.info)), index(other.index), device(other.device),
        context(std::exchange(other.context, nullptr)), release(other.release) {
  }
  CudaPrimaryContext &operator=(CudaPrimaryContext &&) = delete;
  ~CudaPrimaryContext() {
    if (context)
      (void)release(device);
  }
  CUcontext get() const { return context; }

  CudaDeviceInfo info;
  int index = 0; ///< of the GPU, in the driver's order

private:
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUresult (*release)(CUdevice) = nullptr;
};

class CudaDevice : public Device {
public:
  CudaDevice(const ModuleImage &module, const CudaDriver &driver,
             CudaPrimaryContext context)
      : module(module), manifest(*module.manifest), driver(driver),
        context(std::move(context)) {}
  ~CudaDevice() override;

  Status prepare() override;
  int64_t libraryBytes() const override { return libraryWorkspace; }
  Place place() const override { return {PREC_RT_CUDA, context.index}; }
  void *stream() const override { return queue.get(); }
  void *address(int buffer) const override;
  Status checkMemory(const void *memory, int64_t bytes) const override;
  void *stateMemory() const override;
  Status setWord(int buffer, uint32_t word) override;
  Status copyIn(int buffer, const void *source, int64_t bytes) override;
  Status copyOut(int buffer, void *target, int64_t bytes) override;
  Status readMemory(void *host, const void *memory, int64_t bytes) override;
  Status writeMemory(void *memory, const void *host, int64_t bytes) override;
  Status upload(int buffer, const void *source, int64_t bytes,
                int64_t offset) override;
  Status download(int buffer, void *target, int64_t bytes,
                  int64_t offset) override;
  Status fillNormal(int buffer, float mean, float stddev,
                    uint64_t seed) override;
  Status run(const std::string &entryPoint) override;
  Status runCommand(const Command &command) override;
  Status synchronize() override;
  Result<std::optional<Engine>> engineOf(const Command &command) override;
  Result<std::vector<double>>
  timeCommands(const std::vector<const Command *> &commands) override;
  Result<double> measureCopyRate() override;

private:
  struct EntryPoint {
    bool ran = false;
    std::optional<CudaGraph> graph;
  };

  template <CommandKind kind> friend struct CudaRules;

  Status planCommands();
  Status plan(const Command &command);
  Status planGemm(const Command &command);
  Status planSdpa(const Command &command);
  Result<GemmPlan *> findPlan(const Gemm &gemm);
  Result<std::optional<Engine>> engineOfGemm(const Gemm &gemm);
  /// See chooseRivals.
  Status chooseInPlace(const std::vector<Command> &commands);

  Status checkPrepared() const;
  /// Creates a stream, or takes the caller's.
  Status openStream();
  Status checkRange(int buffer, int64_t bytes, int64_t offset) const;
  CUdeviceptr deviceAddress(int buffer) const;
  Status wait(const std::string &what);
  enum class Wait { no, yes };
  /// A copy of so many bytes on the stream, unless there are none: `begin` is
  /// given their number.
  template <typename Copy>
  Status copy(int64_t bytes, const char *what, Wait waits, Copy begin);

  Status launch(const Command &command);
  /// The same; an error names the command.
  Status enqueue(const Command &command);
  Status enqueueAll(const std::vector<Command> &commands);
  Status launchKernel(const Command &command);
  Status launchGemm(const Command &command);
  Status launchSdpa(const Command &command);
  Status launchCopy(const Command &command);
  Status launchFill(const Command &command);

  ModuleImage module;
  const Manifest &manifest;
  CudaDriver driver;
  CudaPrimaryContext context; ///< released last
  /// Entered by the destructor: what follows is destroyed inside the context.
  std::optional<CudaContextScope> teardown;
  CudaStream queue; ///< of all work, the module's own or the caller's
  std::unique_ptr<CublasLt> lt;     ///< if the module has GEMMs
  std::unique_ptr<SdpaEngine> sdpa; ///< if the module has attention
  GemmPlans gemmPlans;
  std::optional<AlgorithmFile> algorithms;
  std::optional<GemmPlanner> planner; ///< while commands are planned
  std::map<std::string, std::shared_ptr<const SdpaPlan>> sdpaPlans;
  int64_t libraryWorkspace = 0;
  std::optional<CudaKernels> kernels;
  std::optional<CudaSegments> segments;
  CudaModule fillModule;
  std::map<std::string, EntryPoint> entryPoints;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDADEVICE_H
