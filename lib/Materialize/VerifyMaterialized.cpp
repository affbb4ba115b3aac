//===- VerifyMaterialized.cpp - what Schedule relies on -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks what Schedule relies on: no tags are left; arithmetic is in f32;
// matmuls read one format; every FP8 or FP4 operand has the inverse scale that
// belongs to its data; casts and scales are not made twice; each work weight is
// read, and made by an entry point. The comments number the rules. Scales are
// followed back from a matmul to the quantization of its operand, through
// reshapes, transposes and concatenations, to the amax that they were made
// from. It does not use the CastCache, so a mistake there shows here.
//
//===----------------------------------------------------------------------===//
#include "Materialize/TokenCasts.h"
#include "Materialize/Quantization.h"
#include "Materialize/Supported.h"
#include "Materialize/VerifyWorkState.h"
#include "Materialize/Weights/StagedWeights.h"
#include "Materialize/Weights/WorkWeights.h"
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Materialize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

namespace prec {
#define GEN_PASS_DEF_VERIFYMATERIALIZED
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct VerifyMaterialized
    : public prec::impl::VerifyMaterializedBase<VerifyMaterialized> {
  using VerifyMaterializedBase::VerifyMaterializedBase;

  void runOnOperation() override;
};

/// Checks the operations of one function.
class FunctionVerifier {
public:
  explicit FunctionVerifier(func::FuncOp function) : function(function) {}

  LogicalResult run();

private:
  LogicalResult verifyTags(Operation *op);
  LogicalResult verifyDialect(Operation *op);
  LogicalResult verifyArithmetic(Operation *op);
  LogicalResult verifyNarrow(Operation *op);
  template <typename Product> LogicalResult verifyScaled(Product op);
  LogicalResult verifyScaleInv(Operation *op, StringRef operand, bool isOwn);
  LogicalResult verifyScale(QuantizeOp op);
  bool isRestored(QuantizeOp op);
  LogicalResult verifyCast(Operation *op);
  LogicalResult verifyStatistics(Operation *op);
  LogicalResult verifyMaster(Operation *op);

  bool isScaleInvOf(Value scaleInv, Value ofTensor, Scaling scaling,
                    Value data);
  bool isTensorScaleOf(Operation *scale, Value data);
  Value getOrigin(Value value);

  func::FuncOp function;
  DenseMap<Value, Value> origins;
  /// Casts by name, inputs and result type.
  DenseMap<std::tuple<void *, Value, Value, Type>, Operation *> casts;
};

} // namespace

static bool isFloatTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}
static bool isNarrowTensor(Value value) {
  return isNarrow(getElementTypeOrSelf(value.getType()));
}

/// Where a value came from if reshapes are looked through.
Value FunctionVerifier::getOrigin(Value value) {
  if (!isReshape(value.getDefiningOp()))
    return value;
  Value known = origins.lookup(value);
  if (!known)
    known = origins[value] = getOrigin(value.getDefiningOp()->getOperand(0));
  return known;
}

// verify_materialized_c1
LogicalResult FunctionVerifier::verifyTags(Operation *op) {
  for (StringRef name :
       {StringRef(kResultTags), StringRef(kOperandTags), StringRef(kClass),
        StringRef("result_tags"), StringRef("operand_tags")})
    if (op->getAttr(name))
      return op->emitOpError("tags and classes must be gone, but got '")
             << name << "'";
  return success();
}

// verify_materialized_c2
LogicalResult FunctionVerifier::verifyDialect(Operation *op) {
  if (isa_and_present<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                      tensor::TensorDialect, train::TrainDialect, PrecDialect>(
          op->getDialect()) ||
      isDescribed(op))
    return success();
  return op->emitOpError(
      "operations must be of arith, math, tensor, prec_train, prec "
      "or func, or implement DecomposeOpInterface");
}

