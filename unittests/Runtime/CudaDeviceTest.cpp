//===- CudaDeviceTest.cpp - memory, kernels and graphs on the GPU ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaTestModule.h"

#include <cmath>
#include <fstream>
#include <iterator>

using namespace prec::rt;
using namespace prec::rt::test;

using CudaDeviceTest = CudaTest;

static std::string readFile(const std::string &path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(CudaDeviceTest, MemoryStartsAsZerosAndConstants) {
  Module module;
  int state = module.add(DType::f32, {1000});
  int work = module.add(DType::bf16, {77}, Segment::workspace);
  int constant = module.add(DType::i32, {3}, Segment::constants);
  const int32_t values[] = {7, -8, 9};
  module.constants.assign(reinterpret_cast<const char *>(values),
                          sizeof(values));
  // A section may be padded, and must not be short.
  module.constants.resize(256 + 64);
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  for (int buffer : {state, work})
    for (unsigned char byte : downloadBytes(*device, module, buffer))
      ASSERT_EQ(byte, 0);
  int32_t back[3] = {};
  check(device->download(constant, back, sizeof(back)));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(back[i], values[i]);

  module.constants.resize(8);
  EXPECT_NE(refusal(module).find(".prec.constants must have"),
            std::string::npos);
}

TEST_F(CudaDeviceTest, CopiesStayInTheirBuffer) {
  Module module;
  int first = module.add(DType::i32, {4});
  int second = module.add(DType::i32, {4});
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  const int32_t values[] = {1, 2, 3, 4};
  check(device->upload(first, values, 16));
  check(device->upload(second, values, 8, 8));
  int32_t back[4] = {};
  check(device->download(second, back, 16));
  EXPECT_EQ(back[0], 0);
  EXPECT_EQ(back[2], 1);
  EXPECT_EQ(back[3], 2);
  check(device->download(first, back, 4, 12));
  EXPECT_EQ(back[0], 4);
  for (auto [bytes, offset] :
       {std::pair{17, 0}, {16, 4}, {4, 16}, {-1, 0}, {4, -4}}) {
    EXPECT_FALSE(device->upload(first, values, bytes, offset).ok());
    EXPECT_FALSE(device->download(first, back, bytes, offset).ok());
  }
}

TEST_F(CudaDeviceTest, UnpreparedIsAnError) {
  Module module;
  int buffer = module.add(DType::f32, {4});
  module.manifest.entryPoints["step"] = {};
  Result<std::unique_ptr<Device>> device = createCudaDevice(module.image());
  ASSERT_TRUE(device.ok());
  float value = 0;
  EXPECT_FALSE((*device)->run("step").ok());
  EXPECT_FALSE((*device)->upload(buffer, &value, 4).ok());
  EXPECT_FALSE((*device)->download(buffer, &value, 4).ok());
  EXPECT_FALSE((*device)->fillNormal(buffer, Slice::all(4), 0, 1, 0).ok());
  EXPECT_FALSE((*device)->synchronize().ok());
  EXPECT_FALSE((*device)->timeCommands({}).ok());
  EXPECT_FALSE((*device)->measureCopyRate().ok());
  check((*device)->prepare());
  EXPECT_FALSE((*device)->prepare().ok());
  check((*device)->run("step"));
  EXPECT_FALSE((*device)->run("other").ok());
}

TEST_F(CudaDeviceTest, WrongChipIsNamed) {
  Module module;
  module.manifest.target.chip = "sm_12a";
  EXPECT_EQ(refusal(module).find("module is for sm_12a, but got sm_"), 0u);
}

TEST_F(CudaDeviceTest, OutOfMemorySaysWhatWasNeeded) {
  Module module;
  module.add(DType::f32, {1024});
  module.manifest.segmentSize[static_cast<size_t>(Segment::workspace)] =
      int64_t(1) << 50;
  std::string message = refusal(module);
  EXPECT_NE(message.find(std::to_string((int64_t(1) << 50) + 4096) + " bytes"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("bytes free"), std::string::npos) << message;
}

TEST_F(CudaDeviceTest, NormalDeviatesAreTheHostsBitForBit) {
  Module module;
  constexpr int64_t count = 1'000'003;
  int before = module.add(DType::f32, {64});
  int filled = module.add(DType::f32, {count});
  int after = module.add(DType::f32, {64});
  int narrow = module.add(DType::bf16, {64});
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  for (uint64_t seed : {uint64_t(0), uint64_t(0xfeedfacecafebeef)}) {
    check(device->fillNormal(filled, Slice::all(count), 0.25f, 0.02f, seed));
    std::vector<float> values = downloadFloats(*device, module, filled);
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(bitsOf(values[i]), bitsOf(normalDeviate(seed, i, 0.25f, 0.02f)))
          << i;
  }
  for (int neighbor : {before, after})
    for (unsigned char byte : downloadBytes(*device, module, neighbor))
      ASSERT_EQ(byte, 0);
  EXPECT_FALSE(device->fillNormal(narrow, Slice::all(64), 0, 1, 0).ok());
}

TEST_F(CudaDeviceTest, NormalDeviatesOfASliceAreThoseOfTheTensor) {
  // Of 1000 runs of 96 + 32 elements, the second halves of both pieces.
  Module module;
  int filled = module.add(DType::f32, {1000, 64});
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  Slice slice{1000, 64, 128, {{48, 48}, {16, 112}}};
  check(device->fillNormal(filled, slice, 0.25f, 0.02f, 7));
  std::vector<float> values = downloadFloats(*device, module, filled);
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(
        bitsOf(values[i]),
        bitsOf(normalDeviate(7, i / 64 * 128 + i % 64 + (i % 64 < 48 ? 48 : 64),
                             0.25f, 0.02f)))
        << i;
}

TEST_F(CudaDeviceTest, CopyAndFill) {
  Module module;
  int source = module.add(DType::f32, {300}),
      target = module.add(DType::i8, {1200});
  int cleared = module.add(DType::f32, {5}), kept = module.add(DType::f32, {5});
  Command &copy = module.command(CommandKind::copy);
  copy.copied.src = source, copy.copied.dst = target;
  module.command(CommandKind::fill).copied.dst = cleared;
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  for (int buffer : {source, cleared, kept})
    uploadRandom(*device, module, buffer, 5);
  std::vector<unsigned char> untouched = downloadBytes(*device, module, kept);
  check(device->run("step"));
  check(device->synchronize());
  EXPECT_EQ(downloadBytes(*device, module, target),
            downloadBytes(*device, module, source));
  EXPECT_EQ(downloadBytes(*device, module, cleared),
            std::vector<unsigned char>(20, 0));
  EXPECT_EQ(downloadBytes(*device, module, kept), untouched);
}

namespace {
/// d = 0.5 d + a b, with two readers of the result: order matters.
struct Recurrence : Module {
  int a, b, d, seen;
  Recurrence() {
    a = add(DType::bf16, {64, 64}), b = add(DType::bf16, {64, 64});
    d = add(DType::f32, {64, 64}), seen = add(DType::f32, {64, 64});
    Gemm &step = gemm(a, b, d, 64, 64, 64);
    step.c = d;
    step.beta = 0.5;
    Command &copy = command(CommandKind::copy);
    copy.copied.src = d, copy.copied.dst = seen;
  }
};
} // namespace

TEST_F(CudaDeviceTest, ReplaysAreStepsBitForBit) {
  Recurrence module;
  std::vector<std::vector<unsigned char>> results;
  for (bool single : {false, true, false}) {
    std::unique_ptr<Device> device = start(module);
    ASSERT_NE(device, nullptr);
    uploadRandom(*device, module, module.a, 1);
    uploadRandom(*device, module, module.b, 2);
    std::vector<unsigned char> previous;
    for (int step = 0; step < 5; ++step) {
      if (single) {
        for (const Command &command : module.manifest.entryPoints["step"])
          check(device->runCommand(command));
      } else {
        check(device->run("step"));
      }
      std::vector<unsigned char> now =
          downloadBytes(*device, module, module.seen);
      EXPECT_NE(now, previous) << "step " << step << " changed nothing";
      previous = now;
      // New inputs reach a recorded graph.
      uploadRandom(*device, module, module.a, 10 + static_cast<uint64_t>(step));
    }
    results.push_back(previous);
  }
  EXPECT_EQ(results[0], results[1]) << "graph and single commands differ";
  EXPECT_EQ(results[0], results[2]) << "two runs differ";
}

TEST_F(CudaDeviceTest, PartsOfAStepShareItsState) {
  // accumulate: sum += a b; apply: weight = sum, sum = 0.
  Module module;
  int a = module.add(DType::bf16, {64, 64}),
      b = module.add(DType::bf16, {64, 64});
  int sum = module.add(DType::f32, {64, 64}),
      weight = module.add(DType::f32, {64, 64});
  Gemm &product = module.gemm(a, b, sum, 64, 64, 64, "accumulate");
  product.c = sum;
  product.beta = 1;
  Command &update = module.command(CommandKind::copy, "apply");
  update.copied.src = sum, update.copied.dst = weight;
  module.command(CommandKind::fill, "apply").copied.dst = sum;
  std::vector<std::vector<unsigned char>> weights[2];
  for (bool single : {false, true}) {
    std::unique_ptr<Device> device = start(module);
    ASSERT_NE(device, nullptr);
    uploadRandom(*device, module, b, 2);
    auto run = [&](const char *entryPoint) {
      if (!single)
        return check(device->run(entryPoint));
      for (const Command &command : module.manifest.entryPoints[entryPoint])
        check(device->runCommand(command));
    };
    uint64_t seed = 10;
    for (int microBatches : {1, 2, 3}) {
      for (int i = 0; i < microBatches; ++i) {
        uploadRandom(*device, module, a, seed++);
        run("accumulate");
      }
      std::vector<unsigned char> summed = downloadBytes(*device, module, sum);
      run("apply");
      weights[single].push_back(downloadBytes(*device, module, weight));
      EXPECT_EQ(weights[single].back(), summed);
    }
  }
  EXPECT_EQ(weights[0], weights[1]) << "graphs and single commands differ";
}

TEST_F(CudaDeviceTest, AlgorithmFileIsADeclaredInput) {
  Recurrence module;
  std::string path = module.path + ".algorithms.json";
  // Rivals meet in the first run.
  auto startAndRun = [&](const std::string &entryPoint) {
    std::unique_ptr<Device> device = start(module);
    ASSERT_NE(device, nullptr);
    check(device->run(entryPoint));
  };
  startAndRun("step");
  std::string written = readFile(path);
  EXPECT_NE(written.find("m=64 n=64 k=64 batch=1 a=bf16 b=bf16 d=f32"),
            std::string::npos)
      << written;
  startAndRun("step");
  EXPECT_EQ(readFile(path), written) << "a known gemm was measured again";

  // Another gemm is added; what was chosen before stays.
  module.gemm(module.a, module.b, module.d, 64, 64, 32, "eval");
  startAndRun("eval");
  EXPECT_GT(readFile(path).size(), written.size());

  std::ofstream(path) << written.substr(0, written.size() / 2);
  EXPECT_NE(refusal(module).find(path), std::string::npos);
  // An algorithm that this cuBLASLt does not have.
  std::string foreign = written;
  size_t word = foreign.find("\"algorithm\": [");
  word = foreign.find("\n", word);
  word = foreign.find("\"", word) + 1;
  foreign.replace(word, 16, "00000000deadbeef");
  std::ofstream(path) << foreign;
  std::string message = refusal(module);
  EXPECT_NE(message.find(path), std::string::npos) << message;
  EXPECT_EQ(readFile(path), foreign);
}

TEST_F(CudaDeviceTest, TimesACommand) {
  Recurrence module;
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  const Command &command = module.manifest.entryPoints["step"][0];
  Result<std::vector<double>> milliseconds =
      device->timeCommands({&command, &command, &command});
  ASSERT_TRUE(milliseconds.ok()) << milliseconds.status().message();
  ASSERT_EQ(milliseconds->size(), 3u);
  for (double time : *milliseconds) {
    EXPECT_GT(time, 0);
    EXPECT_LT(time, 1000);
  }
}

TEST_F(CudaDeviceTest, MeasuresCopies) {
  Module module;
  module.add(DType::f32, {4});
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  Result<double> rate = device->measureCopyRate();
  ASSERT_TRUE(rate.ok()) << rate.status().message();
  EXPECT_GT(*rate, 1e9);
}

TEST_F(CudaDeviceTest, CommandsOfAnotherModuleAreRefused) {
  Recurrence module;
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  Command other = module.manifest.entryPoints["step"][0];
  other.gemm.k = 32;
  Status status = device->runCommand(other);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("command 'step1'"), std::string::npos)
      << status.message();
}

/// y[i] += 2 x[i] over a [32, 2] grid of 64 threads and one i32 of shared
/// memory a thread, which it writes and reads to be sure that it has it.
static const char *const testPtx = R"(
.version 7.8
.target sm_80
.address_size 64
.extern .shared .align 4 .b8 pool[];
.visible .entry prec_test_add(.param .u64 p_x, .param .u64 p_y)
{
  .reg .b32 %r<8>;
  .reg .b64 %d<8>;
  .reg .f32 %f<4>;
  mov.u32 %r1, %ctaid.y;
  mov.u32 %r2, %nctaid.x;
  mov.u32 %r3, %ctaid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mov.u32 %r5, %ntid.x;
  mov.u32 %r6, %tid.x;
  mad.lo.u32 %r4, %r4, %r5, %r6;
  shl.b32 %r7, %r6, 2;
  mov.u32 %r1, pool;
  add.u32 %r1, %r1, %r7;
  st.volatile.shared.u32 [%r1], %r4;
  ld.volatile.shared.u32 %r4, [%r1];
  mul.wide.u32 %d1, %r4, 4;
  ld.param.u64 %d2, [p_x];
  ld.param.u64 %d3, [p_y];
  cvta.to.global.u64 %d2, %d2;
  cvta.to.global.u64 %d3, %d3;
  add.u64 %d2, %d2, %d1;
  add.u64 %d3, %d3, %d1;
  ld.global.f32 %f1, [%d2];
  ld.global.f32 %f2, [%d3];
  fma.rn.f32 %f2, %f1, 0f40000000, %f2;
  st.global.f32 [%d3], %f2;
  ret;
}
)";

