//===- prec-opt.cpp - the optimizer driver --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DiffPrecision.h"
#include "Optimize.h"
#include "Options.h"
#include "ToolContext.h"
#include "prec/InitAll.h"
#include "prec/Targets/RegisterAllTargets.h"

#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/InitLLVM.h"

int prec_opt_main(int argc, char **argv, const prec::ToolContext &) {
  llvm::InitLLVM initialize(argc, argv);
  prec::hideOptionsOfLlvm();
  mlir::DialectRegistry registry;
  prec::registerAllDialects(registry);
  if (llvm::Error error = prec::attachAllTargets(registry)) {
    llvm::errs() << "prec-opt: error: " << llvm::toString(std::move(error))
                 << "\n";
    return 1;
  }
  if (prec::DiffPrecisionOptions::isAsked(argc, argv))
    return prec::diffPrecision(argc, argv, registry);
  prec::registerAllPasses();
  prec::registerAllPipelines();
  mlir::registerTransformsPasses();
  // Another form of what other compilers hand over.
  mlir::registerLinalgGeneralizeNamedOpsPass();
  std::string header = mlir::registerCLIOptions(
      "prec: mixed-precision training steps\n", registry);
  prec::PrecOptOptions options;
  options.adoptPasses();
  auto [second, output] = mlir::parseCLIOptions(argc, argv, header);
  if (second != "-") {
    llvm::errs() << "prec-opt: error: one input must be given, but got '"
                 << options.input << "' and '" << second << "'\n";
    return 1;
  }
  return mlir::asMainReturnCode(prec::optimize(output, options, registry));
}
