//===- TargetPhases.cpp - phases that depend on a target ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --prec-schedule and --prec-codegen. Which passes they run follows from the
// target, and targets are objects of a context, which a pipeline does not know
// while it is parsed. So each is a pass that looks its target up when it runs,
// builds the phase's passes for it, and runs these on the module.
//
//===----------------------------------------------------------------------===//
#include "Pipelines/SchedulePasses.h"

#include "prec/Codegen/Passes.h"
#include "prec/Pipelines/Passes.h"
#include "prec/Pipelines/Pipelines.h"
#include "prec/Target/TargetRegistry.h"

namespace prec {
#define GEN_PASS_DEF_SCHEDULEFORTARGET
#define GEN_PASS_DEF_CODEGENFORTARGET
#include "prec/Pipelines/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

static StringRef getTargetName(StringRef given) {
  return given.empty() ? StringRef("cpu") : given;
}

namespace {

struct ScheduleForTarget
    : public prec::impl::ScheduleForTargetBase<ScheduleForTarget> {
  using ScheduleForTargetBase::ScheduleForTargetBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager passes(ModuleOp::getOperationName());
    CompileOptions options;
    options.chunkLoss = 1;
    buildSchedulePipeline(passes, "cpu", TargetCommands(), options);
    passes.getDependentDialects(registry);
  }

  void runOnOperation() override {
    const Target *found =
        findTarget(getOperation().getLoc(), "target", getTargetName(target));
    if (!found)
      return signalPassFailure();
    OpPassManager passes(ModuleOp::getOperationName());
    CompileOptions options;
    if (failed(read(options, [&](const Twine &message) -> LogicalResult {
          return getOperation().emitError() << message;
        })))
      return signalPassFailure();
    buildSchedulePipeline(passes, *found, options);
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }

  LogicalResult read(CompileOptions &options,
                     function_ref<LogicalResult(const Twine &)> report) const {
    // schedule_phase_c1
    if (chunkLoss < 0)
      return report("chunk-loss must not be negative, but got " +
                    Twine(chunkLoss.getValue()));
    if (!target.empty())
      options.target = target;
    options.machine = machine;
    options.decomposeAttention = decomposeAttention;
    options.decomposeConvolutions = decomposeConvolutions;
    if (chunkLoss > 0)
      options.chunkLoss = chunkLoss;
    options.overlapExchanges = overlapExchanges;
    options.exchangeBucket = exchangeBucket;
    return success();
  }
};

struct CodegenForTarget
    : public prec::impl::CodegenForTargetBase<CodegenForTarget> {
  using CodegenForTargetBase::CodegenForTargetBase;

  /// Of a target that is another compiler's, its own registerDialects and that
  /// compiler load what these do not name.
  void getDependentDialects(DialectRegistry &registry) const override {
    createCodegenCpu()->getDependentDialects(registry);
    createCodegenNvptx()->getDependentDialects(registry);
  }

  void runOnOperation() override {
    const Target *found =
        findTarget(getOperation().getLoc(), "target", getTargetName(target));
    if (!found)
      return signalPassFailure();
    OpPassManager passes(ModuleOp::getOperationName());
    CompileOptions options;
    read(options);
    buildCodegenPipeline(passes, *found, options);
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }

  void read(CompileOptions &options) const {
    if (!target.empty())
      options.target = target;
    options.attentionBackward = deterministicAttention
                                    ? AttentionBackward::Deterministic
                                    : AttentionBackward::Fast;
  }
};

} // namespace

LogicalResult
prec::readScheduleOptions(StringRef text, CompileOptions &options,
                          function_ref<LogicalResult(const Twine &)> report) {
  ScheduleForTarget pass;
  return failure(failed(pass.initializeOptions(text, report)) ||
                 failed(pass.read(options, report)));
}

LogicalResult
prec::readCodegenOptions(StringRef text, CompileOptions &options,
                         function_ref<LogicalResult(const Twine &)> report) {
  CodegenForTarget pass;
  if (failed(pass.initializeOptions(text, report)))
    return failure();
  pass.read(options);
  return success();
}
