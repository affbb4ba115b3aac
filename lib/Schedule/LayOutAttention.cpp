//===- LayOutAttention.cpp - attention reads and writes by strides --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets attention read and write its tensors by strides, so that the
// transpositions around it disappear. Projections give [batch, sequence, heads,
// dim], attention is defined over [batch, heads, sequence, dim]. Each operand
// is followed back through reshapes, slices and transpositions to a tensor in
// memory, and attention reads that one through a view. A result is written in
// the order that most elements of its readers want. A slice is not read in
// place if the backward would keep a large tensor alive for a small part of it,
// nor where its view is not aligned to 16 bytes. Attention is rewritten in
// program order.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Decompose/Decompose.h"
#include "Schedule/MoveTranspose.h"
#include "Schedule/Rows/StridedView.h"

#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace prec {
#define GEN_PASS_DEF_LAYOUTATTENTION
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;
using sched::ViewAttr;

static bool isAttention(Operation *op) {
  return isa<train::AttentionOp, train::AttentionGradOp, sched::SdpaOp,
             sched::SdpaGradOp>(op);
}

/// An amax is the same in any order.
static bool readsInAnyOrder(Operation *op) {
  return isAttention(op) || isa<AmaxOp>(op);
}

/// Whether an operand, the lse or the bias, is read as it is.
static bool isReadAsIs(Operation *attention, unsigned operand) {
  return operand >= (isa<train::AttentionGradOp>(attention) ? 5 : 3);
}

/// Whether a result, the lse, is written as it is.
static bool isWrittenAsIs(Operation *attention, unsigned result) {
  return isa<train::AttentionOp>(attention) && result == 1;
}

static RankedTensorType getQueryType(Operation *attention) {
  return tensorType(
      attention->getOperand(isa<train::AttentionGradOp>(attention) ? 1 : 0));
}

/// Of a result of that type, permuted in memory.
static ViewAttr viewPermuted(RankedTensorType type,
                             ArrayRef<int64_t> permutation) {
  ViewAttr whole = ViewAttr::getWhole(permute(type, permutation));
  SmallVector<int64_t> strides;
  for (int64_t dim : invert(permutation))
    strides.push_back(whole.getStrides()[dim]);
  return ViewAttr::get(type.getContext(), type.getShape(), strides, 0);
}

static bool isAligned(ViewAttr view, Type element) {
  int64_t bits = element.getIntOrFloatBitWidth();
  auto isMultiple = [&](int64_t elements) {
    return elements * bits % 128 == 0;
  };
  return isMultiple(view.getOffset()) &&
         llvm::all_of(view.getStrides().drop_back(), isMultiple);
}

namespace {

/// Rewrites the attention of one function, in program order.
class AttentionLayout {
public:
  explicit AttentionLayout(func::FuncOp function) : function(function) {}

  void run(AttentionLibrary library);

private:
  void findKept(ArrayRef<Operation *> attention);
  StridedView read(Value operand) const;
  void readUntransposed(OpOperand &operand);
  void readInPlace(Operation *attention);
  RankedTensorType planResult(Value result, Permutation &permutation) const;
  void rewrite(Operation *attention);

  func::FuncOp function;
  /// Of what the backward's attention reads slices of, how many elements it
  /// reads.
  llvm::DenseMap<Value, int64_t> keptElements;
};

} // namespace

/// The tensor that a slice is of, looking through everything.
static StridedView getSliced(Value value) {
  return getStridedView(value, [](tensor::ExtractSliceOp) { return true; });
}

void AttentionLayout::findKept(ArrayRef<Operation *> attention) {
  llvm::SetVector<std::pair<Value, Attribute>> seen;
  for (Operation *op : attention)
    if (isa<train::AttentionGradOp>(op))
      for (Value operand : op->getOperands().take_front(4)) {
        StridedView sliced = getSliced(operand);
        if (seen.insert({sliced.base, sliced.layout}))
          keptElements[sliced.base] += tensorType(operand).getNumElements();
      }
}

/// A slice is read in place if that keeps no more alive than is read of it.
StridedView AttentionLayout::read(Value operand) const {
  auto readsThrough = [&](tensor::ExtractSliceOp slice) {
    Value base = getSliced(slice.getResult()).base;
    auto kept = keptElements.find(base);
    return kept == keptElements.end() || isa<BlockArgument>(base) ||
           kept->second >= tensorType(base).getNumElements();
  };
  StridedView view = getStridedView(operand, readsThrough);
  if (isAligned(view.layout, tensorType(operand).getElementType()))
    return view;
  return {operand, ViewAttr::getWhole(tensorType(operand))};
}

/// Computes in the other order what is only computed for attention.
void AttentionLayout::readUntransposed(OpOperand &operand) {
  Value value = operand.get();
  if (value.getDefiningOp<train::TransposeOp>() ||
      !llvm::all_of(value.getUsers(), readsInAnyOrder))
    return;
  Permutation permutation;
  Value input = getUntransposed(value, permutation);
  if (!input)
    return;
  Operation *op = value.getDefiningOp();
  OpBuilder b(op);
  auto back = train::TransposeOp::create(b, op->getLoc(), value.getType(),
                                         input, permutation);
  train::copyProvenance(op, back);
  value.replaceAllUsesWith(back);
}

