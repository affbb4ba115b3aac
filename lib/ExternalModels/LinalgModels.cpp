//===- LinalgModels.cpp - numeric structure of linalg operations ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named operations and linalg.generic alike are judged by their iterators,
// maps and payload: never by their names.
//
//===----------------------------------------------------------------------===//
#include "ExternalModels/Models.h"
#include "prec/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;
using linalg::LinalgOp;

/// Product of the sizes of some loops; 0 if one of them is unknown.
static int64_t getProduct(LinalgOp op, ArrayRef<unsigned> loops) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t product = 1;
  for (unsigned loop : loops) {
    if (ShapedType::isDynamic(ranges[loop]))
      return 0;
    product *= ranges[loop];
  }
  return product;
}

static SmallVector<unsigned> getLoops(LinalgOp op, bool onlyReductions) {
  SmallVector<unsigned> loops;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (!onlyReductions || iterator == utils::IteratorType::reduction)
      loops.push_back(loop);
  return loops;
}

/// Sums of products. Pooling walks over windows, too, but multiplies nothing.
static bool isContraction(LinalgOp op) {
  if (linalg::isaContractionOpInterface(op))
    return true;
  return linalg::isaConvolutionOpInterface(op) &&
         llvm::any_of(
             *op.getBlock(),
             llvm::IsaPred<arith::MulFOp, arith::MulIOp, complex::MulOp>);
}

/// Whether an operation of a payload computes with floats. Picking one of a
/// tensor and choosing between two do not.
static bool computesFloats(Operation &op) {
  return !isa<tensor::ExtractOp, arith::ConstantOp>(op) &&
         (llvm::any_of(op.getOperandTypes(), llvm::IsaPred<FloatType>) ||
          llvm::any_of(op.getResultTypes(), llvm::IsaPred<FloatType>));
}

namespace {

template <typename OpTy>
struct LinalgModel
    : PrecisionOpInterface::ExternalModel<LinalgModel<OpTy>, OpTy> {
  Structure getStructure(Operation *op) const {
    auto linalgOp = cast<LinalgOp>(op);
    if (isContraction(linalgOp))
      return Structure::Contraction;
    if (linalgOp.getNumReductionLoops() > 0)
      return Structure::Reduction;
    Block *body = linalgOp.getBlock();
    bool gathers = false, chooses = false, computes = false;
    for (Operation &inner : body->without_terminator()) {
      gathers |= isa<tensor::ExtractOp>(inner);
      if (isa<arith::SelectOp>(inner))
        chooses |= computesFloats(inner);
      else
        computes |= computesFloats(inner);
    }
    // A row that is not looked up is filled in.
    if (computes || (chooses && !gathers))
      return Structure::Elementwise;
    if (gathers)
      return Structure::Gather;
    bool anyFloat = llvm::any_of(op->getResultTypes(), [](Type type) {
      return isa<FloatType>(getElementTypeOrSelf(type));
    });
    return anyFloat ? Structure::Layout : Structure::Index;
  }

  OperandRead getOperandRead(Operation *op, OpOperand &operand) const {
    return cast<LinalgOp>(op).payloadUsesValueFromOperand(&operand)
               ? OperandRead::Elements
               : OperandRead::Nothing;
  }

  std::optional<unsigned> getNumInputs(Operation *op) const {
    return cast<LinalgOp>(op).getNumDpsInputs();
  }

  bool isContractedLast(Operation *op, unsigned input) const {
    auto linalgOp = cast<LinalgOp>(op);
    if (!linalg::isaContractionOpInterface(linalgOp))
      return true;
    FailureOr<linalg::ContractionDimensions> dims =
        linalg::inferContractionDims(linalgOp);
    AffineMap map =
        linalgOp.getMatchingIndexingMap(linalgOp.getDpsInputOperand(input));
    if (failed(dims) || map.getNumResults() == 0)
      return true;
    auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
    return last && llvm::is_contained(dims->k, last.getPosition());
  }

  int64_t getAccumulationLength(Operation *op) const {
    auto linalgOp = cast<LinalgOp>(op);
    return getProduct(linalgOp, getLoops(linalgOp, /*onlyReductions=*/true));
  }

  double getFlops(Operation *op) const {
    auto linalgOp = cast<LinalgOp>(op);
    double points =
        getProduct(linalgOp, getLoops(linalgOp, /*onlyReductions=*/false));
    return isContraction(linalgOp) ? 2 * points : points;
  }

  ContractionShape getContractionShape(Operation *op) const {
    auto linalgOp = cast<LinalgOp>(op);
    if (!linalg::isaContractionOpInterface(linalgOp))
      return {};
    FailureOr<linalg::ContractionDimensions> dims =
        linalg::inferContractionDims(linalgOp);
    if (failed(dims))
      return {};
    return {getProduct(linalgOp, dims->m), getProduct(linalgOp, dims->n),
            getProduct(linalgOp, dims->k), getProduct(linalgOp, dims->batch)};
  }

  uint32_t getArithmetic(Operation *op) const {
    uint32_t bits = ArithNone;
    for (Operation &inner : cast<LinalgOp>(op).getBlock()->without_terminator())
      if (auto payload = dyn_cast<PrecisionOpInterface>(inner))
        bits |= payload.getArithmetic();
    return bits;
  }
};

/// Of operations that compute a whole result: they read nothing of the operand
/// that has the place for it.
OperandRead getReadOfWhole(Operation *op, OpOperand &operand) {
  return cast<DestinationStyleOpInterface>(op).isDpsInit(&operand)
             ? OperandRead::Nothing
             : OperandRead::Elements;
}

template <typename OpTy>
struct PackModel : PrecisionOpInterface::ExternalModel<PackModel<OpTy>, OpTy> {
  Structure getStructure(Operation *) const { return Structure::Layout; }
  OperandRead getOperandRead(Operation *op, OpOperand &operand) const {
    return getReadOfWhole(op, operand);
  }
};

struct SoftmaxModel
    : PrecisionOpInterface::ExternalModel<SoftmaxModel, linalg::SoftmaxOp> {
  OperandRead getOperandRead(Operation *op, OpOperand &operand) const {
    return getReadOfWhole(op, operand);
  }
  Structure getStructure(Operation *) const { return Structure::Softmax; }
  int64_t getAccumulationLength(Operation *op) const {
    auto softmax = cast<linalg::SoftmaxOp>(op);
    int64_t size =
        softmax.getInputOperandType().getDimSize(softmax.getDimension());
    return ShapedType::isDynamic(size) ? 0 : size;
  }
  double getFlops(Operation *op) const { return 5 * getResultElements(op); }
};

} // namespace

template <typename... Ops> static void attachStructured(MLIRContext *context) {
  (Ops::template attachInterface<LinalgModel<Ops>>(*context), ...);
}

void prec::registerLinalgExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attachStructured<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
    linalg::SoftmaxOp::attachInterface<SoftmaxModel>(*context);
    linalg::PackOp::attachInterface<PackModel<linalg::PackOp>>(*context);
    linalg::UnPackOp::attachInterface<PackModel<linalg::UnPackOp>>(*context);
  });
}
