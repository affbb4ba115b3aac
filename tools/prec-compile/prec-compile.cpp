//===- prec-compile.cpp - graph to step module ----------------------------===//
#include "prec/Codegen/Codegen.h"
#include "prec/InitAll.h"
#include "prec/Pipelines/Compile.h"
#include "prec/Pipelines/Diagnostics.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/SourceMgr.h"

namespace cl = llvm::cl;

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  mlir::prec::CompileOptions options;
  cl::OptionCategory category("prec-compile");
  cl::opt<std::string> input(cl::Positional, cl::desc("graph.mlir"),
                             cl::Required, cl::cat(category));
  auto text = [&](llvm::StringRef name, llvm::StringRef help,
                  std::string &value) {
    return std::make_unique<cl::opt<std::string, true>>(
        name, cl::desc(help), cl::location(value), cl::init(value),
        cl::cat(category));
  };
  auto recipe = text("recipe", "built-in recipe, such as fp8-hybrid", options.recipe);
  auto recipeFile =
      text("recipe-file", "recipe of your own (JSON)", options.recipeFile);
  auto rules = text("rules", "rules of your own (JSON): pin, forbid, prefer",
                    options.rules);
  auto target = text("target", "cpu, or a GPU such as sm_90a", options.target);
  auto output = text("o", "step module to write", options.output);
  auto ptxas =
      text("ptxas", "assembler of PTX; searched for by default", options.ptxas);
  cl::list<std::string> dumpAfter(
      "dump-after", cl::CommaSeparated, cl::cat(category),
      cl::desc("phases after which the IR is written beside the output: "
               "import, assign, "
               "materialize, schedule, codegen"));
  cl::opt<bool, true> decompose(
      "decompose-attention", cl::location(options.decomposeAttention),
      cl::desc("compute attention without a library"), cl::cat(category));
  using mlir::prec::AttentionBackward;
  cl::opt<AttentionBackward, true> attentionBackward(
      "attention-backward", cl::location(options.attentionBackward),
      cl::desc("on a GPU (deterministic)"), cl::cat(category),
      cl::init(options.attentionBackward),
      cl::values(clEnumValN(AttentionBackward::Deterministic, "deterministic",
                            "the same bits in every run"),
                 clEnumValN(AttentionBackward::Fast, "fast",
                            "sums in an order of every run's own")));
  cl::opt<bool, true> timing("timing", cl::location(options.timing),
                             cl::desc("report seconds, seconds of CPU and peak "
                                      "memory of each phase"),
                             cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "prec-compile: compiles a training step\n");
  options.dumpAfter = dumpAfter;

  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      mlir::openInputFile(input, &message);
  if (!buffer) {
    llvm::errs() << "prec-compile: error: " << message << "\n";
    return 1;
  }
  options.graphHash = llvm::toHex(
      llvm::SHA256::hash(llvm::arrayRefFromStringRef(buffer->getBuffer())),
      /*LowerCase=*/true);
  mlir::DialectRegistry registry;
  mlir::prec::registerAllDialects(registry);
  mlir::prec::registerCodegenTranslations(registry);
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  mlir::prec::OneLineDiagnostics diagnostics(&context, llvm::errs());
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  return module && succeeded(mlir::prec::compileStepModule(*module, options))
             ? 0
             : 1;
}
