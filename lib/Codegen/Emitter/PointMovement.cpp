//===- PointMovement.cpp - elements that come from other positions --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout operations move no data: each turns the position of an element of its
// result into the position of the element that it reads. A broadcast drops the
// digits of repeated dimensions, a transposition permutes groups of digits, a
// slice scales and shifts them, a gather replaces one by an id that it reads.
// Dimensions that stay neighbors are one group, so that no digit is divided
// without need. Example: element (r, c) of a transposed 4 x 6 matrix reads (c,
// r), with no arithmetic at all.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Emitter/PointOps.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <numeric>

using namespace mlir;
using namespace prec;

Value prec::emitBroadcast(PointEmitter &emitter, train::BroadcastOp op,
                          ArrayRef<Digit> at) {
  KernelBuilder &kernel = emitter.getKernel();
  ArrayRef<int64_t> shape = typeOf(op.getResult()).getShape();
  llvm::SmallDenseSet<int64_t> kept(op.getDims().begin(), op.getDims().end());
  // Neighbors that are kept, or dropped, together need no division.
  SmallVector<int64_t> extents;
  SmallVector<bool> keeps;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    bool keep = kept.contains(dim);
    if (keeps.empty() || keeps.back() != keep) {
      extents.push_back(1);
      keeps.push_back(keep);
    }
    extents.back() *= size;
  }
  auto groups = kernel.split(at, extents);
  if (!groups)
    return emitter.perLane(op.getResult(), at);
  SmallVector<Position> selected;
  for (auto [group, keep] : llvm::zip(*groups, keeps))
    if (keep)
      selected.push_back(group);
  return emitter.spread(emitter.emit(op.getInput(), kernel.concat(selected)),
                        at);
}

Value prec::emitTranspose(PointEmitter &emitter, train::TransposeOp op,
                          ArrayRef<Digit> at) {
  KernelBuilder &kernel = emitter.getKernel();
  ArrayRef<int64_t> shape = typeOf(op.getResult()).getShape(),
                    permutation = op.getPermutation();
  SmallVector<int64_t> extents, firstDim;
  for (auto [dim, from] : llvm::enumerate(permutation)) {
    if (dim == 0 || from != permutation[dim - 1] + 1) {
      extents.push_back(1);
      firstDim.push_back(from);
    }
    extents.back() *= shape[dim];
  }
  auto groups = kernel.split(at, extents);
  if (!groups)
    return emitter.perLane(op.getResult(), at);
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, extents.size()));
  llvm::sort(order,
             [&](unsigned a, unsigned b) { return firstDim[a] < firstDim[b]; });
  SmallVector<Position> reordered;
  for (unsigned group : order)
    reordered.push_back((*groups)[group]);
  return emitter.emit(op.getInput(), kernel.concat(reordered));
}

Value prec::emitSlice(PointEmitter &emitter, tensor::ExtractSliceOp op,
                      ArrayRef<Digit> at) {
  KernelBuilder &kernel = emitter.getKernel();
  ArrayRef<int64_t> full = op.getSourceType().getShape(),
                    sizes = op.getStaticSizes(),
                    offsets = op.getStaticOffsets(),
                    strides = op.getStaticStrides();
  for (ArrayRef<int64_t> numbers : {sizes, offsets, strides})
    if (llvm::any_of(numbers, ShapedType::isDynamic)) {
      reportUngenerated(op) << " with dynamic sizes";
      return {};
    }
  // Whole dimensions behind or between cut ones stay together.
  struct Cut {
    int64_t full, offset, stride;
    bool isCut;
  };
  SmallVector<int64_t> extents;
  SmallVector<Cut> cuts;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    bool isCut = size != full[dim];
    if (isCut || cuts.empty() || cuts.back().isCut) {
      extents.push_back(1);
      cuts.push_back({1, 0, 1, isCut});
    }
    extents.back() *= size;
    cuts.back().full *= full[dim];
    if (isCut) {
      cuts.back().offset = offsets[dim];
      cuts.back().stride = strides[dim];
    }
  }
  auto groups = kernel.split(at, extents);
  if (!groups)
    return emitter.perLane(op.getResult(), at);
  for (auto [group, cut] : llvm::zip(*groups, cuts)) {
    if (!cut.isCut)
      continue;
    auto digit = kernel.merge(group);
    if (!digit)
      return emitter.perLane(op.getResult(), at);
    // Lanes follow each other; with a stride they are single elements, and
    // fewer of them would not help.
    if (digit->lanes > 1 && cut.stride != 1)
      return emitter.perLane(op.getResult(), at, /*isBroken=*/false);
    digit->value = kernel.add(kernel.mul(digit->value, cut.stride), cut.offset);
    digit->divisor = std::gcd(digit->divisor * cut.stride, cut.offset);
    digit->extent = cut.full;
    group.assign(1, *digit);
  }
  return emitter.emit(op.getSource(), kernel.concat(*groups));
}

Value prec::emitGather(PointEmitter &emitter, train::GatherOp op,
                       ArrayRef<Digit> at) {
  KernelBuilder &kernel = emitter.getKernel();
  auto table = typeOf(op.getTable()), ids = typeOf(op.getIds());
  auto groups =
      kernel.split(at, {ids.getNumElements(),
                        computeProduct(table.getShape().drop_front())});
  if (!groups || lanesOf((*groups)[0]) > 1)
    return emitter.perLane(op.getResult(), at);
  Value id = emitter.emit(op.getIds(), (*groups)[0]);
  if (!id)
    return {};
  Value row = emitter.expr(id).convert(kernel.indexType);
  Digit digit{table.getDimSize(0), row};
  return emitter.emit(op.getTable(),
                      kernel.concat({Position{digit}, (*groups)[1]}));
}
