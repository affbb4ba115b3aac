//===- CommandCost.cpp - what commands cost -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A command moves its operands and results, or multiplies, whichever takes
// longer, behind its launch. Matrix units multiply 8 bits twice as fast as 16.
// Products in f32 are counted as if they were in 16 bits, so they end later
// than is assumed: what waits for a time to pass waits longer than it must.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Ranks/CommandCost.h"

#include "Schedule/Fusion/FusionCost.h"
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Schedule/MemoryPlan.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

static int64_t getElements(Value value) {
  return typeOf(value).getNumElements();
}

/// Elements of one slice along the first dimension.
static int64_t getRowElements(Value value) {
  return ShapedType::getNumElements(typeOf(value).getShape().drop_front());
}

/// Of scores and of values, both of which a causal mask halves.
template <typename Op> static int64_t countAttention(Op op, unsigned query) {
  ArrayRef<int64_t> q = op.getTensorViews()[query].getShape();
  int64_t keys = op.getTensorViews()[query + 1].getShape()[2];
  return 4 * ShapedType::getNumElements(q) * keys / (op.getCausal() ? 2 : 1);
}

/// Two for each place of an output and each weight of its channel.
static int64_t countConvolution(sched::ConvOp op) {
  bool isForward = op.getDirection() == sched::ConvDirection::Fprop;
  bool isWeight = op.getDirection() == sched::ConvDirection::Wgrad;
  return 2 * getElements(isForward ? op.getResult() : op.getLhs()) *
         getRowElements(isWeight ? op.getResult() : op.getRhs());
}

/// Operations of matrix units.
static int64_t countProducts(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](sched::GemmOp gemm) {
        return 2 * gemm.getM() * gemm.getN() * gemm.getK() * gemm.getBatch();
      })
      .Case([](sched::GroupedGemmOp gemm) {
        Value other = typeOf(gemm.getRhs()).getRank() == 2 ? gemm.getRhs()
                                                           : gemm.getResult();
        return 2 * getElements(gemm.getLhs()) * typeOf(other).getShape().back();
      })
      .Case(
          [](sched::SdpaOp attention) { return countAttention(attention, 0); })
      .Case([](sched::SdpaGradOp attention) {
        // Five products instead of two.
        return countAttention(attention, 1) / 2 * 5;
      })
      .Case([](sched::ConvOp conv) { return countConvolution(conv); })
      .Default(int64_t(0));
}

int64_t prec::estimateCommand(const ScheduleModel &machine, Operation *op) {
  if (isa<sched::AwaitOp>(op))
    return 0;
  int64_t bytes = 0;
  for (Value value : op->getOperands())
    bytes += getByteSize(value.getType());
  for (Value value : op->getResults())
    bytes += getByteSize(value.getType());
  int64_t products = countProducts(op) / machine.matrixOperationsPerByte;
  if (isa<sched::GemmOp, sched::GroupedGemmOp>(op) &&
      typeOf(op->getOperand(0)).getElementTypeBitWidth() <= 8)
    products /= 2;
  return estimateCost(machine, {std::max(bytes, products)});
}

int64_t prec::getReceivedBytes(sched::ExchangeOp op) {
  int64_t bytes = getByteSize(op.getResult().getType());
  int64_t ranks =
      typeOf(op.getKind() == train::ExchangeKind::OwnSlice ? op.getInput()
                                                           : op.getResult())
          .getDimSize(0);
  return op.getKind() == train::ExchangeKind::OwnSlice
             ? 0
             : bytes / ranks * (ranks - 1);
}

int64_t prec::estimateExchanges(const ScheduleModel &machine,
                                int64_t received) {
  return machine.exchangeBytes + received * machine.bytesPerExchanged;
}
