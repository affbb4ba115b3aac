//===- Options.cpp - the command line of prec-compile ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.h"

#include "prec/Support/Bytes.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace prec;
namespace cl = llvm::cl;

FailureOr<CommandLine> prec::parseCommandLine(int argc, char **argv) {
  CommandLine line;
  CompileOptions &options = line.options;
  cl::OptionCategory category("prec-compile");
  cl::opt<std::string, true> input(cl::Positional, cl::desc("graph.mlir"),
                                   cl::location(line.input), cl::Required,
                                   cl::cat(category));
  auto text = [&](StringRef name, StringRef help, std::string &value) {
    return std::make_unique<cl::opt<std::string, true>>(
        name, cl::desc(help), cl::location(value), cl::init(value),
        cl::cat(category));
  };
  auto recipe = text("recipe", "built-in recipe, such as fp8-hybrid",
                     options.assign.recipe);
  auto recipeFile = text("recipe-file", "recipe of your own (JSON)",
                         options.assign.recipeFile);
  auto rules = text("rules", "rules of your own (JSON): pin, forbid, prefer",
                    options.assign.rules);
  auto assign = text("assign",
                     "options of prec-opt's --assign-precision, such as "
                     "\"choose=cost head=in\"",
                     options.assignText);
  auto target = text("target", "cpu, or a GPU such as sm_90a", options.target);
  auto machine = text("machine",
                      "file of another device of the target, by which kernels "
                      "are formed (the target's own)",
                      options.machine);
  auto output = text("o", "step module to write", options.output);
  auto ptxas =
      text("ptxas", "assembler of PTX; searched for by default", options.ptxas);
  auto kernelCache = text("kernel-cache",
                          "folder where compiled kernels are kept and looked "
                          "for, for any number of graphs and processes",
                          options.kernelCache);
  std::string kernelCacheSizeText;
  auto kernelCacheSize = text("kernel-cache-size",
                              "from where on its least recently used kernels "
                              "are removed, such as 200MiB (1GiB); 0: never",
                              kernelCacheSizeText);
  cl::opt<unsigned, true> jobs(
      "jobs", cl::location(line.threads), cl::cat(category),
      cl::desc(
          "threads that compile (as many as the machine has); the step module "
          "does not depend on it"));
  cl::list<std::string> dumpAfter(
      "dump-after", cl::CommaSeparated, cl::cat(category),
      cl::desc("phases after which the IR is written beside the output: "
               "import, assign, "
               "materialize, schedule, codegen"));
  cl::list<std::string> bench(
      "bench", cl::CommaSeparated, cl::cat(category),
      cl::desc("recipes (names or .json files), such as bf16,fp8-hybrid: write "
               "a module that holds every distinct command of their steps, for "
               "prec-run --bench to measure, instead of one that trains"));
  cl::list<std::string> memoryReports(
      "memory-report", cl::CommaSeparated, cl::cat(category),
      cl::desc("files that what lives in memory, and when, is written to: a "
               "page to look at if it ends in .html, else JSON"));
  cl::opt<bool, true> decompose(
      "decompose-attention", cl::location(options.decomposeAttention),
      cl::desc("compute attention without a library"), cl::cat(category));
  cl::opt<bool, true> decomposeConvolutions(
      "decompose-convolutions", cl::location(options.decomposeConvolutions),
      cl::desc("compute convolutions as slices and products, without a "
               "library"),
      cl::cat(category));
  cl::opt<AttentionBackward, true> attentionBackward(
      "attention-backward", cl::location(options.attentionBackward),
      cl::desc("on a GPU (deterministic)"), cl::cat(category),
      cl::init(options.attentionBackward),
      cl::values(clEnumValN(AttentionBackward::Deterministic, "deterministic",
                            "the same bits in every run, by generated "
                            "kernels where there are some for the shape"),
                 clEnumValN(AttentionBackward::Fast, "fast",
                            "cuDNN's fastest, which sums in an order of "
                            "every run's own")));
  cl::opt<bool, true> guardUpdates(
      "guard-updates", cl::location(options.guardUpdates),
      cl::init(options.guardUpdates), cl::cat(category),
      cl::desc("a step whose loss or gradients are not finite changes nothing "
               "(true)"));
  cl::opt<MergeLayers, true> mergeContractions(
      "merge-contractions", cl::location(options.mergeContractions),
      cl::desc("linear layers that read one value become one contraction (on)"),
      cl::cat(category), cl::init(options.mergeContractions),
      cl::values(clEnumValN(MergeLayers::On, "on",
                            "but with --switchable and --collect-numerics"),
                 clEnumValN(MergeLayers::Off, "off", "every layer its own"),
                 clEnumValN(MergeLayers::Explain, "explain",
                            "on, and remarks on layers that stay alone")));
  cl::opt<bool, true> roundBiases(
      "round-biases", cl::location(options.roundBiases),
      cl::init(options.roundBiases), cl::cat(category),
      cl::desc("FP32 biases are rounded to the format of narrower products, in "
               "which the library adds them (true)"));
  cl::opt<bool, true> padProducts(
      "pad-products", cl::location(options.padProducts),
      cl::init(options.padProducts), cl::cat(category),
      cl::desc("large products of 16-bit matrices get sizes that are multiples "
               "of 16 (true)"));
  cl::opt<bool, true> countLostUpdates(
      "count-lost-updates", cl::location(options.countLostUpdates),
      cl::cat(category),
      cl::desc("the step's metrics say which part of the updates did not reach "
               "the masters"));
  cl::opt<bool, true> switchable(
      "switchable", cl::location(options.switchable), cl::cat(category),
      cl::desc("a slow module whose products in FP8 and FP4 can be raised when "
               "it is run, for prec-run --bisect"));
  cl::opt<bool, true> collectNumerics(
      "collect-numerics", cl::location(options.collectNumerics),
      cl::cat(category),
      cl::desc("an entry point for steps that measure what quantizations do to "
               "their tensors and updates to their parameters, too"));
  cl::opt<bool, true> accumulate(
      "accumulate", cl::location(options.accumulate), cl::cat(category),
      cl::desc("entry points for steps of several micro-batches, too"));
  cl::opt<MicroBatchWeights, true> microBatchWeights(
      "micro-batch-weights", cl::location(options.microBatchWeights),
      cl::desc("what micro-batches are weighted by, of a module with "
               "--accumulate (labels)"),
      cl::cat(category), cl::init(options.microBatchWeights),
      cl::values(clEnumValN(MicroBatchWeights::Labels, "labels",
                            "their labels that count, so that a step is that "
                            "of one batch of all, where the loss is a mean "
                            "over one number of labels"),
                 clEnumValN(MicroBatchWeights::Equal, "equal",
                            "all alike: a mean of means")));
  auto mesh = text("mesh",
                   "ranks that train together, such as dp=2: two, each with "
                   "batches of its own",
                   options.mesh);
  cl::opt<bool, true> sequenceParallel(
      "sequence-parallel", cl::location(options.sequenceParallel),
      cl::init(options.sequenceParallel), cl::cat(category),
      cl::desc("between the products of layers that tp= divides each rank has "
               "some of the rows of residuals and norms, instead of all "
               "(true)"));
  cl::opt<double, true> expertRoom(
      "expert-room", cl::location(options.expertRoom),
      cl::init(options.expertRoom), cl::cat(category),
      cl::desc(
          "rows that the experts of a rank have room for, over those that "
          "they get if all experts get alike (1.25); more are a bad step"));
  cl::opt<unsigned, true> zero(
      "zero", cl::location(options.zero), cl::init(options.zero),
      cl::cat(category),
      cl::desc(
          "what of a step with a mesh ranks hold shards of: 1 parameters "
          "and optimizer states, 2 sums over micro-batches, too, 3 also what "
          "layers read, which is gathered in front of each (1)"));
  cl::opt<bool, true> overlapExchanges(
      "overlap-exchanges", cl::location(options.overlapExchanges),
      cl::init(options.overlapExchanges), cl::cat(category),
      cl::desc("exchanges between ranks run beside other commands (true)"));
  auto exchangeWire = text(
      "exchange-wire",
      "format in which gradients are sent to other ranks: own; bf16, those "
      "in f32; or fp8, with a scale for each 128 elements (own)",
      options.exchangeWire);
  std::string exchangeBucketText;
  auto exchangeBucket =
      text("exchange-bucket",
           "bytes that a rank gets of the others by exchanges that begin "
           "together (64MiB)",
           exchangeBucketText);
  cl::opt<bool> keepTransposedWeights(
      "keep-transposed-weights", cl::init(true), cl::cat(category),
      cl::desc("the optimizer writes transposed FP8 copies of weights, too, "
               "instead of the backward making them each time (true, if they "
               "fit in --max-memory)"));
  std::string maxMemoryText;
  auto maxMemory = text("max-memory",
                        "activations are recomputed until state and workspace "
                        "fit in so much, such as 24GiB",
                        maxMemoryText);
  std::string chunkLossText;
  auto chunkLoss = text("chunk-loss",
                        "logits of more bytes are computed in chunks of rows "
                        "of at most so many (1GiB with --max-memory, if whole "
                        "ones do not fit)",
                        chunkLossText);
  cl::opt<bool, true> timing("timing", cl::location(options.timing),
                             cl::desc("report seconds, seconds of CPU and peak "
                                      "memory of each phase"),
                             cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "prec-compile: compiles a training step\n");
  options.dumpAfter = dumpAfter;
  options.memoryReports = memoryReports;
  options.bench = bench;
  if (keepTransposedWeights.getNumOccurrences())
    options.keepTransposedWeights = keepTransposedWeights;

  for (const auto *option :
       {&recipe, &recipeFile, &rules, &assign, &target, &machine, &output,
        &ptxas, &maxMemory, &chunkLoss, &kernelCache, &kernelCacheSize, &mesh,
        &exchangeBucket, &exchangeWire}) {
    if ((*option)->getNumOccurrences() < 2)
      continue;
    llvm::errs() << "prec-compile: error: --" << (*option)->ArgStr
                 << " must be given once, but got it "
                 << (*option)->getNumOccurrences() << " times\n";
    return failure();
  }
  for (const auto *option :
       {&recipe, &recipeFile, &rules, &machine, &kernelCache, &mesh}) {
    if ((*option)->getNumOccurrences() == 0 || !(*option)->getValue().empty())
      continue;
    llvm::errs() << "prec-compile: error: --" << (*option)->ArgStr
                 << " must have a value, but got an empty one\n";
    return failure();
  }
  if (recipe->getNumOccurrences() && recipeFile->getNumOccurrences()) {
    llvm::errs() << "prec-compile: error: one recipe must be given, but got "
                    "--recipe and --recipe-file\n";
    return failure();
  }
  if (!options.bench.empty() &&
      (recipe->getNumOccurrences() || recipeFile->getNumOccurrences())) {
    llvm::errs() << "prec-compile: error: --bench must name all recipes, but "
                    "got --recipe or --recipe-file, too\n";
    return failure();
  }
  if (!options.bench.empty() &&
      (options.switchable || options.collectNumerics || options.accumulate ||
       !options.mesh.empty() || maxMemory->getNumOccurrences())) {
    llvm::errs() << "prec-compile: error: --bench must be of plain steps, but "
                    "got --switchable, --collect-numerics, --accumulate, "
                    "--mesh or --max-memory\n";
    return failure();
  }
  // Python takes an extension module first.
  SmallString<128> script(options.output);
  llvm::sys::path::replace_extension(script, "py");
  if (StringRef(options.output).ends_with(".so") &&
      llvm::sys::fs::exists(script)) {
    llvm::errs() << "prec-compile: error: the output must not take the name of "
                    "a Python module, but got '"
                 << options.output << "' beside '" << script << "': 'import "
                 << llvm::sys::path::stem(script)
                 << "' would load the step module\n";
    return failure();
  }
  if (kernelCacheSize->getNumOccurrences() && options.kernelCache.empty()) {
    llvm::errs() << "prec-compile: error: --kernel-cache-size must be of a "
                    "--kernel-cache, but got none\n";
    return failure();
  }
  auto parseBytes = [](const auto &option, const std::string &value,
                       std::optional<int64_t> &bytes) -> LogicalResult {
    if (!option->getNumOccurrences())
      return success();
    llvm::Expected<int64_t> parsed =
        parseByteSize(value, ("--" + option->ArgStr).str());
    if (parsed) {
      bytes = *parsed;
      return success();
    }
    llvm::errs() << "prec-compile: error: "
                 << llvm::toString(parsed.takeError()) << "\n";
    return failure();
  };
  std::optional<int64_t> cacheSize, bucketSize;
  if (failed(parseBytes(exchangeBucket, exchangeBucketText, bucketSize)) ||
      failed(parseBytes(maxMemory, maxMemoryText, options.maxMemory)) ||
      failed(parseBytes(chunkLoss, chunkLossText, options.chunkLoss)) ||
      failed(parseBytes(kernelCacheSize, kernelCacheSizeText, cacheSize)))
    return failure();
  options.kernelCacheSize = cacheSize.value_or(options.kernelCacheSize);
  options.exchangeBucket = bucketSize.value_or(options.exchangeBucket);
  return line;
}
