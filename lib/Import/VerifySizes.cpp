//===- VerifySizes.cpp - tensors that can be ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Train/Graph.h"
#include "prec/Import/Passes.h"

namespace prec {
#define GEN_PASS_DEF_VERIFYSIZES
#include "prec/Import/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct VerifySizes : prec::impl::VerifySizesBase<VerifySizes> {
  void runOnOperation() override {
    if (failed(train::verifyTensorSizes(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
