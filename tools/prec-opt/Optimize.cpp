//===- Optimize.cpp - passes over a file ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Optimize.h"

#include "prec/Assign/Passes.h"
#include "prec/Import/Passes.h"
#include "prec/Support/Files.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace prec;

static LogicalResult fail(const Twine &message) {
  llvm::errs() << "prec-opt: error: " << message << '\n';
  return failure();
}

/// Paths of the user's modules are names of locations. Where the input states
/// any, a file that is written states them, too, unless they are asked not to.
static void keepLocations(llvm::MemoryBufferRef input, StringRef output) {
  llvm::cl::Option *print =
      llvm::cl::getRegisteredOptions().lookup("mlir-print-debuginfo");
  bool isToScreen = output == "-";
  bool hasLocations = isBytecode(input) || input.getBuffer().contains("loc(\"");
  if (print && print->getNumOccurrences() == 0 && !isToScreen && hasLocations)
    print->addOccurrence(0, print->ArgStr, "true");
}

LogicalResult prec::optimize(StringRef output, const PrecOptOptions &options,
                             DialectRegistry &registry) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses()) {
    // Both are answered before a file is read.
    return MlirOptMain(llvm::outs(), llvm::MemoryBuffer::getMemBuffer(""),
                       registry, config);
  }
  config.setPassPipelineSetupFn([given = config, &options](PassManager &pm) {
    pm.addPass(createVerifySizes());
    if (failed(given.setupPassPipeline(pm)))
      return failure();
    // What is tagged already can be asked, too.
    if (!options.explain.empty() && !requestExplanation(pm, options.explain)) {
      ExplainPrecisionOptions explain;
      explain.explain = options.explain;
      pm.addPass(createExplainPrecision(explain));
    }
    return success();
  });
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      openInputFile(options.input, &message);
  if (!buffer)
    return fail(message);
  keepLocations(buffer->getMemBufferRef(), output);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed(MlirOptMain(os, std::move(buffer), registry, config)))
    return failure();
  // Only now: the output may be the input, or something to keep.
  if (llvm::Error error = writeFileAtomically(
          output, [&](llvm::raw_ostream &file) { file << text; }))
    return fail(llvm::toString(std::move(error)));
  return success();
}
