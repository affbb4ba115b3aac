//===- TouchedParts.cpp - what a kernel needs of its inputs ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out which elements of its inputs a dispatch needs. It goes once through
// the body from the end, and keeps for each value and dimension the runs of
// indices that are needed: all of a result, and of an operand what the results
// need that are computed of it. A slice moves runs, a concatenation cuts them,
// a reshape splits or joins them where they stay runs of one length and
// distance, and else all from the first to the last counts. In the end the runs
// of the dimensions of an input are joined to runs in memory; of runs within
// each of several runs, all from the first to the last counts. Example: of a
// matrix of 8192 x 4096 whose first 2048 columns are normalized, 8192 runs of
// 2048 elements are needed, 4096 from one to the next. An approximation from
// above, in time linear in the size of the body.
//
//===----------------------------------------------------------------------===//
#include "Emit/TouchedParts.h"

#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

/// By dimension.
using Extents = SmallVector<Runs, 4>;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static Runs whole(int64_t size) { return {0, size, size, 1}; }

static bool isWhole(const Runs &runs, int64_t size) {
  return runs.count == 1 && runs.length == size;
}

static Extents whole(ArrayRef<int64_t> shape) {
  Extents extents;
  for (int64_t size : shape)
    extents.push_back(whole(size));
  return extents;
}

/// Behind the last element.
static int64_t endOf(const Runs &runs) {
  return runs.first + (runs.count - 1) * runs.stride + runs.length;
}

/// All from the first element to the last.
static Runs hullOf(const Runs &runs, int64_t size) {
  return {runs.first, endOf(runs) - runs.first, size, 1};
}

static Runs join(const Runs &a, const Runs &b, int64_t size) {
  if (a.count == b.count && a.stride == b.stride) {
    int64_t first = std::min(a.first, b.first);
    int64_t end = std::max(a.first + a.length, b.first + b.length);
    if (a.count == 1 || end - first < a.stride)
      return {first, end - first, a.stride, a.count};
  }
  int64_t first = std::min(a.first, b.first);
  return {first, std::max(endOf(a), endOf(b)) - first, size, 1};
}

/// Runs of the dimensions of `shape` as runs of the one that they are joined
/// to.
static Runs collapse(ArrayRef<Runs> extents, ArrayRef<int64_t> shape) {
  Runs runs = whole(1);
  int64_t inner = 1;
  for (int64_t dim = shape.size(); dim-- > 0;) {
    const Runs &outer = extents[dim];
    int64_t size = shape[dim];
    if (outer.count == 1 && outer.length == 1) {
      runs.first += outer.first * inner;
    } else if (isWhole(runs, inner)) {
      runs = {outer.first * inner, outer.length * inner, outer.stride * inner,
              outer.count};
    } else if (outer.count == 1 && runs.count == 1) {
      runs = {outer.first * inner + runs.first, runs.length, inner,
              outer.length};
    } else if (isWhole(outer, size) && runs.count * runs.stride == inner) {
      runs.count *= size;
    } else if (outer.count == 1) {
      // In each all from the first run to the last.
      runs = {outer.first * inner + runs.first, endOf(runs) - runs.first, inner,
              outer.length};
    } else {
      runs = {outer.first * inner + runs.first,
              (endOf(outer) - outer.first - 1) * inner + endOf(runs) -
                  runs.first,
              0, 1};
    }
    inner *= size;
    if (runs.count == 1)
      runs.stride = inner;
  }
  return runs;
}

/// Runs of a dimension as runs of those of `shape`, into which it is split.
static Extents expand(Runs runs, ArrayRef<int64_t> shape) {
  Extents extents = whole(shape);
  int64_t inner = computeProduct(shape);
  for (auto [index, size] : llvm::enumerate(shape)) {
    if (isWhole(runs, inner))
      break;
    int64_t rest = inner / size;
    if (runs.count > 1 && runs.stride <= rest && rest % runs.stride == 0) {
      // The same in each of these.
      bool isInEach = runs.count * runs.stride == inner;
      if (!isInEach)
        break;
      runs.count /= size;
      if (runs.count == 1)
        runs.stride = rest;
    } else {
      runs = hullOf(runs, inner);
      int64_t from = runs.first / rest;
      int64_t to = llvm::divideCeil(endOf(runs), rest);
      extents[index] = {from, to - from, size, 1};
      if (to - from > 1)
        break;
      runs = {runs.first - from * rest, runs.length, rest, 1};
    }
    inner = rest;
  }
  return extents;
}

namespace {

class TouchedParts {
public:
  explicit TouchedParts(Block &block) : block(block) {}
  void run();
  std::optional<Runs> find(Value input) const;

private:
  void need(Value value, Extents extents);
  void needAll(Value value) { need(value, whole(shapeOf(value))); }
  void visit(Operation *op, const Extents &result);
  void visitSlice(tensor::ExtractSliceOp op, Extents result);
  void visitConcat(tensor::ConcatOp op, const Extents &result);
  template <typename Op>
  void visitReshape(Op op, const Extents &result, bool expands);

  Block &block;
  llvm::DenseMap<Value, Extents> needed;
};

} // namespace

void TouchedParts::need(Value value, Extents extents) {
  auto [known, isNew] = needed.try_emplace(value, extents);
  if (isNew)
    return;
  for (auto [runs, more, size] :
       llvm::zip(known->second, extents, shapeOf(value)))
    runs = join(runs, more, size);
}

