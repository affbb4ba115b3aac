//===- PrecOps.cpp - verifiers of the prec dialect ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the operations of the prec dialect (scales, amaxes,
// quantizations, guards, rounding), and the printing of types that only fine
// scales need. The comments name the constraints as the documentation of the
// operations does: quantize_c1 is constraint 1 of prec.quantize. Each verifier
// checks one operation alone; what must hold between operations is checked by
// --prec-verify-materialized.
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Prec/Prec.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace prec;

/// SCALING TYPE.
static ParseResult parseOneScaling(OpAsmParser &parser, ScalingAttr &scaling) {
  FailureOr<Scaling> value = prec::parseScaling(parser);
  if (failed(value))
    return failure();
  scaling = ScalingAttr::get(parser.getContext(), *value);
  return success();
}

/// `by` SCALING TYPE; scales without it are one of a tensor, whose amax makes
/// it.
static ParseResult parseScales(OpAsmParser &parser, ScalingAttr &scaling,
                               Type &type) {
  if (succeeded(parser.parseOptionalKeyword("by")))
    return failure(failed(parseOneScaling(parser, scaling)) ||
                   failed(parser.parseType(type)));
  scaling = ScalingAttr::get(parser.getContext(), Scaling::TensorCurrent);
  type = RankedTensorType::get({}, parser.getBuilder().getF32Type());
  return success();
}

/// Whether what is said of a scale must be printed.
static bool isNamed(ScalingAttr scaling, Type type) {
  return (scaling && scaling.getValue() != Scaling::TensorCurrent) ||
         cast<RankedTensorType>(type).getRank() != 0;
}

static StringRef getName(ScalingAttr scaling) {
  return stringifyScaling(scaling ? scaling.getValue()
                                  : Scaling::TensorCurrent);
}

static void printScales(OpAsmPrinter &printer, Operation *, ScalingAttr scaling,
                        Type type) {
  if (isNamed(scaling, type))
    printer << "by " << getName(scaling) << ' ' << type;
}

/// The type of inverse scales is printed where it is not that of the scales.
static ParseResult parseScaleInvs(OpAsmParser &parser, ScalingAttr &scaling,
                                  Type &scales, Type &scaleInvs) {
  if (failed(parseScales(parser, scaling, scales)))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("to")))
    return parser.parseType(scaleInvs);
  scaleInvs = scales;
  return success();
}

static void printScaleInvs(OpAsmPrinter &printer, Operation *op,
                           ScalingAttr scaling, Type scales, Type scaleInvs) {
  printScales(printer, op, scaling, scales);
  if (scaleInvs != scales)
    printer << " to " << scaleInvs;
}

/// Of scales that have one type; without it they are one of a tensor.
static ParseResult parseOneOrScales(OpAsmParser &parser, Type &type) {
  if (succeeded(parser.parseOptionalColon()))
    return parser.parseType(type);
  type = RankedTensorType::get({}, parser.getBuilder().getF32Type());
  return success();
}

static void printOneOrScales(OpAsmPrinter &printer, Operation *, Type type) {
  if (cast<RankedTensorType>(type).getRank() != 0)
    printer << ": " << type;
}

/// `of` TYPE, ...; without it each is of a tensor.
static ParseResult
parseAmaxTypes(OpAsmParser &parser,
               ArrayRef<OpAsmParser::UnresolvedOperand> amaxes,
               SmallVectorImpl<Type> &types) {
  if (succeeded(parser.parseOptionalKeyword("of")))
    return parser.parseTypeList(types);
  types.assign(amaxes.size(),
               RankedTensorType::get({}, parser.getBuilder().getF32Type()));
  return success();
}

static void printAmaxTypes(OpAsmPrinter &printer, Operation *, OperandRange,
                           TypeRange types) {
  if (llvm::all_of(types, [](Type type) {
        return cast<RankedTensorType>(type).getRank() == 0;
      }))
    return;
  printer << "of " << types;
}

