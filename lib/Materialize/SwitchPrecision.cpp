//===- SwitchPrecision.cpp - operands that a switch raises ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a step whose operands can be raised at run time, for --bisect. Each
// matmul in FP8 or FP4 becomes one in FP32, of operands that a switch selects:
// as they were before quantization, or what their quantization leaves of them
// (quantized and dequantized). So a switch changes the numbers and nothing
// else. The versions of an operand are found by going back from the quantized
// data: to the quantization, through reshapes and transposes, or to the master
// of a work weight, which is quantized again as its copy was. Such a step is
// slow; it is for finding the operands that matter.
//
//===----------------------------------------------------------------------===//
#include "Materialize/QuantizedUses.h"
#include "Materialize/Weights/StepState.h"
#include "Materialize/Weights/WorkWeights.h"
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Materialize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <map>

namespace prec {
#define GEN_PASS_DEF_SWITCHPRECISION
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct SwitchPrecision
    : public prec::impl::SwitchPrecisionBase<SwitchPrecision> {
  using SwitchPrecisionBase::SwitchPrecisionBase;

  void runOnOperation() override;
};

/// An operand of a product in f32: as it is, and what its quantization leaves.
struct Versions {
  Value high, low;
};

class Switcher {
public:
  explicit Switcher(func::FuncOp step)
      : step(step), builder(step.getContext()) {}

  LogicalResult run();

private:
  template <typename OpTy, typename... Args> Value create(Args &&...args) {
    auto op =
        OpTy::create(builder, user->getLoc(), std::forward<Args>(args)...);
    train::copyProvenance(user, op);
    return op->getResult(0);
  }
  Value widen(Value value);
  Value dequantize(Value value, Value scale, Format format, Scaling scaling) {
    return create<FakeQuantizeOp>(value.getType(), value, scale, format,
                                  getGranularity(scaling));
  }
  LogicalResult addSwitches();
  FailureOr<Versions> getVersions(Value data, Value scaleInv, Scaling scaling);
  FailureOr<Versions> moveVersions(Operation *op, Value scaleInv,
                                   Scaling scaling);
  FailureOr<Versions> getOfMaster(BlockArgument copy, Value scaleInv,
                                  Scaling scaling);
  Value select(int64_t index, Versions versions);
  LogicalResult replace(ScaledMatmulOp op, int64_t first);

  func::FuncOp step;
  OpBuilder builder;
  /// What is made now is a part of this product.
  ScaledMatmulOp user;
  SmallVector<ScaledMatmulOp> products;
  BlockArgument switches;
  DenseMap<Value, Versions> known;
};

} // namespace

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value Switcher::widen(Value value) {
  RankedTensorType type = getTensor(value);
  if (type.getElementType().isF32())
    return value;
  return create<arith::ExtFOp>(type.clone(builder.getF32Type()), value);
}

LogicalResult Switcher::addSwitches() {
  std::map<std::string, unsigned> counts;
  SmallVector<Attribute> names;
  for (ScaledMatmulOp op : products)
    for (unsigned operand : {0u, 1u}) {
      FailureOr<std::string> use = getUseName(op, operand);
      if (failed(use))
        return failure();
      std::string name = *use;
      if (unsigned count = counts[name]++)
        name += "." + std::to_string(count);
      names.push_back(builder.getStringAttr(name));
    }
  auto attributes = builder.getDictionaryAttr(
      {builder.getNamedAttr(train::kPath, builder.getStringAttr("switches")),
       builder.getNamedAttr(train::kTensors, builder.getArrayAttr(names))});
  auto type =
      RankedTensorType::get({int64_t(names.size())}, builder.getF32Type());
  if (failed(step.insertArgument(step.getNumArguments(), type,
                                 withRole(attributes, train::Role::Switches),
                                 step.getLoc())))
    return failure();
  switches = step.getArguments().back();
  return success();
}

/// Moves elements of both versions as `op` does those of its operand.
FailureOr<Versions> Switcher::moveVersions(Operation *op, Value scaleInv,
                                           Scaling scaling) {
  FailureOr<Versions> source =
      getVersions(op->getOperand(0), scaleInv, scaling);
  if (failed(source))
    return failure();
  auto move = [&](Value value) {
    Operation *copy = builder.clone(*op);
    copy->setOperand(0, value);
    Value result = copy->getResult(0);
    result.setType(getTensor(result).clone(builder.getF32Type()));
    return result;
  };
  return Versions{move(source->high), move(source->low)};
}

static std::optional<WorkSlot> findSlot(StringRef name) {
  for (Format format : {Format::E4M3, Format::E5M2, Format::E2M1})
    for (WorkSlot::Kind kind :
         {WorkSlot::Kind::Copy, WorkSlot::Kind::Transposed})
      if (WorkSlot{format, kind}.getName() == name)
        return WorkSlot{format, kind};
  return std::nullopt;
}

