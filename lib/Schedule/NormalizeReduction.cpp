//===- NormalizeReduction.cpp - reductions that kernels compute -----------===//
#include "NormalizeReduction.h"

#include "prec/Dialect/Train/Tiles.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::prec;

/// Whether dimensions behind the reduced ones, which are neighbours, are wide
/// enough to be read side by side.
static bool hasColumns(RankedTensorType type, ArrayRef<int64_t> dims) {
  constexpr int64_t enough = 8;
  if (dims.empty() || dims.back() - dims.front() + 1 != int64_t(dims.size()))
    return false;
  return ShapedType::getNumElements(
             type.getShape().drop_front(dims.back() + 1)) >= enough;
}

/// Groups into which the rows of a matrix are divided, so that it falls into
/// enough pieces of whole lines of memory; 1 if it is small.
static int64_t countRowGroups(int64_t rows, int64_t columns) {
  constexpr int64_t pieces = 512, line = 128, fewestRows = 128;
  int64_t groups = 1;
  while (groups * columns < pieces * line && rows % (2 * groups) == 0 &&
         rows / (2 * groups) >= fewestRows)
    groups *= 2;
  return groups;
}

static train::ReduceOp createReduce(OpBuilder &builder, train::ReduceOp like,
                                    Value input, RankedTensorType type,
                                    ArrayRef<int64_t> dims) {
  auto op =
      train::ReduceOp::create(builder, like.getLoc(), type, like.getKind(),
                              input, dims, ArrayAttr(), ArrayAttr());
  train::copyProvenance(like, op);
  return op;
}

/// Splits a reduction over the leading dimensions of many rows in two. Partial
/// results are not rounded.
static void splitRows(train::ReduceOp reduce) {
  auto type = cast<RankedTensorType>(reduce.getInput().getType());
  auto result = cast<RankedTensorType>(reduce.getResult().getType());
  int64_t reduced = reduce.getDims().size(), columns = result.getNumElements();
  int64_t rows = type.getNumElements() / columns;
  int64_t groups = countRowGroups(rows, columns);
  if (groups == 1 || !type.getElementType().isF32())
    return;
  OpBuilder builder(reduce);
  Location loc = reduce.getLoc();
  Value input = reduce.getInput();
  if (reduced > 1) {
    SmallVector<ReassociationIndices> joined = {
        llvm::to_vector<2>(llvm::seq<int64_t>(0, reduced))};
    for (int64_t dim = reduced; dim < type.getRank(); ++dim)
      joined.push_back({dim});
    input = tensor::CollapseShapeOp::create(builder, loc, input, joined);
    train::copyProvenance(reduce, input.getDefiningOp());
  }
  SmallVector<int64_t> shape = {groups, rows / groups};
  SmallVector<ReassociationIndices> split = {{0, 1}};
  for (auto [index, size] : llvm::enumerate(result.getShape())) {
    shape.push_back(size);
    split.push_back({int64_t(index) + 2});
  }
  Value grouped = tensor::ExpandShapeOp::create(builder, loc, type.clone(shape),
                                                input, split);
  train::copyProvenance(reduce, grouped.getDefiningOp());
  shape.erase(shape.begin() + 1);
  Value partial =
      createReduce(builder, reduce, grouped, type.clone(shape), {1});
  reduce.getInputMutable().assign(partial);
  reduce.setDims({0});
}

void prec::normalizeReduction(train::ReduceOp reduce) {
  if (train::reducesTiles(reduce))
    return;
  auto type = cast<RankedTensorType>(reduce.getInput().getType());
  int64_t rank = type.getRank();
  SmallVector<int64_t> dims(reduce.getDims());
  llvm::sort(dims);
  SmallVector<int64_t> kept;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(dims, dim))
      kept.push_back(dim);
  bool leading = !dims.empty() && dims.back() == int64_t(dims.size()) - 1;
  bool trailing = !dims.empty() && dims.front() == int64_t(kept.size());
  if (leading || trailing || hasColumns(type, dims)) {
    reduce.setDims(dims);
    if (leading && !trailing)
      splitRows(reduce);
    return;
  }
  SmallVector<int64_t> permutation(kept);
  llvm::append_range(permutation, dims);
  SmallVector<int64_t> shape = llvm::map_to_vector(
      permutation, [&](int64_t dim) { return type.getDimSize(dim); });
  OpBuilder builder(reduce);
  auto transpose = train::TransposeOp::create(
      builder, reduce.getLoc(), type.clone(shape), reduce.getInput(),
      builder.getDenseI64ArrayAttr(permutation), ArrayAttr(), ArrayAttr());
  train::copyProvenance(reduce, transpose);
  reduce.getInputMutable().assign(transpose.getResult());
  reduce.setDims(llvm::to_vector(llvm::seq<int64_t>(kept.size(), rank)));
}
