//===- compile-kernels.cpp - kernels of a file of dispatches --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// prec-compile-kernels in.mlir cpu|nvptx PREFIX [MANY]: writes PREFIX.o, or
// PREFIX.ptx and, with a ptxas, PREFIX.cubin (of several kernels
// PREFIX.KERNEL.cubin for each) and PREFIX.log; and PREFIX.txt, one line for
// each dispatch or, of nvptx, grouped product: kernel, extent, grid, block,
// shared memory and, where the kernel takes them, `maps`. MANY is the option
// many-rows of --prec-codegen-nvptx.
//
//===----------------------------------------------------------------------===//
#include "prec/Codegen/Codegen.h"
#include "prec/Dialect/Sched/GroupedKernel.h"
#include "prec/Codegen/Passes.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static LogicalResult write(const std::string &path, StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error) {
    llvm::errs() << path << ": " << error.message() << "\n";
    return failure();
  }
  os << bytes;
  return success();
}

static LogicalResult compile(ModuleOp module, StringRef target,
                             const std::string &prefix,
                             std::optional<int64_t> manyRows) {
  prec::GpuOptions options;
  prec::CodegenNvptxOptions codegen;
  codegen.chip = options.chip;
  codegen.manyRows = manyRows.value_or(codegen.manyRows);
  PassManager pm(module.getContext());
  pm.addPass(target == "cpu" ? prec::createCodegenCpu()
                             : prec::createCodegenNvptx(codegen));
  if (failed(pm.run(module)))
    return failure();
  std::string launches;
  llvm::raw_string_ostream os(launches);
  auto list = [&](ArrayRef<int64_t> values) {
    llvm::interleave(values, os, ",");
    os << ' ';
  };
  auto tell = [&](StringRef kernel, prec::sched::LaunchAttr launch) {
    os << kernel << ' ' << launch.getExtent() << ' ';
    list(launch.getGrid());
    list(launch.getBlock());
    os << launch.getShared();
  };
  module.walk([&](prec::sched::DispatchOp dispatch) {
    tell(*dispatch.getKernel(), *dispatch.getLaunch());
    os << '\n';
  });
  module.walk([&](prec::sched::GroupedGemmOp grouped) {
    auto kernel =
        grouped->getAttrOfType<FlatSymbolRefAttr>(prec::kGroupedKernel);
    if (!kernel)
      return;
    tell(kernel.getValue(),
         grouped->getAttrOfType<prec::sched::LaunchAttr>(prec::kGroupedLaunch));
    os << (grouped->hasAttr(prec::kGroupedReadsMaps) ? " maps\n" : "\n");
  });
  if (failed(write(prefix + ".txt", launches)))
    return failure();
  Operation *kernels =
      SymbolTable::lookupSymbolIn(module, StringRef(prec::kKernelModuleName));
  if (target == "cpu") {
    FailureOr<std::vector<std::string>> objects =
        prec::compileCpuObjects(cast<ModuleOp>(kernels));
    if (failed(objects))
      return failure();
    for (auto [index, object] : llvm::enumerate(*objects))
      if (failed(write(prefix + "." + std::to_string(index) + ".o", object)))
        return failure();
    return success();
  }
  options.ptxas = prec::findPtxas();
  FailureOr<std::vector<prec::GpuImage>> images =
      prec::compileGpuImages(cast<gpu::GPUModuleOp>(kernels), options);
  if (failed(images))
    return failure();
  std::string ptx, log;
  for (const prec::GpuImage &image : *images) {
    ptx += image.ptx, log += image.log;
    // One dispatch is one kernel, whose cubin has the name of the file.
    std::string name =
        images->size() == 1 ? prefix : prefix + "." + image.symbol;
    if (!image.cubin.empty() && failed(write(name + ".cubin", image.cubin)))
      return failure();
  }
  return failure(failed(write(prefix + ".ptx", ptx)) ||
                 (!log.empty() && failed(write(prefix + ".log", log))));
}

int main(int argc, char **argv) {
  int64_t many = 0;
  bool hasMany = argc == 5 && !StringRef(argv[4]).getAsInteger(10, many);
  if (argc != 4 && !hasMany) {
    llvm::errs()
        << "usage: prec-compile-kernels IN.mlir cpu|nvptx PREFIX [MANY]\n";
    return 2;
  }
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                  tensor::TensorDialect, prec::PrecDialect,
                  prec::sched::SchedDialect, prec::train::TrainDialect>();
  prec::registerCodegenTranslations(registry);
  MLIRContext context(registry);
  auto module = parseSourceFile<ModuleOp>(argv[1], &context);
  return !module ||
         failed(compile(*module, argv[2], argv[3],
                        hasMany ? std::optional(many) : std::nullopt));
}
