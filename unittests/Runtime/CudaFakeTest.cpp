//===- CudaFakeTest.cpp - what only the stand-ins can show ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AlgorithmFile.h"
#include "CudaTestModule.h"

#include <cuda.h>

#include <cstring>
#include <fstream>
#include <iterator>

using namespace prec::rt;
using namespace prec::rt::test;

using CudaFake = CudaTest;

/// What the file beside `module` has for its product of n x 16 by 16 x n.
static Algorithm readChosen(const Module &module, int64_t n) {
  Result<AlgorithmFile> file =
      AlgorithmFile::read(module.path + ".algorithms.json");
  EXPECT_TRUE(file.ok()) << file.status().message();
  if (!file.ok())
    return {};
  const std::string size = std::to_string(n);
  const Algorithm *chosen =
      file->find("m=" + size + " n=" + size +
                 " k=16 batch=1 a=f32 b=f32 d=f32 strides=0,0,0 scales=none "
                 "epilogue=none accumulator=full alignment=256 gpu=Fake GPU "
                 "cublasLt=13.0.2");
  EXPECT_NE(chosen, nullptr);
  return chosen ? *chosen : Algorithm();
}

TEST_F(CudaFake, ChoosesTheFastestReproducibleAlgorithm) {
  Module module;
  int a = module.add(DType::f32, {16, 16}),
      d = module.add(DType::f32, {16, 16});
  module.gemm(a, a, d, 16, 16, 16);
  ASSERT_NE(start(module), nullptr);
  Algorithm chosen = readChosen(module, 16);
  EXPECT_EQ(chosen.words[0], 3u);
  EXPECT_DOUBLE_EQ(chosen.milliseconds, 1);
  EXPECT_DOUBLE_EQ(chosen.teraflops, 2.0 * 16 * 16 * 16 / 1e9);
}

TEST_F(CudaFake, MeasuresMoreThanTheHeuristicsFirst) {
  Module module;
  int a = module.add(DType::f32, {16, 56}),
      b = module.add(DType::f32, {16, 56}),
      d = module.add(DType::f32, {56, 56});
  module.gemm(a, b, d, 56, 56, 16).transposeA = true;
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  Result<std::optional<Engine>> engine =
      device->engineOf(module.manifest.entryPoints["step"][0]);
  ASSERT_TRUE(engine.ok() && *engine && (*engine)->algorithm);
  EXPECT_EQ((*engine)->algorithm->id, 100);
  EXPECT_EQ((*engine)->algorithm->milliseconds, 0.25);
  // All 64 but the one that is not reproducible.
  EXPECT_EQ((*engine)->algorithm->candidates, 63);
}

TEST_F(CudaFake, SaysWhoComputesAProduct) {
  Module module;
  int a = module.add(DType::f32, {16, 16}),
      d = module.add(DType::f32, {16, 16});
  module.gemm(a, a, d, 16, 16, 16);
  module.command(CommandKind::fill).copied.dst = d;
  Engine expected{"cuBLASLt 13.0.2",
                  GemmAlgorithm{63, "128x256", "12345", "2x1x1", 1, 1, 1, 3}};
  // Measured, then from the file.
  for (int run = 0; run < 2; ++run) {
    std::unique_ptr<Device> device = start(module);
    ASSERT_NE(device, nullptr);
    const std::vector<Command> &commands = module.manifest.entryPoints["step"];
    Result<std::optional<Engine>> engine = device->engineOf(commands[0]);
    ASSERT_TRUE(engine.ok()) << engine.status().message();
    EXPECT_TRUE(*engine == expected);
    Result<std::optional<Engine>> none = device->engineOf(commands[1]);
    ASSERT_TRUE(none.ok()) << none.status().message();
    EXPECT_FALSE(*none);
  }
}

/// The second of two algorithms takes half the time, but never runs on a GPU
/// that is as fast as it was for the first.
TEST_F(CudaFake, ChoosesTheFastestOnAGpuThatSlowsDown) {
  Module module;
  int a = module.add(DType::f32, {24, 16}),
      b = module.add(DType::f32, {16, 24}),
      d = module.add(DType::f32, {24, 24});
  module.gemm(a, b, d, 24, 24, 16);
  ASSERT_NE(start(module), nullptr);
  EXPECT_EQ(readChosen(module, 24).words[0], 3u);
}

