//===- PrecPlugin.cpp - prec in another compiler's mlir-opt ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin of dialects and passes for programs of the LLVM that prec was built
// with, such as its mlir-opt:
//
//   mlir-opt --load-dialect-plugin=PrecPlugin.so
//   --load-pass-plugin=PrecPlugin.so
//            --pass-pipeline='builtin.module(prec-assign{recipe=bf16})'
//
//===----------------------------------------------------------------------===//
#include "prec/InitAll.h"
#include "prec/Targets/RegisterAllTargets.h"
#include "prec/Version.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

static void registerDialects(mlir::DialectRegistry *registry) {
  prec::registerAllDialects(*registry);
  // Their names differ.
  llvm::cantFail(prec::attachAllTargets(*registry));
}

static void registerPasses() {
  prec::registerAllPasses();
  prec::registerAllPipelines();
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "prec", PREC_VERSION, registerDialects};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "prec", PREC_VERSION, registerPasses};
}
