//===- FoldBias.cpp - biases that the library adds ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives biases to the matmul before them where the library can add them
// (cuBLASLt's epilogue). A matmul is folded if all that reads it adds a vector
// to each row, in FP32, and rounds as the matmul itself would. The result of
// merged layers is read in slices of columns; then each slice may have a bias
// of its own, slices without one get zeros, and the biases are concatenated.
// The bias must be computed before the first reader. It changes bits: the sum
// is not rounded before the bias is added, and FP32 biases are rounded where
// that is asked for. Time is linear in the readers of matmuls.
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Materialize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace prec {
#define GEN_PASS_DEF_FOLDBIAS
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

static Value getWidened(Value value) {
  auto extend = value.getDefiningOp<arith::ExtFOp>();
  return extend ? extend.getIn() : value;
}

/// Whether cuBLASLt adds biases to products as `op` computes them.
static bool takesBias(Operation *op) {
  if (auto matmul = dyn_cast_if_present<train::MatmulOp>(op))
    return !matmul.getBias() && typeOf(matmul.getResult()).getRank() == 2;
  auto matmul = dyn_cast_if_present<ScaledMatmulOp>(op);
  return matmul && !matmul.getBias() &&
         isTensorScaling(matmul.getLhsScaling()) &&
         isTensorScaling(matmul.getRhsScaling());
}

/// The vector that every row of `value` is, in the format in which it is
/// stored; null if rows differ.
static Value getRow(Value value) {
  auto broadcast = getWidened(value).getDefiningOp<train::BroadcastOp>();
  if (!broadcast || typeOf(broadcast.getResult()).getRank() != 2 ||
      broadcast.getDims() != ArrayRef<int64_t>{1})
    return {};
  return getWidened(broadcast.getInput());
}

/// `sum`, rounded to `type` for its only reader or of that type from the start;
/// null if others read more of it.
static Value getRounded(Value sum, RankedTensorType type) {
  if (sum.getType() == type)
    return sum;
  auto round = sum.hasOneUse() ? dyn_cast<arith::TruncFOp>(*sum.user_begin())
                               : arith::TruncFOp();
  if (!round || round.getRoundingmode() || round.getType() != type)
    return {};
  return round.getResult();
}

namespace {

/// Columns of a product, the bias that is added to them, and the sum as it is
/// read; without a bias these are null.
struct Part {
  Value columns, bias, sum;
};

struct FoldBias : prec::impl::FoldBiasBase<FoldBias> {
  using FoldBiasBase::FoldBiasBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!isCompiledGraph(function))
      return;
    SmallVector<Operation *> products;
    for (Operation &op : function.front())
      if (takesBias(&op))
        products.push_back(&op);
    bool isFolded = false;
    for (Operation *product : products)
      isFolded |= fold(product);
    if (isFolded)
      eraseDead(function.front());
  }

private:
  bool fold(Operation *product) const;
  static void eraseDead(Block &block);
};

} // namespace

/// What is added to all rows of `columns`, if anything is: nullopt if the
/// library cannot add it. It takes `taken`, to which an f32 bias is rounded if
/// the columns are narrower and that is wanted.
static std::optional<Part> findBias(Value columns, Type taken, bool roundsF32) {
  Value term = columns;
  if (term.hasOneUse() && isa<arith::ExtFOp>(*term.user_begin()))
    term = term.user_begin()->getResult(0);
  auto add = term.hasOneUse() ? dyn_cast<arith::AddFOp>(*term.user_begin())
                              : arith::AddFOp();
  Value bias;
  if (add && typeOf(add.getResult()).getElementType().isF32())
    bias = getRow(add->getOperand(add.getLhs() == term ? 1 : 0));
  if (!bias)
    return Part{columns, {}, {}};
  Value sum = getRounded(add.getResult(), typeOf(columns));
  Type given = typeOf(bias).getElementType();
  bool isRounded =
      roundsF32 && given.isF32() && taken == typeOf(columns).getElementType();
  if (!sum || sum.use_empty() || (given != taken && !isRounded))
    return std::nullopt;
  return Part{columns, bias, sum};
}

