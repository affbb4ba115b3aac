//===- CompileTest.cpp - kernels to machine code --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Codegen/Codegen.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;

namespace {
class Compile : public testing::Test {
protected:
  Compile() {
    DialectRegistry registry;
    registry.insert<gpu::GPUDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
    registerCodegenTranslations(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { message = diagnostic.str(); });
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  FailureOr<GpuImage> compileGpu(const GpuOptions &options) {
    auto module = parse(R"mlir(
      gpu.module @kernels {
        llvm.func @prec_k(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {nvvm.kernel} {
          %0 = llvm.load %a : !llvm.ptr<1> -> f32
          %1 = llvm.fmul %0, %0 : f32
          %2 = llvm.fadd %1, %0 : f32
          %3 = llvm.intr.sqrt(%2) : (f32) -> f32
          %4 = llvm.fdiv %2, %3 : f32
          llvm.store %4, %b : f32, !llvm.ptr<1>
          llvm.return
        }
      })mlir");
    FailureOr<std::vector<GpuImage>> images =
        compileGpuImages(*module->getOps<gpu::GPUModuleOp>().begin(), options);
    if (failed(images))
      return failure();
    EXPECT_EQ(images->size(), 1u);
    return images->front();
  }

  MLIRContext context;
  std::string message;
};

const char *const kCpuKernel = R"mlir(
  module @kernels {
    llvm.func @prec_k(%buffers: !llvm.ptr, %begin: i64, %end: i64) {
      llvm.return
    }
  })mlir";
} // namespace

TEST_F(Compile, CpuObjectIsElf) {
  auto objects = compileCpuObjects(*parse(kCpuKernel));
  ASSERT_TRUE(succeeded(objects)) << message;
  ASSERT_EQ(objects->size(), 1u);
  EXPECT_EQ(objects->front().substr(0, 4), "\177ELF");
  EXPECT_NE(objects->front().find("prec_k"), std::string::npos);
}

TEST_F(Compile, CpuObjectIsReproducible) {
  auto first = compileCpuObjects(*parse(kCpuKernel));
  auto second = compileCpuObjects(*parse(kCpuKernel));
  ASSERT_TRUE(succeeded(first) && succeeded(second)) << message;
  EXPECT_EQ(*first, *second);
}

TEST_F(Compile, CpuNeedsKnownTriple) {
  CpuOptions options;
  options.triple = "abacus-unknown-none";
  EXPECT_TRUE(failed(compileCpuObjects(*parse(kCpuKernel), options)));
  EXPECT_NE(message.find("kernels need a known triple, but got 'abacus"),
            std::string::npos)
      << message;
}

// Every operation says how it rounds, so that nothing downstream may fuse.
TEST_F(Compile, PtxRoundsEveryOperation) {
  auto image = compileGpu({});
  ASSERT_TRUE(succeeded(image)) << message;
  for (const char *text : {".target sm_90a", ".entry prec_k", "mul.rn.f32",
                           "add.rn.f32", "sqrt.rn.f32", "div.rn.f32"})
    EXPECT_NE(image->ptx.find(text), std::string::npos) << text;
  EXPECT_EQ(image->ptx.find("fma"), std::string::npos);
  EXPECT_TRUE(image->cubin.empty());
}

TEST_F(Compile, CubinWherePtxasIs) {
  GpuOptions options;
  options.ptxas = findPtxas();
  if (options.ptxas.empty())
    GTEST_SKIP() << "no ptxas";
  auto image = compileGpu(options);
  ASSERT_TRUE(succeeded(image)) << message;
  EXPECT_EQ(image->cubin.substr(0, 4), "\177ELF");
  EXPECT_NE(image->log.find("registers"), std::string::npos);
}

TEST_F(Compile, FailingPtxasIsAnError) {
  GpuOptions options;
  options.ptxas = "/bin/false";
  EXPECT_TRUE(failed(compileGpu(options)));
  EXPECT_NE(
      message.find("ptxas must assemble kernel 'prec_k', but got status 1"),
      std::string::npos)
      << message;
}

TEST_F(Compile, PtxasThatWritesNothingIsAnError) {
  GpuOptions options;
  options.ptxas = "/bin/true";
  EXPECT_TRUE(failed(compileGpu(options)));
  EXPECT_EQ(message, "ptxas must assemble kernel 'prec_k', but got no cubin");
}

TEST_F(Compile, MissingPtxasIsAnError) {
  GpuOptions options;
  options.ptxas = "/nowhere/ptxas";
  EXPECT_TRUE(failed(compileGpu(options)));
  EXPECT_NE(message.find("ptxas must assemble kernel 'prec_k', but got"),
            std::string::npos)
      << message;
}

// LLVM would end the process.
TEST_F(Compile, OldPtxIsAnError) {
  for (const char *features : {"+ptx60", "+ptx80"}) {
    GpuOptions options;
    options.features = features;
    EXPECT_TRUE(failed(compileGpu(options)));
    EXPECT_NE(
        message.find("kernels of sm_90a need PTX 8.1 or later, but got '"),
        std::string::npos)
        << message;
  }
}

TEST_F(Compile, EachChipHasItsPtx) {
  for (const char *chip :
       {"sm_80", "sm_86", "sm_87", "sm_89", "sm_90a", "sm_100a", "sm_120a"}) {
    GpuOptions options;
    options.chip = chip;
    auto image = compileGpu(options);
    ASSERT_TRUE(succeeded(image)) << message;
    EXPECT_NE(image->ptx.find(".target " + options.chip), std::string::npos);
  }
}

TEST_F(Compile, ChipWithoutBf16IsAnError) {
  for (const char *chip : {"sm_75", "sm_999", "gfx942", "sm_", ""}) {
    GpuOptions options;
    options.chip = chip;
    EXPECT_TRUE(failed(compileGpu(options)));
    EXPECT_NE(message.find("kernels need a chip with bf16"), std::string::npos)
        << message;
  }
}

// LLVM would end the process here, too.
TEST_F(Compile, Fp8ConversionOfAnOlderChipIsAnError) {
  auto module = parse(R"mlir(
    gpu.module @kernels {
      llvm.func @prec_k(%a: f32, %b: !llvm.ptr<1>) attributes {nvvm.kernel} {
        %0 = nvvm.convert.f32x2.to.f8x2 %a, %a {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : i16 (f8E4M3FN)
        llvm.store %0, %b : i16, !llvm.ptr<1>
        llvm.return
      }
    })mlir");
  ASSERT_TRUE(module) << message;
  GpuOptions options;
  options.chip = "sm_86";
  EXPECT_TRUE(failed(
      compileGpuImages(*module->getOps<gpu::GPUModuleOp>().begin(), options)));
  EXPECT_EQ(message, "kernels that convert FP8 need a chip that does (from "
                     "sm_89 on), but got 'sm_86'");
  options.chip = "sm_89";
  EXPECT_TRUE(succeeded(
      compileGpuImages(*module->getOps<gpu::GPUModuleOp>().begin(), options)));
}