/// Alone the third algorithm is a little faster, in the step the second one.
TEST_F(CudaFake, ChoosesBetweenRivalsInTheStep) {
  Module module;
  int a = module.add(DType::f32, {40, 16}),
      b = module.add(DType::f32, {16, 40}),
      d = module.add(DType::f32, {40, 40}, Segment::workspace);
  module.gemm(a, b, d, 40, 40, 16);
  module.gemm(a, b, d, 40, 40, 16);
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  std::string path = module.path + ".algorithms.json";
  EXPECT_FALSE(std::ifstream(path).is_open()) << "nothing is chosen yet";
  const std::vector<float> ones(640, 1);
  for (int operand : {a, b})
    check(device->upload(operand, ones.data(), 640 * sizeof(float), 0));
  ASSERT_TRUE(device->run("step").ok());
  Algorithm chosen = readChosen(module, 40);
  EXPECT_EQ(chosen.words[0], 2u);
  EXPECT_DOUBLE_EQ(chosen.milliseconds, 0.75);
  std::vector<float> result(1600);
  check(device->download(d, result.data(), 1600 * sizeof(float), 0));
  EXPECT_EQ(result, std::vector<float>(1600, 16));
}

/// A product into the state cannot be repeated: it keeps what was faster alone.
TEST_F(CudaFake, RepeatsNothingThatWritesTheState) {
  Module module;
  int a = module.add(DType::f32, {40, 16}),
      b = module.add(DType::f32, {16, 40}),
      d = module.add(DType::f32, {40, 40}, Segment::state);
  module.gemm(a, b, d, 40, 40, 16);
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  ASSERT_TRUE(device->run("step").ok());
  EXPECT_EQ(readChosen(module, 40).words[0], 3u);
}

TEST_F(CudaFake, TheFileDecides) {
  Module module;
  int a = module.add(DType::f32, {16, 16}),
      d = module.add(DType::f32, {16, 16});
  module.gemm(a, a, d, 16, 16, 16);
  ASSERT_NE(start(module), nullptr);
  std::string path = module.path + ".algorithms.json";
  std::ifstream in(path);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  size_t word = text.find("0000000000000003");
  ASSERT_NE(word, std::string::npos);
  text[word + 15] = '2';
  std::ofstream(path) << text;
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  Result<std::vector<double>> milliseconds =
      device->timeCommands({module.manifest.entryPoints["step"].data()});
  ASSERT_TRUE(milliseconds.ok()) << milliseconds.status().message();
  ASSERT_EQ(milliseconds->size(), 1u);
  EXPECT_DOUBLE_EQ(milliseconds->front(), 2) << "algorithm 2 takes 2 ms";
}

TEST_F(CudaFake, TimesCommandsInTheirOrderAndNoOther) {
  Module module;
  int a = module.add(DType::f32, {16, 16}),
      b = module.add(DType::f32, {32, 16}),
      c = module.add(DType::f32, {16, 32}),
      d = module.add(DType::f32, {16, 16}),
      e = module.add(DType::f32, {32, 32}), kept = module.add(DType::f32, {4});
  module.gemm(a, a, d, 16, 16, 16);
  module.command(CommandKind::fill).copied.dst = kept;
  module.gemm(b, c, e, 32, 32, 16);
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  std::vector<float> values = uploadRandom(*device, module, kept, 1);
  const std::vector<Command> &step = module.manifest.entryPoints["step"];
  auto time = [&](const Command &command) {
    Result<std::vector<double>> alone = device->timeCommands({&command});
    return alone.ok() ? alone->front() : 0;
  };
  Result<std::vector<double>> times =
      device->timeCommands({&step[0], &step[2], &step[0]});
  ASSERT_TRUE(times.ok()) << times.status().message();
  // Of the clock's sums, which events round to f32.
  ASSERT_EQ(times->size(), 3u);
  for (size_t i : {0, 2})
    EXPECT_NEAR((*times)[i], time(step[0]), 1e-6);
  EXPECT_NEAR((*times)[1], time(step[2]), 1e-6);
  EXPECT_GT(time(step[0]), 0);
  EXPECT_EQ(downloadFloats(*device, module, kept), values);
  Result<std::vector<double>> none = device->timeCommands({});
  EXPECT_TRUE(none.ok() && none->empty());
}

