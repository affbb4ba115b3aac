//===- TensorModels.cpp - numeric structure of tensor operations ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExternalModels/Models.h"
#include "prec/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tensor;
using namespace prec;

void prec::registerTensorExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TensorDialect *) {
    attachFixed<Structure::Layout, ArithNone, tensor::BitcastOp, CastOp,
                CollapseShapeOp, ConcatOp, EmptyOp, ExpandShapeOp,
                ExtractSliceOp, FromElementsOp, InsertOp, InsertSliceOp, PadOp,
                ReshapeOp, SplatOp>(context);
    attachFixed<Structure::Gather, ArithNone, ExtractOp, GatherOp>(context);
    attachFixed<Structure::Index, ArithNone, DimOp, RankOp>(context);
  });
}
