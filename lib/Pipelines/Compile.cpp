//===- Compile.cpp - from an imported graph to a step module --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a graph to a step module, phase after phase: import, assign,
// materialize, schedule, codegen, machine code, emit. A phase is a pass
// pipeline, or a function where it makes no IR. Each reports its time and
// memory, and --dump-after writes the module after it. A graph that has tags
// already is only verified for the target. With a limit of memory the schedule
// is tried beforehand (FitMemory.cpp), for which a copy of the assigned module
// is kept, because one of the measures is to materialize it in another way.
//
//===----------------------------------------------------------------------===//
#include "prec/Pipelines/Compile.h"

#include "Pipelines/BenchModule.h"
#include "Pipelines/FitMemory.h"

#include "prec/Assign/TaggedMap.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/Ranks.h"
#include "prec/Emit/CallKernels.h"
#include "prec/Emit/Manifest.h"
#include "prec/Emit/StepModule.h"
#include "prec/Pipelines/Pipelines.h"
#include "prec/Schedule/MemoryReport.h"
#include "prec/Support/Files.h"
#include "prec/Target/TargetRegistry.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <sys/resource.h>

using namespace mlir;
using namespace prec;

namespace {

/// Seconds so far: of the clock, and of the processors in this process and in
/// those that it has run.
struct Usage {
  Usage() {
    auto now = std::chrono::steady_clock::now().time_since_epoch();
    elapsed = std::chrono::duration<double>(now).count();
    for (int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
      rusage used;
      if (getrusage(who, &used) != 0)
        continue;
      for (const timeval &time : {used.ru_utime, used.ru_stime})
        cpu += double(time.tv_sec) + double(time.tv_usec) * 1e-6;
    }
  }
  double elapsed, cpu = 0;
};

/// Runs phases one after another, keeping their times.
class Compiler {
public:
  Compiler(ModuleOp module, const CompileOptions &options)
      : module(module), options(options) {}

  LogicalResult run();
  /// As run, but the module is bytes.
  FailureOr<std::string> runToMemory();

private:
  LogicalResult makeParts();
  LogicalResult runPhase(StringRef name,
                         llvm::function_ref<void(OpPassManager &)> build);
  LogicalResult runPhase(StringRef name, PassManager &passes);
  LogicalResult assign();
  LogicalResult verifyAssigned();
  StringRef getText(StringRef attribute) {
    return module->getAttrOfType<StringAttr>(attribute).getValue();
  }
  LogicalResult materialize();
  LogicalResult recompute();
  LogicalResult reportMemory();
  LogicalResult generateCode();
  void addImage(const KernelImage &image);
  LogicalResult buildParts();
  LogicalResult makeBenchParts();
  LogicalResult dump(StringRef phase);
  /// Tells who asked which phase begins, and when.
  Usage begin(StringRef name);
  void report(StringRef name, const Usage &start);

  ModuleOp module;
  CompileOptions options; ///< what fits the limit of memory as it was decided
  const Target *target = nullptr;
  /// As it was before it was materialized, where that may be done otherwise.
  OwningOpRef<ModuleOp> assigned;
  OwningOpRef<ModuleOp> bench; ///< `module`, where it is one that is measured
  std::string recipe;          ///< that formats were assigned by
  StepModuleParts parts;
  std::vector<ImageEntry> images;
  llvm::StringMap<int64_t> imageOffsets; ///< of bytes that are there
};

} // namespace

Usage Compiler::begin(StringRef name) {
  if (options.onPhase)
    options.onPhase(name);
  return Usage();
}

void Compiler::report(StringRef name, const Usage &start) {
  Usage now;
  rusage process;
  if (options.timing && getrusage(RUSAGE_SELF, &process) == 0)
    llvm::errs() << llvm::formatv(
        "{0,-12} {1,8:f3} s {2,8:f3} s CPU {3,8} MiB peak\n", name,
        now.elapsed - start.elapsed, now.cpu - start.cpu,
        process.ru_maxrss / 1024);
}

LogicalResult Compiler::dump(StringRef phase) {
  if (!llvm::is_contained(options.dumpAfter, phase))
    return success();
  SmallString<128> path(options.output);
  llvm::sys::path::replace_extension(path, phase + ".mlir");
  OpPrintingFlags flags;
  flags.enableDebugInfo();
  // Upstream's parser takes not every GPU kernel as its printer writes it:
  // `nvvm.barrier` with a location.
  if (!module.getOps<gpu::GPUModuleOp>().empty())
    flags.printGenericOpForm();
  if (llvm::Error error = writeFileAtomically(
          path, [&](raw_ostream &os) { module.print(os, flags); }))
    return module.emitError(llvm::toString(std::move(error)));
  return success();
}

