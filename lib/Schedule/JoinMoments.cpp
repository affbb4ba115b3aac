//===- JoinMoments.cpp - mean and variance of columns in one pass ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A norm over channels needs the mean of every channel, and then the sum of
// squares of what elements differ from it. Written so, the second sum waits for
// the first, and the tensor is read once for each. Here both are taken in one
// pass.
//
// The rows that are summed are cut into groups. Of each group the differences d
// from its own first row are summed, and their squares:
//
//   s = sum d,  q = sum d^2,  m2 = q - s^2 / rows,  mean = first + s / rows
//
// A few numbers of each group are then put together: the mean of all groups,
// and m2 of all is the sum of those of the groups and rows * sum (mean of the
// group - mean)^2, which is taken in the same way. The sum of squares of the
// differences from any b, which may be the mean of several channels, is
// m2 + count * (mean - b)^2, a sum of two numbers that are not negative.
//
// Nothing cancels by a large mean, since all differences are within the group.
// Where h is how many additions an element passes through, the relative error
// of m2 of a group is at most about 3 h (1 + k) 2^-24, k = (first - mean)^2 /
// variance of the group. k is 1 in the mean over rows in any order, and never
// more than the rows of a group, since the first row is one of them.
//
// Rewritten is a sum over leading or middle dimensions of squares of x - b,
// where b does not vary along them and follows from the sum of x over the same
// dimensions. Trailing dimensions are rows that a kernel holds anyway. Time is
// linear in the operations.
//
// Example: of a batch norm over [128, 56, 56, 64] the kernel that sums reads
// each element once, for both sums.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Fusion/NormalizeReduction.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Graph.h"
#include "prec/Dialect/Train/PrimitiveBuilder.h"
#include "prec/Dialect/Train/Slices.h"
#include "prec/Schedule/Passes.h"
#include "prec/Target/TargetRegistry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace prec {
#define GEN_PASS_DEF_JOINMOMENTS
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;
using train::ReduceKind;

/// A tensor of fewer elements is read in less than a launch takes.
static constexpr int64_t kFewestElements = 1 << 16;
/// Operations between a sum and what squares differ from.
static constexpr size_t kMostBetween = 64;
/// Rows of a group at most, where they are not divided by the machine's size.
static constexpr int64_t kMostRows = 4096;

namespace {

/// What a sum of squares of differences is and of what.
struct Squares {
  train::ReduceOp op;
  arith::SubFOp difference; ///< x - b
  /// What is repeated as b, and the dimensions of the sum that it has.
  train::BroadcastOp repeated;
  SmallVector<int64_t> dims;
  train::ReduceOp sum; ///< of x
};

/// Of the rows that a sum adds up, for every column.
struct Moments {
  Value mean; ///< in the shape of the sum
  Value m2;   ///< sum of squares of what they differ from it
  int64_t count = 0;
};

/// The shape of a sum: [outer,] count, columns.
struct SumShape {
  explicit SumShape(train::ReduceOp sum);

  bool hasOuter;
  int64_t outer, count, columns;
  int64_t first, behind; ///< of the dimensions that are summed
};

class MomentJoiner {
public:
  MomentJoiner(Block &block, const ScheduleModel &machine)
      : block(block), machine(machine), constants(block) {}

  void run();

private:
  std::optional<Squares> match(train::ReduceOp op) const;
  train::ReduceOp findSum(Squares squares) const;
  const Moments &getMoments(train::ReduceOp sum);
  void replace(Squares squares);
  Moments build(train::ReduceOp sum);
  int64_t countGroups(const SumShape &shape) const;

  Block &block;
  const ScheduleModel &machine;
  ConstantPool constants;
  /// By what is summed.
  llvm::DenseMap<Value, SmallVector<train::ReduceOp, 1>> sums;
  llvm::DenseMap<Operation *, Moments> moments;
};

struct JoinMoments : public prec::impl::JoinMomentsBase<JoinMoments> {
  using JoinMomentsBase::JoinMomentsBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!isCompiledGraph(function))
      return;
    FailureOr<ScheduleModel> model =
        loadScheduleModel(function.getLoc(), target, machine);
    if (failed(model))
      return signalPassFailure();
    MomentJoiner(function.front(), *model).run();
  }
};

} // namespace

/// Dimensions of a sum, if they are neighbors with others behind them.
static bool sumsColumns(train::ReduceOp op) {
  if (op.getKind() != ReduceKind::Sum || op.getDims().empty() ||
      !tensorType(op.getInput()).getElementType().isF32())
    return false;
  ArrayRef<int64_t> dims = op.getDims();
  for (auto [index, dim] : llvm::enumerate(dims))
    if (dim != dims.front() + int64_t(index))
      return false;
  return dims.back() + 1 < tensorType(op.getInput()).getRank() &&
         tensorType(op.getInput()).getNumElements() >= kFewestElements;
}

