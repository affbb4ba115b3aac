//===- CudaOptionsTest.cpp - which GPU, stream and memory -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On stand-ins that have two GPUs and count what is done on them.
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"
#include "CudaTestModule.h"
#include "DynamicLibrary.h"
#include "FakeCuda/FakeDriver.h"

#include <fstream>

using namespace prec::rt;
using namespace prec::rt::test;

namespace {

class CudaOptions : public CudaTest {
protected:
  void SetUp() override {
    Result<CudaDriver> opened = CudaDriver::open();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    driver = *opened;
    for (int i : {0, 1}) {
      CUdevice device = 0;
      ASSERT_EQ(driver.cuDeviceGet(&device, i), CUDA_SUCCESS);
      ASSERT_EQ(driver.cuDevicePrimaryCtxRetain(&contexts[i], device),
                CUDA_SUCCESS);
    }
    readCounts = find<decltype(fakeCudaCounts)>("fakeCudaCounts");
    workOf = find<decltype(fakeCudaWorkOf)>("fakeCudaWorkOf");
    allocations = find<decltype(fakeCudaAllocations)>("fakeCudaAllocations");
  }
  void TearDown() override {
    for (int i : {0, 1}) {
      CUdevice device = 0;
      EXPECT_EQ(driver.cuDeviceGet(&device, i), CUDA_SUCCESS);
      EXPECT_EQ(driver.cuDevicePrimaryCtxRelease(device), CUDA_SUCCESS);
    }
  }

  template <typename Function> static Function *find(const char *name) {
    Result<DynamicLibrary> library =
        DynamicLibrary::open("the stand-in", "libcuda.so.1", {});
    EXPECT_TRUE(library.ok());
    Result<void *> address = library->find(name);
    EXPECT_TRUE(address.ok());
    return reinterpret_cast<Function *>(*address);
  }

  FakeCounts counts() const {
    FakeCounts result;
    readCounts(&result);
    return result;
  }

  CudaDriver driver;
  CUcontext contexts[2] = {};
  decltype(fakeCudaCounts) *readCounts = nullptr;
  decltype(fakeCudaWorkOf) *workOf = nullptr;
  decltype(fakeCudaAllocations) *allocations = nullptr;
};

/// A product, a fill and random values: all that a stream gets.
struct StepModule : Module {
  int a, d, kept;
  StepModule() {
    a = add(DType::f32, {16, 16}), d = add(DType::f32, {16, 16});
    kept = add(DType::f32, {64}, Segment::output);
    gemm(a, a, d, 16, 16, 16);
    command(CommandKind::fill).copied.dst = kept;
  }
};

static Slice wholeOf(const StepModule &module) {
  return Slice::all(
      module.manifest.buffers[static_cast<size_t>(module.a)].elements());
}

/// What a caller's allocator is asked for; memory of the stand-in.
struct Memory {
  CudaDriver driver;
  int given = 0, taken = 0;
  int left = 1 << 20; ///< calls that succeed
  size_t shift = 0;   ///< from a multiple of the alignment
  size_t bytes = 0;   ///< that are out

  static void *give(size_t bytes, size_t alignment, void *user) {
    auto *memory = static_cast<Memory *>(user);
    EXPECT_GT(bytes, 0u);
    EXPECT_EQ(alignment, kAllocationAlignment);
    CUdeviceptr address = 0;
    if (memory->left-- == 0)
      return nullptr;
    EXPECT_EQ(memory->driver.cuMemAlloc(&address, bytes + memory->shift),
              CUDA_SUCCESS)
        << "its context is current";
    ++memory->given;
    memory->bytes += bytes;
    return reinterpret_cast<void *>(address + memory->shift);
  }
  static void take(void *given, size_t bytes, void *user) {
    auto *memory = static_cast<Memory *>(user);
    EXPECT_EQ(memory->driver.cuMemFree(reinterpret_cast<CUdeviceptr>(given) -
                                       memory->shift),
              CUDA_SUCCESS);
    ++memory->taken;
    memory->bytes -= bytes;
  }
  Allocator allocator() { return {give, take, this}; }
};

} // namespace

