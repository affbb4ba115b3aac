//===- ClassifyPass.cpp - classes as attributes ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Classify.h"
#include "prec/Assign/Passes.h"
#include "prec/Assign/Projection.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/ExternalModels/ExternalModels.h"

namespace prec {
#define GEN_PASS_DEF_CLASSIFY
#include "prec/Assign/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct Classify : public prec::impl::ClassifyBase<Classify> {
  void getDependentDialects(DialectRegistry &registry) const override {
    ClassifyBase::getDependentDialects(registry);
    registerExternalModels(registry);
  }
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](FunctionOpInterface function) {
      if (function.isExternal() || isInCrowded(function))
        return WalkResult::advance();
      FailureOr<Projection> projection = project(function);
      if (failed(projection))
        return WalkResult::interrupt();
      Classification facts = classify(projection->graph);
      for (auto [op, tensorClass] :
           llvm::zip_equal(projection->operations, facts.classes))
        if (tensorClass)
          op->setAttr(kClass,
                      TensorClassAttr::get(op->getContext(), *tensorClass));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
