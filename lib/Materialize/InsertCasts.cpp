//===- InsertCasts.cpp - tags to types, casts and quantizations -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns tags into types and operations: the last reader of tags. Operations are
// visited in order, so their operands have final types. Elementwise operations
// and reductions get f32 operands and round their result to its tag; layout
// operations work in the format of their result; a composite reads each operand
// as its operand tag says, and so does an operation of another dialect that is
// described by interfaces. A matmul whose operands are tagged FP8 or FP4
// becomes a scaled_matmul of two quantized operands with their inverse scales;
// a work weight is read as it is. The CastCache makes each conversion once and
// shares it, so two matmuls that read one value in e4m3 with the same scaling
// share its quantization. Arguments and results of the function keep their
// types, so callers see no difference. In the end tags are erased. Time is
// linear in the operations.
//
//===----------------------------------------------------------------------===//
#include "Materialize/TokenCasts.h"
#include "Materialize/Weights/StepState.h"
#include "Materialize/Weights/WorkWeights.h"
#include "Materialize/Supported.h"
#include "prec/Dialect/Prec/Decisions.h"
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Materialize/Passes.h"
#include "prec/Support/PassCounts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

namespace prec {
#define GEN_PASS_DEF_INSERTCASTS
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct InsertCasts : public prec::impl::InsertCastsBase<InsertCasts> {
  using InsertCastsBase::InsertCastsBase;

  void runOnOperation() override;
};

struct CastCounts {
  explicit CastCounts(func::FuncOp function) {
    function.walk([&](Operation *op) {
      widened += isa<arith::ExtFOp>(op);
      narrowed += isa<arith::TruncFOp, StochasticRoundOp>(op);
      quantized += isa<QuantizeOp>(op);
      scaled += isa<ScaledMatmulOp>(op);
    });
  }
  uint64_t widened = 0, narrowed = 0, quantized = 0, scaled = 0;
};

/// Rewrites the operations of one function in order.
class Materializer {
public:
  explicit Materializer(func::FuncOp function)
      : function(function),
        seed(getMicroscaling(function).getStochasticGradients()
                 ? createSeed(function)
                 : Value()),
        casts(function.getContext(), seed), tokens(casts),
        f32(Float32Type::get(function.getContext())) {}

  LogicalResult run();

private:
  LogicalResult bindScales();
  void roundArguments();
  LogicalResult materialize(Operation *op);
  LogicalResult materializeMatmul(train::MatmulOp op);
  LogicalResult materializeGrouped(Operation *op);
  LogicalResult materializeScaledMatmul(train::MatmulOp op, TagAttr lhs,
                                        TagAttr rhs);
  void materializeInF32(Operation *op);
  void materializeLayout(Operation *op);
  void materializeGather(Operation *op);
  LogicalResult materializeComposite(Operation *op);
  void materializeCustom(train::CustomOp op);
  void returnDeclaredTypes(func::ReturnOp op);

  FailureOr<ScaledOperand> getScaledOperand(train::MatmulOp op, unsigned index,
                                            TagAttr tag, bool hadamard);
  /// Makes users of `result` read it in another format.
  void roundResult(OpResult result, Type wanted);
  void eraseDead();
  void eraseTags();

  func::FuncOp function;
  /// Of roundings at random; null where none can be.
  Value seed;
  CastCache casts;
  TokenCasts tokens;
  Type f32;
};

} // namespace

/// Of floats whose format is decided: f64 stays what it is.
static bool isFloatTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType()) &&
         !type.getElementType().isF64();
}

static void setElementType(Value value, Type elementType) {
  value.setType(cast<RankedTensorType>(value.getType()).clone(elementType));
}