LogicalResult FunctionVerifier::verifyArithmetic(Operation *op) {
  if (auto custom = dyn_cast<train::CustomOp>(op)) {
    auto isOwn = [](auto pair) {
      Type own = cast<TypeAttr>(std::get<1>(pair)).getValue();
      return !isa<FloatType>(own) ||
             getElementTypeOrSelf(std::get<0>(pair)) == own;
    };
    // verify_materialized_c13
    if (!llvm::all_of(llvm::zip_equal(op->getOperandTypes(), custom.getReads()),
                      isOwn) ||
        !llvm::all_of(llvm::zip_equal(op->getResultTypes(), custom.getMakes()),
                      isOwn))
      return op->emitOpError("a custom operation must have its own types, but "
                             "got ")
             << op->getOperandTypes() << " and " << op->getResultTypes();
    return success();
  }
  if (isa<train::MatmulOp, train::ConvOp, train::ConvGradInputOp,
          train::ConvGradWeightOp, train::GroupedMatmulOp,
          train::GroupedMatmulGradOp>(op)) {
    Type lhs = getElementTypeOrSelf(op->getOperand(0).getType());
    Type rhs = getElementTypeOrSelf(op->getOperand(1).getType());
    // verify_materialized_c4
    if (lhs != rhs || isNarrow(lhs))
      return op->emitOpError(
                 "operands must have one format wider than fp8, but "
                 "got ")
             << lhs << " and " << rhs;
    return success();
  }
  bool computes = isa<train::ReduceOp>(op) ||
                  (op->hasTrait<OpTrait::Elementwise>() && !isCast(op)) ||
                  isDescribedArithmetic(op);
  if (!computes)
    return success();
  // What a graph of another compiler computes in f64 stays.
  auto isNotF32 = [](Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    return isFloatTensor(value) && !element.isF32() && !element.isF64();
  };
  // verify_materialized_c3
  for (ValueRange values :
       {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values)
      if (isNotF32(value))
        return op->emitOpError("arithmetic must be in f32, but got ")
               << value.getType();
  return success();
}

/// The operation whose scale `scale` is, of a type that makes one; else null.
static Operation *getScaleOp(Value scale) {
  Operation *op = scale.getDefiningOp();
  return isa_and_present<UpdateScaleOp, DelayedScaleOp, BlockScaleOp>(op) &&
                 op->getResult(0) == scale
             ? op
             : nullptr;
}

/// The same of what `op` quantizes with, which may be a scale for each group.
static Operation *findScaleOp(QuantizeOp op) {
  if (auto ofGroups = op.getScale().getDefiningOp<GroupScalesOp>())
    return getScaleOp(ofGroups.getScales());
  return getScaleOp(op.getScale());
}

static Format getScaleFormat(Operation *op) {
  return llvm::TypeSwitch<Operation *, Format>(op)
      .Case<UpdateScaleOp, DelayedScaleOp, BlockScaleOp>(
          [](auto scale) { return scale.getFormat(); });
}

/// The operation that makes the scale of the tensor around the blocks of
/// `scale`; null where these have none.
static Operation *getTensorScaleOp(Operation *scale) {
  auto blocks = dyn_cast_if_present<BlockScaleOp>(scale);
  Value ofTensor = blocks ? blocks.getTensorScale() : Value();
  return ofTensor ? getScaleOp(ofTensor) : nullptr;
}

/// Whether `scaleInv` dequantizes `data`: the inverse of the scale that
/// quantized it, or the scale state of the same weight. One of rows or blocks
/// belongs to one layout, and may be within the inverse scale `ofTensor`.
bool FunctionVerifier::isScaleInvOf(Value scaleInv, Value ofTensor,
                                    Scaling scaling, Value data) {
  bool isFine = prec::isFine(scaling);
  skipTokenLookups(data, scaleInv);
  while (Operation *op = data.getDefiningOp()) {
    if (auto quantize = dyn_cast<QuantizeOp>(op)) {
      auto ofGroups = quantize.getScale().getDefiningOp<GroupScalesOp>();
      Operation *scale = findScaleOp(quantize);
      Operation *tensorScale = getTensorScaleOp(scale);
      Scaling own = ofGroups ? Scaling::TensorCurrent
                             : getGranularity(quantize.getScaling());
      return scale && scaleInv == scale->getResult(1) &&
             own == getGranularity(scaling) &&
             ofTensor == (tensorScale ? tensorScale->getResult(1) : Value());
    }
    if (isFine ||
        (!isReshape(op) && !isa<train::TransposeOp, AlignGroupsOp>(op)))
      return false;
    data = op->getOperand(0);
  }
  auto weight = dyn_cast<BlockArgument>(data);
  auto state = dyn_cast<BlockArgument>(scaleInv);
  if (!weight || !state)
    return false;
  auto getName = [&](BlockArgument argument, StringRef name) {
    return function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), name);
  };
  StringAttr parameter = getName(weight, train::kParamOf);
  auto isSlot = [&](BlockArgument argument, WorkSlot slot) {
    StringAttr name = getName(argument, train::kSlot);
    return parameter && parameter == getName(argument, train::kParamOf) &&
           name && WorkSlot::parse(name.getValue()) == slot;
  };
  WorkSlot direct{*getFormat(getElementTypeOrSelf(data.getType())),
                  WorkSlot::Kind::Copy};
  StringAttr name = getName(weight, train::kSlot);
  WorkSlot copy = isFine && name
                      ? WorkSlot::parse(name.getValue()).value_or(direct)
                      : direct;
  auto around = dyn_cast_if_present<BlockArgument>(ofTensor);
  bool isAround =
      !ofTensor || (around && isSlot(around, {direct.format,
                                              WorkSlot::Kind::TensorScaleInv}));
  return isSlot(state, copy.getScaleInv()) && isAround;
}

