//===- FitMemory.cpp - a step within a limit of memory --------------------===//
#include "FitMemory.h"

#include "prec/Schedule/MemoryPlan.h"
#include "prec/Schedule/Passes.h"
#include "prec/Schedule/Recompute.h"
#include "prec/Support/Bytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::prec;

namespace {

/// Tries how much memory a module takes with some activations recomputed.
class Fitter {
public:
  Fitter(ModuleOp module, CompileOptions &options)
      : module(module), options(options) {}

  LogicalResult run();

private:
  LogicalResult recompute(ModuleOp in, unsigned count);
  FailureOr<int64_t> measure(unsigned count);

  ModuleOp module;
  CompileOptions &options;
};

} // namespace

/// Of a chunk's logits, where a limit asks for chunks.
static constexpr int64_t kChunkLoss = int64_t(1) << 30;

static std::string format(int64_t bytes) {
  return printBinaryBytes(static_cast<double>(bytes), 2);
}

LogicalResult Fitter::recompute(ModuleOp in, unsigned count) {
  PassManager passes(in.getContext());
  RecomputeActivationsOptions pass;
  pass.count = count;
  passes.addNestedPass<func::FuncOp>(createRecomputeActivations(pass));
  return passes.run(in);
}

FailureOr<int64_t> Fitter::measure(unsigned count) {
  OwningOpRef<ModuleOp> copy = module.clone();
  // What the schedule has to say it says of the module that is compiled.
  ScopedDiagnosticHandler quiet(
      module.getContext(), [](Diagnostic &diagnostic) {
        return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
      });
  PassManager schedule(module.getContext());
  buildSchedulePipeline(schedule, options);
  if (failed(recompute(*copy, count)) || failed(schedule.run(*copy)))
    return failure();
  SegmentLayout layout(*copy);
  int64_t bytes = getWorkspaceSize(*copy);
  for (sched::Segment segment :
       {sched::Segment::State, sched::Segment::Input, sched::Segment::Output})
    bytes += layout.getSize(segment);
  return bytes;
}

LogicalResult Fitter::run() {
  int64_t limit = *options.maxMemory;
  unsigned most = 0;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      most = std::max<unsigned>(most, findRecomputable(function).size());
  FailureOr<int64_t> whole = measure(0);
  if (failed(whole))
    return failure();
  if (*whole <= limit) {
    module.emitRemark("the step takes ")
        << format(*whole) << " of " << format(limit)
        << ": nothing is recomputed";
    return success();
  }
  if (!options.chunkLoss) {
    options.chunkLoss = kChunkLoss;
    FailureOr<int64_t> chunked = measure(0);
    if (failed(chunked))
      return failure();
    if (*chunked <= limit) {
      module.emitRemark("the step takes ")
          << format(*chunked) << " of " << format(limit) << " instead of "
          << format(*whole) << ": its logits are computed in chunks";
      return success();
    }
  }
  // More activations need not be less memory: what is recomputed lives, too.
  unsigned low = 0, high = most;
  int64_t least = *whole;
  std::optional<std::pair<unsigned, int64_t>> best;
  while (low < high) {
    unsigned count = low + (high - low) / 2 + 1;
    FailureOr<int64_t> bytes = measure(count);
    if (failed(bytes))
      return failure();
    least = std::min(least, *bytes);
    if (*bytes <= limit)
      best = {count, *bytes};
    if (*bytes <= limit)
      high = count - 1;
    else
      low = count;
  }
  if (!best)
    return module.emitError("max-memory must be at least ")
           << format(least) << " with all activations recomputed that "
           << "can be, but got " << format(limit);
  module.emitRemark("the step takes ")
      << format(best->second) << " of " << format(limit) << " instead of "
      << format(*whole) << ": " << best->first << " of " << most
      << " activations are recomputed";
  return recompute(module, best->first);
}

LogicalResult prec::fitMemory(ModuleOp module, CompileOptions &options) {
  return Fitter(module, options).run();
}
