//===- CountedLabels.cpp - what the loss of a step is a mean over ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/CountedLabels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

namespace {

/// Walks from the loss to its cross entropies.
class LossReader {
public:
  LossReader(llvm::function_ref<bool(Value)> isOfBatch, std::string &why)
      : isOfBatch(isOfBatch), why(why) {}

  LogicalResult read(Value loss);

  std::optional<CountedLabels> counted;

private:
  LogicalResult readOperation(Operation *op);
  LogicalResult readCrossEntropy(train::CrossEntropyOp op);
  LogicalResult fail(const Twine &reason) {
    why = reason.str();
    return failure();
  }

  llvm::function_ref<bool(Value)> isOfBatch;
  std::string &why;
  SmallVector<Value> work;
};

} // namespace

/// Whether both are computed alike from the same values.
static bool isSame(Value a, Value b) {
  SmallVector<std::pair<Value, Value>> work = {{a, b}};
  DenseSet<std::pair<Value, Value>> seen;
  while (!work.empty()) {
    auto pair = work.pop_back_val();
    auto [x, y] = pair;
    if (x == y || !seen.insert(pair).second)
      continue;
    Operation *first = x.getDefiningOp(), *second = y.getDefiningOp();
    if (!first || !second ||
        cast<OpResult>(x).getResultNumber() !=
            cast<OpResult>(y).getResultNumber() ||
        first->getName() != second->getName() ||
        first->getResultTypes() != second->getResultTypes() ||
        first->getNumOperands() != second->getNumOperands() ||
        first->getPropertiesAsAttribute() != second->getPropertiesAsAttribute())
      return false;
    for (auto operands :
         llvm::zip_equal(first->getOperands(), second->getOperands()))
      work.push_back({std::get<0>(operands), std::get<1>(operands)});
  }
  return true;
}

LogicalResult LossReader::readCrossEntropy(train::CrossEntropyOp op) {
  CountedLabels found{op.getLabels(), int32_t(op.getIgnoreIndex())};
  if (counted && (counted->ignoreIndex != found.ignoreIndex ||
                  !isSame(counted->labels, found.labels)))
    return fail("its cross entropies have different labels");
  if (!counted)
    counted = found;
  return success();
}

/// An operation of the batch must be linear in what is of the batch.
LogicalResult LossReader::readOperation(Operation *op) {
  auto readAll = [&]() {
    llvm::append_range(work, op->getOperands());
    return success();
  };
  auto refuse = [&]() {
    return fail("the batch reaches it by more than cross entropies, times and "
                "plus what does not depend on the batch: by " +
                op->getName().getStringRef());
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::ExtFOp,
            arith::TruncFOp, tensor::ConcatOp, tensor::CollapseShapeOp,
            tensor::ExpandShapeOp, tensor::ExtractSliceOp, train::BroadcastOp,
            train::TransposeOp>([&](auto) { return readAll(); })
      .Case([&](arith::MulFOp product) {
        return isOfBatch(product.getLhs()) && isOfBatch(product.getRhs())
                   ? refuse()
                   : readAll();
      })
      .Case([&](arith::DivFOp quotient) {
        return isOfBatch(quotient.getRhs()) ? refuse() : readAll();
      })
      .Case([&](train::ReduceOp reduction) {
        return reduction.getKind() == train::ReduceKind::Sum ? readAll()
                                                             : refuse();
      })
      .Default([&](Operation *) { return refuse(); });
}

LogicalResult LossReader::read(Value loss) {
  DenseSet<Value> seen;
  work.push_back(loss);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!isOfBatch(value) || !seen.insert(value).second)
      continue;
    auto entropy = value.getDefiningOp<train::CrossEntropyOp>();
    if (!value.getDefiningOp())
      return fail("it reads an input of the batch beside cross entropies");
    if (failed(entropy && value == entropy.getLoss()
                   ? readCrossEntropy(entropy)
                   : readOperation(value.getDefiningOp())))
      return failure();
  }
  return success();
}

FailureOr<CountedLabels>
prec::findCountedLabels(func::FuncOp step,
                        llvm::function_ref<bool(Value)> isOfBatch,
                        std::string &why) {
  LossReader reader(isOfBatch, why);
  for (OpOperand &result : step.front().getTerminator()->getOpOperands()) {
    auto role = step.getResultAttrOfType<train::RoleAttr>(
        result.getOperandNumber(), train::kRole);
    if (role && role.getValue() == train::Role::Loss &&
        failed(reader.read(result.get())))
      return failure();
  }
  if (reader.counted)
    return *reader.counted;
  why = "it has no cross entropy";
  return failure();
}

Value prec::countLabels(MetricBuilder &builder, const CountedLabels &counted) {
  auto type = cast<RankedTensorType>(counted.labels.getType());
  Value ignored = builder.create<arith::ConstantOp>(DenseElementsAttr::get(
      cast<ShapedType>(type),
      IntegerAttr::get(type.getElementType(), counted.ignoreIndex)));
  Value isCounted = builder.create<arith::CmpIOp>(arith::CmpIPredicate::ne,
                                                  counted.labels, ignored);
  return builder.sum(builder.indicate(isCounted));
}