// verify_materialized_c6
LogicalResult FunctionVerifier::verifyScaleInv(Operation *op, StringRef operand,
                                               bool isOwn) {
  if (isOwn)
    return success();
  return op->emitOpError("the scale of an operand must be the inverse scale of "
                         "its own quantization, but ")
         << operand << " has another";
}

template <typename Product>
LogicalResult FunctionVerifier::verifyScaled(Product op) {
  Value lhsTensor, rhsTensor;
  if constexpr (std::is_same_v<Product, ScaledMatmulOp>) {
    lhsTensor = op.getLhsTensorScale();
    rhsTensor = op.getRhsTensorScale();
  }
  return failure(
      failed(verifyScaleInv(op, "lhs",
                            isScaleInvOf(op.getLhsScale(), lhsTensor,
                                         op.getLhsScaling(), op.getLhs()))) ||
      failed(verifyScaleInv(op, "rhs",
                            isScaleInvOf(op.getRhsScale(), rhsTensor,
                                         op.getRhsScaling(), op.getRhs()))));
}

/// What `concat` puts together, without the zeros of padding behind it.
static SmallVector<Value> getPieces(tensor::ConcatOp concat) {
  SmallVector<Value> pieces(concat->getOperands());
  if (pieces.size() > 1 && matchPattern(pieces.back(), m_AnyZeroFloat()))
    pieces.pop_back();
  return pieces;
}

/// Whether a quantization uses the saved scale of its own weight.
bool FunctionVerifier::isRestored(QuantizeOp op) {
  auto scale = dyn_cast<BlockArgument>(op.getScale());
  if (!scale)
    return false;
  SmallVector<Value> inputs = {op.getInput()};
  if (auto concat = op.getInput().getDefiningOp<tensor::ConcatOp>())
    inputs = getPieces(concat);
  SmallVector<Attribute> paths;
  for (Value input : inputs) {
    input = getOrigin(input);
    if (auto widened = input.getDefiningOp<arith::ExtFOp>())
      input = widened.getIn();
    auto master = dyn_cast<BlockArgument>(input);
    Attribute path =
        master ? function.getArgAttr(master.getArgNumber(), train::kPath)
               : Attribute();
    if (!path)
      return false;
    paths.push_back(path);
  }
  WorkSlot quantization{
      *getFormat(getElementTypeOrSelf(op.getResult().getType())),
      WorkSlot::Kind::Scale};
  unsigned index = scale.getArgNumber();
  auto slot = function.getArgAttrOfType<StringAttr>(index, train::kSlot);
  auto members = function.getArgAttrOfType<ArrayAttr>(index, train::kTensors);
  bool isOwn = members ? llvm::equal(members, paths)
                       : paths.size() == 1 &&
                             paths.front() ==
                                 function.getArgAttr(index, train::kParamOf);
  return isOwn && slot && WorkSlot::parse(slot.getValue()) == quantization;
}