SumShape::SumShape(train::ReduceOp sum) {
  ArrayRef<int64_t> shape = shapeOf(sum.getInput());
  first = sum.getDims().front();
  behind = sum.getDims().back() + 1;
  hasOuter = first > 0;
  outer = ShapedType::getNumElements(shape.take_front(first));
  count = ShapedType::getNumElements(shape.slice(first, behind - first));
  columns = ShapedType::getNumElements(shape.drop_front(behind));
}

/// A sum over columns of the square of x - b, where b is repeated along the
/// dimensions that are summed.
std::optional<Squares> MomentJoiner::match(train::ReduceOp op) const {
  if (!sumsColumns(op))
    return std::nullopt;
  auto square = op.getInput().getDefiningOp<arith::MulFOp>();
  if (!square || square.getLhs() != square.getRhs())
    return std::nullopt;
  auto difference = square.getLhs().getDefiningOp<arith::SubFOp>();
  auto repeated = difference
                      ? difference.getRhs().getDefiningOp<train::BroadcastOp>()
                      : train::BroadcastOp();
  if (!repeated)
    return std::nullopt;
  Squares squares{op, difference, repeated, {}, {}};
  int64_t first = op.getDims().front(), count = op.getDims().size();
  for (int64_t dim : repeated.getDims()) {
    if (llvm::is_contained(op.getDims(), dim))
      return std::nullopt;
    squares.dims.push_back(dim < first ? dim : dim - count);
  }
  return squares;
}

/// The sum of what squares are of over the same dimensions, if what they differ
/// from follows from it.
train::ReduceOp MomentJoiner::findSum(Squares squares) const {
  auto found = sums.find(squares.difference.getLhs());
  if (found == sums.end())
    return {};
  llvm::SmallSetVector<Operation *, 16> behind;
  auto add = [&](Value value) {
    if (Operation *op = value.getDefiningOp())
      behind.insert(op);
  };
  add(squares.repeated.getInput());
  for (size_t i = 0; i < behind.size() && i < kMostBetween; ++i) {
    auto sum = dyn_cast<train::ReduceOp>(behind[i]);
    if (sum && llvm::is_contained(found->second, sum) &&
        sum.getDims() == squares.op.getDims())
      return sum;
    llvm::for_each(behind[i]->getOperands(), add);
  }
  return {};
}

/// As many groups as give all multiprocessors work; no rows of a group without
/// an end.
int64_t MomentJoiner::countGroups(const SumShape &shape) const {
  int64_t groups =
      countRowGroups(machine, shape.count, shape.outer * shape.columns);
  while (shape.count / groups > kMostRows && shape.count % (2 * groups) == 0)
    groups *= 2;
  return groups;
}

/// The first of `value` along `dim`, without that dimension.
static Value getFirst(Value value, int64_t dim, PrimitiveBuilder &b) {
  SmallVector<int64_t> shape(shapeOf(value)), kept(shape);
  shape[dim] = 1;
  kept.erase(kept.begin() + dim);
  SmallVector<OpFoldResult> offsets, sizes, strides;
  MLIRContext *context = value.getContext();
  auto number = [&](int64_t n) {
    return IntegerAttr::get(IndexType::get(context), n);
  };
  for (int64_t size : shape) {
    offsets.push_back(number(0));
    sizes.push_back(number(size));
    strides.push_back(number(1));
  }
  Value slice = b.create<tensor::ExtractSliceOp>(
      tensorType(value).clone(shape), value, offsets, sizes, strides);
  // It joins the dimension in front of it, or else the one behind.
  SmallVector<ReassociationIndices> joined;
  for (int64_t from = 0; from < int64_t(shape.size()); ++from)
    if (from == (dim == 0 ? 1 : dim))
      joined.back().push_back(from);
    else
      joined.push_back({from});
  return b.create<tensor::CollapseShapeOp>(tensorType(value).clone(kept), slice,
                                           joined);
}

/// `value` for each of `size` along a new dimension `dim`.
static Value repeatAlong(Value value, int64_t dim, int64_t size,
                         PrimitiveBuilder &b) {
  SmallVector<int64_t> shape(shapeOf(value)), dims;
  shape.insert(shape.begin() + dim, size);
  for (int64_t to = 0; to < int64_t(shape.size()); ++to)
    if (to != dim)
      dims.push_back(to);
  return b.broadcast(value, dims, shape);
}

/// sum - part * share, which is not negative but for rounding; NaN stays NaN.
static Value getRest(Value sum, Value part, Value share, PrimitiveBuilder &b) {
  return b.create<arith::MaximumFOp>(b.sub(sum, b.mul(part, share)),
                                     b.splatLike(0, sum));
}

