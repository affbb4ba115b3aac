//===- CudaKernels.cpp - the kernels of a step module ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaKernels.h"

#include <algorithm>
#include <array>
#include <charconv>

using namespace prec::rt;

Status prec::rt::checkChip(const std::string &chip,
                           const CudaDeviceInfo &device) {
  Status wrongDevice =
      Status::deviceError("module is for " + chip + ", but got " +
                          device.chip() + " (" + device.name + ")");
  const std::string prefix = "sm_";
  int number = 0;
  const char *begin = chip.data() + prefix.size(),
             *end = chip.data() + chip.size();
  if (chip.compare(0, prefix.size(), prefix) != 0)
    return wrongDevice;
  auto [rest, error] = std::from_chars(begin, end, number);
  std::string suffix(rest, end);
  if (error != std::errc() || (!suffix.empty() && suffix != "a"))
    return wrongDevice;
  int own = device.major * 10 + device.minor;
  // "a": instructions that no other architecture has, not even a newer one.
  bool runs = suffix == "a" ? own == number : own >= number;
  return runs ? Status() : wrongDevice;
}

/// Loads an image; `data` of PTX ends in a NUL.
static Result<CudaModule> loadImage(const CudaDriver &driver, const void *data,
                                    const std::string &what) {
  std::array<char, 4096> log{};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  CUmodule module = nullptr;
  CUresult result =
      driver.cuModuleLoadDataEx(&module, data, 2, options, values);
  if (result == CUDA_SUCCESS)
    return CudaModule(module, driver.cuModuleUnload);
  Status status = driver.check(result, "loading " + what);
  if (log[0] != '\0')
    return Status::withCode(status.code(),
                            status.message() + ": " + log.data());
  return status;
}

Result<CudaModule> prec::rt::loadPtx(const CudaDriver &driver,
                                     const std::string &ptx,
                                     const std::string &what) {
  return loadImage(driver, ptx.c_str(), what);
}

/// The image of a kernel: machine code, if it is there for the GPU, or PTX.
static const Image *findBest(const Manifest &manifest,
                             const CudaDeviceInfo &device,
                             const std::string &symbol) {
  const Image *ptx = nullptr;
  for (const Image &image : manifest.images) {
    if (image.chip != manifest.target.chip ||
        (!image.symbol.empty() && image.symbol != symbol))
      continue;
    // Machine code of "sm_90" runs on 9.0, that of "sm_90a" too.
    bool ownCode =
        image.chip == device.chip() || image.chip == device.chip() + "a";
    if (image.kind == "cubin" && ownCode)
      return &image;
    if (image.kind == "ptx")
      ptx = &image;
  }
  return ptx;
}

namespace {
/// Loads images, each once.
class ImageLoader {
public:
  ImageLoader(const CudaDriver &driver, const ModuleImage &module,
              const CudaDeviceInfo &device)
      : driver(driver), module(module), device(device) {}

  /// The image that has a kernel.
  Result<CUmodule> load(const std::string &symbol);

  std::vector<CudaModule> images;

private:
  Result<CudaModule> loadBytes(const Image &image);

  const CudaDriver &driver;
  const ModuleImage &module;
  const CudaDeviceInfo &device;
  /// By where the image lies: that of several kernels is one.
  std::map<int64_t, CUmodule> loaded;
  bool saidPtx = false;
};
} // namespace

Result<CudaModule> ImageLoader::loadBytes(const Image &image) {
  const std::string what =
      image.symbol.empty() ? "the kernels" : "kernel '" + image.symbol + "'";
  if (image.kind == "cubin")
    return loadImage(driver, module.gpuImages.data() + image.offset,
                     what + " (cubin for " + image.chip + ") of " +
                         module.path);
  if (!saidPtx)
    module.options.log(PREC_RT_LOG_NOTE,
                       module.path + " holds no machine code for " +
                           device.chip() +
                           "; the driver compiles its PTX, which takes a "
                           "while");
  saidPtx = true;
  std::string text(module.gpuImages.substr(static_cast<size_t>(image.offset),
                                           static_cast<size_t>(image.size)));
  return loadPtx(driver, text, what + " (PTX) of " + module.path);
}

Result<CUmodule> ImageLoader::load(const std::string &symbol) {
  const Image *image = findBest(*module.manifest, device, symbol);
  if (!image)
    return Status::badFile("a module must hold a cubin for " + device.chip() +
                           " or PTX of kernel '" + symbol +
                           "', but got neither: " + module.path);
  auto [it, isNew] = loaded.try_emplace(image->offset);
  if (isNew) {
    Result<CudaModule> bytes = loadBytes(*image);
    if (!bytes.ok())
      return bytes.status();
    it->second = bytes->get();
    images.push_back(std::move(*bytes));
  }
  return it->second;
}

Result<CudaKernels> CudaKernels::load(const CudaDriver &driver,
                                      const ModuleImage &module,
                                      const CudaDeviceInfo &device) {
  CudaKernels kernels;
  // The most dynamic shared memory that any command asks of a kernel.
  std::map<std::string, int64_t> shared;
  auto use = [&](const Kernel &kernel) {
    int64_t &most = shared[kernel.symbol];
    most = std::max(most, kernel.shared);
  };
  for (const auto &[entryPoint, commands] : module.manifest->entryPoints)
    for (const Command &command : commands) {
      if (!command.kernel.symbol.empty())
        use(command.kernel);
      std::for_each(command.sdpa.kernels.begin(), command.sdpa.kernels.end(),
                    use);
    }
  ImageLoader loader(driver, module, device);
  for (const auto &[symbol, bytes] : shared) {
    Result<CUmodule> image = loader.load(symbol);
    if (!image.ok())
      return image.status();
    CUfunction function = nullptr;
    PREC_RT_RETURN_IF_ERROR(driver.check(
        driver.cuModuleGetFunction(&function, *image, symbol.c_str()),
        "finding kernel '" + symbol + "'"));
    // Unasked, a kernel has 48 KB with its static memory, whose size only the
    // image knows.
    if (bytes > 0)
      PREC_RT_RETURN_IF_ERROR(driver.check(
          driver.cuFuncSetAttribute(
              function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
              static_cast<int>(bytes)),
          "giving kernel '" + symbol + "' " + std::to_string(bytes) +
              " bytes of shared memory"));
    kernels.functions[symbol] = function;
  }
  kernels.images = std::move(loader.images);
  return kernels;
}

Status CudaKernels::launch(const CudaDriver &driver, CUstream stream,
                           const Kernel &kernel,
                           std::vector<void *> arguments) const {
  auto it = functions.find(kernel.symbol);
  if (it == functions.end())
    return Status::internal(
        "a command's kernel must be one of the module's, but "
        "got '" +
        kernel.symbol + "'");
  auto size = [](int64_t extent) { return static_cast<unsigned>(extent); };
  CUresult result = driver.cuLaunchKernel(
      it->second, size(kernel.grid[0]), size(kernel.grid[1]),
      size(kernel.grid[2]), size(kernel.block[0]), size(kernel.block[1]),
      size(kernel.block[2]), size(kernel.shared), stream, arguments.data(),
      nullptr);
  if (result == CUDA_SUCCESS)
    return Status();
  auto triple = [](const std::array<int64_t, 3> &extents) {
    return "[" + std::to_string(extents[0]) + "," + std::to_string(extents[1]) +
           "," + std::to_string(extents[2]) + "]";
  };
  return driver.check(result, "launching kernel '" + kernel.symbol +
                                  "', grid " + triple(kernel.grid) +
                                  ", block " + triple(kernel.block) +
                                  ", shared " + std::to_string(kernel.shared));
}
