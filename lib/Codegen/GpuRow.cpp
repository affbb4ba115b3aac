//===- GpuRow.cpp - row kernels on NVIDIA GPUs ----------------------------===//
//
// A warp or a block for each row. Rows that fit are read once: every thread
// meets the same elements in every pass, in straight-line code, so that what
// one pass has computed the next one finds in registers. Longer ones are held
// in shared memory. Where one pass is enough, it stores as it goes.
//
//===----------------------------------------------------------------------===//
#include "DispatchShape.h"
#include "GpuKernels.h"
#include "HeldRow.h"
#include "Loops.h"
#include "MathFunctions.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <limits>

using namespace mlir;
using namespace mlir::prec;

namespace {
constexpr int64_t kWarpRow = 1024;    ///< longest row of a single warp
constexpr int64_t kHeldElements = 32; ///< of a row, by one thread
constexpr int64_t kUnrolled = 4;      ///< chunks of a row that is not held
constexpr int64_t kLongRowThreads = 256;

/// A row's largest element, and sums: first that of exp(element - largest),
/// then what else shares the pass.
struct Exponentials {
  train::ReduceOp largest;
  SmallVector<train::ReduceOp> sums;
};

class RowKernel {
public:
  RowKernel(GpuKernel &gpu) : gpu(gpu), k(gpu.kernel()) {}
  FailureOr<GpuLaunch> build();

private:
  LogicalResult buildRow(ArrayRef<unsigned> scalars);
  void findStreamed();
  /// Reads the elements that sums pick of the row, instead of summing.
  LogicalResult pickElements();
  LogicalResult reduce(MutableArrayRef<train::ReduceOp> ops);
  /// The exponentials that one pass over a line too long to hold can sum.
  std::optional<Exponentials> findExponentials();
  /// Sums exponentials of differences from the largest element so far, and
  /// makes up for each new one.
  LogicalResult reduceExponentials(Exponentials exponentials);
  /// Thread-local partial results over a line of `extent`.
  FailureOr<Carried> accumulate(MutableArrayRef<train::ReduceOp> ops,
                                int64_t extent);
  Carried neutralElements(ArrayRef<train::ReduceOp> ops, int64_t lanes);
  /// The whole row's results from those of its threads, in every thread.
  void finish(ArrayRef<train::ReduceOp> ops, Carried &partial) {
    gpu.reduceWarps(ops, partial, thread, warps);
  }
  LogicalResult storeLine(int64_t extent, ArrayRef<unsigned> results);

  /// Results of more than one element a row that no reduction's pass stores.
  llvm::MapVector<int64_t, SmallVector<unsigned>> lineResults();
  /// What each pass over the lines of `extent` computes at their elements, in
  /// the order in which they are built.
  SmallVector<SmallVector<Value>> passesOver(int64_t extent);
  /// Decides what is held of lines that are too long for registers.
  void holdLines(int64_t extent);
  /// Lanes of a line: no more than leave work for a whole warp.
  int64_t lanesOfLine(int64_t extent) const;
  /// Loops over a line that is too long to hold; `body` gets some chunks.
  FailureOr<Carried> buildLongLine(
      int64_t extent, Carried carried,
      function_ref<FailureOr<Carried>(ArrayRef<Digit>, ValueRange)> body);
  /// Over its elements in [from, to).
  FailureOr<Carried>
  buildSpan(int64_t extent, int64_t from, int64_t to, Carried carried,
            function_ref<FailureOr<Carried>(ArrayRef<Digit>, ValueRange)> body);
  /// Chunks of a line that each thread takes, or 0: too many to hold.
  int64_t heldChunks(int64_t extent) const;
  /// Chunk `i` of this thread; `inside` is null where no thread is outside.
  Digit chunk(int64_t extent, int64_t i, Value &inside);

  GpuKernel &gpu;
  KernelBuilder &k;
  ReductionLevels reductions;
  std::optional<HeldRow> held;
  /// Results that need no reduction: the pass that reduces stores them.
  SmallVector<unsigned> streamed;
  int64_t rows = 0, threads = 0, warps = 0;
  Value thread; ///< within the row
  Digit row{};
};
} // namespace

static Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

int64_t RowKernel::lanesOfLine(int64_t extent) const {
  int64_t lanes = gpu.lanesFor(extent);
  while (lanes > 1 && extent / lanes < kWarp)
    lanes /= 2;
  return lanes;
}

int64_t RowKernel::heldChunks(int64_t extent) const {
  int64_t lanes = lanesOfLine(extent);
  int64_t chunks = llvm::divideCeil(extent, lanes * threads);
  int64_t held = threads > 512 ? kHeldElements / 2 : kHeldElements;
  return chunks * lanes <= held ? chunks : 0;
}

FailureOr<Carried> RowKernel::buildSpan(
    int64_t extent, int64_t from, int64_t to, Carried carried,
    function_ref<FailureOr<Carried>(ArrayRef<Digit>, ValueRange)> body) {
  int64_t lanes = lanesOfLine(extent), round = threads * lanes;
  auto walk = [&](int64_t end, int64_t count) {
    if (from == end)
      return success();
    FailureOr<Carried> next = buildLoop(
        k, k.add(k.mul(thread, lanes), from), k.constant(end), round * count,
        carried, [&](Value first, ValueRange carried) {
          SmallVector<Digit> columns;
          for (int64_t i = 0; i < count; ++i)
            columns.push_back({extent, k.add(first, i * round), lanes, lanes});
          return body(columns, carried);
        });
    if (failed(next))
      return failure();
    carried = *next;
    from = end;
    return success();
  };
  // Several chunks are on their way at once in whole rounds.
  int64_t rounds = (to - from) / round, rest = rounds % kUnrolled;
  int64_t whole = from + rounds * round;
  if (failed(walk(whole - rest * round, kUnrolled)) ||
      failed(walk(whole, rest)) || failed(walk(to, 1)))
    return failure();
  return carried;
}

FailureOr<Carried> RowKernel::buildLongLine(
    int64_t extent, Carried carried,
    function_ref<FailureOr<Carried>(ArrayRef<Digit>, ValueRange)> body) {
  if (!held || extent != held->getExtent())
    return buildSpan(extent, 0, extent, carried, body);
  int64_t border = held->getElements();
  bool again = held->startPass();
  auto buildRest = [&]() {
    FailureOr<Carried> next = buildSpan(extent, border, extent, carried, body);
    if (succeeded(next))
      carried = *next;
    return LogicalResult(next);
  };
  auto meet = [&](ArrayRef<Digit> columns,
                  ValueRange carried) -> FailureOr<Carried> {
    if (failed(held->meet(row, columns)))
      return failure();
    return body(columns, carried);
  };
  if (again && failed(buildRest()))
    return failure();
  FailureOr<Carried> next = buildSpan(extent, 0, border, carried, meet);
  if (failed(next))
    return failure();
  carried = *next;
  if (!again && failed(buildRest()))
    return failure();
  return carried;
}

Digit RowKernel::chunk(int64_t extent, int64_t i, Value &inside) {
  int64_t lanes = lanesOfLine(extent);
  Value first = k.mul(k.add(thread, i * threads), lanes);
  inside = {};
  if ((i + 1) * threads * lanes > extent) {
    inside = k.lessThan(first, extent);
    // Outside, the last chunk is read again and not used.
    first = k.min(first, extent - lanes);
  }
  return {extent, first, lanes, lanes};
}

Carried RowKernel::neutralElements(ArrayRef<train::ReduceOp> ops,
                                   int64_t lanes) {
  Carried result;
  for (train::ReduceOp op : ops) {
    Type type = accumulatorType(elementOf(op.getInput()));
    if (lanes > 1)
      type = VectorType::get(lanes, type);
    result.push_back(neutralElement(k.here(), k.loc(), op.getKind(), type));
  }
  return result;
}