Moments MomentJoiner::build(train::ReduceOp sum) {
  PrimitiveBuilder b(sum, constants);
  SumShape shape(sum);
  Value x = sum.getInput();
  int64_t rank = tensorType(x).getRank();
  auto iota = [](int64_t from, int64_t to) {
    return ReassociationIndices(llvm::to_vector(llvm::seq<int64_t>(from, to)));
  };
  SmallVector<ReassociationIndices> joined;
  SmallVector<int64_t> matrix;
  if (shape.hasOuter) {
    joined.push_back(iota(0, shape.first));
    matrix.push_back(shape.outer);
  }
  joined.push_back(iota(shape.first, shape.behind));
  joined.push_back(iota(shape.behind, rank));
  matrix.append({shape.count, shape.columns});
  if (int64_t(matrix.size()) != rank)
    x = b.create<tensor::CollapseShapeOp>(tensorType(x).clone(matrix), x,
                                          joined);
  int64_t groups = countGroups(shape), rows = shape.count / groups;
  int64_t dim = shape.hasOuter ? 1 : 0; // of rows
  if (groups > 1) {
    SmallVector<int64_t> grouped(matrix);
    grouped[dim] = groups;
    grouped.insert(grouped.begin() + dim + 1, rows);
    SmallVector<ReassociationIndices> split;
    for (int64_t from = 0, to = 0; from < int64_t(matrix.size()); ++from) {
      int64_t parts = from == dim ? 2 : 1;
      split.push_back(iota(to, to + parts));
      to += parts;
    }
    x = b.create<tensor::ExpandShapeOp>(tensorType(x).clone(grouped), x, split);
    ++dim;
  }

  Value start = getFirst(x, dim, b);
  Value difference = b.sub(x, repeatAlong(start, dim, rows, b));
  Value total = b.reduce(ReduceKind::Sum, difference, {dim});
  Value squares =
      b.reduce(ReduceKind::Sum, b.mul(difference, difference), {dim});
  Value offset = b.div(total, b.splatLike(double(rows), total));
  Moments result;
  result.count = shape.count;
  result.m2 = getRest(squares, total, offset, b);
  if (groups == 1) {
    result.mean = b.add(start, offset);
  } else {
    --dim; // of groups
    Value origin = getFirst(start, dim, b);
    Value between =
        b.add(b.sub(start, repeatAlong(origin, dim, groups, b)), offset);
    Value sumBetween = b.reduce(ReduceKind::Sum, between, {dim});
    Value squareBetween =
        b.reduce(ReduceKind::Sum, b.mul(between, between), {dim});
    Value within = b.reduce(ReduceKind::Sum, result.m2, {dim});
    Value shift = b.div(sumBetween, b.splatLike(double(groups), sumBetween));
    Value rest = getRest(squareBetween, sumBetween, shift, b);
    result.m2 = b.add(within, b.mul(rest, b.splatLike(double(rows), rest)));
    result.mean = b.add(origin, shift);
  }
  RankedTensorType type = tensorType(sum.getResult());
  SmallVector<ReassociationIndices> apart;
  if (shape.hasOuter)
    apart.push_back(iota(0, shape.first));
  apart.push_back(iota(shape.first, type.getRank()));
  for (Value *value : {&result.mean, &result.m2})
    if (value->getType() != type)
      *value = b.create<tensor::ExpandShapeOp>(type, *value, apart);
  return result;
}

const Moments &MomentJoiner::getMoments(train::ReduceOp sum) {
  auto [found, isNew] = moments.try_emplace(sum);
  if (isNew) {
    found->second = build(sum);
    PrimitiveBuilder b(sum, constants);
    Value mean = found->second.mean;
    Value total = b.mul(mean, b.splatLike(double(found->second.count), mean));
    sum.getResult().replaceAllUsesWith(total);
  }
  return found->second;
}

void MomentJoiner::replace(Squares squares) {
  const Moments &of = getMoments(squares.sum);
  PrimitiveBuilder b(squares.op, constants);
  // Only now: the sum has been replaced in what it follows from.
  Value center =
      b.broadcast(squares.repeated.getInput(), squares.dims, shapeOf(of.mean));
  Value away = b.sub(of.mean, center);
  Value all = b.add(
      of.m2, b.mul(b.mul(away, away), b.splatLike(double(of.count), away)));
  squares.op.getResult().replaceAllUsesWith(all);
  squares.op.erase();
}

void MomentJoiner::run() {
  SmallVector<Squares> found;
  for (auto op : block.getOps<train::ReduceOp>()) {
    if (std::optional<Squares> squares = match(op))
      found.push_back(*squares);
    else if (sumsColumns(op))
      sums[op.getInput()].push_back(op);
  }
  for (Squares &squares : found)
    squares.sum = findSum(squares);
  for (Squares squares : found)
    if (squares.sum)
      replace(squares);
  for (auto &[sum, of] : moments)
    sum->erase();
}
