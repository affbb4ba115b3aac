//===- TrainRanks.cpp - what ranks give each other ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Train/Ranks.h"
#include "prec/Dialect/Train/TensorType.h"

using namespace mlir;
using namespace prec::train;
using prec::Structure;
using prec::typeOf;

LogicalResult prec::train::verifyExchange(Operation *op, ExchangeKind kind) {
  RankedTensorType input = typeOf(op->getOperand(0)),
                   result = typeOf(op->getResult(0));
  // What has a slice for each rank, and one slice of it.
  RankedTensorType all = kind == ExchangeKind::AllGather ? result : input;
  // exchange_c1
  if (all.getRank() == 0 || all.getDimSize(0) == 0)
    return op->emitOpError("the first dimension must have a slice for each "
                           "rank, but got ")
           << all;
  RankedTensorType slice = all.clone(all.getShape().drop_front());
  RankedTensorType expected = kind == ExchangeKind::OwnSlice ? slice : all;
  // exchange_c2
  if (result != expected || (kind == ExchangeKind::AllGather && input != slice))
    return op->emitOpError("the result must have the elements of the input, ")
           << (kind == ExchangeKind::AllToAll    ? "in its shape"
               : kind == ExchangeKind::AllGather ? "once for each rank"
                                                 : "of one rank")
           << ", but got " << input << " and " << result;
  return success();
}

LogicalResult ExchangeOp::verify() { return verifyExchange(*this, getKind()); }

Structure ExchangeOp::getStructure() { return Structure::Exchange; }
int64_t ExchangeOp::getAccumulationLength() { return 1; }
double ExchangeOp::getFlops() { return 0; }