/// Memory of 256 MiB, of which two buffers take two fifths each, and a copy in
/// a microsecond.
TEST_F(CudaFake, MeasuresCopiesInFreeMemory) {
  Module module;
  module.add(DType::f32, {1024});
  {
    std::unique_ptr<Device> device = start(module);
    ASSERT_NE(device, nullptr);
    Result<double> rate = device->measureCopyRate();
    ASSERT_TRUE(rate.ok()) << rate.status().message();
    EXPECT_NEAR(*rate, 2e6 * (102 << 20), 1e9);
    // Nothing of it is left.
    EXPECT_TRUE(device->measureCopyRate().ok());
  }
  module.manifest.segmentSize[static_cast<size_t>(Segment::workspace)] = 128
                                                                         << 20;
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  Result<double> rate = device->measureCopyRate();
  ASSERT_FALSE(rate.ok());
  EXPECT_EQ(rate.status().message(),
            "measuring copies needs 167772160 bytes of free device memory, but "
            "got 134213632");
}

/// With one for each column, planned on memory of its own and from the file.
TEST_F(CudaFake, AddsABias) {
  constexpr int64_t m = 24, n = 40, k = 16;
  Module module;
  int a = module.add(DType::f32, {m, k}), b = module.add(DType::f32, {k, n}),
      d = module.add(DType::f32, {m, n}), bias = module.add(DType::f32, {n});
  module.gemm(a, b, d, m, n, k).bias = bias;
  for (bool isPlanned : {false, true}) {
    SCOPED_TRACE(isPlanned);
    std::unique_ptr<Device> device = start(module);
    ASSERT_NE(device, nullptr);
    const std::vector<float> ones(n * k, 1);
    check(device->upload(a, ones.data(), m * k * sizeof(float), 0));
    check(device->upload(b, ones.data(), k * n * sizeof(float), 0));
    std::vector<float> column(n), expected;
    for (int64_t j = 0; j < n; ++j)
      column[static_cast<size_t>(j)] = static_cast<float>(j);
    check(device->upload(bias, column.data(), n * sizeof(float), 0));
    ASSERT_TRUE(device->run("step").ok());
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        expected.push_back(static_cast<float>(k + j));
    std::vector<float> result(m * n);
    check(device->download(d, result.data(), m * n * sizeof(float), 0));
    EXPECT_EQ(result, expected);
  }
}

