//===- Frontier.cpp - what an update reads of its batch -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the border between what a step computes of its batch (forward and
// backward) and what reads that once a step: the optimizer and the caller. It
// is found, not marked: a value that depends on a batch argument, is computed
// outside of phase optimizer, and is read inside of it or returned.
// Micro-batches and ranks have values of their own before it, and one value for
// all behind it.
//
//===----------------------------------------------------------------------===//
#include "Materialize/Frontier.h"

#include "Materialize/ScaledGradients.h"

#include "prec/Dialect/Train/BatchAttributes.h"
#include "prec/Dialect/Train/Outputs.h"
#include "prec/Support/MustSucceed.h"
#include "prec/Support/PassRemark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace prec;

bool Frontier::isOfBatch(Value value) const {
  Operation *op = value.getDefiningOp();
  return ofBatch.contains(value) && !(op && isOptimizer(op));
}

LogicalResult Frontier::addTerm(OpOperand &use) {
  Value value = use.get();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  // split_accumulation_c2
  if (!value.getDefiningOp() || !type || !isa<FloatType>(type.getElementType()))
    return use.getOwner()->emitOpError(
               "what an update reads of a batch must be computed and of a "
               "float type, but got ")
           << value.getType() << " as operand " << use.getOperandNumber();
  auto widened = value.getDefiningOp<arith::ExtFOp>();
  bool isNarrow = !type.getElementType().isF32();
  // split_accumulation_c3
  if (isNarrow && !isa<train::OptimizerOpInterface, train::GlobalNormOp,
                       FiniteGuardOp, arith::ExtFOp>(use.getOwner()))
    return use.getOwner()->emitOpError("a gradient that is accumulated must be "
                                       "read in f32, but got ")
           << type << " as operand " << use.getOperandNumber();
  terms.insert(widened ? widened.getIn() : value);
  return success();
}

LogicalResult Frontier::visit(Operation *op) {
  bool readsBatch = llvm::any_of(
      op->getOperands(), [&](Value value) { return ofBatch.contains(value); });
  if (readsBatch)
    ofBatch.insert_range(op->getResults());
  bool isReturn = isa<func::ReturnOp>(op);
  auto function = cast<func::FuncOp>(op->getParentOp());
  for (OpOperand &use : op->getOpOperands()) {
    if (!isOptimizer(op) && !isReturn) {
      // split_accumulation_c4
      if (ofBatch.contains(use.get()) && !isOfBatch(use.get()))
        return op->emitOpError("what is computed of a micro-batch must not "
                               "read an update, but operand ")
               << use.getOperandNumber() << " is one";
      continue;
    }
    if (!isOfBatch(use.get()) ||
        (isReturn && train::isOutput(function, use.getOperandNumber())))
      continue;
    // split_accumulation_c1
    if (isReturn &&
        function.getResultAttr(use.getOperandNumber(), train::kDonatedTo))
      return function.emitOpError("state must be updated by the optimizer, but "
                                  "result ")
             << use.getOperandNumber() << " is not";
    hasUpdate |= !isReturn;
    auto record = dyn_cast<RecordAmaxOp>(op);
    if (record && use.getOperandNumber() > 0)
      amaxes[record].push_back(use.get());
    else if (failed(addTerm(use)))
      return failure();
  }
  return success();
}

LogicalResult Frontier::find(func::FuncOp step) {
  for (BlockArgument argument : step.getArguments()) {
    auto role = step.getArgAttrOfType<train::RoleAttr>(argument.getArgNumber(),
                                                       train::kRole);
    if (role && role.getValue() == train::Role::Batch)
      ofBatch.insert(argument);
  }
  for (Operation &op : step.front())
    if (failed(visit(&op)))
      return failure();
  // split_accumulation_c5
  if (!hasUpdate)
    return step.emitOpError("a step with micro-batches must update something "
                            "by gradients, but got none");
  return success();
}

/// Between the seeds of the parts of a step: no two of 2^20 steps with up to
/// 4096 parts have the same.
static constexpr int32_t kSeedStride = 1 << 20;

void prec::drawOwnBits(
    func::FuncOp function,
    llvm::function_ref<Value(OpBuilder &, Location, Type)> number) {
  DenseMap<Value, Value> own;
  OpBuilder builder(function.getContext());
  function.walk([&](QuantizeOp op) {
    Value seed = op.getSeed();
    if (!seed || isOptimizer(op))
      return;
    Value &next = own[seed];
    if (!next) {
      builder.setInsertionPointAfterValue(seed);
      Location loc = seed.getLoc();
      auto type = cast<RankedTensorType>(seed.getType());
      Value stride = arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(type, builder.getI32IntegerAttr(kSeedStride)));
      Value offset = arith::MulIOp::create(builder, loc,
                                           number(builder, loc, type), stride);
      next = arith::AddIOp::create(builder, loc, seed, offset);
    }
    op.getSeedMutable().assign(next);
  });
}

SmallVector<OpOperand *> prec::findReads(Value term) {
  SmallVector<Value> forms = {term};
  for (Operation *user : term.getUsers())
    if (isa<arith::ExtFOp>(user))
      forms.push_back(user->getResult(0));
  SmallVector<OpOperand *> reads;
  for (Value form : forms)
    for (OpOperand &use : form.getUses()) {
      Operation *user = use.getOwner();
      if (!isa<arith::ExtFOp>(user) &&
          (isOptimizer(user) || isa<func::ReturnOp>(user)))
        reads.push_back(&use);
    }
  return reads;
}

std::optional<CountedLabels> prec::findWeights(func::FuncOp step,
                                               const Frontier &frontier,
                                               bool isEqual,
                                               llvm::StringLiteral pass) {
  std::string why = "it was asked for";
  if (!isEqual) {
    FailureOr<CountedLabels> counted = findCountedLabels(
        step, [&](Value value) { return frontier.isOfBatch(value); }, why);
    if (succeeded(counted)) {
      CountedLabels labels = *counted;
      return labels;
    }
    why = "the loss is no mean over one number of labels: " + why;
    emitPassRemark(step.getLoc(), {pass, "EqualWeights"},
                   "micro-batches all weigh the same, however many labels they "
                   "have: " +
                       Twine(why));
  }
  step->getParentOfType<ModuleOp>()->setAttr(
      train::kEqualMicroBatches, StringAttr::get(step.getContext(), why));
  return std::nullopt;
}

DictionaryAttr prec::getAccumulatedNames(MLIRContext *context,
                                         const Twine &name) {
  Builder builder(context);
  return builder.getDictionaryAttr(
      {builder.getNamedAttr(train::kPath, builder.getStringAttr(kAccumulated)),
       builder.getNamedAttr(train::kSlot, builder.getStringAttr(name))});
}

BlockArgument prec::addAccumulated(func::FuncOp function, Type type,
                                   const Twine &name) {
  mustSucceed(
      function.insertArgument(function.getNumArguments(), type,
                              getAccumulatedNames(function.getContext(), name),
                              function.getLoc()),
      "a function of its own takes every argument");
  return function.getArguments().back();
}

std::optional<StringRef> prec::getAccumulatedSlot(func::FuncOp function,
                                                  unsigned argument) {
  auto path = function.getArgAttrOfType<StringAttr>(argument, train::kPath);
  auto slot = function.getArgAttrOfType<StringAttr>(argument, train::kSlot);
  if (!path || !slot || path.getValue() != kAccumulated)
    return std::nullopt;
  return slot.getValue();
}