namespace {
struct KernelModule : Module {
  int x, y;
  explicit KernelModule(const std::string &ptx = testPtx,
                        int64_t shared = 256) {
    x = add(DType::f32, {4096}), y = add(DType::f32, {4096});
    Kernel &kernel = command(CommandKind::kernel).kernel;
    kernel.args = {x, y};
    kernel.symbol = "prec_test_add";
    kernel.grid = {32, 2, 1};
    kernel.block = {64, 1, 1};
    kernel.shared = shared;
    images = "padding" + ptx + "behind";
    manifest.images = {{"ptx", "sm_90a", 7, static_cast<int64_t>(ptx.size())}};
  }
};
} // namespace

/// The same with 16 KiB of shared memory of its own.
static std::string withStaticMemory() {
  std::string ptx = testPtx;
  ptx.insert(ptx.find(".visible"), ".shared .align 4 .b8 own[16384];\n");
  // Only what is used is kept.
  ptx.insert(ptx.find("  ld.volatile.shared"),
             "  mov.u32 %r5, own;\n  st.volatile.shared.u32 [%r5], %r4;\n");
  return ptx;
}

TEST_F(CudaDeviceTest, LaunchesKernels) {
  // More than 48 KiB of shared memory has to be asked for, with what is static.
  const std::pair<std::string, int64_t> kernels[] = {
      {testPtx, 256}, {testPtx, 100 * 1024}, {withStaticMemory(), 40 * 1024}};
  for (const auto &[ptx, shared] : kernels) {
    KernelModule module(ptx, shared);
    std::unique_ptr<Device> device = start(module);
    ASSERT_NE(device, nullptr);
    std::vector<float> x = uploadRandom(*device, module, module.x, 1);
    std::vector<float> y = uploadRandom(*device, module, module.y, 2);
    for (int step = 1; step <= 3; ++step)
      check(device->run("step"));
    std::vector<float> result = downloadFloats(*device, module, module.y);
    for (size_t i = 0; i < x.size(); ++i) {
      float expected = y[i];
      for (int step = 1; step <= 3; ++step)
        expected = std::fma(x[i], 2.0f, expected);
      ASSERT_EQ(result[i], expected) << i;
    }
  }
}

