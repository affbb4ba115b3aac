//===- MergeContractions.cpp - layers that read one value become one ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges linear layers that read one value, such as Q, K and V, into one
// matmul. For each group that MergeGroups.cpp finds, the weights are
// concatenated along their outputs and one matmul computes all of these, which
// are read as slices of its columns. In the backward the gradients of the
// outputs are concatenated by columns: the gradients of the weights are slices
// of one matmul, and the gradient of the input is one matmul where it was a sum
// of several. New operations take positions of old ones, so that the order of
// the block need not be counted anew after each group.
//
// Example: x W1', x W2' with W1 of 64 rows and W2 of 32 is x [W1; W2]' with 96
// columns.
//
//===----------------------------------------------------------------------===//
#include "Materialize/Weights/JoinNames.h"
#include "Materialize/MergeGroups.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Slices.h"
#include "prec/Materialize/Passes.h"
#include "prec/Support/PassCounts.h"
#include "prec/Support/PassRemark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace prec {
#define GEN_PASS_DEF_MERGECONTRACTIONS
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct MergeContractions
    : public prec::impl::MergeContractionsBase<MergeContractions> {
  using MergeContractionsBase::MergeContractionsBase;

  void runOnOperation() override;
};

/// Merges the layers of one group.
class Merger {
public:
  Merger(ArrayRef<LinearLayer> layers, Positions &positions)
      : layers(layers), positions(positions),
        builder(layers.front().weight.getContext()) {}

  void run();

private:
  SmallVector<train::MatmulOp> get(train::MatmulOp LinearLayer::*product);
  train::MatmulOp getLast(ArrayRef<train::MatmulOp> products);
  bool isBefore(Operation *a, Operation *b);
  Value concatenate(ValueRange values, int64_t dim, TagAttr tag,
                    Operation *like);
  Value joinWeights(train::MatmulOp like);
  Value joinGradients();
  train::MatmulOp createProduct(ArrayRef<train::MatmulOp> products,
                                train::MatmulOp at, Value lhs, Value rhs,
                                ArrayRef<int64_t> shape);
  void replaceBySlices(ArrayRef<train::MatmulOp> products, Value merged,
                       unsigned dim);

  ArrayRef<LinearLayer> layers;
  Positions &positions;
  OpBuilder builder;
};

} // namespace

static int64_t getSize(Value matrix, unsigned dim) {
  return cast<RankedTensorType>(matrix.getType()).getDimSize(dim);
}

SmallVector<train::MatmulOp>
Merger::get(train::MatmulOp LinearLayer::*product) {
  return llvm::map_to_vector(
      layers, [&](const LinearLayer &layer) { return layer.*product; });
}

/// What earlier groups became has places in common.
bool Merger::isBefore(Operation *a, Operation *b) {
  unsigned first = positions.at(a), second = positions.at(b);
  return first == second ? a->isBeforeInBlock(b) : first < second;
}

train::MatmulOp Merger::getLast(ArrayRef<train::MatmulOp> products) {
  return *llvm::max_element(products,
                            [&](train::MatmulOp a, train::MatmulOp b) {
                              return positions.at(a) < positions.at(b);
                            });
}

Value Merger::concatenate(ValueRange values, int64_t dim, TagAttr tag,
                          Operation *like) {
  auto concat = tensor::ConcatOp::create(builder, like->getLoc(), dim, values);
  train::copyProvenance(like, concat);
  if (tag)
    setResultTag(concat, 0, tag);
  return concat;
}

/// The weights as `like` reads its own. Copies in fp8 and fp4 have no tag: what
/// is joined there are the masters that they are made from.
Value Merger::joinWeights(train::MatmulOp like) {
  SmallVector<Value> weights;
  for (const LinearLayer &layer : layers)
    weights.push_back(layer.weight);
  TagAttr tag = getOperandTag(like, 1);
  LinearLayer first = layers.front();
  return concatenate(weights, first.outputDim,
                     tag && tag.isNarrow() ? TagAttr() : tag, like);
}

/// The gradients of the outputs, as soon as the last is there.
Value Merger::joinGradients() {
  SmallVector<Value> gradients;
  Operation *last = nullptr;
  for (LinearLayer layer : layers) {
    gradients.push_back(layer.gradient->get());
    Operation *op = gradients.back().getDefiningOp();
    if (op && (!last || isBefore(last, op)))
      last = op;
  }
  LinearLayer first = layers.front();
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(first.fprop->getBlock());
  return concatenate(gradients, /*dim=*/1, getTag(first.gradient->get()),
                     first.dgrad ? first.dgrad : first.wgrad);
}

