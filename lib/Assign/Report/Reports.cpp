//===- Reports.cpp - what assignment tells beside the tags ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Report/Reports.h"

#include "prec/Target/EmitErrors.h"
#include "prec/Explain/Explain.h"
#include "prec/Explain/Page.h"
#include "prec/Support/Files.h"

using namespace mlir;
using namespace prec;
using llvm::Error;
using llvm::raw_ostream;

static Error explain(const ReportOptions &options, const PrecisionMap &map) {
  llvm::Expected<PrecisionMap> selected = selectDecisions(map, options.explain);
  if (!selected)
    return selected.takeError();
  if (options.explainFile.empty()) {
    printExplanation(llvm::errs(), *selected);
    return Error::success();
  }
  return writeFileAtomically(options.explainFile, [&](raw_ostream &os) {
    if (options.explainFile.ends_with(".json"))
      writePrecisionMap(os, *selected);
    else
      printExplanation(os, *selected);
  });
}

LogicalResult prec::writeReports(Location location,
                                 const ReportOptions &options,
                                 const PrecisionMap &map) {
  if (options.explain.empty() && !options.explainFile.empty())
    return emitError(location, "explain-file needs 'explain'");
  if (!options.mapFile.empty())
    if (Error error =
            writeFileAtomically(options.mapFile, [&](raw_ostream &os) {
              if (options.mapFile.ends_with(".html"))
                writePage(os, map);
              else
                writePrecisionMap(os, map);
            }))
      return emitErrors(location, std::move(error), "precision map: ");
  if (!options.explain.empty())
    if (Error error = explain(options, map))
      return emitErrors(location, std::move(error));
  return success();
}
