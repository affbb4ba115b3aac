//===- NormalizeReduction.cpp - reductions that kernels compute -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites reductions so that some kernel family can compute each. Reduced
// dimensions become neighbors: where they are not already the first, the last,
// or in front of enough columns, the input is transposed so that they are the
// last ones. A reduction of many rows to one is split in two, because a kernel
// with few columns has too few blocks: 8192 x 512 becomes groups x rows x 512,
// the columns of each group are reduced, and then the groups. If a kernel
// reduces the rows of the same matrix, it can reduce the groups on the way, and
// their number is the one that costs least there. Else there is one group for
// each row of tiles, if a kernel in tiles computes or reduces the matrix, or as
// many as occupy the machine. Only FP32 is split: other partial sums would be
// rounded.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Fusion/NormalizeReduction.h"

#include "Schedule/Fusion/FusionCost.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/Tiles.h"
#include "Schedule/Fusion/Fusion.h"
#include "prec/Schedule/MemoryPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace prec;

namespace {

class ReductionNormalizer {
public:
  ReductionNormalizer(func::FuncOp function, const ScheduleModel &machine);
  void normalize(train::ReduceOp reduce);

private:
  bool isReducedByRows(train::ReduceOp reduce, int64_t columns) const;
  bool isMadeOfRows(Value value, int64_t columns) const;
  void splitRows(train::ReduceOp reduce);

  const ScheduleModel &machine;
  /// Tensors that reductions of rows read, with the length of the rows and the
  /// phase.
  llvm::DenseSet<std::tuple<Value, int64_t, unsigned>> readByRows;
  /// Those of which tiles are reduced.
  llvm::DenseSet<Value> readInTiles;
};

} // namespace

static int64_t countElements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

/// Tensors of as many elements that `value` is computed from, element by
/// element.
static SmallVector<Value> findSources(Value value) {
  // Longer expressions are stored in between.
  constexpr size_t most = 32;
  SmallVector<Value> sources;
  llvm::SmallSetVector<Value, 16> work;
  work.insert(value);
  for (size_t i = 0; i < work.size(); ++i) {
    Operation *op = work[i].getDefiningOp();
    bool passes = op && work.size() < most && !isa<arith::TruncFOp>(op) &&
                  (op->hasTrait<OpTrait::Elementwise>() || isReshape(op));
    if (!passes)
      sources.push_back(work[i]);
    else
      for (Value operand : op->getOperands())
        if (countElements(operand) == countElements(value))
          work.insert(operand);
  }
  // What repeats something smaller costs no read.
  llvm::erase_if(sources, [](Value source) {
    Operation *op = source.getDefiningOp();
    return isa_and_present<train::BroadcastOp, arith::ConstantOp,
                           train::IotaOp>(op);
  });
  return sources;
}

static int64_t countColumns(train::ReduceOp reduce) {
  return countElements(reduce.getInput()) / countElements(reduce.getResult());
}

static bool isTrailing(train::ReduceOp reduce) {
  int64_t rank = cast<RankedTensorType>(reduce.getInput().getType()).getRank();
  return llvm::all_of(reduce.getDims(), [&](int64_t dim) {
    return dim >= rank - int64_t(reduce.getDims().size());
  });
}

static std::tuple<Value, int64_t, unsigned> keyOf(Value source, int64_t columns,
                                                  train::ReduceOp reduce) {
  return {source, columns, unsigned(train::getPhase(reduce))};
}

ReductionNormalizer::ReductionNormalizer(func::FuncOp function,
                                         const ScheduleModel &machine)
    : machine(machine) {
  function.walk([&](train::ReduceOp reduce) {
    if (train::reducesTiles(reduce))
      readInTiles.insert_range(findSources(reduce.getInput()));
    else if (isTrailing(reduce))
      for (Value source : findSources(reduce.getInput()))
        readByRows.insert(keyOf(source, countColumns(reduce), reduce));
  });
}

