//===- LinalgProducts.cpp - contractions of linalg as matmuls -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of sums has its operands brought to the order batch, rows,
// contracted (or rows and contracted swapped, as a transposed operand), each
// group of loops as one dimension, and its result back from that.
//
//===----------------------------------------------------------------------===//
#include "Import/Linalg/LinalgConverter.h"
#include "Import/Linalg/LinalgPayload.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace prec;
using linalg::LinalgOp;

/// An operand as [batch, free, contracted] or [batch, contracted, free], with
/// as few transpositions as can be: `isSwapped` says which of the two is not
/// what a product that is not transposed has.
FailureOr<Value> LinalgConverter::arrange(OpOperand &operand, LinalgOp linalg,
                                          ArrayRef<unsigned> batch,
                                          ArrayRef<unsigned> free,
                                          ArrayRef<unsigned> contracted,
                                          bool freeIsFirst, bool &isSwapped) {
  std::optional<Loops> loops =
      getLoops(linalg.getMatchingIndexingMap(&operand));
  // linalg_c1
  if (!loops)
    return op->emitOpError("an operand must be read along loops, each once, to "
                           "be converted, but got ")
           << AffineMapAttr::get(linalg.getMatchingIndexingMap(&operand));
  auto find = [&](unsigned loop) {
    return int64_t(llvm::find(*loops, loop) - loops->begin());
  };
  bool contractedIsLast = free.empty() || contracted.empty() ||
                          find(contracted.front()) > find(free.back());
  isSwapped = contractedIsLast != freeIsFirst;
  ArrayRef<unsigned> groups[] = {batch, contractedIsLast ? free : contracted,
                                 contractedIsLast ? contracted : free};
  SmallVector<int64_t> permutation;
  SmallVector<size_t> counts;
  for (ArrayRef<unsigned> group : groups) {
    counts.push_back(group.size());
    for (unsigned loop : group)
      permutation.push_back(find(loop));
  }
  Value value = transpose(widen(operand, linalg, *this), permutation);
  return join(value,
              batch.empty() ? ArrayRef(counts).drop_front() : ArrayRef(counts));
}

FailureOr<SmallVector<Value>> LinalgConverter::convertProduct(LinalgOp linalg) {
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(linalg);
  // linalg_c2
  if (failed(dims) || !multipliesAndAdds(linalg))
    return op->emitOpError("a product must multiply and add floats, and do "
                           "nothing else, to be converted");
  SmallVector<int64_t> ranges = linalg.getStaticLoopRanges();
  bool swapsLhs = false, swapsRhs = false;
  FailureOr<Value> lhs =
      arrange(*linalg.getDpsInputOperand(0), linalg, dims->batch, dims->m,
              dims->k, /*freeIsFirst=*/true, swapsLhs);
  if (failed(lhs))
    return failure();
  FailureOr<Value> rhs =
      arrange(*linalg.getDpsInputOperand(1), linalg, dims->batch, dims->n,
              dims->k, /*freeIsFirst=*/false, swapsRhs);
  if (failed(rhs))
    return failure();
  SmallVector<SmallVector<int64_t>> sizes;
  Loops order;
  SmallVector<int64_t> shape;
  for (ArrayRef<unsigned> group :
       {ArrayRef<unsigned>(dims->batch), ArrayRef<unsigned>(dims->m),
        ArrayRef<unsigned>(dims->n)}) {
    if (group.empty() && sizes.empty())
      continue;
    sizes.emplace_back();
    shape.push_back(1);
    for (unsigned loop : group) {
      sizes.back().push_back(ranges[loop]);
      shape.back() *= ranges[loop];
      order.push_back(loop);
    }
  }
  if (dims->batch.empty() && dims->m.empty()) {
    sizes.insert(sizes.begin(), SmallVector<int64_t>());
    shape.insert(shape.begin(), 1);
  }
  if (shape.size() < 2) {
    sizes.emplace_back();
    shape.push_back(1);
  }
  OpOperand &init = *linalg.getDpsInitOperand(0);
  Value product = create<train::MatmulOp>(
      linalgTypeOf(init.get()).clone(shape), *lhs, *rhs, /*bias=*/Value(),
      swapsLhs, swapsRhs, ArrayAttr(), ArrayAttr());
  FailureOr<Value> result =
      fromSpace(split(product, sizes), order, init, linalg);
  if (failed(result))
    return failure();
  if (!startsFrom(init.get(), 0))
    *result = create<arith::AddFOp>(*result, init.get());
  return SmallVector<Value>{*result};
}