TEST_F(CudaDeviceTest, EachKernelHasAnImage) {
  std::string other = testPtx;
  const std::string name = "prec_test_add";
  other.replace(other.find(name), name.size(), "prec_test_other");
  KernelModule module;
  module.images = testPtx + other;
  int64_t first = std::string_view(testPtx).size(), second = other.size();
  module.manifest.images = {
      {"ptx", "sm_90a", 0, first, "prec_test_add"},
      {"ptx", "sm_90a", first, second, "prec_test_other"}};
  std::vector<Command> &commands = module.manifest.entryPoints["step"];
  commands.push_back(commands[0]);
  commands[1].kernel.symbol = "prec_test_other";
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  std::vector<float> x = uploadRandom(*device, module, module.x, 1);
  std::vector<float> y = uploadRandom(*device, module, module.y, 2);
  check(device->run("step"));
  std::vector<float> result = downloadFloats(*device, module, module.y);
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(result[i], std::fma(x[i], 2.0f, std::fma(x[i], 2.0f, y[i]))) << i;

  KernelModule both;
  both.images = testPtx + other.substr(other.find(".visible"));
  int64_t size = both.images.size();
  both.manifest.images = {{"ptx", "sm_90a", 0, size, "prec_test_add"},
                          {"ptx", "sm_90a", 0, size, "prec_test_other"}};
  both.manifest.entryPoints["step"] = commands;
  device = start(both);
  ASSERT_NE(device, nullptr);
  uploadRandom(*device, both, both.x, 1);
  uploadRandom(*device, both, both.y, 2);
  check(device->run("step"));
  EXPECT_EQ(downloadFloats(*device, both, both.y), result);

  module.manifest.images.pop_back();
  EXPECT_NE(refusal(module).find("or PTX of kernel 'prec_test_other'"),
            std::string::npos);
  module.manifest.images[0].symbol = "prec_test_other";
  commands.erase(commands.begin());
  EXPECT_NE(refusal(module).find("finding kernel 'prec_test_other'"),
            std::string::npos);
}

TEST_F(CudaDeviceTest, BadKernelsAreNamed) {
  KernelModule absent;
  absent.manifest.entryPoints["step"][0].kernel.symbol = "no_such_kernel";
  EXPECT_NE(refusal(absent).find("no_such_kernel"), std::string::npos);

  KernelModule broken(".version 7.8\n.target sm_80\nnonsense\n");
  EXPECT_NE(refusal(broken).find("PTX"), std::string::npos);

  KernelModule none;
  none.manifest.images.clear();
  EXPECT_NE(refusal(none).find("must hold a cubin"), std::string::npos);

  KernelModule cubin("not machine code");
  cubin.manifest.images[0].kind = "cubin";
  EXPECT_NE(refusal(cubin).find("cubin"), std::string::npos);

  KernelModule large(testPtx, int64_t(1) << 30);
  EXPECT_NE(refusal(large).find("shared memory"), std::string::npos);
}