/// `by` SCALING TYPE, SCALING TYPE.
static ParseResult parseScalePair(OpAsmParser &parser, ScalingAttr &lhsScaling,
                                  Type &lhs, ScalingAttr &rhsScaling,
                                  Type &rhs) {
  if (failed(parser.parseOptionalKeyword("by"))) {
    lhs = rhs = RankedTensorType::get({}, parser.getBuilder().getF32Type());
    lhsScaling = rhsScaling =
        ScalingAttr::get(parser.getContext(), Scaling::TensorCurrent);
    return success();
  }
  return failure(failed(parseOneScaling(parser, lhsScaling)) ||
                 failed(parser.parseType(lhs)) || failed(parser.parseComma()) ||
                 failed(parseOneScaling(parser, rhsScaling)) ||
                 failed(parser.parseType(rhs)));
}

static void printScalePair(OpAsmPrinter &printer, Operation *,
                           ScalingAttr lhsScaling, Type lhs,
                           ScalingAttr rhsScaling, Type rhs) {
  if (isNamed(lhsScaling, lhs) || isNamed(rhsScaling, rhs))
    printer << "by " << getName(lhsScaling) << ' ' << lhs << ", "
            << getName(rhsScaling) << ' ' << rhs;
}

RankedTensorType prec::getRecentType(Type history) {
  auto type = cast<RankedTensorType>(history);
  // Of no row, the verifier says so.
  return type.clone(type.getShape().take_front());
}

RankedTensorType prec::getBiasType(RankedTensorType result, bool isScaled) {
  Type format = result.getElementType();
  if (isScaled && format.isF32())
    format = BFloat16Type::get(result.getContext());
  return RankedTensorType::get(result.getShape().back(), format);
}

#define GET_OP_CLASSES
#include "prec/Dialect/Prec/PrecOps.cpp.inc"

/// Both types have the same shape.
static LogicalResult verifySameShape(Operation *op, Value input, Value result) {
  auto from = cast<RankedTensorType>(input.getType());
  auto to = cast<RankedTensorType>(result.getType());
  if (from.getShape() != to.getShape())
    return op->emitOpError("shape must not change, but got ")
           << from << " and " << to;
  return success();
}

/// `scales` are those that `scaling` says of `tensor`.
static LogicalResult verifyScales(Operation *op, Value tensor, Scaling scaling,
                                  Value scales) {
  auto problem = findScaleProblem(cast<RankedTensorType>(tensor.getType()),
                                  scaling, scales.getType());
  return problem ? op->emitOpError(*problem) : success();
}

// amax_op_c1
LogicalResult AmaxOp::verify() {
  return verifyScales(*this, getInput(), getScaling(), getResult());
}

template <typename ScaleOp> static LogicalResult verifyScale(ScaleOp op) {
  // scale_c1
  bool mayBeFp4 = std::is_same_v<ScaleOp, UpdateScaleOp>;
  if (!isFp8(op.getFormat()) && (!mayBeFp4 || op.getFormat() != Format::E2M1))
    return op.emitOpError("format must be e4m3")
           << (mayBeFp4 ? ", e5m2 or e2m1" : " or e5m2") << ", but got "
           << stringifyFormat(op.getFormat());
  // scale_c2
  if (!op.getEpsilon().isFinite() || op.getEpsilon().isNegative())
    return op.emitOpError("epsilon must be finite and not negative, but got ")
           << op.getEpsilonAttr();
  // scale_c3
  if (op.getMargin() < 0 || op.getMargin() > kMaxAmaxMargin)
    return op.emitOpError("margin must be in [0, ")
           << kMaxAmaxMargin << "], but got " << op.getMargin();
  return success();
}

LogicalResult UpdateScaleOp::verify() {
  RankedTensorType scales = getScale().getType();
  Scaling scaling = getScaling();
  // update_scale_c2
  if (scaling == Scaling::None || isMicro(scaling))
    return emitOpError("scaling must be of a tensor, of rows or of f32 blocks, "
                       "but got ")
           << scaling;
  // update_scale_c1
  if (scales.getRank() != getScaleRank(scaling) ||
      getScaleInv().getType() != getScaleInvsOf(scales, scaling))
    return emitOpError("inverse scales must be those of its ")
           << scaling << " scales, laid out for a matrix product, but got "
           << getScaleInv().getType() << " for " << scales;
  return verifyScale(*this);
}

