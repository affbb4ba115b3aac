//===- CudaTestModule.h - a module made in memory ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_UNITTESTS_RUNTIME_CUDATESTMODULE_H
#define PREC_UNITTESTS_RUNTIME_CUDATESTMODULE_H

#include "Device.h"
#include "FloatConvert.h"
#include "NormalDeviate.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <unistd.h>

namespace prec::rt::test {

/// Set by main from --cuda-library-path=DIR.
inline std::vector<std::string> libraryPaths;

/// A manifest under construction, with its own folder for the algorithm file.
struct Module {
  Manifest manifest{};
  std::string constants, images, path;
  std::filesystem::path folder;
  OpenOptions options{};

  Module() {
    manifest.abi = 1;
    manifest.target.kind = "cuda";
    manifest.target.chip = "sm_90a";
    std::string pattern =
        std::filesystem::temp_directory_path() / "prec-cuda.XXXXXX";
    folder = mkdtemp(pattern.data());
    path = folder / "step.so";
  }
  ~Module() { std::filesystem::remove_all(folder); }
  Module(const Module &) = delete;

  int add(DType dtype, std::vector<int64_t> shape,
          Segment segment = Segment::state) {
    int64_t &size = manifest.segmentSize[static_cast<size_t>(segment)];
    Buffer buffer{segment, size, dtype, std::move(shape)};
    size += (buffer.bytes() + 255) / 256 * 256;
    manifest.buffers.push_back(buffer);
    return static_cast<int>(manifest.buffers.size()) - 1;
  }

  Command &command(CommandKind kind, const std::string &entryPoint = "step") {
    std::vector<Command> &commands = manifest.entryPoints[entryPoint];
    commands.push_back({});
    commands.back().kind = kind;
    commands.back().name = entryPoint + std::to_string(commands.size());
    return commands.back();
  }

  Gemm &gemm(int a, int b, int d, int64_t m, int64_t n, int64_t k,
             const std::string &entryPoint = "step") {
    Command &product = command(CommandKind::gemm, entryPoint);
    product.reads = {a, b}, product.writes = {d};
    Gemm &gemm = product.gemm = Gemm{};
    gemm.a = a, gemm.b = b, gemm.d = d;
    gemm.m = m, gemm.n = n, gemm.k = k, gemm.batch = 1;
    gemm.strideA = m * k, gemm.strideB = k * n, gemm.strideD = m * n;
    gemm.alpha = 1;
    gemm.accumulator = Accumulator::full;
    return gemm;
  }

  ModuleImage image() const {
    ModuleImage image{};
    image.manifest = &manifest;
    image.path = path;
    image.constants = constants;
    image.gpuImages = images;
    image.options = options;
    image.options.libraryFolders = libraryPaths;
    return image;
  }
};

/// Skips where there is no GPU to test on.
class CudaTest : public ::testing::Test {
protected:
  void SetUp() override {
    Module empty;
    Result<std::unique_ptr<Device>> device = createCudaDevice(empty.image());
    if (!device.ok())
      GTEST_SKIP() << device.status().message();
  }

  /// A prepared device, or null and a failure.
  static std::unique_ptr<Device> start(const Module &module) {
    Result<std::unique_ptr<Device>> device = createCudaDevice(module.image());
    EXPECT_TRUE(device.ok()) << device.status().message();
    if (!device.ok())
      return nullptr;
    Status prepared = (*device)->prepare();
    EXPECT_TRUE(prepared.ok()) << prepared.message();
    return prepared.ok() ? std::move(*device) : nullptr;
  }

  /// Why a module cannot be prepared.
  static Status refuse(const Module &module) {
    Result<std::unique_ptr<Device>> device = createCudaDevice(module.image());
    if (!device.ok())
      return device.status();
    Status prepared = (*device)->prepare();
    EXPECT_FALSE(prepared.ok());
    return prepared;
  }
  static std::string refusal(const Module &module) {
    return refuse(module).message();
  }

  static void check(const Status &status) {
    ASSERT_TRUE(status.ok()) << status.message();
  }
};

/// Random values of a format, as f32; uploads them.
inline std::vector<float> uploadRandom(Device &device, const Module &module,
                                       int buffer, uint64_t seed,
                                       float deviation = 1) {
  const Buffer &target = module.manifest.buffers[static_cast<size_t>(buffer)];
  std::vector<float> values(static_cast<size_t>(target.elements()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = normalDeviate(seed, i, 0, deviation);
  std::vector<unsigned char> bytes(static_cast<size_t>(target.bytes()));
  fromFloat(target.dtype, values.data(), bytes.data(), target.elements());
  toFloat(target.dtype, bytes.data(), values.data(), target.elements());
  Status status = device.upload(buffer, bytes.data(), target.bytes());
  EXPECT_TRUE(status.ok()) << status.message();
  return values;
}

inline std::vector<unsigned char>
downloadBytes(Device &device, const Module &module, int buffer) {
  const Buffer &source = module.manifest.buffers[static_cast<size_t>(buffer)];
  std::vector<unsigned char> bytes(static_cast<size_t>(source.bytes()), 0xa5);
  Status status = device.download(buffer, bytes.data(), source.bytes());
  EXPECT_TRUE(status.ok()) << status.message();
  return bytes;
}

inline std::vector<float> downloadFloats(Device &device, const Module &module,
                                         int buffer) {
  const Buffer &source = module.manifest.buffers[static_cast<size_t>(buffer)];
  std::vector<unsigned char> bytes = downloadBytes(device, module, buffer);
  std::vector<float> values(static_cast<size_t>(source.elements()));
  toFloat(source.dtype, bytes.data(), values.data(), source.elements());
  return values;
}

} // namespace prec::rt::test

#endif // PREC_UNITTESTS_RUNTIME_CUDATESTMODULE_H
