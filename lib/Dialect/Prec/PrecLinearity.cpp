//===- PrecLinearity.cpp - what prec operations are linear in -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dialect/Prec/PrecLinearity.h"

#include "prec/Dialect/Prec/LinearOpInterface.h"
#include "prec/Dialect/Prec/Prec.h"

using namespace mlir;
using namespace prec;

#include "prec/Dialect/Prec/LinearOpInterface.cpp.inc"

void prec::attachPrecLinearity(MLIRContext *context) {
  // Data and scale together stand for the value; the data have the factor.
  LinearInSum<0>::attach<QuantizeOp, FakeQuantizeOp, DequantizeOp, HadamardOp,
                         AmaxOp, GroupAmaxOp, AlignGroupsOp>(context);
  LinearInProduct<0, 2>::attach<ScaledMatmulOp, ScaledGroupedMatmulOp>(context);
  LinearIn<Linearity::Kind::Scale>::attach<UpdateScaleOp, BlockScaleOp,
                                           DelayedScaleOp, GroupScalesOp>(
      context);
}
