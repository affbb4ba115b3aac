//===- Optimize.cpp - LLVM's optimizer and code generator -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/MachineCode/Optimize.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

using namespace mlir;

LogicalResult prec::optimizeAndEmit(llvm::Module &module,
                                    llvm::TargetMachine &machine,
                                    unsigned level, llvm::CodeGenFileType type,
                                    std::string &output) {
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple());

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  // Kernels come vectorized.
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::OptimizationLevel optimization =
      level == 0   ? llvm::OptimizationLevel::O0
      : level == 1 ? llvm::OptimizationLevel::O1
      : level == 2 ? llvm::OptimizationLevel::O2
                   : llvm::OptimizationLevel::O3;
  builder.buildPerModuleDefaultPipeline(optimization).run(module, modules);

  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager emit;
  if (machine.addPassesToEmitFile(emit, os, nullptr, type))
    return failure();
  emit.run(module);
  output.append(bytes.data(), bytes.size());
  return success();
}