TEST_F(CudaFake, UnsupportedGemmIsNamed) {
  Module module;
  int a = module.add(DType::f8E4M3FN, {16, 24});
  int b = module.add(DType::f8E4M3FN, {16, 24});
  int d = module.add(DType::bf16, {16, 16});
  module.gemm(a, b, d, 16, 16, 24).transposeB = true;
  std::string message = refusal(module);
  for (const char *part : {"command 'step1'", "[16,24] f8E4M3FN",
                           "[24,16] f8E4M3FN stored transposed", "[16,16] bf16",
                           "cuBLASLt 13.0.2"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

/// No GPU before Blackwell has it. Each operand is 1 but for its inverse
/// scales.
TEST_F(CudaFake, MicroscaledFp8ReadsTiles) {
  constexpr int64_t m = 144, n = 48, k = 160, lines = 32, line = 16;
  constexpr int64_t block = 32, quarters = 4, tileRows = 128;
  Module module;
  const DType e4 = DType::f8E4M3FN;
  int a = module.add(e4, {m, k}), b = module.add(e4, {n, k}),
      d = module.add(DType::f32, {m, n});
  int scaleA = module.add(DType::f8E8M0FNU, {2, 2, lines, line}),
      scaleB = module.add(DType::f8E8M0FNU, {1, 2, lines, line});
  Gemm &gemm = module.gemm(a, b, d, m, n, k);
  gemm.transposeB = true;
  gemm.scaleA = scaleA, gemm.scaleB = scaleB;
  gemm.scalingA = gemm.scalingB = prec::Scaling::Mx1x32;
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  constexpr unsigned char one = 0x38, unitScaleInv = 127;
  const std::vector<unsigned char> ones(m * k, one);
  check(device->upload(a, ones.data(), m * k));
  check(device->upload(b, ones.data(), n * k));
  auto exponentOf = [](int64_t row, int64_t column) {
    return (row * 5 + column * 3) % 8;
  };
  auto uploadTiles = [&](int buffer, int64_t rows) {
    int64_t bytes = (rows + tileRows - 1) / tileRows * 2 * lines * line;
    std::vector<unsigned char> tiles(bytes, 0xff);
    for (int64_t i = 0; i < bytes; ++i) {
      int64_t tile = i / (lines * line), at = i % (lines * line);
      int64_t row =
          tile / 2 * tileRows + at % line / quarters * lines + at / line;
      int64_t column = tile % 2 * quarters + at % quarters;
      if (row < rows && column < k / block)
        tiles[i] =
            static_cast<unsigned char>(unitScaleInv + exponentOf(row, column));
    }
    check(device->upload(buffer, tiles.data(), bytes));
  };
  uploadTiles(scaleA, m);
  uploadTiles(scaleB, n);
  check(device->run("step"));
  std::vector<float> values = downloadFloats(*device, module, d);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t c = 0; c < k / block; ++c)
        sum +=
            static_cast<float>(block << (exponentOf(i, c) + exponentOf(j, c)));
      ASSERT_EQ(values[static_cast<size_t>(i * n + j)], sum) << i << " " << j;
    }
}

TEST_F(CudaFake, ConvolutionsWithoutCudnnNameIt) {
  Module module;
  Conv &conv = module.command(CommandKind::conv).conv;
  conv.direction = "fprop";
  conv.x = module.add(DType::bf16, {1, 8, 8});
  conv.w = module.add(DType::bf16, {8, 1, 8});
  conv.y = module.add(DType::bf16, {1, 8, 8});
  conv.strides = conv.dilations = {1};
  conv.low = conv.high = {0};
  std::string message = refusal(module);
  EXPECT_NE(message.find("cuDNN 9.14.0 or newer, which the module's "
                         "convolution needs,"),
            std::string::npos)
      << message;
}

TEST_F(CudaFake, AttentionWithoutCudnnNamesIt) {
  Module module;
  int q = module.add(DType::bf16, {1, 1, 8, 8});
  int lse = module.add(DType::f32, {1, 1, 8});
  Sdpa &sdpa = module.command(CommandKind::sdpaForward).sdpa;
  sdpa.q = sdpa.k = sdpa.v = sdpa.o = q;
  sdpa.lse = lse;
  sdpa.scale = 1;
  sdpa.causal = true;
  std::string message = refusal(module);
  EXPECT_NE(message.find("cuDNN 9.14.0 or newer"), std::string::npos)
      << message;
}

namespace {
/// Attention's gradients by kernels that write down what they are given.
struct MapsModule : Module {
  int q, lse, dq;
  explicit MapsModule(DType dtype = DType::bf16) {
    images = "\n.visible .entry prec_test_maps()";
    manifest.images = {{"ptx", "sm_90a", 0, int64_t(images.size())}};
    q = add(dtype, {2, 12, 192});
    int o = add(dtype, {2, 4, 12, 16});
    lse = add(DType::f32, {2, 4, 12});
    dq = add(dtype, {2, 4, 12, 16});
    int dk = add(dtype, {2, 4, 12, 16}), dv = add(dtype, {2, 4, 12, 16});
    Sdpa &sdpa = command(CommandKind::sdpaBackward).sdpa;
    sdpa.q = sdpa.k = sdpa.v = q;
    sdpa.o = sdpa.dO = o, sdpa.lse = lse;
    sdpa.dq = dq, sdpa.dk = dk, sdpa.dv = dv;
    sdpa.scale = 1;
    sdpa.causal = true;
    for (const char *name : {"q", "k", "v"})
      sdpa.views[name] = {{2, 4, 12, 16}, {2304, 16, 192, 1}, 0};
    sdpa.views["k"].offset = 64, sdpa.views["v"].offset = 128;
    Kernel kernel;
    kernel.symbol = "prec_test_maps";
    kernel.grid = {4, 1, 1}, kernel.block = {384, 1, 1};
    kernel.shared = 100 << 10;
    sdpa.kernels = {kernel, kernel};
  }
};
} // namespace

TEST_F(CudaFake, GivesAttentionGradientsTheirTensorMaps) {
  MapsModule module;
  std::unique_ptr<Device> device = start(module); // needs no cuDNN
  ASSERT_NE(device, nullptr);
  check(device->run("step"));
  std::vector<unsigned char> bytes = downloadBytes(*device, module, module.dq);
  std::vector<uint64_t> words(bytes.size() / 8);
  std::memcpy(words.data(), bytes.data(), words.size() * 8);
  ASSERT_EQ(words[0], 2u) << "launches";
  auto address = [&](int buffer) {
    return reinterpret_cast<uint64_t>(device->address(buffer));
  };
  const uint64_t extents[] = {16, 12, 4, 2}, strides[] = {384, 32, 4608},
                 ofGrad[] = {32, 384, 1536}, box[] = {64, 64, 1, 1};
  const uint64_t places[] = {
      address(module.q), address(module.q) + 128, address(module.q) + 256,
      address(module.manifest.entryPoints["step"][0].sdpa.dO)};
  for (size_t launch : {0, 1}) {
    const uint64_t *given = words.data() + 1 + launch * (4 * 13 + 6);
    for (size_t i = 0; i < 4; ++i, given += 13) {
      EXPECT_EQ(given[0], uint64_t(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16));
      EXPECT_EQ(given[1], places[i]) << "map " << i;
      EXPECT_TRUE(std::equal(extents, extents + 4, given + 2)) << "map " << i;
      EXPECT_TRUE(std::equal(strides, strides + 3, given + 6) == (i < 3) &&
                  std::equal(ofGrad, ofGrad + 3, given + 6) == (i == 3))
          << "map " << i;
      EXPECT_TRUE(std::equal(box, box + 4, given + 9)) << "map " << i;
    }
    const Sdpa &sdpa = module.manifest.entryPoints["step"][0].sdpa;
    EXPECT_EQ(given[0], address(sdpa.o));
    EXPECT_EQ(given[1], address(sdpa.lse));
    EXPECT_NE(given[2], 0u) << "statistics";
    EXPECT_EQ(given[3], address(sdpa.dq));
    EXPECT_EQ(given[4], address(sdpa.dk));
    EXPECT_EQ(given[5], address(sdpa.dv));
  }
}

TEST_F(CudaFake, SaysWhoComputesAttention) {
  MapsModule module;
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  Command command = module.manifest.entryPoints["step"][0];
  auto nameOf = [&]() -> std::string {
    Result<std::optional<Engine>> engine = device->engineOf(command);
    return engine.ok() && *engine ? (*engine)->name : "";
  };
  EXPECT_EQ(nameOf(), "generated kernels");
  command.sdpa.kernels.clear();
  EXPECT_EQ(nameOf(), "cuDNN deterministic");
  command.sdpa.deterministic = false;
  EXPECT_EQ(nameOf(), "cuDNN fast");
  command.kind = CommandKind::sdpaForward;
  EXPECT_EQ(nameOf(), "cuDNN");
}

TEST_F(CudaFake, NamesAnAttentionKernelThatIsMissing) {
  MapsModule module;
  module.manifest.entryPoints["step"][0].sdpa.kernels[1].symbol = "absent";
  std::string message = refusal(module);
  EXPECT_NE(message.find("finding kernel 'absent'"), std::string::npos)
      << message;
}

TEST_F(CudaFake, ARankAloneCopiesWhatItWouldExchange) {
  for (CommandKind kind :
       {CommandKind::allGather, CommandKind::allToAll, CommandKind::ownSlice}) {
    Module module;
    int a = module.add(DType::f32, {4}), d = module.add(DType::f32, {4});
    int none = module.add(DType::f32, {0}), too = module.add(DType::f32, {0});
    for (auto [from, to] : {std::pair(a, d), std::pair(none, too)}) {
      Command &command = module.command(kind);
      command.collective.a = from, command.collective.d = to;
    }
    std::unique_ptr<Device> device = start(module);
    ASSERT_TRUE(device);
    std::vector<float> given = uploadRandom(*device, module, a, 1);
    check(device->run("step"));
    EXPECT_EQ(downloadFloats(*device, module, d), given);
  }
}

TEST_F(CudaFake, FailingCommandLeavesTheStreamUsable) {
  Module module;
  int x = module.add(DType::f32, {4}), y = module.add(DType::f32, {4});
  Command &copy = module.command(CommandKind::copy);
  copy.copied.src = x, copy.copied.dst = y;
  module.command(CommandKind::fill).copied.dst = x;
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  check(device->run("step"));
  // The second run records: made to fail half way by a buffer that reaches
  // past its segment, which a checked manifest cannot hold.
  int64_t &offset = module.manifest.buffers[static_cast<size_t>(x)].offset;
  offset = int64_t(1) << 40;
  Status status = device->run("step");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("command 'step1'"), std::string::npos)
      << status.message();
  offset = 0;
  uploadRandom(*device, module, x, 1);
  std::vector<unsigned char> before = downloadBytes(*device, module, x);
  check(device->run("step"));
  EXPECT_EQ(downloadBytes(*device, module, y), before);
}