LogicalResult
Compiler::runPhase(StringRef name,
                   llvm::function_ref<void(OpPassManager &)> build) {
  PassManager passes(module.getContext());
  build(passes);
  return runPhase(name, passes);
}

LogicalResult Compiler::runPhase(StringRef name, PassManager &passes) {
  Usage start = begin(name);
  if (failed(passes.run(module)))
    return failure();
  report(name, start);
  return dump(name);
}

static bool hasAssignOptions(const CompileOptions &options) {
  auto print = [](const AssignPrecisionOptions &options) {
    std::string text;
    llvm::raw_string_ostream os(text);
    createAssignPrecision(options)->printAsTextualPipeline(os);
    return text;
  };
  return !options.assignText.empty() ||
         print(options.assign) != print(AssignPrecisionOptions());
}

LogicalResult Compiler::assign() {
  PassManager passes(module.getContext());
  auto report = [&](const Twine &message) {
    return module.emitError("assign options: ") << message;
  };
  // The memory table is of one rank.
  CompileOptions ofRank = options;
  if (!options.mesh.empty()) {
    FailureOr<train::Mesh> mesh = train::parseMesh(
        options.mesh, [&] { return module.emitError("--mesh: "); });
    if (failed(mesh))
      return failure();
    ofRank.assign.ranks =
        mesh->getSize(train::kBatchAxis) * mesh->getSize(train::kExpertAxis);
  }
  return failure(failed(buildAssignPipeline(passes, ofRank, report)) ||
                 failed(runPhase("assign", passes)));
}

LogicalResult Compiler::verifyAssigned() {
  if (hasAssignOptions(options))
    return module.emitError("a graph must not be tagged where a recipe, rules "
                            "or assign options are given, but got tags");
  if (failed(runPhase("assign", [&](OpPassManager &passes) {
        buildAssignedPipeline(passes, options);
      })))
    return failure();
  module.emitRemark("the graph is assigned already (recipe ")
      << getText(kRecipe) << ", legality of " << getText(kTarget)
      << "): its formats are verified for " << options.target
      << ", not decided";
  return success();
}

LogicalResult Compiler::materialize() {
  // Micro-batches would each transpose weights that a step changes once.
  if (options.maxMemory && !options.keepTransposedWeights &&
      !options.accumulate)
    assigned = module.clone();
  return runPhase("materialize", [&](OpPassManager &manager) {
    buildMaterializePipeline(manager, options);
  });
}

LogicalResult Compiler::recompute() {
  if (!options.maxMemory)
    return success();
  Usage start = begin("recompute");
  if (failed(fitMemory(module, std::move(assigned), *target, options)))
    return failure();
  report("recompute", start);
  return success();
}

void Compiler::addImage(const KernelImage &image) {
  // Several kernels may have one image.
  auto [it, isNew] = imageOffsets.try_emplace(image.bytes, 0);
  if (isNew) {
    // The fields of an ELF file are aligned.
    parts.images.resize(llvm::alignTo(parts.images.size(), 8));
    it->second = parts.images.size();
    parts.images += image.bytes;
  }
  images.push_back({image.kind, target->getModuleTarget().chip, image.symbol,
                    it->second, int64_t(image.bytes.size())});
}

LogicalResult Compiler::reportMemory() {
  for (StringRef path : options.memoryReports)
    if (llvm::Error error = writeMemoryReport(path, module))
      return module.emitError(
                 "memory-report must be a file that can be written: ")
             << llvm::toString(std::move(error));
  return success();
}

LogicalResult Compiler::generateCode() {
  Usage start = begin("machine code");
  FailureOr<CompiledKernels> kernels =
      target->compileKernels(module, getKernelOptions(options));
  if (failed(kernels))
    return failure();
  parts.objects = std::move(kernels->objects);
  for (const KernelImage &image : kernels->images)
    addImage(image);
  if (target->getKernelCalls() == rt::KernelCalls::launch) {
    FailureOr<std::vector<KernelImage>> given =
        collectCallImages(module, target->getModuleTarget().chip);
    if (failed(given))
      return failure();
    for (const KernelImage &image : *given)
      addImage(image);
  }
  report("machine code", start);
  return success();
}

LogicalResult Compiler::buildParts() {
  ManifestOptions manifestOptions;
  manifestOptions.target = target->getModuleTarget();
  manifestOptions.kernelCalls = target->getKernelCalls();
  manifestOptions.recipe = recipe;
  manifestOptions.graph = options.graphHash;
  manifestOptions.images = images;
  manifestOptions.deterministicAttention =
      options.attentionBackward == AttentionBackward::Deterministic;
  FailureOr<ManifestResult> manifest = buildManifest(module, manifestOptions);
  if (failed(manifest))
    return failure();
  parts.manifest = std::move(manifest->json);
  parts.tableKernels = std::move(manifest->kernels);
  parts.constants = std::move(manifest->constants);
  return success();
}

