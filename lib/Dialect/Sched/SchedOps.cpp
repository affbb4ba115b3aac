//===- SchedOps.cpp - verifiers of the prec_sched dialect -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the operations of the prec_sched dialect: dispatches, library
// calls, copies. The comments name the constraints as the documentation of the
// operations does (gemm_c1, ...). Sizes of a gemm come from its operands'
// types, where FP4 is packed two to a byte; attention may see its tensors
// through views, so its verifier checks the views first and then the types that
// they make.
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Sched/Sched.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace prec::sched;

/// `by` SCALING, SCALING behind inverse scales; without it these are one of
/// each tensor.
static ParseResult parseScalings(OpAsmParser &parser, prec::ScalingAttr &lhs,
                                 prec::ScalingAttr &rhs) {
  bool isNamed = succeeded(parser.parseOptionalKeyword("by"));
  for (prec::ScalingAttr *attribute : {&lhs, &rhs}) {
    prec::Scaling scaling = prec::Scaling::TensorCurrent;
    if (isNamed) {
      if (attribute == &rhs && failed(parser.parseComma()))
        return failure();
      FailureOr<prec::Scaling> named = prec::parseScaling(parser);
      if (failed(named))
        return failure();
      scaling = *named;
    }
    *attribute = prec::ScalingAttr::get(parser.getContext(), scaling);
  }
  return success();
}

static void printScalings(OpAsmPrinter &printer, Operation *op,
                          prec::ScalingAttr, prec::ScalingAttr) {
  prec::Scaling lhs = cast<GemmOp>(op).getLhsScaling(),
                rhs = cast<GemmOp>(op).getRhsScaling();
  if (lhs != prec::Scaling::TensorCurrent ||
      rhs != prec::Scaling::TensorCurrent)
    printer << "by " << prec::stringifyScaling(lhs) << ", "
            << prec::stringifyScaling(rhs);
}

#define GET_OP_CLASSES
#include "prec/Dialect/Sched/SchedOps.cpp.inc"

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Of the elements that a gemm's operand holds.
static ArrayRef<int64_t> unpackedShapeOf(Value value) {
  return prec::getUnpackedType(cast<RankedTensorType>(value.getType()))
      .getShape();
}

LogicalResult
prec::sched::verifyPlacements(Operation *op,
                              std::optional<ArrayAttr> placements) {
  // placements_c1
  if (placements && placements->size() != op->getNumResults())
    return op->emitOpError("placements must be one for each of ")
           << op->getNumResults() << " results, but got " << placements->size();
  return success();
}

LogicalResult DispatchOp::verify() {
  Block &block = getBody().front();
  // dispatch_c1
  if (block.getArgumentTypes() != getInputs().getTypes())
    return emitOpError("block arguments must have the types of the inputs, but "
                       "got ")
           << block.getArgumentTypes() << " and " << getInputs().getTypes();
  // dispatch_c2
  auto yield = cast<YieldOp>(block.getTerminator());
  if (yield.getOperandTypes() != getResultTypes())
    return emitOpError("yielded types must be those of the results, but got ")
           << yield.getOperandTypes() << " and " << getResultTypes();
  // dispatch_c3
  if (!getInplace().empty() && getInplace().size() != getNumResults())
    return emitOpError("inplace must have one entry for each of ")
           << getNumResults() << " results, but got " << getInplace().size();
  // dispatch_c4
  for (auto [result, input] : llvm::enumerate(getInplace()))
    if (input < -1 || input >= int64_t(getInputs().size()) ||
        (input >= 0 &&
         getInputs()[input].getType() != getResult(result).getType()))
      return emitOpError("a result computed in place must have the type of its "
                         "input, but got input ")
             << input << " for result " << result;
  // dispatch_c5
  if (std::optional<uint64_t> order = getOrder()) {
    Value rows = *order < getInputs().size() ? getInputs()[*order] : Value();
    if (!rows || getFamily() != Family::Row ||
        !getElementTypeOrSelf(rows).isInteger(32) ||
        !block.getArgument(*order).use_empty())
      return emitOpError("an order must be an input of i32 that rows do not "
                         "read, but got input ")
             << *order;
    // dispatch_c6
    if (int64_t count = cast<RankedTensorType>(rows.getType()).getNumElements();
        count != countRows())
      return emitOpError("an order must have an element for each of ")
             << countRows() << " rows, but got " << count;
  }
  return verifyPlacements(*this, getPlacements());
}

int64_t DispatchOp::countRows() {
  for (auto reduce : getBody().front().getOps<train::ReduceOp>())
    if (auto type = cast<RankedTensorType>(reduce.getInput().getType());
        reduce.getDims().back() == type.getRank() - 1)
      return cast<RankedTensorType>(reduce.getResult().getType())
          .getNumElements();
  return 0;
}

