//===- PadNarrowProducts.cpp - sizes that FP8 products take ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FP8 products take sizes that are multiples of 16, and vocabularies such as
// GPT-2's 50,257 are none. A product that is to read FP8 with such a size
// becomes one of a larger size: zeros lie behind the rows or columns of its
// operands, and its result is read as a slice. Zeros add nothing to a sum, and
// are exact in every format. What several products read is padded once, so that
// it is also quantized once.
//
// This comes before weights get their copies: a weight with zeros behind it is
// a concatenation of the master and a constant, of which --prec-split-weights
// makes copies of the larger size. Of a gradient or an activation the kernel
// that quantizes it writes the zeros. Where FP8 is not chosen nothing changes;
// --prec-pad-products does the same for products of 16 bits.
//
// Example: of 50,257 classes the logits x W' [T, 50257], the gradient of x,
// dy W, and that of W, dy' x [50257, D], have 50,304 rows of W and columns of
// dy. Time is linear in the products.
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Prec/PaddedSize.h"
#include "prec/Dialect/Prec/Scaling.h"
#include "prec/Dialect/Train/Slices.h"
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Materialize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace prec {
#define GEN_PASS_DEF_PADNARROWPRODUCTS
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

/// Rows and columns of a matrix that is padded.
struct PaddedShape {
  int64_t rows, columns;
};

class NarrowPadder {
public:
  explicit NarrowPadder(MLIRContext *context) : builder(context) {}

  void pad(train::MatmulOp op);

private:
  Value get(Value matrix, PaddedShape shape, Operation *like);
  Value addZeros(Value matrix, int64_t size, int64_t dim, Operation *like);

  OpBuilder builder;
  DenseMap<std::pair<Value, std::pair<int64_t, int64_t>>, Value> padded;
};

struct PadNarrowProducts
    : public prec::impl::PadNarrowProductsBase<PadNarrowProducts> {
  void runOnOperation() override {
    NarrowPadder padder(&getContext());
    SmallVector<train::MatmulOp> found;
    getOperation().walk([&](train::MatmulOp op) { found.push_back(op); });
    for (train::MatmulOp op : found)
      padder.pad(op);
  }
};

} // namespace

/// Whether both operands are to be read in FP8 with scales of tensors.
static bool readsFp8(train::MatmulOp op) {
  return llvm::all_of(llvm::seq(2u), [&](unsigned operand) {
    TagAttr tag = getOperandTag(op, operand);
    return tag && tag.isFp8() && isTensorScaling(tag.getScaling());
  });
}

/// `matrix` with zeros behind its rows (0) or columns (1). A weight's has no
/// tag, as nothing reads it but products in FP8.
Value NarrowPadder::addZeros(Value matrix, int64_t size, int64_t dim,
                             Operation *like) {
  RankedTensorType type = typeOf(matrix);
  int64_t added = size - type.getDimSize(dim);
  if (added == 0)
    return matrix;
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = added;
  auto zeros = arith::ConstantOp::create(
      builder, like->getLoc(), builder.getZeroAttr(type.clone(shape)));
  train::copyProvenance(like, zeros);
  auto concat = tensor::ConcatOp::create(builder, like->getLoc(), dim,
                                         ValueRange{matrix, zeros});
  train::copyProvenance(like, concat);
  TagAttr tag = matrix.getDefiningOp() ? prec::getTag(matrix) : TagAttr();
  if (tag)
    setResultTag(concat, 0, tag);
  return concat;
}

/// As soon as the matrix is there.
Value NarrowPadder::get(Value matrix, PaddedShape shape, Operation *like) {
  RankedTensorType type = typeOf(matrix);
  if (type.getDimSize(0) == shape.rows && type.getDimSize(1) == shape.columns)
    return matrix;
  Value &known = padded[{matrix, {shape.rows, shape.columns}}];
  if (!known) {
    builder.setInsertionPointAfterValue(matrix);
    Operation *maker = matrix.getDefiningOp();
    Operation *of = maker ? maker : like;
    known = addZeros(addZeros(matrix, shape.rows, 0, of), shape.columns, 1, of);
  }
  return known;
}

void NarrowPadder::pad(train::MatmulOp op) {
  if (!readsFp8(op) || typeOf(op.getResult()).getRank() != 2)
    return;
  int64_t m = getPaddedSize(op.getM()), n = getPaddedSize(op.getN()),
          k = getPaddedSize(op.getK());
  if (m == op.getM() && n == op.getN() && k == op.getK())
    return;
  Value lhs =
      get(op.getLhs(),
          op.getTransposeA() ? PaddedShape{k, m} : PaddedShape{m, k}, op);
  Value rhs =
      get(op.getRhs(),
          op.getTransposeB() ? PaddedShape{n, k} : PaddedShape{k, n}, op);
  op.getLhsMutable().assign(lhs);
  op.getRhsMutable().assign(rhs);
  RankedTensorType type = typeOf(op.getResult());
  if (type.getDimSize(0) == m && type.getDimSize(1) == n)
    return;
  op.getResult().setType(type.clone({m, n}));
  builder.setInsertionPointAfter(op);
  auto slice = train::createSlice(builder, op.getLoc(), type, op.getResult());
  train::copyProvenance(op, slice);
  if (TagAttr tag = getResultTag(op, 0))
    setResultTag(slice, 0, tag);
  op.getResult().replaceAllUsesExcept(slice, slice);
}
