//===- PointConcat.cpp - elements of joined pieces ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An element of a concatenation. All operands are emitted, each at the position
// moved into it, and selects by the borders choose between them. Outside an
// operand the moved position is its border: what is read there is not used, but
// must be readable. If all operands are computed from the same inputs, the
// position is taken modulo the size instead, so that all read the same
// elements. Where a tile kernel knows which operand a block lies in
// (choose), only that one is emitted. Lanes that straddle a border are
// built one by one. Example: in [a (4), b (4)], position 5 reads a[3] and b[1]
// and takes b[1].
//
//===----------------------------------------------------------------------===//
#include "Codegen/Emitter/PointOps.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include <numeric>

using namespace mlir;
using namespace prec;

void ConcatPieces::choose(tensor::ConcatOp concat,
                          std::optional<unsigned> piece) {
  if (piece)
    chosen[concat] = *piece;
  else
    chosen.erase(concat);
}

/// Which inputs of the dispatch `value` is computed of.
static llvm::SmallBitVector findSources(Value value) {
  llvm::SmallSetVector<Value, 16> values;
  llvm::SmallBitVector sources;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    Value next = values[i];
    if (Operation *op = next.getDefiningOp()) {
      values.insert_range(op->getOperands());
      continue;
    }
    unsigned input = cast<BlockArgument>(next).getArgNumber();
    sources.resize(std::max<size_t>(sources.size(), input + 1));
    sources.set(input);
  }
  return sources;
}

/// Whether pieces of equal shape are all computed of the same inputs.
bool ConcatPieces::haveOneSource(tensor::ConcatOp op) {
  auto [known, isNew] = oneSource.insert({op, false});
  if (!isNew)
    return known->second;
  Value front = op.getInputs().front();
  llvm::SmallBitVector sources = findSources(front);
  return known->second = llvm::all_of(op.getInputs(), [&](Value piece) {
           return piece.getType() == front.getType() &&
                  findSources(piece) == sources;
         });
}

Value ConcatPieces::emit(PointEmitter &emitter, tensor::ConcatOp op,
                         ArrayRef<Digit> at) {
  KernelBuilder &kernel = emitter.getKernel();
  auto type = typeOf(op.getResult());
  ArrayRef<int64_t> shape = type.getShape();
  unsigned dim = op.getDim();
  int64_t extents[] = {computeProduct(shape.take_front(dim)), shape[dim],
                       computeProduct(shape.drop_front(dim + 1))};
  auto groups = kernel.split(at, extents);
  auto digit = groups ? kernel.merge((*groups)[1]) : std::nullopt;
  if (!digit)
    return emitter.perLane(op.getResult(), at);
  int64_t lanes = digit->lanes, begin = 0;
  Value result;
  SmallVector<std::pair<int64_t, Value>> pieces;
  auto choice = chosen.find(op);
  bool repeats = haveOneSource(op);
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    int64_t size = typeOf(input).getDimSize(dim);
    if (size % lanes || begin % lanes || digit->divisor % lanes)
      return emitter.perLane(op.getResult(), at);
    // Outside its piece a position is moved into it: what is read there is not
    // used, but has to be readable. Pieces of the same elements are all read
    // at one place, others at their border, which stays in the cache.
    Value inside = digit->value;
    if (repeats)
      inside = kernel.rem(inside, size);
    else if (choice != chosen.end())
      inside = kernel.subtract(inside, kernel.constant(begin));
    else
      inside = kernel.min(kernel.subtractFloor(inside, begin), size - lanes);
    begin += size;
    if (choice != chosen.end() && choice->second != index)
      continue;
    Digit moved{size, inside, lanes, std::gcd(lanes, digit->divisor)};
    Position piece =
        kernel.concat({(*groups)[0], Position{moved}, (*groups)[2]});
    Value value = emitter.spread(emitter.emit(input, piece), at);
    if (!value)
      return {};
    pieces.push_back({begin - size, value});
  }
  result = pieces.back().second;
  for (unsigned i = pieces.size() - 1; i-- > 0;) {
    Value before = kernel.lessThan(digit->value, pieces[i + 1].first);
    unsigned depth = std::max({kernel.depthOf(before), kernel.depthOf(result),
                               kernel.depthOf(pieces[i].second)});
    result = arith::SelectOp::create(kernel.at(depth), kernel.loc(), before,
                                     pieces[i].second, result);
  }
  return result;
}