/// The master of a work weight; what the copy holds, or where rows or blocks
/// have scales, what it was made to hold.
FailureOr<Versions> Switcher::getOfMaster(BlockArgument copy, Value scaleInv,
                                          Scaling scaling) {
  auto getName = [&](BlockArgument argument, StringRef name) {
    return step.getArgAttrOfType<StringAttr>(argument.getArgNumber(), name);
  };
  StringAttr parameter = getName(copy, train::kParamOf);
  StringAttr slotName = getName(copy, train::kSlot);
  std::optional<WorkSlot> slot =
      slotName ? findSlot(slotName.getValue()) : std::nullopt;
  auto master = llvm::find_if(step.getArguments(), [&](BlockArgument argument) {
    return parameter && argument != copy &&
           getName(argument, train::kPath) == parameter &&
           !getName(argument, train::kSlot);
  });
  // switch_precision_c2
  if (!slot || master == step.getArguments().end())
    return user.emitOpError("an operand must be quantized in the step or be a "
                            "work weight of a master, but argument ")
           << copy.getArgNumber() << " is neither";
  Value matrix = widen(*master);
  if (slot->kind == WorkSlot::Kind::Transposed) {
    matrix = createTranspose(builder, user.getLoc(), matrix);
    train::copyProvenance(user, matrix.getDefiningOp());
  }
  RankedTensorType type = getTensor(matrix);
  if (!isFine(scaling))
    return Versions{matrix, create<DequantizeOp>(type, copy, scaleInv)};
  AmaxAttr options = getAmaxOptions(user);
  ScaleRule rule{scaling,
                 options,
                 options.getWeight(),
                 StringAttr(),
                 getMicroscaling(user),
                 /*isWeight=*/true};
  Scale ofTensor;
  if (hasTensorScale(scaling))
    ofTensor = createTensorScale(
        builder, user.getLoc(),
        createAmax(builder, user.getLoc(), matrix, Scaling::TensorCurrent),
        slot->format, rule);
  Value amax = createWeightAmax(builder, user.getLoc(), matrix, rule);
  Scale scale = createScale(builder, user.getLoc(), amax, slot->format, rule,
                            ofTensor.scale);
  return Versions{matrix,
                  dequantize(matrix, scale.scale, slot->format, scaling)};
}

FailureOr<Versions> Switcher::getVersions(Value data, Value scaleInv,
                                          Scaling scaling) {
  auto found = known.find(data);
  if (found != known.end())
    return found->second;
  FailureOr<Versions> versions = failure();
  if (auto argument = dyn_cast<BlockArgument>(data)) {
    versions = getOfMaster(argument, scaleInv, scaling);
  } else if (auto quantize = data.getDefiningOp<QuantizeOp>()) {
    Value high = widen(quantize.getInput());
    versions = Versions{
        high, dequantize(high, quantize.getScale(),
                         *getFormat(quantize.getType().getElementType()),
                         quantize.getScaling())};
  } else if (Operation *op = data.getDefiningOp();
             isReshape(op) || isa_and_present<train::TransposeOp>(op)) {
    versions = moveVersions(op, scaleInv, scaling);
  } else {
    // switch_precision_c3
    return user.emitOpError("an operand must be quantized in the step or be a "
                            "work weight of a master, but got a result of ")
           << op->getName();
  }
  if (succeeded(versions))
    known[data] = *versions;
  return versions;
}

Value Switcher::select(int64_t index, Versions versions) {
  auto one = RankedTensorType::get({1}, builder.getF32Type());
  Value element = create<tensor::ExtractSliceOp>(
      one, switches, ValueRange(), ValueRange(), ValueRange(),
      ArrayRef<int64_t>{index}, ArrayRef<int64_t>{1}, ArrayRef<int64_t>{1});
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  Value number = create<tensor::CollapseShapeOp>(
      scalar, element, ArrayRef<ReassociationIndices>());
  Value half = create<arith::ConstantOp>(DenseElementsAttr::get(
      cast<ShapedType>(scalar), builder.getF32FloatAttr(0.5F).getValue()));
  Value isRaised =
      create<arith::CmpFOp>(arith::CmpFPredicate::OGT, number, half);
  RankedTensorType type = getTensor(versions.high);
  Value each = create<train::BroadcastOp>(type.clone(builder.getI1Type()),
                                          isRaised, ArrayRef<int64_t>());
  return create<arith::SelectOp>(each, versions.high, versions.low);
}

LogicalResult Switcher::replace(ScaledMatmulOp op, int64_t first) {
  user = op;
  builder.setInsertionPoint(op);
  FailureOr<Versions> lhs =
      getVersions(op.getLhs(), op.getLhsScale(), op.getLhsScaling());
  if (failed(lhs))
    return failure();
  FailureOr<Versions> rhs =
      getVersions(op.getRhs(), op.getRhsScale(), op.getRhsScaling());
  if (failed(rhs))
    return failure();
  Value left = select(first, *lhs), right = select(first + 1, *rhs);
  RankedTensorType type = getTensor(op.getResult());
  Value product = create<train::MatmulOp>(
      type.clone(builder.getF32Type()), left, right, /*bias=*/Value(),
      /*transpose_a=*/false, /*transpose_b=*/true,
      /*result_tags=*/ArrayAttr(), /*operand_tags=*/ArrayAttr());
  if (!type.getElementType().isF32())
    product = create<arith::TruncFOp>(type, product);
  op.getResult().replaceAllUsesWith(product);
  op.erase();
  return success();
}

LogicalResult Switcher::run() {
  // switch_precision_c4
  for (auto grouped : step.getOps<ScaledGroupedMatmulOp>())
    return grouped.emitOpError("products of experts cannot be switched, but "
                               "got one in fp8: forbid that by a rule");
  llvm::append_range(products, step.getOps<ScaledMatmulOp>());
  // switch_precision_c1
  if (products.empty())
    return step.emitOpError("a step whose precision is switched must have "
                            "products in fp8 or fp4, but got none: compile it "
                            "without --switchable");
  if (failed(addSwitches()))
    return failure();
  for (auto [index, product] : llvm::enumerate(products))
    if (failed(replace(product, 2 * int64_t(index))))
      return failure();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(step.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  return success();
}

void SwitchPrecision::runOnOperation() {
  FailureOr<func::FuncOp> step = getStepGraph(getOperation());
  if (failed(step) || failed(Switcher(*step).run()))
    signalPassFailure();
}