template <typename ScaleOp> static LogicalResult verifyDelayed(ScaleOp op) {
  std::optional<APFloat> first = op.getFirstAmax();
  // delayed_c1
  if (first && (!first->isFinite() || !(first->convertToFloat() > 0)))
    return op.emitOpError("first_amax must be finite and positive, but got ")
           << op.getFirstAmaxAttr();
  return verifyScale(op);
}

LogicalResult DelayedScaleOp::verify() {
  // delayed_c2
  if (auto amax = cast<RankedTensorType>(getAmax().getType());
      amax.getRank() > 1)
    return emitOpError("an amax must be of a tensor, or one of each expert, "
                       "but got ")
           << amax;
  return verifyDelayed(*this);
}

// history_scale_c1, record_amax_c1
static LogicalResult verifyHistory(Operation *op, RankedTensorType history) {
  if (history.getRank() != 2 || history.getNumElements() == 0)
    return op->emitOpError(
               "a history must be a row of amaxes for each tensor, but got ")
           << history;
  return success();
}

LogicalResult HistoryScaleOp::verify() {
  auto history = cast<RankedTensorType>(getHistory().getType());
  if (failed(verifyHistory(*this, history)))
    return failure();
  // history_scale_c2
  for (Type scales : getResultTypes())
    if (cast<RankedTensorType>(scales).getShape() !=
        history.getShape().take_front())
      return emitOpError("scales must be one for each row of ")
             << history << ", but got " << scales;
  return verifyDelayed(*this);
}

void HistoryScaleOp::build(OpBuilder &builder, OperationState &state,
                           Value history, AmaxAlgorithm algorithm,
                           DelayedScaleOp like) {
  auto type = cast<RankedTensorType>(history.getType());
  Type scales = type.clone(type.getShape().take_front());
  build(builder, state, scales, scales, history, algorithm,
        like.getFirstAmaxAttr(), like.getFormat(), like.getEpsilon(),
        like.getMargin(), like.getPowerOfTwo());
}

LogicalResult RecordAmaxOp::verify() {
  auto history = cast<RankedTensorType>(getHistory().getType());
  if (failed(verifyHistory(*this, history)))
    return failure();
  int64_t count = 0;
  for (Value amaxes : getAmaxes())
    count += cast<RankedTensorType>(amaxes.getType()).getNumElements();
  // record_amax_c2
  if (count != history.getDimSize(0))
    return emitOpError("amaxes must be one for each row of ")
           << history << ", but got " << count;
  return success();
}

LogicalResult FiniteGuardOp::verify() {
  // finite_guard_c1
  if (getInputs().empty())
    return emitOpError("something must be guarded, but got no input");
  // finite_guard_c2
  if (getTensors().size() != getInputs().size())
    return emitOpError("every input must have a name, but got ")
           << getTensors().size() << " for " << getInputs().size();
  return success();
}

LogicalResult UpdateLossScaleOp::verify() {
  double growth = getGrowth().convertToFloat();
  double backoff = getBackoff().convertToFloat();
  // update_loss_scale_c1
  if (!isGrowthFactor(growth))
    return emitOpError("growth must be a power of two above 1, but got ")
           << getGrowthAttr();
  // update_loss_scale_c2
  if (!isBackoffFactor(backoff))
    return emitOpError("backoff must be a power of two below 1, but got ")
           << getBackoffAttr();
  // update_loss_scale_c3
  if (getInterval() < 1 || getInterval() > kMaxGrowthInterval)
    return emitOpError("interval must be in [1, ")
           << kMaxGrowthInterval << "], but got " << getInterval();
  return success();
}