TEST_F(CudaOptions, OpensTheGpuThatIsNamed) {
  for (int index : {PREC_RT_ANY_DEVICE, 0, 1}) {
    StepModule module;
    module.options.device = index;
    std::unique_ptr<Device> device = start(module);
    ASSERT_NE(device, nullptr);
    int expected = std::max(index, 0);
    EXPECT_EQ(device->place(), (Place{PREC_RT_CUDA, expected}));
    EXPECT_GT(allocations(expected), 0);
    EXPECT_EQ(allocations(1 - expected), 0);
  }
  Module module;
  module.options.device = 2;
  Status status = refuse(module);
  EXPECT_EQ(status.message(),
            "a device must be one of 2 GPUs, from 0, but got 2");
  EXPECT_EQ(status.code(), Code::invalidArgument);
}

TEST_F(CudaOptions, OpensTheGpuOfTheCallersContext) {
  StepModule module;
  std::unique_ptr<Device> device;
  {
    CudaContextScope scope(driver, contexts[1]);
    device = start(module);
  }
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(device->place().index, 1);

  auto *show = find<decltype(fakeCudaShow)>("fakeCudaShow");
  show(1);
  CudaContextScope scope(driver, contexts[1]);
  Status status = refuse(module);
  show(2);
  EXPECT_EQ(status.message(), "a context must be of a GPU of this process, but "
                              "got one of another");
  EXPECT_EQ(status.code(), Code::device);
}

TEST_F(CudaOptions, RunsOnTwoGpusAtOnce) {
  StepModule modules[2];
  std::unique_ptr<Device> devices[2];
  for (int i : {0, 1}) {
    modules[i].options.device = i;
    devices[i] = start(modules[i]);
    ASSERT_NE(devices[i], nullptr);
  }
  for (int round = 0; round < 3; ++round)
    for (int i : {1, 0}) {
      check(devices[i]->fillNormal(modules[i].a, wholeOf(modules[i]), 0, 1, 7));
      check(devices[i]->run("step"));
    }
  EXPECT_EQ(downloadFloats(*devices[0], modules[0], modules[0].d),
            downloadFloats(*devices[1], modules[1], modules[1].d));
}

TEST_F(CudaOptions, PutsAllWorkOnTheStreamThatIsGiven) {
  CudaContextScope scope(driver, contexts[1]);
  CUstream stream = nullptr;
  ASSERT_EQ(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
            CUDA_SUCCESS);
  int64_t before = counts().work;
  StepModule module;
  module.options.stream = stream;
  {
    std::unique_ptr<Device> device = start(module);
    ASSERT_NE(device, nullptr);
    EXPECT_EQ(device->place().index, 1) << "that of the stream";
    EXPECT_EQ(device->stream(), stream);
    check(device->fillNormal(module.a, wholeOf(module), 0, 1, 7));
    for (int run = 0; run < 3; ++run) // the last ones as a graph
      check(device->run("step"));
    check(device->runCommand(module.manifest.entryPoints["step"][0]));
    downloadFloats(*device, module, module.d);
  }
  EXPECT_GT(workOf(stream), 0);
  EXPECT_EQ(workOf(stream), counts().work - before);
  EXPECT_EQ(driver.cuStreamDestroy(stream), CUDA_SUCCESS) << "the caller's";
}

TEST_F(CudaOptions, RefusesStreams) {
  Module module;
  for (CUstream stream : {CU_STREAM_LEGACY, CU_STREAM_PER_THREAD}) {
    module.options.stream = stream;
    Status status = refuse(module);
    EXPECT_EQ(status.message(),
              "a stream must be one that was created, as CUDA graphs cannot be "
              "recorded from the default streams, but got one of these");
    EXPECT_EQ(status.code(), Code::invalidArgument);
  }
  CudaContextScope scope(driver, contexts[1]);
  CUstream stream = nullptr;
  ASSERT_EQ(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
            CUDA_SUCCESS);
  module.options.stream = stream;
  module.options.device = 0;
  EXPECT_EQ(refusal(module), "a stream must be of the primary context of GPU "
                             "0, but got one of another");
  EXPECT_EQ(driver.cuStreamDestroy(stream), CUDA_SUCCESS);
}

TEST_F(CudaOptions, RefusesThreads) {
  Module module;
  module.options.threads = 2;
  EXPECT_EQ(refusal(module),
            "a module for a GPU must be opened with 0 threads, "
            "which are of the CPU, but got 2");
}

