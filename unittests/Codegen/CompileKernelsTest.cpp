//===- CompileKernelsTest.cpp - several kernels at once -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Codegen/Codegen.h"
#include "prec/Codegen/KernelCache.h"

#include "TemporaryFolder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace prec;
namespace fs = llvm::sys::fs;

static const char *const kKernels = R"mlir(
  gpu.module @kernels {
    llvm.mlir.global internal @own() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<32 x f32>
    llvm.func @prec_own(%a: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %0 = llvm.mlir.addressof @own : !llvm.ptr<3>
      %1 = llvm.load volatile %0 : !llvm.ptr<3> -> f32
      llvm.store %1, %a : f32, !llvm.ptr<1>
      llvm.return
    }
    llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
    llvm.mlir.global internal constant @table(dense<[1.0, 2.0]> : tensor<2xf32>) {addr_space = 4 : i32} : !llvm.array<2 x f32>
    llvm.func @helper(%a: i64) -> f32 attributes {no_inline} {
      %0 = llvm.mlir.addressof @table : !llvm.ptr<4>
      %1 = llvm.getelementptr %0[%a] : (!llvm.ptr<4>, i64) -> !llvm.ptr<4>, f32
      %2 = llvm.load %1 : !llvm.ptr<4> -> f32
      llvm.return %2 : f32
    }
    llvm.func @prec_shared(%a: !llvm.ptr<1>, %i: i64) attributes {nvvm.kernel} {
      %0 = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
      %1 = llvm.load volatile %0 : !llvm.ptr<3> -> f32
      %2 = llvm.call @helper(%i) : (i64) -> f32
      %3 = llvm.fadd %1, %2 : f32
      llvm.store %3, %a : f32, !llvm.ptr<1>
      llvm.return
    }
    llvm.func @prec_calls(%a: !llvm.ptr<1>, %i: i64) attributes {nvvm.kernel} {
      %0 = llvm.call @helper(%i) : (i64) -> f32
      llvm.store %0, %a : f32, !llvm.ptr<1>
      llvm.return
    }
  })mlir";

/// The same twice, but for names, and another one.
static const char *const kCpuKernels = R"mlir(
  module @kernels {
    llvm.mlir.global internal constant @first_table(dense<[1.0, 2.0]> : tensor<2xf32>) : !llvm.array<2 x f32>
    llvm.mlir.global internal constant @second_table(dense<[1.0, 2.0]> : tensor<2xf32>) : !llvm.array<2 x f32>
    llvm.func @prec_first(%a: !llvm.ptr, %i: i64) {
      %0 = llvm.mlir.addressof @first_table : !llvm.ptr
      %1 = llvm.getelementptr %0[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %2 = llvm.load %1 : !llvm.ptr -> f32
      llvm.store %2, %a : f32, !llvm.ptr
      llvm.return
    }
    llvm.func @prec_second(%a: !llvm.ptr, %i: i64) {
      %0 = llvm.mlir.addressof @second_table : !llvm.ptr
      %1 = llvm.getelementptr %0[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %2 = llvm.load %1 : !llvm.ptr -> f32
      llvm.store %2, %a : f32, !llvm.ptr
      llvm.return
    }
    llvm.func @prec_third(%a: !llvm.ptr, %i: i64) {
      llvm.return
    }
  })mlir";

/// Small ones with nothing but memory of their own, the second of which an
/// assembler refuses.
static const char *const kSmallKernels = R"mlir(
  gpu.module @kernels {
    llvm.mlir.global internal @prec_a_own() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<32 x f32>
    llvm.func @prec_a(%a: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %0 = llvm.mlir.addressof @prec_a_own : !llvm.ptr<3>
      %1 = llvm.load volatile %0 : !llvm.ptr<3> -> f32
      llvm.store %1, %a : f32, !llvm.ptr<1>
      llvm.return
    }
    llvm.func @prec_b(%a: !llvm.ptr<1>) attributes {nvvm.kernel} {
      llvm.return
    }
    llvm.mlir.global external @prec_c_dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
    llvm.func @prec_c(%a: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %0 = llvm.mlir.addressof @prec_c_dynamic : !llvm.ptr<3>
      %1 = llvm.load volatile %0 : !llvm.ptr<3> -> f32
      llvm.store %1, %a : f32, !llvm.ptr<1>
      llvm.return
    }
    llvm.func @prec_d(%a: !llvm.ptr<1>, %b: i32) attributes {nvvm.kernel} {
      llvm.store %b, %a : i32, !llvm.ptr<1>
      llvm.return
    }
  })mlir";

/// An assembler that says its version and copies its inputs.
static const char *const kPtxas = R"sh(#!/bin/sh
if [ "$1" = --version ]; then echo VERSION; exit; fi
while [ $# -gt 0 ]; do
  case $1 in *.ptx) in="$in $1" ;; -o) out=$2 ;; esac
  shift
done
for ptx in $in; do
  sed -n "s/.*\\.entry \\(prec_[a-z]*\\).*/ptxas info    : Compiling entry function '\\1' for it/p" $ptx
