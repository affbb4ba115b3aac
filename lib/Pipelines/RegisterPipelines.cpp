//===- RegisterPipelines.cpp - phases by name -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases as what a pipeline in text names: prec-raise, prec-assign and
// prec-materialize are lists of passes, prec-schedule and prec-codegen passes
// (TargetPhases.cpp). prec-to-linalg is the way out for hosts that generate
// code themselves.
//
//===----------------------------------------------------------------------===//
#include "Pipelines/CrowdedStep.h"

#include "prec/InitAll.h"

#include "prec/Assign/Passes.h"
#include "prec/Import/Passes.h"
#include "prec/Pipelines/Passes.h"
#include "prec/Pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace prec;

namespace {

/// Options of prec-materialize, named as those of prec-compile.
struct MaterializeText : public PassPipelineOptions<MaterializeText> {
  Option<bool> accumulate{
      *this, "accumulate", llvm::cl::init(false),
      llvm::cl::desc("entry points for steps of several micro-batches, too")};
  Option<bool> collectNumerics{
      *this, "collect-numerics", llvm::cl::init(false),
      llvm::cl::desc("an entry point that measures quantizations, too")};
  Option<bool> countLostUpdates{
      *this, "count-lost-updates", llvm::cl::init(false),
      llvm::cl::desc("metrics say which part of the updates was lost")};
  Option<bool> guardUpdates{
      *this, "guard-updates", llvm::cl::init(true),
      llvm::cl::desc("a step that is not finite changes nothing")};
  Option<bool> keepTransposedWeights{
      *this, "keep-transposed-weights", llvm::cl::init(true),
      llvm::cl::desc("transposed FP8 copies of weights are kept")};
  Option<MergeLayers> mergeContractions{
      *this, "merge-contractions", llvm::cl::init(MergeLayers::On),
      llvm::cl::desc("linear layers that read one value become one"),
      llvm::cl::values(
          clEnumValN(MergeLayers::On, "on", "where all of them can"),
          clEnumValN(MergeLayers::Off, "off", "every layer its own"),
          clEnumValN(MergeLayers::Explain, "explain",
                     "on, and remarks on layers that stay alone"))};
  Option<std::string> mesh{
      *this, "mesh", llvm::cl::desc("ranks along each axis, such as dp=2")};
  Option<std::string> exchangeWire{
      *this, "exchange-wire", llvm::cl::init("own"),
      llvm::cl::desc("format in which gradients in f32 are sent")};
  Option<unsigned> zero{*this, "zero", llvm::cl::init(1),
                        llvm::cl::desc("stage of ZeRO, 1 or 2")};
  Option<MicroBatchWeights> microBatchWeights{
      *this, "micro-batch-weights", llvm::cl::init(MicroBatchWeights::Labels),
      llvm::cl::desc("what micro-batches are weighted by"),
      llvm::cl::values(
          clEnumValN(MicroBatchWeights::Labels, "labels",
                     "their labels that count"),
          clEnumValN(MicroBatchWeights::Equal, "equal", "all alike"))};
  Option<bool> padProducts{
      *this, "pad-products", llvm::cl::init(true),
      llvm::cl::desc("large products get sizes that tensor cores can take")};
  Option<bool> roundBiases{
      *this, "round-biases", llvm::cl::init(true),
      llvm::cl::desc("FP32 biases are rounded to the format of products")};
  Option<bool> switchable{
      *this, "switchable", llvm::cl::init(false),
      llvm::cl::desc("operands in FP8 and FP4 can be raised at run time")};

  void read(const CompileOptions &options) {
    accumulate = options.accumulate;
    collectNumerics = options.collectNumerics;
    countLostUpdates = options.countLostUpdates;
    guardUpdates = options.guardUpdates;
    keepTransposedWeights = options.keepTransposedWeights.value_or(true);
    mergeContractions = options.mergeContractions;
    mesh = options.mesh;
    zero = options.zero;
    exchangeWire = options.exchangeWire;
    microBatchWeights = options.microBatchWeights;
    padProducts = options.padProducts;
    roundBiases = options.roundBiases;
    switchable = options.switchable;
  }

