//===- FitMemory.cpp - a step within a limit of memory --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a step fit into --max-memory. Nothing is estimated: a copy of the
// module is scheduled with a measure, and the planned bytes are read. The
// measures are tried in the order of what they cost: nothing; sums of gradients
// that are not kept until they share launches; FP8 weights transposed in the
// backward rather than kept; logits in chunks; recomputing activations. For the
// last one the smallest number that fits is searched by halving, over the order
// of RecomputeOrder.cpp. More recomputed activations need not take less memory,
// so if halving ends at too many, sixteenths of the number are tried. Time is
// that of at most about 2 log2(n) + 16 schedules.
//
//===----------------------------------------------------------------------===//
#include "Pipelines/FitMemory.h"

#include "prec/Dialect/Prec/Entry.h"
#include "prec/Pipelines/Pipelines.h"
#include "prec/Schedule/MemoryPlan.h"
#include "prec/Schedule/Passes.h"
#include "prec/Schedule/Recompute.h"
#include "prec/Support/Bytes.h"
#include "prec/Target/TargetRegistry.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace prec;

namespace {

/// Tries how much memory a module takes with some activations recomputed.
class Fitter {
public:
  Fitter(ModuleOp module, OwningOpRef<ModuleOp> assigned, const Target &target,
         CompileOptions &options)
      : module(module), assigned(std::move(assigned)), target(target),
        options(options) {}

  LogicalResult run();

private:
  LogicalResult recompute(ModuleOp in, unsigned count);
  FailureOr<int64_t> measure(ModuleOp of, unsigned count);
  LogicalResult dropSums();
  LogicalResult dropTransposedWeights();
  LogicalResult chunkLoss();
  LogicalResult findMeasures();
  LogicalResult tryCount(unsigned count);
  LogicalResult bisect(unsigned low, unsigned high);
  LogicalResult findCount(unsigned most);

  /// A number of activations, and what the step takes with so many recomputed.
  struct Fit {
    unsigned count;
    int64_t bytes;
  };

  bool fits() const { return least <= *options.maxMemory; }

  ModuleOp module;
  OwningOpRef<ModuleOp> assigned;
  const Target &target;
  CompileOptions &options;
  /// What has been done, for a user.
  SmallVector<std::string> measures;
  std::optional<Fit> best;
  /// What the step takes as it is, and with what has been done or tried.
  int64_t whole = 0;
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
  pass.target = target.getName().str();
  pass.machine = options.machine;
  passes.addNestedPass<func::FuncOp>(createRecomputeActivations(pass));
  return passes.run(in);
}

FailureOr<int64_t> Fitter::measure(ModuleOp of, unsigned count) {
  OwningOpRef<ModuleOp> copy = of.clone();
  PassManager schedule(of.getContext());
  buildSchedulePipeline(schedule, target, options);
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
  FailureOr<int64_t> bytes = measure(module, count);
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

/// Sums that wait for others, to share their launches, are kept meanwhile.
LogicalResult Fitter::dropSums() {
  options.sumsWait = false;
  FailureOr<int64_t> bytes = measure(module, 0);
  if (failed(bytes))
    return failure();
  options.sumsWait = *bytes > least;
  least = std::min(least, *bytes);
  return success();
}

LogicalResult Fitter::dropTransposedWeights() {
  options.keepTransposedWeights = false;
  PassManager materialize(module.getContext());
  buildMaterializePipeline(materialize, options);
  if (failed(materialize.run(*assigned)))
    return failure();
  FailureOr<int64_t> bytes = measure(*assigned, 0);
  if (failed(bytes))
    return failure();
  options.keepTransposedWeights = *bytes >= least;
  if (*options.keepTransposedWeights)
    return success();
  least = *bytes;
  module->setAttrs(assigned->getOperation()->getAttrDictionary());
  module.getBodyRegion().takeBody(assigned->getBodyRegion());
  measures.push_back("fp8 weights are transposed in the backward");
  return success();
}

LogicalResult Fitter::chunkLoss() {
  options.chunkLoss = kChunkLoss;
  FailureOr<int64_t> bytes = measure(module, 0);
  if (failed(bytes))
    return failure();
  if (*bytes < least)
    measures.push_back("logits are computed in chunks");
  least = std::min(least, *bytes);
  return success();
}

LogicalResult Fitter::findMeasures() {
  // What the schedule has to say it says of the module that is compiled.
  ScopedDiagnosticHandler quiet(
      module.getContext(), [](Diagnostic &diagnostic) {
        return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
      });
  FailureOr<int64_t> bytes = measure(module, 0);
  if (failed(bytes))
    return failure();
  whole = least = *bytes;
  if (!fits() && failed(dropSums()))
    return failure();
  if (!fits() && assigned && failed(dropTransposedWeights()))
    return failure();
  if (!fits() && !options.chunkLoss && failed(chunkLoss()))
    return failure();
  if (fits())
    return success();
  FailureOr<ScheduleModel> machine =
      loadScheduleModel(module.getLoc(), target.getName(), options.machine);
  if (failed(machine))
    return failure();
  unsigned most = 0;
  for (auto function : module.getOps<func::FuncOp>())
    if (isCompiledGraph(function))
      most =
          std::max<unsigned>(most, findRecomputable(function, *machine).size());
  if (failed(findCount(most)))
    return failure();
  if (!best)
    return success();
  least = best->bytes;
  measures.push_back((Twine(best->count) + " of " + Twine(most) +
                      " activations are recomputed")
                         .str());
  return recompute(module, best->count);
}

LogicalResult Fitter::run() {
  if (failed(findMeasures()))
    return failure();
  if (!fits())
    return module.emitError("max-memory must be at least ")
           << format(least)
           << ", the least that recomputing activations leads to, but got "
           << format(*options.maxMemory);
  InFlightDiagnostic remark = module.emitRemark("the step takes ")
                              << format(least) << " of "
                              << format(*options.maxMemory);
  if (measures.empty()) {
    remark << ": nothing is recomputed";
    return success();
  }
  remark << " instead of " << format(whole) << ": "
         << llvm::join(measures, ", ");
  return success();
}

LogicalResult prec::fitMemory(ModuleOp module, OwningOpRef<ModuleOp> assigned,
                              const Target &target, CompileOptions &options) {
  return Fitter(module, std::move(assigned), target, options).run();
}