LogicalResult BlockScaleOp::verify() {
  auto scaleInvs = cast<RankedTensorType>(getScaleInv().getType());
  bool isFp4 = getFormat() == Format::E2M1;
  // block_scale_c1
  if (!isFp4 && !isFp8(getFormat()))
    return emitOpError("format must be e4m3, e5m2 or e2m1, but got ")
           << stringifyFormat(getFormat());
  // block_scale_c2
  Scaling scaling = getScaling();
  if (!isMicro(scaling) || isOfFp4(scaling) != isFp4)
    return emitOpError("scaling must be of microscaled blocks of ")
           << stringifyFormat(getFormat()) << ", but got " << scaling;
  // block_scale_c3
  if (hasTensorScale(scaling) != bool(getTensorScale()))
    return emitOpError("a tensor scale must be there where the scaling has "
                       "one, but got ")
           << (getTensorScale() ? "one for " : "none for ") << scaling;
  // block_scale_c5
  if (traitsOf(scaling).format != ScaleFormat::F8E8M0FNU && getRoundUp())
    return emitOpError("only e8m0 inverse scales can be rounded up, but got ")
           << scaleInvs;
  // block_scale_c4
  auto amax = cast<RankedTensorType>(getAmax().getType());
  if (amax.getRank() != 2)
    return emitOpError("amaxes must be of the blocks of a matrix, but got ")
           << amax;
  // block_scale_c6
  RankedTensorType tiled = getScaleInvsOf(amax, scaling);
  if (scaleInvs != tiled)
    return emitOpError("inverse scales must lie in tiles, ")
           << tiled << ", but got " << scaleInvs;
  return success();
}

LogicalResult QuantizeOp::verify() {
  // quantize_c1
  if (failed(verifySameShape(*this, getInput(), getResult())))
    return failure();
  // quantize_c3
  auto type = cast<RankedTensorType>(getResult().getType());
  if (isa<Float4E2M1FNType>(type.getElementType()) &&
      (type.getRank() == 0 || type.getShape().back() % 2))
    return emitOpError("rows of e2m1 must have an even number of elements, two "
                       "to a byte, but got ")
           << type;
  // quantize_c4
  if (getSeed() && !isa<Float4E2M1FNType>(type.getElementType()))
    return emitOpError("only e2m1 can be rounded at random, but got ") << type;
  // quantize_c2
  return verifyScales(*this, getInput(), getScaling(), getScale());
}

LogicalResult HadamardOp::verify() {
  auto type = cast<RankedTensorType>(getInput().getType());
  // hadamard_c1
  if (type.getRank() == 0 || type.getShape().back() % kHadamardGroup)
    return emitOpError("rows must have a multiple of ")
           << kHadamardGroup << " elements, but got " << type;
  return success();
}

LogicalResult FakeQuantizeOp::verify() {
  // fake_quantize_c1
  if (!isNarrow(getFormat()))
    return emitOpError("format must be e4m3, e5m2 or e2m1, but got ")
           << stringifyFormat(getFormat());
  // fake_quantize_c2
  if (failed(verifySameShape(*this, getInput(), getResult())))
    return failure();
  // fake_quantize_c3
  return verifyScales(*this, getInput(), getScaling(), getScale());
}

// dequantize_c1
LogicalResult DequantizeOp::verify() {
  return verifySameShape(*this, getInput(), getResult());
}

// stochastic_round_c1
LogicalResult StochasticRoundOp::verify() {
  return verifySameShape(*this, getInput(), getResult());
}

LogicalResult PrecisionAwareUpdateOp::verify() {
  // precision_aware_update_c1
  if (failed(verifySameShape(*this, getParameter(), getUpdate())))
    return failure();
  // precision_aware_update_c2
  if (getIterations() < 1 ||
      getIterations() > static_cast<uint64_t>(kMaxRoundingIterations))
    return emitOpError("iterations must be in [1, ")
           << kMaxRoundingIterations << "], but got " << getIterations();
  // precision_aware_update_c3
  if (!(getTolerance().convertToFloat() >= 0) ||
      getTolerance().convertToFloat() > 1)
    return emitOpError("tolerance must be in [0, 1], but got ")
           << getToleranceAttr();
  return success();
}

/// Blocks of `shaped` have one largest magnitude each.
static LogicalResult verifyBlocks(Operation *op, Value shaped, Value absmax) {
  int64_t elements = cast<RankedTensorType>(shaped.getType()).getNumElements();
  auto type = cast<RankedTensorType>(absmax.getType());
  if (elements % kMomentBlock == 0 && type.getRank() == 1 &&
      type.getDimSize(0) == elements / kMomentBlock)
    return success();
  return op->emitOpError("absmax must be of whole blocks of ")
         << kMomentBlock << " elements, but got " << type << " for "
         << shaped.getType();
}