int64_t GemmOp::getM() { return shapeOf(getResult()).end()[-2]; }
int64_t GemmOp::getN() { return shapeOf(getResult()).end()[-1]; }
int64_t GemmOp::getK() {
  ArrayRef<int64_t> lhs = unpackedShapeOf(getLhs());
  return lhs.end()[getTransposeA() ? -2 : -1];
}
int64_t GemmOp::getBatch() {
  ArrayRef<int64_t> shape = shapeOf(getResult()).drop_back(2);
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

static LogicalResult verifyBias(GemmOp op) {
  if (!op.getBias())
    return success();
  auto result = cast<RankedTensorType>(op.getResult().getType());
  // gemm_c10
  if (result.getRank() != 2)
    return op.emitOpError("a product with a bias must be one matrix, but got ")
           << result;
  // gemm_c11
  if (prec::isFine(op.getLhsScaling()))
    return op.emitOpError("scales must be of tensors beside a bias, but got ")
           << op.getLhsScaling();
  // gemm_c12
  auto bias = prec::getBiasType(result, bool(op.getLhsScale()));
  if (op.getBias().getType() != bias)
    return op.emitOpError("bias must be ")
           << bias << ", but got " << op.getBias().getType();
  return success();
}

LogicalResult GemmOp::verify() {
  ArrayRef<int64_t> lhs = unpackedShapeOf(getLhs()),
                    rhs = unpackedShapeOf(getRhs()),
                    result = shapeOf(getResult());
  // gemm_c1
  if (lhs.size() < 2 || rhs.size() != lhs.size() || result.size() != lhs.size())
    return emitOpError("operands and result must have one rank of at least 2, "
                       "but got ")
           << getLhs().getType() << ", " << getRhs().getType() << " and "
           << getResult().getType();
  // gemm_c2
  if (lhs.drop_back(2) != rhs.drop_back(2) ||
      lhs.drop_back(2) != result.drop_back(2))
    return emitOpError("batch dimensions must be equal, but got ")
           << getLhs().getType() << ", " << getRhs().getType() << " and "
           << getResult().getType();
  // gemm_c3
  bool transposeA = getTransposeA(), transposeB = getTransposeB();
  if (lhs.end()[transposeA ? -2 : -1] != rhs.end()[transposeB ? -1 : -2])
    return emitOpError("contracted dimensions must be equal, but got ")
           << lhs.end()[transposeA ? -2 : -1] << " and "
           << rhs.end()[transposeB ? -1 : -2];
  // gemm_c4
  if (result.end()[-2] != lhs.end()[transposeA ? -1 : -2] ||
      result.end()[-1] != rhs.end()[transposeB ? -2 : -1])
    return emitOpError("result must be ")
           << lhs.end()[transposeA ? -1 : -2] << "x"
           << rhs.end()[transposeB ? -2 : -1] << ", but got "
           << getResult().getType();
  // gemm_c5
  if (getInit() && getInit().getType() != getResult().getType())
    return emitOpError("init must have the type of the result, but got ")
           << getInit().getType();
  // gemm_c6
  if (!getLhsScale() != !getRhsScale())
    return emitOpError("both operands must be scaled or none, but got only ")
           << (getLhsScale() ? "lhs_scale" : "rhs_scale");
  // gemm_c7
  auto isFp8 = [](Value value) {
    return cast<RankedTensorType>(value.getType())
               .getElementType()
               .getIntOrFloatBitWidth() == 8;
  };
  if ((isFp8(getLhs()) || isFp8(getRhs())) &&
      (transposeA || !transposeB || !getLhsScale()))
    return emitOpError("fp8 operands must be contiguous along K (transpose_b "
                       "alone) and scaled, but got ")
           << (transposeA   ? "transpose_a"
               : transposeB ? "no scales"
                            : "no transpose_b");
  // gemm_c8
  for (auto [scaleInvs, scaling, rows] :
       {std::tuple(getLhsScale(), getLhsScaling(), getM()),
        std::tuple(getRhsScale(), getRhsScaling(), getN())}) {
    if (!scaleInvs && scaling != prec::Scaling::None)
      return emitOpError("a scaling must come with scales, but got ")
             << scaling << " without";
    if (!scaleInvs)
      continue;
    SmallVector<int64_t> shape(result.drop_back(2));
    llvm::append_values(shape, rows, getK());
    auto operand = cast<RankedTensorType>(scaleInvs.getType()).clone(shape);
    if (auto problem =
            prec::findScaleInvProblem(operand, scaling, scaleInvs.getType()))
      return emitOpError(*problem);
  }
  // gemm_c13
  if (prec::traitsOf(getLhsScaling()).family !=
      prec::traitsOf(getRhsScaling()).family)
    return emitOpError("both operands must be scaled by tensor, by row or by "
                       "block, but got ")
           << getLhsScaling() << " and " << getRhsScaling();
  // gemm_c9
  auto isPacked = [](Value value) {
    return getElementTypeOrSelf(value.getType()).isInteger(8);
  };
  bool isFp4 = isPacked(getLhs());
  if (isFp4 != isPacked(getRhs()) || isFp4 != prec::isOfFp4(getLhsScaling()) ||
      prec::hasTensorScale(getLhsScaling()) != bool(getLhsTensorScale()) ||
      prec::hasTensorScale(getRhsScaling()) != bool(getRhsTensorScale()))
    return emitOpError("packed operands, and only these, must come together "
                       "and have scales of tensors, but got ")
           << getLhs().getType() << ", " << getRhs().getType() << " and "
           << (getLhsTensorScale() ? "a scale" : "none");
  if (failed(verifyBias(*this)))
    return failure();
  return verifyPlacements(*this, getPlacements());
}

/// Operands and results of attention but lse and bias, which are what has
/// views.
template <typename OpTy> static SmallVector<Value> getViewed(OpTy op) {
  SmallVector<Value> values(op->getOperands());
  if (op.getBias())
    values.pop_back();
  llvm::append_range(values, op->getResults());
  llvm::erase(values, op.getLse());
  return values;
}

template <typename OpTy> static SmallVector<ViewAttr> viewsOf(OpTy op) {
  if (std::optional<ArrayAttr> views = op.getViews())
    return llvm::to_vector(views->template getAsRange<ViewAttr>());
  return llvm::map_to_vector(getViewed(op), [](Value value) {
    return ViewAttr::getWhole(cast<RankedTensorType>(value.getType()));
  });
}

SmallVector<ViewAttr> SdpaOp::getTensorViews() { return viewsOf(*this); }
SmallVector<ViewAttr> SdpaGradOp::getTensorViews() { return viewsOf(*this); }

/// Fills in the types of the tensors but lse and bias as attention sees them.
static LogicalResult verifyViews(Operation *op, ArrayRef<Value> values,
                                 std::optional<ArrayAttr> views,
                                 SmallVectorImpl<Type> &seen) {
  llvm::append_range(seen, ValueRange(values).getTypes());
  if (!views)
    return success();
  // sdpa_c1
  if (views->size() != values.size())
    return op->emitOpError("views must be one for each of ")
           << values.size() << " tensors but lse and bias, but got "
           << views->size();
  for (auto [index, view] : llvm::enumerate(views->getAsRange<ViewAttr>())) {
    auto type = cast<RankedTensorType>(seen[index]);
    // sdpa_c2
    if (view.getLast() >= type.getNumElements())
      return op->emitOpError("a view must be of elements that its tensor has, "
                             "but got ")
             << view << " of " << type;
    // sdpa_c3
    if (values[index].getDefiningOp() == op &&
        (!view.isPermutation() || view.getLast() + 1 != type.getNumElements()))
      return op->emitOpError("the view of a result must be all of its tensor, "
                             "but got ")
             << view << " of " << type;
    seen[index] = type.clone(view.getShape());
  }
  return success();
}

LogicalResult SdpaOp::verify() {
  SmallVector<Type> seen;
  if (failed(verifyViews(*this, getViewed(*this), getViews(), seen)) ||
      failed(prec::train::verifyAttention(
          *this, seen[0], seen[1], seen[2], seen[3], getLse().getType(),
          prec::train::AttentionMask::of(*this))))
    return failure();
  return verifyPlacements(*this, getPlacements());
}

LogicalResult SdpaGradOp::verify() {
  SmallVector<Type> seen;
  if (failed(verifyViews(*this, getViewed(*this), getViews(), seen)))
    return failure();
  seen.insert(seen.begin() + 5, getLse().getType());
  ArrayRef<Type> types = seen;
  if (failed(prec::train::verifyAttentionGrad(
          *this, types.take_front(6), types.drop_front(6),
          prec::train::AttentionMask::of(*this))))
    return failure();
  size_t numKernels = getKernels() ? getKernels()->size() : 0,
         numLaunches = getLaunches() ? getLaunches()->size() : 0;
  // sdpa_grad_c1
  if ((numKernels || numLaunches) && (numKernels != 2 || numLaunches != 2))
    return emitOpError("kernels must be two, of queries and of keys, each with "
                       "its launch, but got ")
           << numKernels << " and " << numLaunches << " launches";
  return verifyPlacements(*this, getPlacements());
}

LogicalResult CopyOp::verify() {
  return verifyPlacements(*this, getPlacements());
}

LogicalResult FillOp::verify() {
  return verifyPlacements(*this, getPlacements());
}
