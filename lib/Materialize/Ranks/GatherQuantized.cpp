//===- GatherQuantized.cpp - rows are gathered in FP8 ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that products read in FP8 are gathered from all ranks, then quantized.
// With one scale for a whole tensor each rank can quantize its rows instead and
// send these: half the bytes of BF16, and each element is quantized once. The
// bits stay: the largest amax of all ranks' rows is that of all rows, and an
// element has the same scale on the rank that has its row. A scale of delayed
// scaling is known before the rows are, and its amaxes are agreed on at the end
// of the step (AgreeRanks.cpp); of current scaling the amax is agreed on first.
//
// Scales of rows or blocks are not moved: what backward reads has others along
// the other dimension, and both together are as many bytes as BF16. Nor is what
// is rounded at random, as bits are drawn by the number of an element.
//
//===----------------------------------------------------------------------===//
#include "Materialize/Ranks/GatherQuantized.h"

#include "prec/Dialect/Train/Ranks.h"
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/TensorType.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace prec;
using train::ExchangeKind;
using train::ExchangeOp;

namespace {

/// What reads gathered rows, through reshapes.
struct Readers {
  SmallVector<AmaxOp> amaxes;
  /// By scale and format.
  llvm::MapVector<std::pair<Value, Type>, SmallVector<QuantizeOp>> quantizes;
};

} // namespace

/// False where something else than amaxes and quantizations by one scale reads
/// it.
static bool findReaders(Value value, Readers &readers) {
  return llvm::all_of(value.getUsers(), [&](Operation *reader) {
    if (isReshape(reader))
      return findReaders(reader->getResult(0), readers);
    if (auto amax = dyn_cast<AmaxOp>(reader)) {
      readers.amaxes.push_back(amax);
      return isTensorScaling(amax.getScaling());
    }
    auto quantize = dyn_cast<QuantizeOp>(reader);
    if (!quantize || quantize.getSeed() ||
        !isTensorScaling(quantize.getScaling()) ||
        typeOf(quantize.getScale()).getRank() != 0)
      return false;
    readers
        .quantizes[{quantize.getScale(),
                    typeOf(quantize.getResult()).getElementType()}]
        .push_back(quantize);
    return true;
  });
}

static bool isOnlyRecorded(Value amax) {
  return llvm::all_of(amax.getUsers(), [](Operation *reader) {
    return isa<RecordAmaxOp>(reader) ||
           (isReshape(reader) && isOnlyRecorded(reader->getResult(0)));
  });
}

/// The amax of this rank's rows, or of all ranks' where a scale is made of it.
static void measureRows(AmaxOp amax, ExchangeOp gather, MeshAxis axis) {
  OpBuilder builder(gather);
  auto own = cast<AmaxOp>(builder.clone(*amax));
  own.getInputMutable().assign(gather.getInput());
  Value largest = own.getResult();
  if (!isOnlyRecorded(amax.getResult()))
    largest = train::createLargest(
        builder, amax.getLoc(), largest, axis.name, axis.ranks,
        [&](Operation *made) { train::copyProvenance(amax, made); });
  amax.getResult().replaceAllUsesWith(largest);
  amax.erase();
}

/// The gathered bytes, in the shape of what the first of these quantizations
/// reads, for all of them.
static void quantizeRows(ArrayRef<QuantizeOp> quantizes, ExchangeOp gather) {
  QuantizeOp first =
      *llvm::min_element(quantizes, [](QuantizeOp a, QuantizeOp b) {
        return a->isBeforeInBlock(b);
      });
  Type narrow = typeOf(first.getResult()).getElementType();
  OpBuilder builder(first);
  auto own = cast<QuantizeOp>(builder.clone(*first));
  own.getInputMutable().assign(gather.getInput());
  own.getResult().setType(typeOf(gather.getInput()).clone(narrow));
  auto all = cast<ExchangeOp>(builder.clone(*gather));
  all.getInputMutable().assign(own.getResult());
  all.getResult().setType(typeOf(gather.getResult()).clone(narrow));
  train::setSentAs(all, "quantized by one scale of all ranks before it is "
                        "gathered");
  for (QuantizeOp quantize : quantizes) {
    SmallVector<Operation *> reshapes;
    for (Operation *op = quantize.getInput().getDefiningOp(); op != gather;
         op = op->getOperand(0).getDefiningOp())
      reshapes.push_back(op);
    builder.setInsertionPoint(quantize);
    Value bytes = all.getResult();
    for (Operation *reshape : llvm::reverse(reshapes)) {
      Operation *copy = builder.clone(*reshape);
      copy->setOperand(0, bytes);
      bytes = copy->getResult(0);
      bytes.setType(typeOf(bytes).clone(narrow));
    }
    quantize.getResult().replaceAllUsesWith(bytes);
    quantize.erase();
  }
}

static void eraseUnused(Operation *op) {
  for (Operation *reader : llvm::make_early_inc_range(op->getUsers()))
    eraseUnused(reader);
  if (op->use_empty())
    op->erase();
}

void prec::gatherQuantized(func::FuncOp function, MeshAxis axis) {
  SmallVector<ExchangeOp> gathers(function.getOps<ExchangeOp>());
  for (ExchangeOp gather : gathers) {
    Readers readers;
    if (gather.getKind() != ExchangeKind::AllGather ||
        gather.getAxis() != axis.name ||
        train::getPhase(gather) == train::Phase::Optimizer)
      continue;
    if (!findReaders(gather.getResult(), readers)) {
      train::setSentAs(gather,
                       "not everything reads it quantized by one scale");
      continue;
    }
    if (readers.quantizes.empty())
      continue;
    unsigned bits = 0;
    for (auto &[key, quantizes] : readers.quantizes)
      bits += key.second.getIntOrFloatBitWidth();
    if (bits >= typeOf(gather.getInput()).getElementTypeBitWidth()) {
      train::setSentAs(gather, "the formats that it is read in take as much");
      continue;
    }
    for (AmaxOp amax : readers.amaxes)
      measureRows(amax, gather, axis);
    for (auto &[key, quantizes] : readers.quantizes)
      quantizeRows(quantizes, gather);
    eraseUnused(gather);
  }
}