TEST_F(CudaOptions, TakesAllMemoryFromTheCaller) {
  StepModule module;
  Memory memory{driver};
  module.options.allocator = memory.allocator();
  {
    std::unique_ptr<Device> device = start(module);
    ASSERT_NE(device, nullptr);
    // What is left after measuring: two segments and the workspace.
    EXPECT_EQ(memory.given - memory.taken, 3);
    EXPECT_EQ(allocations(0), 3);
    EXPECT_EQ(downloadFloats(*device, module, module.d),
              std::vector<float>(256, 0));
    check(device->run("step"));
    check(device->run("step"));
    EXPECT_TRUE(device->measureCopyRate().ok());
    EXPECT_EQ(memory.given - memory.taken, 3);
  }
  EXPECT_EQ(memory.given, memory.taken);
  EXPECT_EQ(memory.bytes, 0u);
}

/// Wherever it is that there is no more.
TEST_F(CudaOptions, GivesMemoryBackWhenThereIsNotEnough) {
  int allowed = 0;
  for (bool isOpened = false; !isOpened; ++allowed) {
    StepModule module;
    Memory memory{driver};
    memory.left = allowed;
    module.options.allocator = memory.allocator();
    Result<std::unique_ptr<Device>> device = createCudaDevice(module.image());
    ASSERT_TRUE(device.ok());
    Status prepared = (*device)->prepare();
    isOpened = prepared.ok();
    if (!isOpened) {
      EXPECT_EQ(prepared.code(), Code::outOfMemory);
      EXPECT_NE(prepared.message().find(
                    "device memory, but the caller's allocate gave none"),
                std::string::npos)
          << prepared.message();
      EXPECT_EQ(memory.given, allowed);
    }
    device->reset();
    EXPECT_EQ(memory.given, memory.taken);
    EXPECT_EQ(memory.bytes, 0u);
    ASSERT_LT(allowed, 100);
  }
  EXPECT_GT(allowed, 5) << "segments, workspace, and what is measured on";
}

TEST_F(CudaOptions, RefusesMemoryThatIsNotAligned) {
  Module module;
  module.add(DType::f32, {4});
  Memory memory{driver};
  memory.shift = 64;
  module.options.allocator = memory.allocator();
  Status status = refuse(module);
  EXPECT_EQ(status.message(), "segment state needs memory at a multiple of 256 "
                              "bytes, but the caller's allocate gave another");
  EXPECT_EQ(status.code(), Code::invalidArgument);
  EXPECT_EQ(memory.given, memory.taken);
}

TEST_F(CudaOptions, CopiesOnTheGpu) {
  Module module;
  module.options.device = 1;
  int x = module.add(DType::f32, {64});
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  const int64_t bytes = 64 * sizeof(float);
  CudaContextScope scope(driver, contexts[1]);
  Result<DeviceMemory> tensor = allocate(driver, bytes, "a tensor");
  ASSERT_TRUE(tensor.ok());
  void *memory = reinterpret_cast<void *>(tensor->get());
  std::vector<float> values(64), back(64);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  check(device->checkMemory(memory, bytes));
  check(device->writeMemory(memory, values.data(), bytes));
  int64_t before = counts().hostBytes;
  check(device->copyIn(x, memory, bytes));
  EXPECT_EQ(counts().hostBytes, before) << "no detour";
  EXPECT_EQ(downloadFloats(*device, module, x), values);
  const std::vector<float> zeros(64);
  check(device->upload(x, zeros.data(), bytes));
  before = counts().hostBytes;
  check(device->copyOut(x, memory, bytes));
  EXPECT_EQ(counts().hostBytes, before);
  check(device->readMemory(back.data(), memory, bytes));
  EXPECT_EQ(back, zeros);

  const std::string rule = "a tensor must be memory of GPU 1, but is not";
  EXPECT_EQ(device->checkMemory(values.data(), bytes).message(), rule);
  EXPECT_EQ(device->checkMemory(memory, bytes + 256).message(), rule)
      << "longer than it is";
  CudaContextScope other(driver, contexts[0]);
  Result<DeviceMemory> foreign = allocate(driver, bytes, "a tensor");
  ASSERT_TRUE(foreign.ok());
  EXPECT_EQ(device->checkMemory(reinterpret_cast<void *>(foreign->get()), bytes)
                .message(),
            rule);
  *foreign = DeviceMemory();
}