void TouchedParts::visitSlice(tensor::ExtractSliceOp op, Extents result) {
  ArrayRef<int64_t> source = shapeOf(op.getSource());
  bool isPlain = source.size() == result.size() &&
                 llvm::all_of(op.getStaticStrides(),
                              [](int64_t stride) { return stride == 1; });
  if (!isPlain)
    return needAll(op.getSource());
  for (auto [runs, offset, size] :
       llvm::zip(result, op.getStaticOffsets(), source)) {
    runs.first += offset;
    if (runs.count == 1)
      runs.stride = size;
  }
  need(op.getSource(), std::move(result));
}

void TouchedParts::visitConcat(tensor::ConcatOp op, const Extents &result) {
  int64_t begin = 0, dim = op.getDim();
  for (Value piece : op.getInputs()) {
    int64_t size = shapeOf(piece)[dim];
    Extents extents = result;
    Runs runs = hullOf(result[dim], size);
    int64_t first = std::max<int64_t>(0, runs.first - begin);
    int64_t end = std::min(size, endOf(runs) - begin);
    begin += size;
    if (first >= end)
      continue;
    extents[dim] = {first, end - first, size, 1};
    need(piece, std::move(extents));
  }
}

template <typename Op>
void TouchedParts::visitReshape(Op op, const Extents &result, bool expands) {
  ArrayRef<int64_t> source = shapeOf(op.getSrc()),
                    shape = shapeOf(op.getResult());
  ArrayRef<int64_t> split = expands ? shape : source;
  Extents extents;
  int64_t first = 0;
  for (auto [index, group] : llvm::enumerate(op.getReassociationIndices())) {
    ArrayRef<int64_t> sizes = split.slice(first, group.size());
    if (expands)
      extents.push_back(
          collapse(ArrayRef(result).slice(first, group.size()), sizes));
    else
      llvm::append_range(extents, expand(result[index], sizes));
    first += group.size();
  }
  // Of one element.
  if (extents.size() != source.size())
    return needAll(op.getSrc());
  need(op.getSrc(), std::move(extents));
}

void TouchedParts::visit(Operation *op, const Extents &result) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tensor::ExtractSliceOp slice) { visitSlice(slice, result); })
      .Case([&](tensor::ConcatOp concat) { visitConcat(concat, result); })
      .Case([&](tensor::ExpandShapeOp reshape) {
        visitReshape(reshape, result, /*expands=*/true);
      })
      .Case([&](tensor::CollapseShapeOp reshape) {
        visitReshape(reshape, result, /*expands=*/false);
      })
      .Case([&](train::TransposeOp transpose) {
        Extents extents = result;
        for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
          extents[from] = result[to];
        need(transpose.getInput(), std::move(extents));
      })
      .Case([&](train::BroadcastOp broadcast) {
        Extents extents;
        for (int64_t dim : broadcast.getDims())
          extents.push_back(result[dim]);
        need(broadcast.getInput(), std::move(extents));
      })
      .Case([&](train::GatherOp gather) {
        needAll(gather.getIds());
        ArrayRef<int64_t> table = shapeOf(gather.getTable());
        int64_t ids = computeProduct(shapeOf(gather.getIds()));
        Extents extents = whole(table);
        extents.front().length = std::min(ids, table.front());
        need(gather.getTable(), std::move(extents));
      })
      .Case([&](train::ScatterAddOp scatter) {
        llvm::for_each(scatter->getOperands().drop_front(),
                       [&](Value operand) { needAll(operand); });
        ArrayRef<int64_t> table = shapeOf(scatter.getInit());
        int64_t ids = computeProduct(shapeOf(scatter.getIds()));
        Extents extents = whole(table);
        extents.front().length = std::min(ids, table.front());
        need(scatter.getInit(), std::move(extents));
      })
      .Case<QuantizeOp, DequantizeOp>([&](auto cast) {
        need(cast->getOperand(0), result);
        llvm::for_each(cast->getOperands().drop_front(),
                       [&](Value operand) { needAll(operand); });
      })
      .Default([&](Operation *other) {
        bool isPointwise = other->hasTrait<OpTrait::Elementwise>();
        for (Value operand : other->getOperands())
          if (isPointwise && shapeOf(operand) == shapeOf(other->getResult(0)))
            need(operand, result);
          else
            needAll(operand);
      });
}

void TouchedParts::run() {
  for (Value result : block.getTerminator()->getOperands())
    needAll(result);
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (op.getNumResults() != 1) {
      llvm::for_each(op.getOperands(), [&](Value value) { needAll(value); });
      continue;
    }
    auto result = needed.find(op.getResult(0));
    if (result != needed.end())
      visit(&op, Extents(result->second));
  }
}

std::optional<Runs> TouchedParts::find(Value input) const {
  ArrayRef<int64_t> shape = shapeOf(input);
  auto extents = needed.find(input);
  if (extents == needed.end())
    return std::nullopt;
  Runs runs = collapse(extents->second, shape);
  if (runs.length * runs.count >= computeProduct(shape))
    return std::nullopt;
  return runs;
}

SmallVector<std::optional<Runs>>
prec::findTouchedParts(sched::DispatchOp dispatch) {
  TouchedParts parts(dispatch.getBody().front());
  parts.run();
  SmallVector<std::optional<Runs>> found;
  for (Value input : dispatch.getBody().getArguments())
    found.push_back(parts.find(input));
  return found;
}