/// The element type that a result's tag asks for, its own without a tag.
static Type getTaggedType(Operation *op, unsigned result) {
  if (TagAttr tag = getResultTag(op, result))
    return tag.getElementType();
  return getElementTypeOrSelf(op->getResult(result).getType());
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Finds the scale arguments of every FP8 or FP4 work weight: of its own
/// layout, or of both, and of the tensor around blocks.
LogicalResult Materializer::bindScales() {
  DenseMap<std::pair<Attribute, Attribute>, Value> slots;
  auto getSlot = [&](BlockArgument argument) {
    unsigned index = argument.getArgNumber();
    return std::make_pair(function.getArgAttr(index, train::kParamOf),
                          function.getArgAttr(index, train::kSlot));
  };
  for (BlockArgument argument : function.getArguments())
    slots[getSlot(argument)] = argument;
  for (BlockArgument argument : function.getArguments()) {
    Type elementType = getElementTypeOrSelf(argument.getType());
    unsigned index = argument.getArgNumber();
    auto role = function.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
    // Inverse scales of blocks may be FP8, too.
    bool isScaleInv = role && role.getValue() == train::Role::ScaleState;
    if (!isNarrow(elementType) || isScaleInv)
      continue;
    Attribute parameter = function.getArgAttr(index, train::kParamOf);
    auto getArgument = [&](WorkSlot slot) {
      return slots.lookup(
          {parameter, StringAttr::get(function.getContext(), slot.getName())});
    };
    Format format = *getFormat(elementType);
    auto name = function.getArgAttrOfType<StringAttr>(index, train::kSlot);
    std::optional<WorkSlot> copy =
        name ? WorkSlot::parse(name.getValue()) : std::nullopt;
    Value scaleInv = copy ? getArgument(copy->getScaleInv()) : Value();
    if (!scaleInv)
      scaleInv = getArgument({format, WorkSlot::Kind::ScaleInv});
    // insert_casts_c1
    if (!parameter || !scaleInv)
      return function.emitOpError("an fp8 or fp4 argument must have a scale "
                                  "argument, but argument ")
             << index << " has none";
    casts.addScaled(
        argument,
        {scaleInv, getArgument({format, WorkSlot::Kind::TensorScaleInv})});
  }
  return success();
}

/// An argument keeps its type, so that a caller's data need not change; a
/// narrower tag rounds it once.
void Materializer::roundArguments() {
  Operation *first = &function.getBody().front().front();
  for (BlockArgument argument : function.getArguments()) {
    TagAttr tag = getTag(argument);
    if (!tag || tag.isNarrow() || argument.use_empty() ||
        !isFloatTensor(argument) ||
        !getElementTypeOrSelf(argument.getType()).isF32())
      continue;
    Value rounded = casts.convert(argument, tag.getElementType(), first);
    if (rounded != argument)
      argument.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void Materializer::roundResult(OpResult result, Type wanted) {
  Operation *op = result.getOwner();
  if (getElementTypeOrSelf(result.getType()) == wanted || result.use_empty())
    return;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto type = cast<RankedTensorType>(result.getType()).clone(wanted);
  Operation *cast;
  if (isOtherHalf(getElementTypeOrSelf(result.getType()), wanted)) {
    Operation *wide =
        arith::ExtFOp::create(builder, op->getLoc(), type.clone(f32), result);
    train::copyProvenance(op, wide);
    cast = arith::TruncFOp::create(builder, op->getLoc(), type,
                                   wide->getResult(0));
    train::copyProvenance(op, cast);
    result.replaceAllUsesExcept(cast->getResult(0), wide);
    return;
  }
  if (wanted.getIntOrFloatBitWidth() <
      getElementTypeOrSelf(result.getType()).getIntOrFloatBitWidth())
    cast = arith::TruncFOp::create(builder, op->getLoc(), type, result);
  else
    cast = arith::ExtFOp::create(builder, op->getLoc(), type, result);
  train::copyProvenance(op, cast);
  result.replaceAllUsesExcept(cast->getResult(0), cast);
}

void Materializer::materializeInF32(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isFloatTensor(operand.get()))
      operand.set(casts.convert(operand.get(), f32, op));
  for (OpResult result : op->getResults()) {
    if (!isFloatTensor(result))
      continue;
    Type wanted = getTaggedType(op, result.getResultNumber());
    setElementType(result, f32);
    roundResult(result, wanted);
  }
}

void Materializer::materializeLayout(Operation *op) {
  if (!isFloatTensor(op->getResult(0)))
    return;
  Type wanted = getTaggedType(op, 0);
  for (OpOperand &operand : op->getOpOperands())
    if (isFloatTensor(operand.get()))
      operand.set(casts.convert(operand.get(), wanted, op));
  setElementType(op->getResult(0), wanted);
}

/// Gathers rows as they are stored: rounding a row commutes with taking it, and
/// rounding the table instead would touch all of it.
void Materializer::materializeGather(Operation *op) {
  if (!isFloatTensor(op->getResult(0)))
    return;
  Value table = op->getOperand(0);
  Type wanted = getTaggedType(op, 0);
  if (TagAttr tag = getOperandTag(op, 0))
    table = casts.convert(table, tag.getElementType(), op);
  else if (table.getDefiningOp<arith::ExtFOp>())
    table = casts.convert(table, wanted, op);
  op->setOperand(0, table);
  setElementType(op->getResult(0), getElementTypeOrSelf(table.getType()));
  roundResult(op->getResult(0), wanted);
}

LogicalResult Materializer::materializeComposite(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    TagAttr tag = getOperandTag(op, operand.getOperandNumber());
    if (!tag || !isFloatTensor(operand.get()))
      continue;
    // insert_casts_c2
    if (tag.isNarrow())
      return op->emitOpError("only prec_train.matmul and products of experts "
                             "can read fp8 or fp4, but got ")
             << stringifyFormat(tag.getFormat()) << " for operand "
             << operand.getOperandNumber();
    operand.set(casts.convert(operand.get(), tag.getElementType(), op));
  }
  if (auto scatter = dyn_cast<train::ScatterAddOp>(op))
    scatter.getInitMutable().assign(
        casts.convert(scatter.getInit(), getTaggedType(op, 0), op));
  for (OpResult result : op->getResults()) {
    if (!isFloatTensor(result))
      continue;
    Type wanted = getTaggedType(op, result.getResultNumber());
    // insert_casts_c3
    if (cast<RankedTensorType>(result.getType()).getRank() == 0 &&
        !wanted.isF32())
      return op->emitOpError("a scalar result must stay f32, but got ")
             << wanted;
    setElementType(result, wanted);
  }
  return success();
}

/// Of the types that its author wrote it for.
void Materializer::materializeCustom(train::CustomOp op) {
  auto typeOf = [](ArrayAttr types, unsigned index) {
    return cast<TypeAttr>(types[index]).getValue();
  };
  for (OpOperand &operand : op->getOpOperands())
    if (isFloatTensor(operand.get()))
      operand.set(
          casts.convert(operand.get(),
                        typeOf(op.getReads(), operand.getOperandNumber()), op));
  for (OpResult result : op->getResults()) {
    if (!isFloatTensor(result))
      continue;
    Type wanted = getTaggedType(op, result.getResultNumber());
    setElementType(result, typeOf(op.getMakes(), result.getResultNumber()));
    roundResult(result, wanted);
  }
}

FailureOr<ScaledOperand> Materializer::getScaledOperand(train::MatmulOp op,
                                                        unsigned index,
                                                        TagAttr tag,
                                                        bool hadamard) {
  Value value = op->getOperand(index);
  bool contractedLast = isContractedLast(op, index);
  if (!isNarrow(getElementTypeOrSelf(value.getType())))
    return casts.quantize(value, tag, !contractedLast, hadamard, op);
  // A work weight: the copy was chosen when the weight was split.
  ScaleInvs scaleInvs = casts.getScaleInvs(value);
  if (!contractedLast && !isFine(tag.getScaling())) {
    value = casts.transpose(value, op);
    contractedLast = true;
  }
  auto type = cast<RankedTensorType>(value.getType());
  bool needsTensor = hasTensorScale(tag.getScaling());
  // insert_casts_c4
  if (!scaleInvs.scaleInv || !contractedLast ||
      type.getElementType() != tag.getElementType() ||
      findScaleInvProblem(type, tag.getScaling(),
                          scaleInvs.scaleInv.getType()) ||
      needsTensor != bool(scaleInvs.ofTensor))
    return op.emitOpError("an fp8 or fp4 operand must be a scaled work weight "
                          "in its tagged format and scaling with the "
                          "contracted dimension last, but got ")
           << value.getType() << " for operand " << index;
  return ScaledOperand{value, scaleInvs};
}

LogicalResult Materializer::materializeScaledMatmul(train::MatmulOp op,
                                                    TagAttr lhsTag,
                                                    TagAttr rhsTag) {
  // insert_casts_c5
  if (cast<RankedTensorType>(op.getResult().getType()).getRank() != 2)
    return op.emitOpError("a contraction in fp8 or fp4 must have no batch "
                          "dimensions, but got ")
           << op.getResult().getType();
  MicroscalingAttr micro = getMicroscaling(op);
  bool isBackward = train::getPhase(op) == train::Phase::Backward;
  bool isFp4 = isOfFp4(lhsTag.getScaling());
  // insert_casts_c10
  if (isFp4 && isBackward && micro.getStochasticGradients() && !seed)
    return op.emitOpError("gradients can be rounded at random only where "
                          "steps are counted, but got no hyper argument step");
  // What the backward contracts without a weight gives a weight's gradient.
  bool hadamard = isFp4 && isBackward && micro.getHadamard() &&
                  llvm::none_of(op->getOperands(), [](Value operand) {
                    return isNarrow(getElementTypeOrSelf(operand.getType()));
                  });
  FailureOr<ScaledOperand> lhs = getScaledOperand(op, 0, lhsTag, hadamard);
  if (failed(lhs))
    return failure();
  FailureOr<ScaledOperand> rhs = getScaledOperand(op, 1, rhsTag, hadamard);
  if (failed(rhs))
    return failure();
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op.getResult().getType())
                  .clone(getTaggedType(op, 0));
  auto scaled = ScaledMatmulOp::create(
      builder, op.getLoc(), type, lhs->data, lhs->scaleInvs.scaleInv, rhs->data,
      rhs->scaleInvs.scaleInv, lhs->scaleInvs.ofTensor, rhs->scaleInvs.ofTensor,
      /*bias=*/Value(), lhsTag.getAccumulator(), lhsTag.getScaling(),
      rhsTag.getScaling());
  train::copyProvenance(op, scaled);
  if (Attribute direction = op->getAttr(kDirection))
    scaled->setAttr(kDirection, direction);
  op.getResult().replaceAllUsesWith(scaled.getResult());
  op.erase();
  return success();
}

