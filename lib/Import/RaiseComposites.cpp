//===- RaiseComposites.cpp - primitives to composites ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that finds composites among primitives, one kind after the other.
// The order matters where one kind contains another: the gradient of a cross
// entropy has a softmax in it, and a layer norm has the RMS norm of a centered
// tensor in it, so the larger kind is raised first. Each Raise file does the
// same three things: it collects inputs that could belong to its kind by a
// cheap test, compares the expressions around each with the definition
// (Algebra.cpp, ExprRegion.cpp), and replaces what is equal. Before, tables
// that layers have one each of become one (ShareTables.cpp); last, the backward
// computes cheap values again (RecomputeElementwise.cpp).
//
//===----------------------------------------------------------------------===//
#include "Import/Match.h"
#include "Import/Raise.h"

#include "prec/Import/Passes.h"
#include "prec/Support/PassRemark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace prec {
#define GEN_PASS_DEF_RAISECOMPOSITES
#include "prec/Import/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct Kind {
  StringLiteral name;
  RaiseCount (*raise)(func::FuncOp);
};

constexpr Kind kKinds[] = {
    // Before softmax, which the gradient of a cross entropy contains.
    {"cross_entropy", raiseCrossEntropy},
    // Before rms_norm, which the normalization of a centered tensor is too.
    {"layer_norm", raiseLayerNorm},
    {"rms_norm", raiseRmsNorm},
    {"softmax", raiseSoftmax},
    {"rope", raiseRope},
};

struct RaiseComposites : prec::impl::RaiseCompositesBase<RaiseComposites> {
  using RaiseCompositesBase::RaiseCompositesBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    shareTables(function.front());
    for (const Kind &kind : kKinds) {
      RaiseCount count = kind.raise(function);
      if (report && (count.forward || count.backward))
        emitPassRemark(function.getLoc(),
                       {"prec-raise-composites", "Raised", /*isPassed=*/true},
                       "raised " + kind.name + ": " + Twine(count.forward) +
                           " forward, " + Twine(count.backward) + " backward");
    }
    joinPieces(function);
    eraseDead(function.front());
    // Last, as composites keep what they are made of in other ways.
    recomputeElementwise(function);
    eraseDead(function.front());
  }
};

} // namespace
