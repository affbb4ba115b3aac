//===- Optimize.cpp - passes over a file ----------------------------------===//
#include "Optimize.h"

#include "prec/Assign/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::prec;

static LogicalResult fail(const Twine &message) {
  llvm::errs() << "prec-opt: " << message << '\n';
  return failure();
}

LogicalResult prec::optimize(StringRef output, const PrecOptOptions &options,
                             DialectRegistry &registry) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses()) {
    // Both are answered before a file is read.
    return MlirOptMain(llvm::outs(), llvm::MemoryBuffer::getMemBuffer(""),
                       registry, config);
  }
  if (!options.explain.empty())
    config.setPassPipelineSetupFn([given = config, &options](PassManager &pm) {
      if (failed(given.setupPassPipeline(pm)))
        return failure();
      if (requestExplanation(pm, options.explain))
        return success();
      return fail("--explain needs --assign-precision");
    });
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      openInputFile(options.input, &message);
  if (!buffer)
    return fail(message);
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(output, &message);
  if (!file)
    return fail(message);
  if (failed(MlirOptMain(file->os(), std::move(buffer), registry, config)))
    return failure();
  file->keep();
  return success();
}