/// Whether elements of `value` wait for what is reduced of rows of `columns`
/// elements in the phase of `reduce`, so that the kernel which reduces these
/// computes it.
static bool isMadeByRows(Value value, int64_t columns, train::ReduceOp reduce) {
  // A kernel computes no more than that of one element.
  constexpr size_t most = 128;
  llvm::SmallSetVector<Value, 32> work;
  work.insert(value);
  for (size_t i = 0; i < work.size() && work.size() < most; ++i) {
    Operation *op = work[i].getDefiningOp();
    if (!op || train::getPhase(op) != train::getPhase(reduce))
      continue;
    if (auto row = dyn_cast<train::ReduceOp>(op)) {
      if (countElements(row.getResult()) > 1 && isTrailing(row) &&
          countColumns(row) == columns)
        return true;
      continue;
    }
    if (op->hasTrait<OpTrait::Elementwise>() || isReshape(op) ||
        isa<train::BroadcastOp>(op))
      work.insert_range(op->getOperands());
  }
  return false;
}

/// Whether `value` is computed of nothing but matrices whose rows one kernel
/// reduces: it computes that, too, whatever the phase. The gradient of logits
/// is computed of logits, whose rows the loss reduces.
bool ReductionNormalizer::isMadeOfRows(Value value, int64_t columns) const {
  auto rounding = value.getDefiningOp<arith::TruncFOp>();
  if (!rounding)
    return false;
  SmallVector<Value> sources = findSources(rounding.getIn());
  unsigned phases = train::getMaxEnumValForPhase() + 1;
  return !sources.empty() &&
         llvm::any_of(llvm::seq(phases), [&](unsigned phase) {
           return llvm::all_of(sources, [&](Value source) {
             return readByRows.contains({source, columns, phase});
           });
         });
}

/// Whether a kernel that reduces rows of `columns` elements reads what `reduce`
/// does, or computes it.
bool ReductionNormalizer::isReducedByRows(train::ReduceOp reduce,
                                          int64_t columns) const {
  return llvm::any_of(findSources(reduce.getInput()), [&](Value source) {
    return readByRows.contains(keyOf(source, columns, reduce)) ||
           isMadeByRows(source, columns, reduce) ||
           isMadeOfRows(source, columns);
  });
}

/// Whether dimensions behind the reduced ones, which are neighbors, are wide
/// enough to be read side by side.
static bool hasColumns(RankedTensorType type, ArrayRef<int64_t> dims) {
  constexpr int64_t enough = 8;
  if (dims.empty() || dims.back() - dims.front() + 1 != int64_t(dims.size()))
    return false;
  return ShapedType::getNumElements(
             type.getShape().drop_front(dims.back() + 1)) >= enough;
}

int64_t prec::countRowGroups(const ScheduleModel &machine, int64_t rows,
                             int64_t columns) {
  constexpr int64_t piecesOfBlock = 4, line = 128, fewestRows = 128;
  int64_t groups = 1, pieces = machine.fewestBlocks * piecesOfBlock;
  while (groups * columns < pieces * line && rows % (2 * groups) == 0 &&
         rows / (2 * groups) >= fewestRows)
    groups *= 2;
  return groups;
}

/// Groups of rows whose columns are reduced by the kernel that reduces the
/// rows, a block for each, where that is cheapest: many groups end together,
/// few leave less to sum. 0: that kernel cannot. As many for all matrices of
/// one shape, so that a kernel can sum several.
static int64_t chooseGroupsInRows(const ScheduleModel &machine,
                                  train::ReduceOp reduce, int64_t rows,
                                  int64_t columns) {
  int64_t bytes = getByteSize(reduce.getInput().getType());
  int64_t bytesOfGroup = getByteSize(reduce.getType());
  constexpr int64_t most = 4096;
  int64_t best = 0, least = 0;
  for (int64_t groups = 1; groups <= std::min(rows, most); ++groups) {
    if (rows % groups != 0 ||
        !canReduceColumns(machine, groups, rows / groups, columns))
      continue;
    // Several blocks share long rows, and groups that are enough occupy the
    // machine: more would only write more.
    if (columns > kMaxHeldColumns)
      return groups;
    int64_t cost = estimateGroupedColumns(machine, bytes, groups, bytesOfGroup);
    if (best == 0 || cost < least)
      best = groups, least = cost;
  }
  return best;
}