/// The program that links.
static llvm::Expected<std::string> getLinker(const CompileOptions &options) {
  return options.linker.empty() ? findLinker()
                                : llvm::Expected<std::string>(options.linker);
}

static llvm::Error writeModule(const StepModuleParts &parts,
                               const CompileOptions &options) {
  if (options.link) {
    llvm::Expected<std::string> bytes = makeStepModule(parts, options.link);
    return bytes ? writeStepModule(options.output, *bytes) : bytes.takeError();
  }
  llvm::Expected<std::string> linker = getLinker(options);
  return linker ? writeStepModule(options.output, parts, *linker)
                : linker.takeError();
}

static llvm::Expected<std::string> makeModule(const StepModuleParts &parts,
                                              const CompileOptions &options) {
  if (options.link)
    return makeStepModule(parts, options.link);
  llvm::Expected<std::string> linker = getLinker(options);
  if (!linker)
    return linker.takeError();
  return makeStepModule(parts, linkByProgram(*linker));
}

/// From a graph to a module that is measured.
LogicalResult Compiler::makeBenchParts() {
  if (isTagged(module))
    return module.emitError("a graph must not be tagged where steps of several "
                            "recipes are measured, but got tags");
  Usage start = begin("bench");
  FailureOr<OwningOpRef<ModuleOp>> built =
      buildBenchModule(module, *target, options);
  if (failed(built))
    return failure();
  report("bench", start);
  bench = std::move(*built);
  module = *bench;
  recipe = llvm::join(options.bench, ", ");
  return failure(failed(dump("schedule")) ||
                 failed(runPhase("codegen",
                                 [&](OpPassManager &manager) {
                                   buildCodegenPipeline(manager, *target,
                                                        options);
                                 })) ||
                 failed(generateCode()));
}

/// Names of the phases, as --dump-after takes them.
static constexpr StringRef kPhases[] = {"import", "assign", "materialize",
                                        "schedule", "codegen"};

/// All phases but the last, emit.
LogicalResult Compiler::makeParts() {
  for (StringRef phase : options.dumpAfter)
    if (!llvm::is_contained(kPhases, phase))
      return module.emitError("a phase must be import, assign, materialize, "
                              "schedule or codegen, but got '")
             << phase << "'";
  // On which targets are.
  module.getContext()->loadDialect<PrecDialect>();
  target = findTarget(module.getLoc(), "target", options.target);
  if (!target || failed(loadScheduleModel(module.getLoc(), options.target,
                                          options.machine)))
    return failure();
  if (!options.bench.empty())
    return makeBenchParts();
  bool isAssigned = isTagged(module);
  if (failed(runPhase("import",
                      [&](OpPassManager &passes) {
                        buildImportPipeline(passes, isAssigned);
                      })) ||
      failed(isAssigned ? verifyAssigned() : assign()))
    return failure();
  recipe = getText(kRecipe);
  return failure(
      failed(materialize()) || failed(recompute()) ||
      failed(runPhase("schedule",
                      [&](OpPassManager &manager) {
                        buildSchedulePipeline(manager, *target, options);
                      })) ||
      failed(reportMemory()) ||
      failed(runPhase("codegen",
                      [&](OpPassManager &manager) {
                        buildCodegenPipeline(manager, *target, options);
                      })) ||
      failed(generateCode()));
}

LogicalResult Compiler::run() {
  if (failed(makeParts()))
    return failure();
  Usage start = begin("emit");
  if (failed(buildParts()))
    return failure();
  if (llvm::Error error = writeModule(parts, options))
    return module.emitError(llvm::toString(std::move(error)));
  report("emit", start);
  return success();
}

FailureOr<std::string> Compiler::runToMemory() {
  if (failed(makeParts()))
    return failure();
  Usage start = begin("emit");
  if (failed(buildParts()))
    return failure();
  llvm::Expected<std::string> bytes = makeModule(parts, options);
  if (!bytes)
    return module.emitError(llvm::toString(bytes.takeError()));
  report("emit", start);
  return std::move(*bytes);
}

LogicalResult prec::compileStepModule(ModuleOp module,
                                      const CompileOptions &options) {
  return Compiler(module, options).run();
}

FailureOr<std::string>
prec::compileStepModuleToMemory(ModuleOp module,
                                const CompileOptions &options) {
  return Compiler(module, options).runToMemory();
}