done
cat $in > "$out"
)sh";

namespace {
class CompileKernels : public testing::Test {
protected:
  CompileKernels() {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                    NVVM::NVVMDialect>();
    registerCodegenTranslations(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      messages.push_back(diagnostic.str());
    });
  }

  std::vector<GpuImage> compile(const GpuOptions &options = {},
                                const std::string &text = kKernels) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    FailureOr<std::vector<GpuImage>> images =
        compileGpuImages(*module->getOps<gpu::GPUModuleOp>().begin(), options);
    return succeeded(images) ? *images : std::vector<GpuImage>();
  }

  /// The kernels that were found and those that were not.
  std::pair<int64_t, int64_t> useCache(GpuOptions options,
                                       const std::string &text = kKernels) {
    auto cache = KernelCache::open(folder.file("cache"));
    EXPECT_TRUE(bool(cache));
    options.cache = cache->get();
    std::vector<GpuImage> images = compile(options, text);
    options.cache = nullptr;
    std::vector<GpuImage> fresh = compile(options, text);
    EXPECT_EQ(images.size(), fresh.size());
    for (auto [image, other] : llvm::zip(images, fresh)) {
      EXPECT_EQ(image.symbol, other.symbol);
      EXPECT_EQ(image.ptx, other.ptx);
      EXPECT_EQ(image.cubin, other.cubin);
      EXPECT_EQ(image.log, other.log);
    }
    KernelCache::Counts counts = (*cache)->getCounts();
    return {counts.found, counts.absent + counts.damaged};
  }

  std::string writePtxas(const std::string &version,
                         const std::string &before = "") {
    std::string text = kPtxas, path = folder.file("ptxas-" + version);
    text.insert(text.find("cat"), before);
    text.replace(text.find("VERSION"), 7, version);
    writeText(path, text);
    EXPECT_FALSE(fs::setPermissions(path, fs::all_all));
    return path;
  }

  MLIRContext context;
  std::vector<std::string> messages;
  TemporaryFolder folder;
};

using Pair = std::pair<int64_t, int64_t>;
} // namespace

TEST_F(CompileKernels, CpuKernelsOfOtherNamesAreOneInACache) {
  // One thread, so that the second kernel is looked for when the first is kept.
  context.disableMultithreading();
  auto module = parseSourceString<ModuleOp>(kCpuKernels, &context);
  ASSERT_TRUE(module);
  auto plain = compileCpuObjects(*module);
  auto cache = KernelCache::open(folder.path);
  ASSERT_TRUE(bool(cache));
  CpuOptions options;
  options.cache = cache->get();
  auto cached = compileCpuObjects(*module, options);
  ASSERT_TRUE(succeeded(plain) && succeeded(cached));
  EXPECT_EQ(*plain, *cached);
  KernelCache::Counts counts = (*cache)->getCounts();
  EXPECT_EQ(counts.found, 1);
  EXPECT_EQ(counts.stored, 2);
  StringRef names[] = {"prec_first", "prec_second", "prec_third"};
  for (auto [name, object] : llvm::zip_equal(names, *cached))
    for (StringRef other : names)
      EXPECT_EQ(StringRef(object).contains(other), other == name) << name.str();
  options.cpu = "x86-64-v4";
  ASSERT_TRUE(succeeded(compileCpuObjects(*module, options)));
  EXPECT_EQ((*cache)->getCounts().stored, 4) << "another CPU has other code";
}

TEST_F(CompileKernels, EachHasWhatItNames) {
  std::vector<GpuImage> images = compile();
  ASSERT_EQ(images.size(), 3u);
  const char *const names[] = {"prec_own", "prec_shared", "prec_calls"};
  for (auto [image, name] : llvm::zip(images, names)) {
    EXPECT_EQ(image.symbol, name);
    for (const char *other : names)
      EXPECT_EQ(image.ptx.find(std::string(".entry ") + other) !=
                    std::string::npos,
                StringRef(other) == name);
  }
  auto has = [&](size_t i, const char *text) {
    return images[i].ptx.find(text) != std::string::npos;
  };
  EXPECT_TRUE(has(0, "own[128]"));
  EXPECT_FALSE(has(0, "dynamic") || has(0, "table") || has(0, "helper"));
  EXPECT_TRUE(has(1, ".extern .shared .align 16 .b8 dynamic[]"));
  EXPECT_TRUE(has(1, "table[8]") && has(1, "helper"));
  EXPECT_TRUE(has(2, "table[8]") && has(2, "helper"));
  EXPECT_FALSE(has(2, "dynamic"));
}

TEST_F(CompileKernels, ThreadsChangeNothing) {
  std::vector<GpuImage> images = compile();
  context.disableMultithreading();
  std::vector<GpuImage> others = compile();
  ASSERT_EQ(images.size(), others.size());
  for (auto [image, other] : llvm::zip(images, others)) {
    EXPECT_EQ(image.symbol, other.symbol);
    EXPECT_EQ(image.ptx, other.ptx);
  }
}