/// Whether `value` is what a kernel rounds that computes it element by element,
/// or whose columns it puts together, and could pass over it in tiles.
static bool isMadeInTiles(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  auto concat = dyn_cast<tensor::ConcatOp>(op);
  return op->hasTrait<OpTrait::Elementwise>() ||
         (concat && train::joinsColumns(concat));
}

static train::ReduceOp createReduce(OpBuilder &builder, train::ReduceOp like,
                                    Value input, RankedTensorType type,
                                    ArrayRef<int64_t> dims) {
  auto op = train::ReduceOp::create(builder, like.getLoc(), type,
                                    like.getKind(), input, dims);
  train::copyProvenance(like, op);
  return op;
}

/// Moves `reduce` behind what it reduces, with what rounds its result: the
/// partial sums of the kernel that computes this are not kept while products
/// read it.
static void hoist(train::ReduceOp reduce) {
  SmallVector<Operation *> views{reduce};
  Value made = skipReshapesAnd<arith::ExtFOp>(reduce.getInput());
  for (Value value = reduce.getInput(); value != made;
       value = views.back()->getOperand(0))
    views.push_back(value.getDefiningOp());
  Operation *last = made.getDefiningOp();
  for (Operation *op : llvm::reverse(views)) {
    op->moveAfter(last);
    last = op;
  }
  while (last->hasOneUse() &&
         isa<tensor::ExtractSliceOp, arith::TruncFOp>(*last->user_begin())) {
    Operation *user = *last->user_begin();
    user->moveAfter(last);
    last = user;
  }
}

/// Splits a reduction over the leading dimensions of many rows in two. Partial
/// results are not rounded.
void ReductionNormalizer::splitRows(train::ReduceOp reduce) {
  auto type = cast<RankedTensorType>(reduce.getInput().getType());
  auto result = cast<RankedTensorType>(reduce.getResult().getType());
  int64_t reduced = reduce.getDims().size(), columns = result.getNumElements();
  int64_t rows = type.getNumElements() / columns;
  if (isMadeOfRows(skipReshapesAnd<arith::ExtFOp>(reduce.getInput()), columns))
    hoist(reduce);
  int64_t groups = isReducedByRows(reduce, columns)
                       ? chooseGroupsInRows(machine, reduce, rows, columns)
                       : 0;
  if (groups == 0 && train::hasTiles(rows, columns) &&
      llvm::any_of(findSources(reduce.getInput()), [&](Value of) {
        return readInTiles.contains(of) || isMadeInTiles(of);
      }))
    groups = rows / train::chooseTileRows(rows);
  // What takes little more than its launch, such as sums of groups, takes no
  // second one.
  if (groups == 0 && type.getNumElements() > 2 * machine.launchElements)
    groups = countRowGroups(machine, rows, columns);
  if (groups <= 1 || !type.getElementType().isF32())
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

void ReductionNormalizer::normalize(train::ReduceOp reduce) {
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
  auto transpose =
      train::TransposeOp::create(builder, reduce.getLoc(), type.clone(shape),
                                 reduce.getInput(), permutation);
  train::copyProvenance(reduce, transpose);
  reduce.getInputMutable().assign(transpose.getResult());
  reduce.setDims(llvm::to_vector(llvm::seq<int64_t>(kept.size(), rank)));
}

void prec::normalizeReductions(func::FuncOp function,
                               const ScheduleModel &machine) {
  ReductionNormalizer normalizer(function, machine);
  // First found: some move.
  SmallVector<train::ReduceOp> found;
  function.walk([&](train::ReduceOp reduce) { found.push_back(reduce); });
  llvm::for_each(found,
                 [&](train::ReduceOp reduce) { normalizer.normalize(reduce); });
}
