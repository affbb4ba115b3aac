//===- CostRemark.cpp - what a cost model predicted -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Cost/CostRemark.h"

#include "prec/Support/PassRemark.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace prec;

static std::string printTime(double microseconds) {
  return microseconds >= 1e4
             ? llvm::formatv("{0:F2} ms", microseconds / 1e3).str()
             : llvm::formatv("{0:F2} us", microseconds).str();
}

void prec::emitCostRemark(const DecidedFunction &decided) {
  const std::optional<CostReport> &report = decided.assignment.costs;
  if (!report || decided.assignment.choices.empty())
    return;
  FunctionOpInterface function = decided.function;
  std::string text;
  llvm::raw_string_ostream remark(text);
  remark << "products and their casts take " << printTime(report->chosen)
         << " on " << report->device << " (recipe everywhere "
         << printTime(report->recipe) << ", each contraction for itself "
         << printTime(report->local) << "): " << report->changed << " of "
         << report->decided << " contractions with a choice leave the recipe, "
         << report->measured << " by measured times";
  if (report->corrected)
    remark << ", " << report->corrected
           << " by the machine model, corrected by the nearest that were";
  if (report->bound < report->chosen)
    remark << "; no choice takes less than " << printTime(report->bound);
  emitPassRemark(function.getLoc(), {"assign-precision", "Cost", true}, text);
}