static bool hasNarrowTag(Operation *op) {
  return llvm::any_of(llvm::seq<unsigned>(0, 2), [&](unsigned index) {
    TagAttr tag = getOperandTag(op, index);
    return tag && tag.isNarrow();
  });
}

/// The tags of the two operands of a product agree.
static LogicalResult verifyPair(Operation *op, TagAttr lhs, TagAttr rhs) {
  // insert_casts_c6
  if (!lhs || !rhs || lhs.isFp8() != rhs.isFp8() ||
      lhs.isNarrow() != rhs.isNarrow())
    return op->emitOpError(
               "both operands of a contraction in fp8 or fp4 must be so, "
               "but got ")
           << (lhs ? stringifyFormat(lhs.getFormat()) : "no tag") << " and "
           << (rhs ? stringifyFormat(rhs.getFormat()) : "no tag");
  // insert_casts_c7
  if (lhs.getAccumulator() != rhs.getAccumulator())
    return op->emitOpError("operands must agree in their accumulator, but got ")
           << stringifyAccumulator(lhs.getAccumulator()) << " and "
           << stringifyAccumulator(rhs.getAccumulator());
  return success();
}

LogicalResult Materializer::materializeMatmul(train::MatmulOp op) {
  if (!hasNarrowTag(op))
    return materializeComposite(op);
  TagAttr lhs = getOperandTag(op, 0), rhs = getOperandTag(op, 1);
  return failure(failed(verifyPair(op, lhs, rhs)) ||
                 failed(materializeScaledMatmul(op, lhs, rhs)));
}

