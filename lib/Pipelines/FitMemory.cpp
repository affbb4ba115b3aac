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
  LogicalResult tryCount(unsigned count);
  LogicalResult bisect(unsigned low, unsigned high);
  LogicalResult findCount(unsigned most);

  /// A number of activations, and what the step takes with so many recomputed.
  struct Fit {
    unsigned count;
    int64_t bytes;
  };

  ModuleOp module;
  CompileOptions &options;
  std::optional<Fit> best;
  int64_t least = 0;
};

} // namespace

/// Of a chunk's logits, where a limit asks for chunks.
static constexpr int64_t kChunkLoss = int64_t(1) << 30;
/// Numbers of activations that are tried where halving finds none that fits.
static constexpr unsigned kScanned = 16;

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

LogicalResult Fitter::tryCount(unsigned count) {
  FailureOr<int64_t> bytes = measure(count);
  if (failed(bytes))
    return failure();
  least = std::min(least, *bytes);
  if (*bytes <= *options.maxMemory && (!best || count < best->count))
    best = {count, *bytes};
  return success();
}

/// Finds the smallest number above `low` and up to `high` that fits, if more
/// activations take less memory in between.
LogicalResult Fitter::bisect(unsigned low, unsigned high) {
  while (low < high) {
    unsigned count = low + (high - low) / 2 + 1;
    if (failed(tryCount(count)))
      return failure();
    if (best && best->count == count)
      high = count - 1;
    else
      low = count;
  }
  return success();
}

/// More activations need not be less memory, for what is recomputed lives, too:
/// where that ends halving at too many, some numbers are tried.
LogicalResult Fitter::findCount(unsigned most) {
  if (failed(bisect(0, most)))
    return failure();
  unsigned tried = 0;
  for (unsigned i = 1; !best && i < kScanned; ++i) {
    unsigned count = most * i / kScanned;
    if (count == tried)
      continue;
    if (failed(tryCount(count)))
      return failure();
    if (best)
      return bisect(tried, count - 1);
    tried = count;
  }
  return success();
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
  least = *whole;
  if (failed(findCount(most)))
    return failure();
  if (!best)
    return module.emitError("max-memory must be at least ")
           << format(least)
           << ", the least that recomputing activations leads to, but got "
           << format(limit);
  module.emitRemark("the step takes ")
      << format(best->bytes) << " of " << format(limit) << " instead of "
      << format(*whole) << ": " << best->count << " of " << most
      << " activations are recomputed";
  return recompute(module, best->count);
}

LogicalResult prec::fitMemory(ModuleOp module, CompileOptions &options) {
  return Fitter(module, options).run();
}
