//===- TensorModels.cpp - numeric structure of tensor operations ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExternalModels/Models.h"
#include "prec/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tensor;
using namespace prec;

namespace {
/// An operation that reads nothing but the sizes of a tensor.
template <typename OpTy>
struct SizeModel : PrecisionOpInterface::ExternalModel<SizeModel<OpTy>, OpTy> {
  Structure getStructure(Operation *) const { return Structure::Index; }
  OperandRead getOperandRead(Operation *, OpOperand &) const {
    return OperandRead::Sizes;
  }
};
} // namespace

void prec::registerTensorExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TensorDialect *) {
    attachMovement<Movement::Reshape, CollapseShapeOp, ExpandShapeOp>(context);
    attachMovement<Movement::Slice, ExtractSliceOp>(context);
    attachMovement<Movement::Concat, ConcatOp>(context);
    attachMovement<Movement::Gather, ExtractOp, GatherOp>(context);
    attachFixed<Structure::Layout, ArithNone, tensor::BitcastOp, CastOp,
                EmptyOp, FromElementsOp, InsertOp, InsertSliceOp, PadOp,
                ReshapeOp, SplatOp>(context);
    DimOp::attachInterface<SizeModel<DimOp>>(*context);
    RankOp::attachInterface<SizeModel<RankOp>>(*context);
  });
}