/// A product of experts. Its rows are quantized here; a matrix of each expert
/// is a work weight.
LogicalResult Materializer::materializeGrouped(Operation *op) {
  if (!hasNarrowTag(op))
    return materializeComposite(op);
  TagAttr lhs = getOperandTag(op, 0), rhs = getOperandTag(op, 1);
  if (failed(verifyPair(op, lhs, rhs)))
    return failure();
  auto forward = dyn_cast<train::GroupedMatmulOp>(op);
  Value ends = op->getOperand(2), weight = op->getOperand(1);
  FailureOr<ScaledOperand> left = casts.quantizeGroups(
                               op->getOperand(0), ends, lhs,
                               /*transposed=*/!forward, op),
                           right = ScaledOperand();
  if (failed(left))
    return failure();
  if (forward) {
    right = ScaledOperand{weight, casts.getScaleInvs(weight)};
    // The direct copy, where it was not worth it to keep both.
    bool isTransposed = !forward.getTransposeB() && right->scaleInvs.scaleInv &&
                        !isFine(rhs.getScaling());
    if (isTransposed)
      right->data = casts.transpose(weight, op);
    auto type = cast<RankedTensorType>(right->data.getType());
    // insert_casts_c11
    if (!right->scaleInvs.scaleInv || forward.getTransposeB() == isTransposed ||
        type.getElementType() != rhs.getElementType() ||
        right->scaleInvs.scaleInv.getType() !=
            getGroupedScaleInvType(type, rhs.getScaling(), type.getDimSize(0)))
      return op->emitOpError("matrices of experts in fp8 must be a scaled work "
                             "weight in its tagged format and scaling with the "
                             "contracted dimension last, but got ")
             << type;
  } else {
    right = casts.quantizeGroups(weight, ends, rhs, /*transposed=*/true, op);
    if (failed(right))
      return failure();
  }
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto scaled = ScaledGroupedMatmulOp::create(
      builder, op->getLoc(), type.clone(getTaggedType(op, 0)), left->data,
      left->scaleInvs.scaleInv, right->data, right->scaleInvs.scaleInv, ends,
      lhs.getAccumulator(), lhs.getScaling(), rhs.getScaling());
  train::copyProvenance(op, scaled);
  if (Attribute direction = op->getAttr(kDirection))
    scaled->setAttr(kDirection, direction);
  op->getResult(0).replaceAllUsesWith(scaled.getResult());
  op->erase();
  return success();
}