TEST_F(CudaOptions, TellsTheLogWhatTakesLong) {
  Module module;
  module.images = "\n.visible .entry prec_test_add()";
  module.manifest.images = {
      {"ptx", "sm_90a", 0, int64_t(module.images.size())}};
  int x = module.add(DType::f32, {4}), y = module.add(DType::f32, {4});
  Command &add = module.command(CommandKind::kernel);
  add.kernel.symbol = "prec_test_add";
  add.kernel.args = {x, y};
  add.kernel.grid = add.kernel.block = {1, 1, 1};
  std::vector<std::pair<prec_rt_log_level, std::string>> lines;
  module.options.log = [&](prec_rt_log_level level, const std::string &text) {
    lines.emplace_back(level, text);
  };
  ASSERT_NE(start(module), nullptr);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].first, PREC_RT_LOG_NOTE);
  EXPECT_EQ(lines[0].second, module.path +
                                 " holds no machine code for sm_90; the driver "
                                 "compiles its PTX, which takes a while");
}

TEST_F(CudaOptions, KeepsAlgorithmsWhereItIsTold) {
  StepModule module;
  auto exists = [](const std::string &path) {
    return std::ifstream(path).is_open();
  };
  const std::string beside = module.path + ".algorithms.json",
                    elsewhere = module.folder / "elsewhere.json";
  module.options.algorithmFile = elsewhere;
  ASSERT_NE(start(module), nullptr);
  EXPECT_TRUE(exists(elsewhere) && !exists(beside));
  module.options.algorithmFile.clear();
  ModuleImage image = module.image();
  image.isFile = false;
  Result<std::unique_ptr<Device>> device = createCudaDevice(image);
  ASSERT_TRUE(device.ok());
  check((*device)->prepare());
  EXPECT_FALSE(exists(beside)) << "it is in memory";
  device->reset();
  ASSERT_NE(start(module), nullptr);
  EXPECT_TRUE(exists(beside));
}

TEST_F(CudaOptions, UsesTheStateOfAnother) {
  StepModule module;
  std::unique_ptr<Device> first = start(module);
  ASSERT_NE(first, nullptr);
  int64_t alone = allocations(0);
  StepModule same;
  same.options.stateMemory = first->stateMemory();
  std::unique_ptr<Device> second = start(same);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->stateMemory(), first->stateMemory());
  EXPECT_EQ(second->address(same.a), first->address(module.a));
  EXPECT_NE(second->address(same.kept), first->address(module.kept));
  EXPECT_EQ(allocations(0), 2 * alone - 1) << "all but one segment";
  uploadRandom(*first, module, module.a, 1);
  EXPECT_EQ(downloadBytes(*second, same, same.a),
            downloadBytes(*first, module, module.a));
  second.reset();
  EXPECT_EQ(allocations(0), alone);
}

TEST_F(CudaOptions, SharesWorkspacesWithOthersOfItsState) {
  struct Working : StepModule {
    int used;
    explicit Working(int64_t elements) {
      used = add(DType::f32, {elements}, Segment::workspace);
      command(CommandKind::fill).copied.dst = used;
    }
  };
  Working module(64), larger(1 << 16), smaller(16);
  int64_t before = allocations(0);
  std::unique_ptr<Device> first = start(module);
  ASSERT_NE(first, nullptr);
  for (int i = 0; i < 3; ++i)
    check(first->run("step"));
  int64_t alone = allocations(0);
  auto join = [&](Working &other) {
    other.options.stateMemory = first->stateMemory();
    other.options.arenas = first->sharedArenas();
    return start(other);
  };
  std::unique_ptr<Device> second = join(larger), third = join(smaller);
  ASSERT_NE(second, nullptr);
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(first->address(module.used), second->address(larger.used));
  EXPECT_EQ(first->address(module.used), third->address(smaller.used));
  // A segment of outputs each.
  EXPECT_EQ(allocations(0), alone + 2);
  for (int i = 0; i < 3; ++i)
    for (Device *device : {first.get(), second.get(), third.get()})
      check(device->run("step"));
  second.reset();
  check(third->run("step"));
  third.reset();
  check(first->run("step"));
  EXPECT_EQ(allocations(0), alone);
  first.reset();
  EXPECT_EQ(allocations(0), before);
}

TEST_F(CudaOptions, SetsNumbersWithoutTheHostsMemory) {
  StepModule module;
  int number = module.add(DType::f32, {}, Segment::input);
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  int64_t before = counts().hostBytes;
  check(device->setWord(number, 0x3fc00000));
  EXPECT_EQ(counts().hostBytes, before);
  float value = 0;
  check(device->download(number, &value, sizeof value));
  EXPECT_EQ(value, 1.5f);
}
