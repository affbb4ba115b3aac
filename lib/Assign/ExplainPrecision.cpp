//===- ExplainPrecision.cpp - why a tagged graph is as it is --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Report/Reports.h"
#include "prec/Assign/Passes.h"
#include "prec/Assign/TaggedMap.h"
#include "prec/ExternalModels/ExternalModels.h"

namespace prec {
#define GEN_PASS_DEF_EXPLAINPRECISION
#include "prec/Assign/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct ExplainPrecision
    : public prec::impl::ExplainPrecisionBase<ExplainPrecision> {
  using ExplainPrecisionBase::ExplainPrecisionBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    ExplainPrecisionBase::getDependentDialects(registry);
    registerExternalModels(registry);
  }
  void runOnOperation() override {
    markAllAnalysesPreserved();
    FailureOr<PrecisionMap> map = collectTaggedMap(getOperation());
    if (failed(map) ||
        failed(writeReports(getOperation().getLoc(),
                            {mapFile, explain, explainFile}, *map)))
      signalPassFailure();
  }
};

} // namespace