FailureOr<Carried> RowKernel::accumulate(MutableArrayRef<train::ReduceOp> ops,
                                         int64_t extent) {
  int64_t lanes = lanesOfLine(extent);
  Carried sums = neutralElements(ops, lanes);
  auto step = [&](Digit column, Value inside,
                  ValueRange carried) -> FailureOr<Carried> {
    Carried next;
    for (auto [op, sum] : llvm::zip(ops, carried)) {
      Value value = gpu.emitter.emitTerm(op, {row, column});
      if (!value)
        return failure();
      if (inside) {
        Value none =
            neutralElement(k.here(), k.loc(), op.getKind(), value.getType());
        value = arith::SelectOp::create(k.here(), k.loc(), inside, value, none);
      }
      next.push_back(combine(k.here(), k.loc(), op.getKind(), sum, value));
    }
    if (streamed.empty())
      return next;
    auto store = [&]() {
      return gpu.emitter.emitResults(streamed, {row, column});
    };
    if (failed(inside ? buildIf(k, inside, store) : store()))
      return failure();
    return next;
  };
  if (int64_t chunks = heldChunks(extent)) {
    for (int64_t i = 0; i < chunks; ++i) {
      Value inside;
      Digit column = chunk(extent, i, inside);
      FailureOr<Carried> next = step(column, inside, sums);
      if (failed(next))
        return failure();
      sums = *next;
    }
    return sums;
  }
  return buildLongLine(
      extent, sums,
      [&](ArrayRef<Digit> columns, ValueRange carried) -> FailureOr<Carried> {
        // All are asked for before the first is added.
        for (const Digit &column : columns)
          for (train::ReduceOp op : ops)
            if (!gpu.emitter.emitTerm(op, {row, column}))
              return failure();
        FailureOr<Carried> next = Carried(carried);
        for (const Digit &column : columns) {
          next = step(column, {}, *next);
          if (failed(next))
            return failure();
        }
        return next;
      });
}

LogicalResult RowKernel::reduce(MutableArrayRef<train::ReduceOp> ops) {
  // Those over equally many elements share a pass.
  llvm::MapVector<int64_t, SmallVector<train::ReduceOp>> passes;
  for (train::ReduceOp op : ops)
    passes[ReductionLevels::reducedOf(op)].push_back(op);
  SmallVector<train::ReduceOp> all;
  Carried sums;
  for (auto &[extent, ops] : passes) {
    FailureOr<Carried> partial = accumulate(ops, extent);
    if (failed(partial))
      return failure();
    all.append(ops);
    sums.append(*partial);
  }
  finish(all, sums);
  for (auto [op, sum] : llvm::zip(all, sums))
    gpu.emitter.bindReduction(op, row, sum);
  return success();
}

LogicalResult RowKernel::pickElements() {
  if (reductions.levels.empty())
    return success();
  auto &level = reductions.levels.front();
  SmallVector<std::pair<train::ReduceOp, PickedElement>> picked;
  SmallVector<train::ReduceOp> others;
  for (train::ReduceOp op : level)
    if (std::optional<PickedElement> found = findPicked(op))
      picked.push_back({op, *found});
    else
      others.push_back(op);
  // What others reduce lets the threads wait for each other before an element
  // is replaced that another has picked.
  if (others.empty() || !streamed.empty() || warps == 1)
    return success();
  level = others;
  for (auto [op, found] : picked) {
    int64_t extent = ReductionLevels::reducedOf(op);
    Value index = gpu.emitter.emit(found.index, row);
    if (!index)
      return failure();
    Expr at = Expr(k.here(), k.loc(), index).convert(k.indexType);
    Value floor = arith::MaxSIOp::create(k.here(), k.loc(), at, k.constant(0));
    Expr nearest(k.here(), k.loc(), k.min(floor, extent - 1));
    Value element =
        gpu.emitter.emit(found.element, {row, Digit{extent, nearest}});
    if (!element)
      return failure();
    Expr value(k.here(), k.loc(),
               toAccumulator(k.here(), k.loc(), element,
                             elementOf(found.element), k.target));
    Expr sum = (nearest == at).select(value + 0.0, value.constant(0));
    gpu.emitter.bindReduction(op, row, sum);
  }
  return success();
}