/// What `matrix` concatenates but zeros; nothing if it does not.
static SmallVector<Value> getJoined(Value matrix) {
  auto concat = matrix.getDefiningOp<tensor::ConcatOp>();
  return concat ? getPieces(concat) : SmallVector<Value>();
}

/// What is quantized with the scale of `op`: the pieces of its input, or inputs
/// that are joined when each is quantized.
static SmallVector<Value> getJoinedInputs(QuantizeOp op) {
  SmallVector<Value> inputs = getJoined(op.getInput());
  if (!inputs.empty() || op->use_empty())
    return inputs;
  auto concat = dyn_cast<tensor::ConcatOp>(*op->user_begin());
  if (!concat)
    return {};
  for (Value piece : concat->getOperands())
    if (auto quantize = piece.getDefiningOp<QuantizeOp>();
        quantize && quantize.getScale() == op.getScale())
      inputs.push_back(quantize.getInput());
  return inputs;
}

/// Whether `amax` is the largest of the amaxes of `joined`, in their order.
static bool isLargestAmaxOf(Value amax, ArrayRef<Value> joined) {
  if (joined.empty())
    return false;
  SmallVector<Value> work = {amax}, inputs;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (auto one = dyn_cast_if_present<AmaxOp>(op))
      inputs.push_back(one.getInput());
    else if (isa_and_present<arith::MaxNumFOp>(op))
      llvm::append_range(work, llvm::reverse(op->getOperands()));
    else
      return false;
  }
  return llvm::equal(inputs, joined);
}

/// Whether the scale of the tensor around blocks, if there is one, comes from
/// the amax of `data`, whose other layout has the same.
bool FunctionVerifier::isTensorScaleOf(Operation *scale, Value data) {
  auto blocks = dyn_cast<BlockScaleOp>(scale);
  if (!blocks || !blocks.getTensorScale())
    return true;
  Operation *ofTensor = getTensorScaleOp(scale);
  auto amax =
      ofTensor ? ofTensor->getOperand(0).getDefiningOp<AmaxOp>() : AmaxOp();
  Value origin = getOrigin(data);
  if (auto transpose = origin.getDefiningOp<train::TransposeOp>())
    if (!amax || getOrigin(amax.getInput()) != origin)
      origin = getOrigin(transpose.getInput());
  bool isOfData = ofTensor && (amax ? getOrigin(amax.getInput()) == origin
                                    : isLargestAmaxOf(ofTensor->getOperand(0),
                                                      getJoined(origin)));
  return isOfData && getScaleFormat(ofTensor) == getScaleFormat(scale);
}

/// What an amax of square blocks, one for each of their rows, was reduced from;
/// `amax` itself if it is none.
static Value getRowsAmax(Value amax) {
  auto rows = amax.getDefiningOp<tensor::CollapseShapeOp>();
  auto spread = rows ? rows.getSrc().getDefiningOp<train::BroadcastOp>()
                     : train::BroadcastOp();
  auto reduce = spread ? spread.getInput().getDefiningOp<train::ReduceOp>()
                       : train::ReduceOp();
  if (!reduce || reduce.getKind() != train::ReduceKind::Max)
    return amax;
  auto blocks = reduce.getInput().getDefiningOp<tensor::ExpandShapeOp>();
  return blocks ? blocks.getSrc() : amax;
}

/// `scale`, with which `op` quantizes, is for the format of its result.
static LogicalResult verifyFormat(QuantizeOp op, Operation *scale) {
  Format format = *getFormat(getElementTypeOrSelf(op.getResult().getType()));
  if (getScaleFormat(scale) != format)
    return op.emitOpError("the scale of a quantization must be for ")
           << stringifyFormat(format) << ", but got "
           << stringifyFormat(getScaleFormat(scale));
  return success();
}