/// The parts by columns that a product is read in, in the order of the columns;
/// none if it is read in others, too. Nobody needs to read the last columns.
static SmallVector<Value> findColumns(Value product) {
  if (product.use_empty() ||
      !isa<tensor::ExtractSliceOp>(*product.user_begin()))
    return {product};
  SmallVector<tensor::ExtractSliceOp> slices;
  for (Operation *user : product.getUsers()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    if (!slice || !slice.hasUnitStride() || slice.getType().getRank() != 2 ||
        slice.getType().getDimSize(0) != typeOf(product).getDimSize(0))
      return {};
    slices.push_back(slice);
  }
  llvm::sort(slices, [](tensor::ExtractSliceOp a, tensor::ExtractSliceOp b) {
    return a.getStaticOffset(1) < b.getStaticOffset(1);
  });
  SmallVector<Value> columns;
  int64_t end = 0;
  for (tensor::ExtractSliceOp slice : slices) {
    if (slice.getStaticOffset(1) != end)
      return {};
    end += slice.getType().getDimSize(1);
    columns.push_back(slice.getResult());
  }
  return columns;
}

/// One bias of all parts, in the format that the library takes.
static Value joinBiases(OpBuilder &builder, Operation *product,
                        ArrayRef<Part> parts, Type taken) {
  SmallVector<Value> biases;
  auto note = [&](Value made) {
    train::copyProvenance(product, made.getDefiningOp());
    return made;
  };
  for (const Part &part : parts) {
    auto type =
        RankedTensorType::get(typeOf(part.columns).getDimSize(1), taken);
    if (!part.bias)
      biases.push_back(note(arith::ConstantOp::create(
          builder, product->getLoc(), builder.getZeroAttr(type))));
    else if (part.bias.getType() == type)
      biases.push_back(part.bias);
    else
      biases.push_back(note(arith::TruncFOp::create(builder, product->getLoc(),
                                                    type, part.bias)));
  }
  int64_t unread = typeOf(product->getResult(0)).getDimSize(1);
  for (Value bias : biases)
    unread -= typeOf(bias).getNumElements();
  if (unread > 0)
    biases.push_back(note(arith::ConstantOp::create(
        builder, product->getLoc(),
        builder.getZeroAttr(RankedTensorType::get(unread, taken)))));
  if (biases.size() == 1)
    return biases.front();
  return note(
      tensor::ConcatOp::create(builder, product->getLoc(), /*dim=*/0, biases));
}

/// Whether a product with its bias takes the place of `product`.
bool FoldBias::fold(Operation *product) const {
  Value result = product->getResult(0);
  Type taken = getBiasType(typeOf(result), isa<ScaledMatmulOp>(product))
                   .getElementType();
  // What a backward adds to rows is no parameter.
  bool roundsF32 =
      roundF32 && train::getPhase(product) == train::Phase::Forward;
  SmallVector<Part> parts;
  for (Value columns : findColumns(result)) {
    std::optional<Part> part = findBias(columns, taken, roundsF32);
    if (!part)
      return false;
    parts.push_back(*part);
  }
  if (llvm::none_of(parts, [](const Part &part) { return part.bias; }))
    return false;
  // A bias may come behind the product, but not behind a reader.
  Operation *first = nullptr;
  for (const Part &part : parts) {
    Operation *reader = part.columns == result ? part.sum.getDefiningOp()
                                               : part.columns.getDefiningOp();
    if (!first || reader->isBeforeInBlock(first))
      first = reader;
  }
  for (const Part &part : parts)
    if (Operation *maker = part.bias ? part.bias.getDefiningOp() : nullptr;
        maker && !maker->isBeforeInBlock(first))
      return false;
  OpBuilder builder(first);
  Value bias = joinBiases(builder, product, parts, taken);
  Operation *folded = builder.clone(*product);
  if (auto matmul = dyn_cast<train::MatmulOp>(folded))
    matmul.getBiasMutable().assign(bias);
  else
    cast<ScaledMatmulOp>(folded).getBiasMutable().assign(bias);
  for (Part &part : parts) {
    if (part.columns == result)
      part.columns = folded->getResult(0);
    else
      part.columns.getDefiningOp<tensor::ExtractSliceOp>()
          .getSourceMutable()
          .assign(folded->getResult(0));
    if (part.sum)
      part.sum.replaceAllUsesWith(part.columns);
  }
  return true;
}

void FoldBias::eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}