static Value multiply(KernelBuilder &k, Value sum, Value factor) {
  if (auto type = dyn_cast<VectorType>(sum.getType()))
    factor = vector::BroadcastOp::create(k.here(), k.loc(), type, factor);
  return arith::MulFOp::create(k.here(), k.loc(), sum, factor);
}

std::optional<Exponentials> RowKernel::findExponentials() {
  if (reductions.levels.size() != 2 || reductions.levels[1].size() != 1)
    return std::nullopt;
  train::ReduceOp sum = reductions.levels[1].front();
  auto exp = sum.getInput().getDefiningOp<math::ExpOp>();
  train::ReduceOp largest = exp ? findLargestOf(exp) : train::ReduceOp();
  int64_t extent = ReductionLevels::reducedOf(sum);
  if (!largest || sum.getKind() != train::ReduceKind::Sum ||
      !elementOf(largest.getInput()).isF32() || heldChunks(extent))
    return std::nullopt;
  Exponentials result{largest, {sum}};
  for (train::ReduceOp op : reductions.levels[0]) {
    if (ReductionLevels::reducedOf(op) != extent)
      return std::nullopt;
    if (op != largest)
      result.sums.push_back(op);
  }
  return result;
}

LogicalResult RowKernel::reduceExponentials(Exponentials exponentials) {
  train::ReduceOp largest = exponentials.largest;
  MutableArrayRef<train::ReduceOp> sums = exponentials.sums;
  int64_t extent = ReductionLevels::reducedOf(largest);
  auto f32 = [&](Value value) { return Expr(k.here(), k.loc(), value); };
  // Finite, so that rows may begin with infinities.
  FloatType type = k.here().getF32Type();
  APFloat lowest = APFloat::getLargest(type.getFloatSemantics(), true);
  Value none = arith::ConstantFloatOp::create(k.here(), k.loc(), type, lowest);
  Carried start{none};
  start.append(neutralElements(sums, lanesOfLine(extent)));
  auto body = [&](ArrayRef<Digit> columns,
                  ValueRange carried) -> FailureOr<Carried> {
    Value most;
    for (const Digit &column : columns) {
      Value x = gpu.emitter.emitTerm(largest, {row, column});
      if (!x)
        return failure();
      most = most ? combine(k.here(), k.loc(), largest.getKind(), most, x) : x;
    }
    most = foldLanes(k.here(), k.loc(), largest.getKind(), most);
    most = combine(k.here(), k.loc(), largest.getKind(), carried[0], most);
    Value factor = nvptx::expOfNonPositive(f32(carried[0]) - f32(most));
    Carried next{most};
    next.push_back(multiply(k, carried[1], factor));
    next.append(carried.begin() + 2, carried.end());
    gpu.emitter.bindReduction(largest, row, most);
    for (const Digit &column : columns)
      for (auto [op, total] : llvm::zip(sums, llvm::drop_begin(next))) {
        Value term = gpu.emitter.emitTerm(op, {row, column});
        if (!term)
          return failure();
        total = combine(k.here(), k.loc(), op.getKind(), total, term);
      }
    return next;
  };
  FailureOr<Carried> partial = buildLongLine(extent, start, body);
  if (failed(partial))
    return failure();
  Value own = partial->front();
  Carried most{own};
  finish(largest, most);
  Carried rest(llvm::drop_begin(*partial));
  rest[0] =
      multiply(k, rest[0], nvptx::expOfNonPositive(f32(own) - f32(most[0])));
  finish(sums, rest);
  Expr found = f32(most[0]);
  double infinity = std::numeric_limits<double>::infinity();
  Value exact = (found == f32(none)).select(found.constant(-infinity), found);
  gpu.emitter.bindReduction(largest, row, exact);
  for (auto [op, value] : llvm::zip(sums, rest))
    gpu.emitter.bindReduction(op, row, value);
  return success();
}

