//===- CostRemark.cpp - what a cost model predicted -----------------------===//
#include "CostRemark.h"

#include "prec/Support/Bytes.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::prec;

static std::string printTime(double microseconds) {
  return microseconds >= 1e4
             ? llvm::formatv("{0:F2} ms", microseconds / 1e3).str()
             : llvm::formatv("{0:F2} us", microseconds).str();
}

LogicalResult prec::verifyMemoryLimit(FunctionOpInterface function,
                                      const Assignment &assignment) {
  if (!assignment.costs || !assignment.costs->memory ||
      assignment.costs->memory->fits)
    return success();
  // At the place alone: a function is long.
  return mlir::emitError(function.getLoc(), "max-memory must be at least ")
         << printBinaryBytes(assignment.costs->memory->least, 2)
         << " for this step, but got "
         << printBinaryBytes(assignment.costs->memory->limit, 2);
}

static void emitMemoryRemark(FunctionOpInterface function,
                             const MemoryReport &memory) {
  mlir::emitRemark(function.getLoc())
      << "the step holds " << printBinaryBytes(memory.held, 2) << " of "
      << printBinaryBytes(memory.limit, 2) << " (at least "
      << printBinaryBytes(memory.least, 2)
      << "): of what the backward's contractions read of the forward "
      << memory.quantized << " are held quantised, " << memory.transposed
      << " quantised and transposed later, " << memory.stored
      << " as stored, and " << memory.recomputed
      << " are computed again; another GiB saves about "
      << printTime(memory.microsecondsPerGiB);
}

void prec::emitCostRemark(const DecidedFunction &decided) {
  const std::optional<CostReport> &report = decided.assignment.costs;
  if (!report || decided.assignment.choices.empty())
    return;
  FunctionOpInterface function = decided.function;
  InFlightDiagnostic remark = mlir::emitRemark(function.getLoc());
  remark << "products and their casts take " << printTime(report->chosen)
         << " on " << report->device << " (recipe everywhere "
         << printTime(report->recipe) << ", each contraction for itself "
         << printTime(report->local) << "): " << report->changed << " of "
         << report->decided << " contractions with a choice leave the recipe, "
         << report->measured << " by measured times";
  if (report->bound < report->chosen)
    remark << "; no choice takes less than " << printTime(report->bound);
  remark.report();
  if (report->memory)
    emitMemoryRemark(function, *report->memory);
}