/// The type of the tensor that a result is written to, and the permutation
/// that makes that of the result.
RankedTensorType AttentionLayout::planResult(Value result,
                                             Permutation &permutation) const {
  RankedTensorType type = tensorType(result);
  permutation.assign({0, 1, 2, 3});
  int64_t most = 0;
  for (const auto &[wish, elements] : countWishes(result, readsInAnyOrder))
    if (elements > most || (elements == most && isIdentity(wish))) {
      permutation = wish;
      most = elements;
    }
  if (isIdentity(permutation))
    return type;
  ArrayRef<int64_t> shape = permute(type, permutation).getShape();
  return type.clone({shape[0] * shape[1], shape[2] * shape[3]});
}

/// The library call in place of `attention`; `views` are of `tensors`.
static Operation *createCall(OpBuilder &b, Operation *attention,
                             ValueRange operands, TypeRange types,
                             ArrayRef<Type> tensors, ArrayRef<ViewAttr> views) {
  bool isPlain = llvm::all_of(llvm::zip_equal(tensors, views), [](auto pair) {
    auto [type, view] = pair;
    return view == ViewAttr::getWhole(cast<RankedTensorType>(type));
  });
  SmallVector<Attribute> attributes(views.begin(), views.end());
  ArrayAttr given = isPlain ? ArrayAttr() : b.getArrayAttr(attributes);
  Operation *call = nullptr;
  if (auto forward = dyn_cast<train::AttentionOp>(attention)) {
    call = sched::SdpaOp::create(
        b, attention->getLoc(), types, operands[0], operands[1], operands[2],
        forward.getBias(), forward.getScaleAttr(), forward.getCausalAttr(),
        forward.getWindowAttr(), given, IntegerAttr(), ArrayAttr());
  } else {
    auto backward = cast<train::AttentionGradOp>(attention);
    call = sched::SdpaGradOp::create(
        b, attention->getLoc(), types, operands[0], operands[1], operands[2],
        operands[3], operands[4], operands[5], backward.getBias(),
        /*kernels=*/ArrayAttr(), /*launches=*/ArrayAttr(),
        backward.getScaleAttr(), backward.getCausalAttr(),
        backward.getWindowAttr(), given, IntegerAttr(), ArrayAttr());
  }
  train::copyProvenance(attention, call);
  return call;
}

/// `written`, a matrix, in the order of the result that it stands for.
static train::TransposeOp readBack(OpBuilder &b, Value written, Value result,
                                   ArrayRef<int64_t> permutation) {
  Operation *attention = result.getDefiningOp();
  Location loc = attention->getLoc();
  auto expanded = tensor::ExpandShapeOp::create(
      b, loc, permute(tensorType(result), permutation), written,
      SmallVector<ReassociationIndices>{{0, 1}, {2, 3}});
  auto back = train::TransposeOp::create(b, loc, result.getType(), expanded,
                                         invert(permutation));
  train::copyProvenance(attention, expanded);
  train::copyProvenance(attention, back);
  return back;
}

void AttentionLayout::rewrite(Operation *attention) {
  for (OpOperand &operand : attention->getOpOperands())
    if (!isReadAsIs(attention, operand.getOperandNumber()))
      readUntransposed(operand);
  OpBuilder b(attention);
  SmallVector<Value> operands(attention->getOperands());
  SmallVector<Type> types(attention->getResultTypes());
  SmallVector<Permutation> permutations(types.size(), {0, 1, 2, 3});
  SmallVector<Type> tensors;
  SmallVector<ViewAttr> views;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    if (isReadAsIs(attention, index))
      continue;
    StridedView view = read(operand);
    operand = view.base;
    tensors.push_back(operand.getType());
    views.push_back(view.layout);
  }
  for (auto [index, result] : llvm::enumerate(attention->getResults())) {
    if (isWrittenAsIs(attention, index))
      continue;
    types[index] = planResult(result, permutations[index]);
    tensors.push_back(types[index]);
    views.push_back(viewPermuted(tensorType(result), permutations[index]));
  }

  Operation *call = createCall(b, attention, operands, types, tensors, views);
  for (auto [index, result] : llvm::enumerate(attention->getResults())) {
    if (isIdentity(permutations[index])) {
      result.replaceAllUsesWith(call->getResult(index));
      continue;
    }
    train::TransposeOp back =
        readBack(b, call->getResult(index), result, permutations[index]);
    result.replaceAllUsesWith(back.getResult());
    moveToUsers(back);
  }
  attention->erase();
}

void AttentionLayout::run(AttentionLibrary library) {
  SmallVector<Operation *> attention;
  for (Operation &op : function.front())
    if (isa<train::AttentionOp, train::AttentionGradOp>(op) &&
        hasAttention(library, getQueryType(&op)))
      attention.push_back(&op);
  findKept(attention);
  llvm::for_each(attention, [&](Operation *op) { rewrite(op); });
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

namespace {

struct LayOutAttention : prec::impl::LayOutAttentionBase<LayOutAttention> {
  using LayOutAttentionBase::LayOutAttentionBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (isCompiledGraph(function))
      AttentionLayout(function).run(attentionLibrary);
  }
};

} // namespace