  void apply(CompileOptions &options) const {
    options.accumulate = accumulate;
    options.collectNumerics = collectNumerics;
    options.countLostUpdates = countLostUpdates;
    options.guardUpdates = guardUpdates;
    if (keepTransposedWeights.getNumOccurrences() != 0)
      options.keepTransposedWeights = keepTransposedWeights;
    options.mergeContractions = mergeContractions;
    options.mesh = mesh;
    options.zero = zero;
    options.exchangeWire = exchangeWire;
    options.microBatchWeights = microBatchWeights;
    options.padProducts = padProducts;
    options.roundBiases = roundBiases;
    options.switchable = switchable;
  }
};

} // namespace

std::string prec::writeMaterializeOptions(const CompileOptions &options) {
  MaterializeText written;
  written.read(options);
  std::string text;
  llvm::raw_string_ostream os(text);
  written.print(os);
  StringRef trimmed = text;
  // Within a pipeline they are in braces.
  if (trimmed.consume_front("{"))
    trimmed.consume_back("}");
  return trimmed.str();
}

LogicalResult prec::readMaterializeOptions(
    StringRef text, CompileOptions &options,
    function_ref<LogicalResult(const Twine &)> report) {
  std::string said;
  llvm::raw_string_ostream os(said);
  MaterializeText parsed;
  if (failed(parsed.parseFromString(text, os)))
    return report(StringRef(said).trim());
  parsed.apply(options);
  return success();
}

/// The last pass reads the target from the module.
LogicalResult
prec::buildAssignPipeline(OpPassManager &manager, StringRef text,
                          function_ref<LogicalResult(const Twine &)> report) {
  FailureOr<std::unique_ptr<Pass>> assign =
      createAssignPrecision(AssignPrecisionOptions(), text, report);
  if (failed(assign))
    return failure();
  manager.addPass(createVerifySizes());
  manager.addPass(std::move(*assign));
  manager.addPass(createTagCrowded());
  manager.addPass(createVerifyPrecision());
  return success();
}

static LogicalResult
addMaterialize(OpPassManager &manager, StringRef text,
               function_ref<LogicalResult(const Twine &)> report) {
  CompileOptions options;
  if (failed(readMaterializeOptions(text, options, report)))
    return failure();
  buildMaterializePipeline(manager, options);
  return success();
}

namespace {

using Report = function_ref<LogicalResult(const Twine &)>;

/// Registers a list of passes that run on modules. Within another operation
/// adding one of them would end the program.
void registerOnModules(
    StringRef name, StringRef description, PassRegistryFunction build,
    std::function<void(function_ref<void(const mlir::detail::PassOptions &)>)>
        show = [](function_ref<void(const mlir::detail::PassOptions &)>) {}) {
  registerPassPipeline(
      name, description,
      [name, build = std::move(build)](OpPassManager &manager, StringRef text,
                                       Report report) {
        std::optional<StringRef> within = manager.getOpName();
        // pipelines_c1
        if (within && *within != ModuleOp::getOperationName())
          return report(name + " must be within " +
                        ModuleOp::getOperationName() + ", but got " + *within);
        return build(manager, text, report);
      },
      std::move(show));
}

/// Of passes without options.
PassRegistryFunction without(StringRef name,
                             void (*build)(OpPassManager &manager)) {
  return [name, build](OpPassManager &manager, StringRef text, Report report) {
    // pipelines_c2
    if (!text.empty())
      return report(name + " must have no options, but got " + text);
    build(manager);
    return success();
  };
}

} // namespace

void prec::registerAllPipelines() {
  registerOnModules(
      "prec-raise",
      "the phase Import: recognizes composites, verifies the graph",
      without("prec-raise",
              [](OpPassManager &manager) { buildImportPipeline(manager); }));
  registerOnModules(
      "prec-assign",
      "the phase Assign: decides formats as tags, verifies them; options are "
      "those of --assign-precision",
      [](OpPassManager &manager, StringRef text, Report report) {
        return buildAssignPipeline(manager, text, report);
      });
  registerOnModules(
      "prec-materialize",
      "the phase Materialize: makes types and casts of tags", addMaterialize,
      [](function_ref<void(const mlir::detail::PassOptions &)> show) {
        show(MaterializeText());
      });
  registerOnModules(
      "prec-materialize-forward",
      "the phase Materialize for a graph that trains nothing",
      without("prec-materialize-forward", [](OpPassManager &manager) {
        buildMaterializeForwardPipeline(manager);
      }));
  registerOnModules(
      "prec-to-linalg",
      "a materialized graph in operations of upstream dialects alone",
      without("prec-to-linalg",
              [](OpPassManager &manager) { buildToLinalgPipeline(manager); }));
  registerPrecPipelinesPasses();
}
