//===- Reports.h - what assignment tells beside the tags --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_REPORT_REPORTS_H
#define PREC_LIB_ASSIGN_REPORT_REPORTS_H

#include "prec/Explain/PrecisionMap.h"
#include "prec/Support/LLVM.h"

#include "mlir/IR/Diagnostics.h"

namespace prec {

/// What is asked for; empty names ask for nothing.
struct ReportOptions {
  /// A page if it ends in ".html", else JSON.
  StringRef mapFile;
  StringRef explain;
  /// Takes the explanation instead of stderr; JSON if it ends in ".json".
  StringRef explainFile;

  bool needMap() const { return !explain.empty() || !mapFile.empty(); }
};

/// Writes what is asked for. An error is emitted at `location`.
LogicalResult writeReports(Location location, const ReportOptions &options,
                           const PrecisionMap &map);

} // namespace prec

#endif // PREC_LIB_ASSIGN_REPORT_REPORTS_H
