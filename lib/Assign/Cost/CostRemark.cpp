//===- CostRemark.cpp - what a cost model predicted -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Cost/CostRemark.h"

#include "prec/Support/PassRemark.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace prec;

static std::string printTime(double microseconds) {
  return microseconds >= 1e4
             ? llvm::formatv("{0:F2} ms", microseconds / 1e3).str()
             : llvm::formatv("{0:F2} us", microseconds).str();
}

std::string prec::printDecibels(double decibels) {
  return std::isinf(decibels) ? "inf dB"
                              : llvm::formatv("{0:F2} dB", decibels).str();
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
  if (report->snr)
    remark << "; gradients keep " << printDecibels(*report->snr)
           << " of signal to noise (recipe everywhere "
           << printDecibels(*report->recipeSnr) << ")";
  if (report->bound < report->chosen)
    remark << "; no choice takes less than " << printTime(report->bound);
  emitPassRemark(function.getLoc(), {"assign-precision", "Cost", true}, text);
}

LogicalResult prec::verifyGradientSnr(FunctionOpInterface function,
                                      const Assignment &assignment,
                                      std::optional<double> least) {
  if (!least || !assignment.costs)
    return success();
  if (assignment.costs->unmeasured)
    return function.emitError(
               "least-gradient-snr must have the noise of every contraction "
               "that may read FP8 or FP4, but the numerics have none of ")
           << *assignment.costs->unmeasured;
  std::optional<double> snr = assignment.costs->snr;
  // Sums in another order differ in their last digits.
  constexpr double kDigits = 1e-9;
  if (!snr || *snr >= *least - kDigits)
    return success();
  return function.emitError("least-gradient-snr must be what a permitted "
                            "choice keeps, at most ")
         << printDecibels(*snr) << ", but got " << printDecibels(*least);
}