LogicalResult FunctionVerifier::verifyScale(QuantizeOp op) {
  if (isRestored(op))
    return success();
  Operation *scale = findScaleOp(op);
  if (auto ofGroups = op.getScale().getDefiningOp<GroupScalesOp>();
      ofGroups && scale) {
    auto amax = scale->getOperand(0).getDefiningOp<GroupAmaxOp>();
    if (amax && amax.getEnds() == ofGroups.getEnds() &&
        getOrigin(amax.getInput()) == getOrigin(op.getInput()))
      return verifyFormat(op, scale);
    scale = nullptr;
  }
  auto amax = scale ? getRowsAmax(skipOtherRanks(scale->getOperand(0)))
                          .getDefiningOp<AmaxOp>()
                    : AmaxOp();
  bool isFine = prec::isFine(op.getScaling());
  bool isOwn = amax ? getOrigin(amax.getInput()) == getOrigin(op.getInput()) &&
                          (!isFine ||
                           amax.getInput().getType() == op.getInput().getType())
                    : false;
  isOwn |= scale && isLargestAmaxOf(scale->getOperand(0), getJoinedInputs(op));
  if (!isOwn || !isTensorScaleOf(scale, op.getInput()))
    return op.emitOpError(
        "the scale of a quantization must come from the amax of "
        "its own input");
  return verifyFormat(op, scale);
}

LogicalResult FunctionVerifier::verifyNarrow(Operation *op) {
  // verify_materialized_c5
  bool isMove =
      isReshape(op) || isa<train::TransposeOp, tensor::ConcatOp, AlignGroupsOp,
                           train::GatherOp, train::ExchangeOp>(op);
  bool mayRead =
      isMove ||
      isa<ScaledMatmulOp, ScaledGroupedMatmulOp, DequantizeOp, func::ReturnOp>(
          op);
  // The inverse scales of blocks may be FP8.
  bool mayMake = isMove || isa<QuantizeOp, BlockScaleOp>(op);
  for (Value operand : op->getOperands())
    if (isNarrowTensor(operand) && !mayRead)
      return op->emitOpError(
                 "only fp8 and fp4 contractions, dequantization and "
                 "layout operations may read fp8 or fp4, but got ")
             << operand.getType();
  for (Value result : op->getResults())
    if (isNarrowTensor(result) && !mayMake)
      return op->emitOpError(
                 "fp8 and fp4 values must come from prec.quantize, but got ")
             << result.getType();
  if (auto scaled = dyn_cast<ScaledMatmulOp>(op))
    return verifyScaled(scaled);
  if (auto scaled = dyn_cast<ScaledGroupedMatmulOp>(op))
    return verifyScaled(scaled);
  if (auto quantize = dyn_cast<QuantizeOp>(op))
    return verifyScale(quantize);
  return success();
}

/// Whether two amaxes of a value are different ones.
static bool isOtherAmax(AmaxOp first, AmaxOp second) {
  return first.getNanIsInfinite() != second.getNanIsInfinite() ||
         first.getScaling() != second.getScaling();
}

LogicalResult FunctionVerifier::verifyCast(Operation *op) {
  bool isTransposedCopy =
      isa<train::TransposeOp>(op) && isNarrowTensor(op->getResult(0));
  if (!isTransposedCopy && !isCast(op) &&
      !isa<AmaxOp, UpdateScaleOp, DelayedScaleOp, BlockScaleOp, QuantizeOp,
           DequantizeOp>(op))
    return success();
  // verify_materialized_c7
  if (op->use_empty())
    return op->emitOpError("a cast must have a use");
  Value input = getOrigin(op->getOperand(0));
  Value second = op->getNumOperands() > 1 ? op->getOperand(1) : Value();
  // The amax of a value is one, however it is reshaped.
  auto [known, inserted] =
      casts.try_emplace({op->getName().getAsOpaquePointer(), input, second,
                         op->getResult(0).getType()},
                        op);
  // Two scales of one amax differ by format, two amaxes by what NaN is or by
  // their blocks, of which a small matrix may have as many.
  bool isOtherScale =
      !inserted &&
      ((isa<UpdateScaleOp, DelayedScaleOp, BlockScaleOp>(op) &&
        getScaleFormat(op) != getScaleFormat(known->second)) ||
       (isa<AmaxOp>(op) &&
        isOtherAmax(cast<AmaxOp>(op), cast<AmaxOp>(known->second))));
  // verify_materialized_c8
  if (!inserted && !isOtherScale) {
    InFlightDiagnostic diagnostic = op->emitOpError(
        "a value must be cast to a format once, but got a second "
        "cast");
    diagnostic.attachNote(known->second->getLoc()) << "the first is here";
    return diagnostic;
  }
  // verify_materialized_c9
  Operation *source = input.getDefiningOp();
  bool narrowsBack =
      isa<arith::TruncFOp>(op) && isa_and_present<arith::ExtFOp>(source);
  bool quantizesBack =
      isa<QuantizeOp>(op) && isa_and_present<DequantizeOp>(source);
  if ((narrowsBack || quantizesBack) &&
      getElementTypeOrSelf(source->getOperand(0).getType()) ==
          getElementTypeOrSelf(op->getResult(0).getType()))
    return op->emitOpError("a value must not be widened and narrowed back, but "
                           "got a cast of ")
           << source->getName();
  return success();
}