void Materializer::returnDeclaredTypes(func::ReturnOp op) {
  for (auto [operand, type] :
       llvm::zip_equal(op->getOpOperands(), function.getResultTypes()))
    if (isFloatTensor(operand.get()))
      operand.set(casts.convert(operand.get(), getElementTypeOrSelf(type), op));
}

LogicalResult Materializer::materialize(Operation *op) {
  // Casts and scales of work weights are what they should be already.
  if (isCast(op) || isa<arith::ConstantOp>(op) ||
      isa_and_present<PrecDialect>(op->getDialect()))
    return success();
  if (auto ret = dyn_cast<func::ReturnOp>(op)) {
    returnDeclaredTypes(ret);
    return success();
  }
  if (auto matmul = dyn_cast<train::MatmulOp>(op))
    return materializeMatmul(matmul);
  if (isa<train::GroupedMatmulOp, train::GroupedMatmulGradOp>(op))
    return materializeGrouped(op);
  auto exchange = dyn_cast<train::ExchangeOp>(op);
  if (movesElements(op) || exchange) {
    materializeLayout(op);
    return exchange ? tokens.visit(exchange) : success();
  }
  if (op->hasAttr(kQuantizedTokens))
    return tokens.visit(cast<train::GatherOp>(op));
  if (isa<train::GatherOp, train::EmbeddingOp>(op)) {
    materializeGather(op);
    return success();
  }
  if (isa<train::ReduceOp>(op) || op->hasTrait<OpTrait::Elementwise>() ||
      isDescribedArithmetic(op)) {
    materializeInF32(op);
    return success();
  }
  if (auto custom = dyn_cast<train::CustomOp>(op)) {
    materializeCustom(custom);
    return success();
  }
  if (isa_and_present<train::TrainDialect>(op->getDialect()) || isDescribed(op))
    return materializeComposite(op);
  // insert_casts_c8
  if (llvm::any_of(op->getOperands(), isFloatTensor) ||
      llvm::any_of(op->getResults(), isFloatTensor))
    return op->emitOpError(
               "only prec_train, prec, arith, math and tensor operations, and "
               "others that implement PrecisionOpInterface and "
               "DecomposeOpInterface, can be materialized, but got one of '")
           << op->getName().getDialectNamespace() << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// Reshapes whose users share another one's quantization, constants whose
/// users read a rounded one, and work weights widened for layout operations.
void Materializer::eraseDead() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if ((isReshape(&op) || isa<arith::ConstantOp, arith::ExtFOp>(op)) &&
        op.use_empty())
      op.erase();
}

void Materializer::eraseTags() {
  for (Operation &op : function.getBody().front()) {
    for (StringRef name :
         {StringRef(kResultTags), StringRef(kOperandTags), StringRef(kClass)})
      op.removeDiscardableAttr(name);
    if (isa_and_present<train::TrainDialect>(op.getDialect()))
      for (StringRef name : {"result_tags", "operand_tags"})
        op.removeAttr(name);
  }
  // All at once: each change of an argument's attributes copies those of all.
  SmallVector<Attribute> attributes;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    NamedAttrList kept(function.getArgAttrDict(i));
    kept.erase(kTag);
    attributes.push_back(kept.getDictionary(function.getContext()));
  }
  function.setAllArgAttrs(attributes);
}

LogicalResult Materializer::run() {
  // insert_casts_c9
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("a function must have one block, but got ")
           << function.getBody().getBlocks().size();
  if (failed(bindScales()))
    return failure();
  roundArguments();
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
    if (failed(materialize(&op)))
      return failure();
  if (failed(tokens.finish()))
    return failure();
  eraseDead();
  if (seed && seed.use_empty())
    seed.getDefiningOp()->erase();
  eraseTags();
  return success();
}

void InsertCasts::runOnOperation() {
  if (getOperation().isExternal())
    return;
  CastCounts before(getOperation());
  if (failed(verifyMaterializable(getOperation())) ||
      failed(Materializer(getOperation()).run()))
    return signalPassFailure();
  CastCounts after(getOperation());
  reportCounts(
      getOperation().getLoc(), getArgument(),
      {{"extensions", widened, after.widened - before.widened},
       {"roundings", narrowed, after.narrowed - before.narrowed},
       {"quantizations", quantized, after.quantized - before.quantized},
       {"scaled-products", scaled, after.scaled - before.scaled}});
}