TEST_F(CompileKernels, FailAsOne) {
  GpuOptions options;
  options.ptxas = "/bin/false";
  EXPECT_TRUE(compile(options).empty());
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].find("ptxas must assemble kernel 'prec_"), 0u)
      << messages[0];
}

TEST_F(CompileKernels, MustBeLlvmIr) {
  std::string text = kKernels;
  text.insert(text.find("%0 = llvm.call @helper"),
              "%c = arith.constant 3 : i64\n");
  EXPECT_TRUE(compile({}, text).empty());
  ASSERT_FALSE(messages.empty());
  EXPECT_NE(messages.back().find("' must be LLVM IR, but got other code"),
            std::string::npos)
      << messages.back();
}

TEST_F(CompileKernels, AreFoundAgain) {
  GpuOptions options;
  EXPECT_EQ(useCache(options), Pair(0, 3));
  EXPECT_EQ(useCache(options), Pair(3, 0));
  std::string changed = kKernels;
  size_t at = changed.find("%0 = llvm.call @helper");
  changed.insert(at, "%5 = llvm.mlir.constant(3 : i64) : i64\n");
  changed.replace(changed.find("(%i)", at), 4, "(%5)");
  EXPECT_EQ(useCache(options, changed), Pair(2, 1));
  EXPECT_TRUE(messages.empty()) << messages[0];
}

TEST_F(CompileKernels, AreNotThoseOfOtherOptions) {
  GpuOptions options;
  EXPECT_EQ(useCache(options), Pair(0, 3));
  options.ptxas = writePtxas("13.0");
  EXPECT_EQ(useCache(options), Pair(0, 3));
  EXPECT_EQ(useCache(options), Pair(3, 0));
  options.ptxas = writePtxas("13.1");
  EXPECT_EQ(useCache(options), Pair(0, 3));
  options.optLevel = 1;
  EXPECT_EQ(useCache(options), Pair(0, 3));
  options.chip = "sm_90";
  EXPECT_EQ(useCache(options), Pair(0, 3));
  options.features = "+ptx85";
  EXPECT_EQ(useCache(options), Pair(0, 3));
  EXPECT_EQ(useCache(options), Pair(3, 0));
  EXPECT_TRUE(messages.empty()) << messages[0];
}

// Kernels that may share a cubin do, but for one with dynamic memory, which
// would be that of all.
TEST_F(CompileKernels, SmallOnesShareACubin) {
  GpuOptions options;
  options.ptxas = writePtxas("13.0");
  std::vector<GpuImage> images = compile(options, kSmallKernels);
  ASSERT_EQ(images.size(), 4u);
  EXPECT_EQ(images[0].cubin, images[0].ptx + images[1].ptx + images[3].ptx);
  EXPECT_EQ(images[1].cubin, images[0].cubin);
  EXPECT_EQ(images[3].cubin, images[0].cubin);
  EXPECT_EQ(images[2].cubin, images[2].ptx);
  for (const GpuImage &image : images)
    EXPECT_EQ(image.log, "ptxas info    : Compiling entry function '" +
                             image.symbol + "' for it\n");
  EXPECT_EQ(useCache(options, kSmallKernels), Pair(0, 4));
  EXPECT_EQ(useCache(options, kSmallKernels), Pair(4, 0));
  std::string changed = kSmallKernels;
  changed.replace(changed.find("{addr_space = 3 : i32, alignment = 16 : i64} "
                               ": !llvm.array<0"),
                  44, "{addr_space = 3 : i32, alignment = 32 : i64}");
  EXPECT_EQ(useCache(options, changed), Pair(3, 1));
}

TEST_F(CompileKernels, ThatPtxasTakesAloneAreAlone) {
  GpuOptions options;
  options.ptxas = writePtxas("13.2", "case $in in *' '*' '*) exit 1;; esac\n");
  for (const GpuImage &image : compile(options, kSmallKernels))
    EXPECT_EQ(image.cubin, image.ptx);
  EXPECT_EQ(useCache(options, kSmallKernels), Pair(0, 4));
  EXPECT_EQ(useCache(options, kSmallKernels), Pair(4, 0));
  EXPECT_TRUE(messages.empty()) << messages[0];
}

TEST_F(CompileKernels, ThatPtxasRefusesIsNamed) {
  GpuOptions options;
  options.ptxas =
      writePtxas("13.3", "if grep -q prec_b $in; then exit 1; fi\n");
  EXPECT_TRUE(compile(options, kSmallKernels).empty());
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].find("ptxas must assemble kernel 'prec_b', but got"),
            0u)
      << messages[0];
}

TEST_F(CompileKernels, PtxasMustSayItsVersionForTheCache) {
  auto cache = KernelCache::open(folder.file("cache"));
  ASSERT_TRUE(bool(cache));
  GpuOptions options;
  options.cache = cache->get();
  options.ptxas = "/bin/false";
  EXPECT_TRUE(compile(options).empty());
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].find("ptxas must say its version, but got status 1: "),
            0u)
      << messages[0];
}
