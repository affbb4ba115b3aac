//===- LinearityModels.cpp - what upstream operations are linear in -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Prec/LinearOpInterface.h"
#include "prec/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace prec;

/// Largest and smallest of values, and magnitudes, are not linear, but keep a
/// positive factor.
void prec::registerLinearityModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    LinearInSum<>::attach<arith::AddFOp, arith::SubFOp, arith::MaximumFOp,
                          arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
                          arith::NegFOp, arith::ExtFOp, arith::TruncFOp>(
        context);
    LinearInProduct<>::attach<arith::MulFOp>(context);
    LinearInSum<0>::attach<arith::DivFOp>(context);
    LinearInSum<1, 2>::attach<arith::SelectOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    LinearInSum<>::attach<math::AbsFOp>(context);
    LinearInSum<0>::attach<math::CopySignOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    LinearInSum<>::attach<tensor::ConcatOp>(context);
    LinearInSum<0>::attach<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                           tensor::ExtractSliceOp>(context);
    LinearInSum<0, 1>::attach<tensor::InsertSliceOp>(context);
  });
}