// dynamic_quantize_c1
LogicalResult DynamicQuantizeOp::verify() {
  return verifyBlocks(*this, getInput(), getAbsmax());
}

// dynamic_dequantize_c1
LogicalResult DynamicDequantizeOp::verify() {
  return verifyBlocks(*this, getCodes(), getAbsmax());
}

LogicalResult ScaledMatmulOp::verify() {
  auto lhs = getUnpackedType(cast<RankedTensorType>(getLhs().getType()));
  auto rhs = getUnpackedType(cast<RankedTensorType>(getRhs().getType()));
  auto result = cast<RankedTensorType>(getResult().getType());
  // scaled_matmul_c1
  if (lhs.getRank() != 2 || rhs.getRank() != 2 || result.getRank() != 2)
    return emitOpError("operands and result must be matrices, but got ")
           << lhs << ", " << rhs << " and " << result;
  // scaled_matmul_c2
  if (lhs.getDimSize(1) != rhs.getDimSize(1))
    return emitOpError("operands must agree in their last dimension, but got ")
           << lhs.getDimSize(1) << " and " << rhs.getDimSize(1);
  // scaled_matmul_c3
  if (result.getDimSize(0) != lhs.getDimSize(0) ||
      result.getDimSize(1) != rhs.getDimSize(0))
    return emitOpError("result must be ")
           << lhs.getDimSize(0) << "x" << rhs.getDimSize(0) << ", but got "
           << result;
  // scaled_matmul_c4
  if (isa<Float8E5M2Type>(lhs.getElementType()) &&
      isa<Float8E5M2Type>(rhs.getElementType()))
    return emitOpError("one operand must be e4m3, but got e5m2 twice");
  // scaled_matmul_c5
  for (auto [operand, scaling, scaleInvs] :
       {std::tuple(lhs, getLhsScaling(), getLhsScale().getType()),
        std::tuple(rhs, getRhsScaling(), getRhsScale().getType())})
    if (auto problem = findScaleInvProblem(operand, scaling, scaleInvs))
      return emitOpError(*problem);
  // scaled_matmul_c6
  const ScalingTraits &lhsTraits = traitsOf(getLhsScaling()),
                      &rhsTraits = traitsOf(getRhsScaling());
  if (lhsTraits.family != rhsTraits.family)
    return emitOpError("both operands must be scaled by tensor, by row or by "
                       "block, but got ")
           << getLhsScaling() << " and " << getRhsScaling();
  // scaled_matmul_c7
  Type lhsScaleInv = getElementTypeOrSelf(getLhsScale().getType());
  Type rhsScaleInv = getElementTypeOrSelf(getRhsScale().getType());
  if (lhsScaleInv != rhsScaleInv)
    return emitOpError("inverse scales must have one format, but got ")
           << lhsScaleInv << " and " << rhsScaleInv;
  // scaled_matmul_c8
  bool isFp4 = isa<Float4E2M1FNType>(lhs.getElementType());
  if (isFp4 != isa<Float4E2M1FNType>(rhs.getElementType()) ||
      isFp4 != isOfFp4(getLhsScaling()))
    return emitOpError("e2m1 operands, and only these, must come together and "
                       "with a scaling of e2m1, but got ")
           << lhs << ", " << rhs << " and " << getLhsScaling();
  // scaled_matmul_c9
  if (lhsTraits.hasTensorScale != bool(getLhsTensorScale()) ||
      rhsTraits.hasTensorScale != bool(getRhsTensorScale()))
    return emitOpError("scales of tensors must be there where the scaling has "
                       "them, but got ")
           << (getLhsTensorScale() ? "some" : "none") << " for "
           << getLhsScaling();
  if (!getBias())
    return success();
  // scaled_matmul_c10
  if (!lhsTraits.isTensor())
    return emitOpError("scales must be of tensors beside a bias, but got ")
           << getLhsScaling();
  // scaled_matmul_c11
  if (auto bias = getBiasType(result, /*isScaled=*/true);
      getBias().getType() != bias)
    return emitOpError("bias must be ")
           << bias << ", but got " << getBias().getType();
  return success();
}