LogicalResult RowKernel::storeLine(int64_t extent, ArrayRef<unsigned> results) {
  // Loads of all chunks before the first store, which they could not pass.
  Operation *yield = gpu.dispatch().getBody().front().getTerminator();
  auto compute = [&](const Digit &column) {
    return success(llvm::all_of(results, [&](unsigned result) {
      return bool(gpu.emitter.emit(yield->getOperand(result), {row, column}));
    }));
  };
  auto store = [&](const Digit &column) {
    return gpu.emitter.emitResults(results, {row, column});
  };
  if (int64_t chunks = heldChunks(extent)) {
    SmallVector<std::pair<Digit, Value>> columns(chunks);
    for (auto [i, column] : llvm::enumerate(columns)) {
      column.first = chunk(extent, i, column.second);
      if (failed(compute(column.first)))
        return failure();
    }
    for (auto &[column, inside] : columns) {
      auto body = [&, &column = column]() { return store(column); };
      if (failed(inside ? buildIf(k, inside, body) : body()))
        return failure();
    }
    return success();
  }
  auto body = [&](ArrayRef<Digit> columns, ValueRange) -> FailureOr<Carried> {
    for (const Digit &column : columns)
      if (failed(compute(column)))
        return failure();
    for (const Digit &column : columns)
      if (failed(store(column)))
        return failure();
    return Carried();
  };
  return success(succeeded(buildLongLine(extent, {}, body)));
}

static bool needsReduction(Value value) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Operation *> work;
  auto visit = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && seen.insert(op).second)
      work.push_back(op);
  };
  visit(value);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (isa<train::ReduceOp>(op))
      return true;
    llvm::for_each(op->getOperands(), visit);
  }
  return false;
}

/// One pass over the row is enough where all reductions and all results walk
/// the same elements and no result needs a reduction.
void RowKernel::findStreamed() {
  if (reductions.levels.size() != 1)
    return;
  int64_t extent =
      ReductionLevels::reducedOf(reductions.levels.front().front());
  for (train::ReduceOp op : reductions.levels.front())
    if (ReductionLevels::reducedOf(op) != extent)
      return;
  Operation *yield = gpu.dispatch().getBody().front().getTerminator();
  SmallVector<unsigned> found;
  for (auto [index, value] : llvm::enumerate(yield->getOperands())) {
    int64_t length = elementsOf(value) / rows;
    if (length == 1)
      continue;
    if (length != extent || needsReduction(value))
      return;
    found.push_back(index);
  }
  streamed = found;
}

llvm::MapVector<int64_t, SmallVector<unsigned>> RowKernel::lineResults() {
  llvm::MapVector<int64_t, SmallVector<unsigned>> lines;
  for (auto [index, result] : llvm::enumerate(gpu.dispatch().getResults()))
    if (int64_t extent = elementsOf(result) / rows;
        extent > 1 && !llvm::is_contained(streamed, index))
      lines[extent].push_back(index);
  return lines;
}

SmallVector<SmallVector<Value>> RowKernel::passesOver(int64_t extent) {
  SmallVector<SmallVector<Value>> passes;
  Operation *yield = gpu.dispatch().getBody().front().getTerminator();
  auto add = [&](ArrayRef<train::ReduceOp> ops, ArrayRef<unsigned> results) {
    SmallVector<Value> values;
    for (train::ReduceOp op : ops)
      if (ReductionLevels::reducedOf(op) == extent)
        values.push_back(op.getInput());
    if (values.empty() && results.empty())
      return;
    for (unsigned result : results)
      values.push_back(yield->getOperand(result));
    passes.push_back(values);
  };
  if (std::optional<Exponentials> exponentials = findExponentials()) {
    exponentials->sums.push_back(exponentials->largest);
    add(exponentials->sums, {});
  } else {
    for (auto &level : reductions.levels)
      add(level, streamed);
  }
  add({}, lineResults().lookup(extent));
  return passes;
}