// verify_materialized_c10
LogicalResult FunctionVerifier::verifyStatistics(Operation *op) {
  SmallVector<Value> statistics;
  if (auto norm = dyn_cast<train::RmsNormOp>(op))
    statistics = {norm.getRstd()};
  else if (auto norm = dyn_cast<train::LayerNormOp>(op))
    statistics = {norm.getMean(), norm.getRstd()};
  else if (auto loss = dyn_cast<train::CrossEntropyOp>(op))
    statistics = {loss.getMaximum(), loss.getLogSum()};
  else if (auto attention = dyn_cast<train::AttentionOp>(op))
    statistics = {attention.getLse()};
  else if (auto optimizer = dyn_cast<train::OptimizerOpInterface>(op)) {
    llvm::append_range(statistics, optimizer.getStates());
    llvm::append_range(statistics, optimizer.getNewStates());
  }
  for (Value value : statistics)
    if (!getElementTypeOrSelf(value.getType()).isF32())
      return op->emitOpError("statistics and moments must be f32, but got ")
             << value.getType();
  return success();
}

// verify_materialized_c12
LogicalResult FunctionVerifier::verifyMaster(Operation *op) {
  auto optimizer = dyn_cast<train::OptimizerOpInterface>(op);
  if (!optimizer)
    return success();
  Type master = getElementTypeOrSelf(optimizer.getParameter().getType());
  Type updated = getElementTypeOrSelf(optimizer.getNewParameter().getType());
  bool isRoundedBehind = updated.isF32();
  if ((!master.isF32() && !master.isBF16()) ||
      (updated != master && !isRoundedBehind))
    return op->emitOpError("a master must be f32 or bf16 and stay so, but got ")
           << master << " and " << updated;
  return success();
}

LogicalResult FunctionVerifier::run() {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, kTag))
      return function.emitOpError("tags and classes must be gone, but got '")
             << kTag << "' on argument " << i;
  WalkResult result =
      function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
        bool holds =
            succeeded(verifyTags(op)) && succeeded(verifyDialect(op)) &&
            succeeded(verifyArithmetic(op)) && succeeded(verifyNarrow(op)) &&
            succeeded(verifyCast(op)) && succeeded(verifyStatistics(op)) &&
            succeeded(verifyMaster(op));
        if (!holds)
          return WalkResult::interrupt();
        // A formula is of scalars that are stored nowhere.
        return isa<train::UpdateOp>(op) ? WalkResult::skip()
                                        : WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

void VerifyMaterialized::runOnOperation() {
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (failed(FunctionVerifier(function).run()))
      return signalPassFailure();
  SmallVector<func::FuncOp> makers =
      llvm::filter_to_vector(getOperation().getOps<func::FuncOp>(), isLoader);
  if (auto init = findEntry(getOperation(), Entry::Init))
    makers.push_back(init);
  if (func::FuncOp step = findEntry(getOperation(), Entry::Step))
    if (failed(verifyWorkState(step, makers,
                               findEntry(getOperation(), Entry::Restore))))
      return signalPassFailure();
}