/// The product that replaces `products`, in the place of `at`.
train::MatmulOp Merger::createProduct(ArrayRef<train::MatmulOp> products,
                                      train::MatmulOp at, Value lhs, Value rhs,
                                      ArrayRef<int64_t> shape) {
  builder.setInsertionPoint(at);
  auto merged = cast<train::MatmulOp>(builder.clone(*products.front()));
  positions[merged] = positions.at(at);
  merged.getLhsMutable().assign(lhs);
  merged.getRhsMutable().assign(rhs);
  auto type = cast<RankedTensorType>(merged.getType());
  merged.getResult().setType(type.clone(shape));
  SmallVector<StringRef> names;
  for (train::MatmulOp product : products)
    if (auto name = dyn_cast<NameLoc>(product.getLoc()))
      names.push_back(name.getName().getValue());
  if (names.size() == products.size())
    merged->setLoc(NameLoc::get(builder.getStringAttr(joinNames(names))));
  return merged;
}

void Merger::replaceBySlices(ArrayRef<train::MatmulOp> products, Value merged,
                             unsigned dim) {
  builder.setInsertionPointAfterValue(merged);
  int64_t offset = 0;
  for (train::MatmulOp product : products) {
    int64_t offsets[2] = {0, 0};
    offsets[dim] = offset;
    offset += getSize(product, dim);
    auto slice = train::createSlice(builder, product.getLoc(),
                                    cast<RankedTensorType>(product.getType()),
                                    merged, offsets);
    train::copyProvenance(product, slice);
    positions[slice] = positions.at(merged.getDefiningOp());
    if (TagAttr tag = getResultTag(product, 0))
      setResultTag(slice, 0, tag);
    product.getResult().replaceAllUsesWith(slice);
  }
  for (train::MatmulOp product : products)
    product.erase();
}

/// Takes a term away from the sum that it is part of.
static void dropTerm(Operation *term) {
  SmallVector<Operation *> dead = {term};
  Operation *user = *term->user_begin();
  while (!isa<arith::AddFOp>(user)) {
    dead.push_back(user);
    user = *user->user_begin();
  }
  Value dropped = dead.back()->getResult(0);
  unsigned other = user->getOperand(0) == dropped ? 1 : 0;
  user->getResult(0).replaceAllUsesWith(user->getOperand(other));
  user->erase();
  for (Operation *op : llvm::reverse(dead))
    op->erase();
}

void Merger::run() {
  LinearLayer first = layers.front();
  SmallVector<train::MatmulOp> fprops = get(&LinearLayer::fprop);
  Value x = first.fprop.getLhs();
  builder.setInsertionPoint(first.fprop);
  Value weights = joinWeights(first.fprop);
  unsigned outputDim = first.outputDim;
  int64_t outputs = getSize(weights, outputDim);
  int64_t inputs = getSize(weights, 1 - outputDim);
  Value gradient = first.gradient ? joinGradients() : Value();

  train::MatmulOp merged =
      createProduct(fprops, first.fprop, x, weights, {getSize(x, 0), outputs});
  replaceBySlices(fprops, merged, /*dim=*/1);
  if (first.wgrad) {
    SmallVector<train::MatmulOp> wgrads = get(&LinearLayer::wgrad);
    train::MatmulOp last = getLast(wgrads);
    merged = outputDim == 0 ? createProduct(wgrads, last, gradient,
                                            last.getRhs(), {outputs, inputs})
                            : createProduct(wgrads, last, last.getLhs(),
                                            gradient, {inputs, outputs});
    replaceBySlices(wgrads, merged, outputDim);
  }
  if (!first.dgrad)
    return;
  SmallVector<train::MatmulOp> dgrads = get(&LinearLayer::dgrad);
  train::MatmulOp last = getLast(dgrads);
  builder.setInsertionPoint(last);
  merged = createProduct(dgrads, last, gradient, joinWeights(first.dgrad),
                         {getSize(gradient, 0), inputs});
  last.getResult().replaceAllUsesWith(merged);
  for (train::MatmulOp dgrad : dgrads)
    if (dgrad != last)
      dropTerm(dgrad);
  last.erase();
}

void MergeContractions::runOnOperation() {
  FailureOr<func::FuncOp> found = getStepGraph(getOperation());
  if (failed(found))
    return signalPassFailure();
  func::FuncOp step = *found;
  if (getOperation()->hasAttr(kSeparateLayers)) {
    if (explain)
      emitPassRemark(getOperation().getLoc(),
                     {"prec-merge-contractions", "KeptApart"},
                     "no layers are merged: the recipe keeps them apart");
    return;
  }
  // New operations take the places of old ones: asking the block would count
  // its operations after each group anew.
  Positions positions;
  for (Operation &op : step.front())
    positions[&op] = positions.size();
  auto report = [&](train::MatmulOp op, const Twine &reason) {
    if (explain)
      emitPassRemark(op.getLoc(), {"prec-merge-contractions", "NotMerged"},
                     "not merged with what reads the same value: " + reason);
  };
  uint64_t groups = 0;
  for (ArrayRef<LinearLayer> group :
       findMergeGroups(step, positions, columns, report)) {
    Merger(group, positions).run();
    ++groups;
  }
  reportCounts(step.getLoc(), getArgument(), {{"merged", merged, groups}});
}
