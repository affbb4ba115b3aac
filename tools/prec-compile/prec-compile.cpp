//===- prec-compile.cpp - graph to step module ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.h"
#include "Progress.h"
#include "ToolContext.h"
#include "prec/InitAll.h"
#include "prec/Pipelines/Compile.h"
#include "prec/Pipelines/Diagnostics.h"
#include "prec/Targets/RegisterAllTargets.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ThreadPool.h"

int prec_compile_main(int argc, char **argv, const prec::ToolContext &tool) {
  llvm::InitLLVM initialize(argc, argv);
  mlir::FailureOr<prec::CommandLine> line = prec::parseCommandLine(argc, argv);
  if (failed(line))
    return 1;
  prec::CompileOptions &options = line->options;
  options.linker = tool.linker;
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      mlir::openInputFile(line->input, &message);
  if (!buffer) {
    llvm::errs() << "prec-compile: error: " << message << "\n";
    return 1;
  }
  options.graphHash = llvm::toHex(
      llvm::SHA256::hash(llvm::arrayRefFromStringRef(buffer->getBuffer())),
      /*LowerCase=*/true);
  mlir::DialectRegistry registry;
  prec::registerAllDialects(registry);
  if (llvm::Error error = prec::attachAllTargets(registry)) {
    llvm::errs() << "prec-compile: error: " << llvm::toString(std::move(error))
                 << "\n";
    return 1;
  }
  llvm::DefaultThreadPool threads(llvm::hardware_concurrency(line->threads));
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  if (line->threads != 1)
    context.setThreadPool(threads);
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  prec::OneLineDiagnostics diagnostics(&context, llvm::errs());
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  std::optional<prec::Progress> progress;
  if (llvm::errs().is_displayed()) {
    progress.emplace(llvm::errs());
    options.onPhase = [&](llvm::StringRef phase) { progress->begin(phase); };
  }
  return module && succeeded(prec::compileStepModule(*module, options)) ? 0 : 1;
}