void RowKernel::holdLines(int64_t extent) {
  int64_t sums = 0;
  for (auto &level : reductions.levels)
    sums += level.size();
  // Where warps meet.
  int64_t otherShared = sums * kWarp * int64_t(sizeof(int64_t));
  held.emplace(gpu, rows, extent, lanesOfLine(extent), passesOver(extent),
               otherShared);
  if (held->getElements()) {
    threads = held->getThreads();
    held->allocate();
  } else {
    held.reset();
  }
}

LogicalResult RowKernel::buildRow(ArrayRef<unsigned> scalars) {
  if (failed(pickElements()))
    return failure();
  if (std::optional<Exponentials> exponentials = findExponentials()) {
    if (failed(reduceExponentials(*exponentials)))
      return failure();
  } else {
    for (auto &level : reductions.levels)
      if (failed(reduce(level)))
        return failure();
  }
  bool inPlace = llvm::any_of(gpu.dispatch().getInplace(),
                              [](int64_t input) { return input >= 0; });
  bool first = true;
  // Where results replace inputs, nobody may still read what is replaced.
  auto separate = [&]() {
    if (!first && inPlace && warps > 1)
      gpu.barrier();
    first = false;
  };
  for (auto &[extent, results] : lineResults()) {
    separate();
    if (failed(storeLine(extent, results)))
      return failure();
  }
  if (scalars.empty())
    return success();
  separate();
  return buildIf(k, k.lessThan(thread, 1),
                 [&]() { return gpu.emitter.emitResults(scalars, row); });
}

FailureOr<GpuLaunch> RowKernel::build() {
  sched::DispatchOp dispatch = gpu.dispatch();
  reductions = findReductions(dispatch);
  FailureOr<int64_t> found = rowsOf(dispatch, reductions);
  if (failed(found))
    return failure();
  rows = *found;
  int64_t longest = 1;
  for (auto &level : reductions.levels)
    for (train::ReduceOp op : level)
      longest = std::max(longest, ReductionLevels::reducedOf(op));
  SmallVector<unsigned> scalars;
  for (auto [index, result] : llvm::enumerate(dispatch.getResults())) {
    longest = std::max(longest, elementsOf(result) / rows);
    if (elementsOf(result) == rows)
      scalars.push_back(index);
  }

  findStreamed();
  gpu.maxLanes = std::min({gpu.maxLanes, kLaneBytes / widestElement(dispatch),
                           kVectorBytes / widestResult(dispatch)});
  int64_t rowsPerBlock = 1;
  threads = kWarp;
  if (longest <= kWarpRow) {
    rowsPerBlock = std::min<int64_t>(4, rows);
  } else {
    int64_t chunks = longest / lanesOfLine(longest);
    // A thread takes several chunks before a row gets more threads.
    while (threads < 1024 && threads * 4 < chunks)
      threads *= 2;
    while (threads < 1024 && !heldChunks(longest))
      threads *= 2;
    // Where rows abound, several blocks share a multiprocessor, and one starts
    // while another ends.
    if (!heldChunks(longest) && rows >= kManyRows)
      threads = kLongRowThreads;
    if (!heldChunks(longest))
      holdLines(longest);
  }
  warps = threads / kWarp;
  thread = gpu.threadId();
  Value rowIndex = gpu.blockId();
  if (rowsPerBlock > 1) {
    rowIndex = k.add(k.mul(rowIndex, rowsPerBlock), k.div(thread, kWarp));
    thread = k.rem(thread, kWarp);
  }
  // A whole warp is inside or outside. Loads may be placed in front of that
  // condition: they are of the last row there.
  bool fits = rows % rowsPerBlock == 0;
  row = Digit{rows, fits ? rowIndex : k.min(rowIndex, rows - 1)};
  auto body = [&]() { return buildRow(scalars); };
  if (failed(fits ? body() : buildIf(k, k.lessThan(rowIndex, rows), body)))
    return failure();
  return GpuLaunch{int64_t(llvm::divideCeil(rows, rowsPerBlock)),
                   {threads * rowsPerBlock, 1, 1},
                   held ? int32_t(held->getResident()) : 0};
}

FailureOr<GpuLaunch> prec::buildGpuRow(GpuKernel &gpu) {
  return RowKernel(gpu).build();
}
