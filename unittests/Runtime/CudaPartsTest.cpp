//===- CudaPartsTest.cpp - parts of the CUDA device, each alone -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On stand-ins for the driver and cuBLASLt, without a device.
//
//===----------------------------------------------------------------------===//

#include "CudaEntryPoints.h"
#include "CudaGemms.h"
#include "CudaPrimaryContext.h"
#include "CudaTestModule.h"
#include "CudaTransfers.h"

using namespace prec::rt;
using namespace prec::rt::test;

namespace {

/// A context that is current, and a stream in it.
class CudaParts : public ::testing::Test {
protected:
  void SetUp() override {
    Result<CudaDriver> opened = CudaDriver::open();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    driver = *opened;
    Result<CudaPrimaryContext> retained =
        CudaPrimaryContext::retain(driver, OpenOptions{});
    ASSERT_TRUE(retained.ok()) << retained.status().message();
    context.emplace(std::move(*retained));
    scope.emplace(driver, context->get());
    Result<CudaStream> created = context->openStream(driver, OpenOptions{});
    ASSERT_TRUE(created.ok()) << created.status().message();
    stream = std::move(*created);
  }

  static void check(const Status &status) {
    ASSERT_TRUE(status.ok()) << status.message();
  }

  CudaDriver driver;
  std::optional<CudaPrimaryContext> context;
  std::optional<CudaContextScope> scope;
  CudaStream stream;
};

/// Two products of one shape, and one of another that is no command.
struct Products : Module {
  int a, d;
  Gemm first, second, other;
  Products() {
    a = add(DType::f32, {16, 16}), d = add(DType::f32, {16, 16});
    first = gemm(a, a, d, 16, 16, 16);
    second = gemm(d, a, d, 16, 16, 16);
    other = gemm(a, a, d, 16, 16, 8);
    other.strideA = 128, other.strideB = 128;
  }
};

} // namespace

TEST_F(CudaParts, TheContextIsOfTheGpuThatIsNamed) {
  OpenOptions options;
  options.device = 1;
  Result<CudaPrimaryContext> second =
      CudaPrimaryContext::retain(driver, options);
  ASSERT_TRUE(second.ok()) << second.status().message();
  EXPECT_EQ(context->index, 0);
  EXPECT_EQ(second->index, 1);
  EXPECT_NE(second->get(), context->get());
  // A stream of the first one's context names its GPU, and belongs to it alone.
  OpenOptions ofStream;
  ofStream.stream = stream.get();
  Result<CudaPrimaryContext> found =
      CudaPrimaryContext::retain(driver, ofStream);
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(found->index, 0);
  EXPECT_EQ(second->openStream(driver, ofStream).status().message(),
            "a stream must be of the primary context of GPU 1, but got one of "
            "another");
}

TEST_F(CudaParts, AnEntryPointIsRecordedAtItsSecondRun) {
  CudaEntryPoints entryPoints;
  int starts = 0, records = 0;
  auto run = [&](const std::string &name, Status started) {
    return entryPoints.run(
        driver, stream.get(), name,
        [&] {
          ++starts;
          return started;
        },
        [&] {
          ++records;
          return Status();
        });
  };
  // One that did not run is started again.
  EXPECT_FALSE(run("step", Status::internal("not yet")).ok());
  check(run("step", Status()));
  EXPECT_EQ(starts, 2);
  EXPECT_EQ(records, 0);
  for (int i = 0; i < 3; ++i)
    check(run("step", Status()));
  EXPECT_EQ(starts, 2);
  EXPECT_EQ(records, 1);
  check(run("init", Status()));
  EXPECT_EQ(starts, 3);
  EXPECT_EQ(records, 1);
}

TEST_F(CudaParts, TransfersStayInTheirBuffer) {
  Module module;
  int buffer = module.add(DType::i32, {4});
  Result<CudaSegments> segments =
      CudaSegments::create(driver, stream.get(), module.image(), 0);
  ASSERT_TRUE(segments.ok()) << segments.status().message();
  CudaTransfers transfers(driver, context->get(), stream.get(), module.manifest,
                          *segments, /*ranks=*/nullptr);
  const int32_t values[] = {1, 2, 3, 4};
  check(transfers.upload(buffer, values, 16, 0));
  int32_t back[4] = {};
  check(transfers.download(buffer, back, 8, 8));
  EXPECT_EQ(back[0], 3);
  EXPECT_EQ(back[1], 4);
  EXPECT_EQ(transfers.upload(buffer, values, 16, 4).message(),
            "a copy must lie within buffer 0 of 16 bytes, but got 16 bytes at "
            "4");
  CUdeviceptr begin = segments->address(module.manifest.buffers[0]);
  auto *memory = reinterpret_cast<void *>(begin);
  check(checkGpuMemory(driver, 0, memory, 16));
  check(checkGpuMemory(driver, 0, nullptr, 0));
  EXPECT_EQ(checkGpuMemory(driver, 1, memory, 16).message(),
            "a tensor must be memory of GPU 1, but is not");
  check(transfers.copyIn(buffer, reinterpret_cast<void *>(begin + 8), 8));
  check(transfers.readMemory(back, memory, 16));
  EXPECT_EQ(back[0], 3);
  EXPECT_EQ(back[3], 4);
}

TEST_F(CudaParts, ProductsOfOneShapeShareAPlan) {
  Products module;
  ModuleImage image = module.image();
  Result<std::unique_ptr<CudaGemms>> gemms =
      CudaGemms::open(driver, image, context->info, stream.get());
  ASSERT_TRUE(gemms.ok()) << gemms.status().message();
  EXPECT_EQ((*gemms)
                ->engineOf(module.first)
                .status()
                .message()
                .find("a gemm must be one of the module's, but got "),
            0u);
  check((*gemms)->plan(module.first));
  check((*gemms)->endPlanning());
  Result<Engine> engine = (*gemms)->engineOf(module.second);
  ASSERT_TRUE(engine.ok()) << engine.status().message();
  EXPECT_EQ(engine->name.find("cuBLASLt "), 0u);
  EXPECT_FALSE((*gemms)->engineOf(module.other).ok());
}

TEST_F(CudaParts, AnAlgorithmFileThatCannotBeReadIsNamed) {
  Module module;
  module.options.algorithmFile = module.folder;
  ModuleImage image = module.image();
  Result<std::unique_ptr<CudaGemms>> gemms =
      CudaGemms::open(driver, image, context->info, stream.get());
  ASSERT_FALSE(gemms.ok());
  EXPECT_NE(gemms.status().message().find(module.folder.string()),
            std::string::npos);
}
