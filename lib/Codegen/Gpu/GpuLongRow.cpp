//===- GpuLongRow.cpp - rows that no registers hold -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that no registers hold, as those of logits. A row is read in several
// passes (reductions, then results). Its inputs are copied to shared memory
// once, as much as fits, and each pass reads them there (HeldRow.cpp). A line
// is walked in rounds of several vectors for each thread, then of one; elements
// that fill no aligned vector are computed apart (LinePart.cpp). Copies end in
// groups, so that the first elements are computed while the last are on their
// way. What does not fit is read from memory in each pass, last in the first
// one and first in the others, when the cache still has it.
//
// Where many rows are left for each multiprocessor, a cluster walks over
// several of them: in the last pass over a row a thread replaces each span that
// it has read by the same span of the next row, so memory is busy without a
// pause.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/GpuRow.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace prec;

static constexpr int64_t kUnrolled = 4;   ///< chunks read at once
static constexpr int64_t kCopyGroups = 4; ///< that are waited for one by one
/// Clusters start slowly: where so many blocks for each of many rows are left,
/// one walks over several rows, and the next one is under way while results of
/// one are stored.
static constexpr int64_t kWalkedBlocks = 8;

static Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

int64_t RowKernel::lanesOfLong(int64_t extent) const {
  // Edges are few beside what no registers hold.
  return heldChunks(extent) ? gpu.lanesForRow(extent) : gpu.maxLanes;
}

const LinePart &RowKernel::partOf(int64_t extent) {
  auto it = parts.find(extent);
  if (it == parts.end())
    it = parts
             .try_emplace(extent, k, row, extent, lanesOfLong(extent), blocks,
                          threadOfRow())
             .first;
  return it->second;
}

FailureOr<Carried> RowKernel::buildSpan(
    const LinePart &part, const Span &span, Carried carried,
    function_ref<FailureOr<Carried>(ArrayRef<Digit>, ValueRange)> body) {
  int64_t lanes = part.getLanes(), round = threads * lanes, from = span.from;
  auto walk = [&](Value end, int64_t count) {
    if (k.getConstant(end) == from)
      return success();
    FailureOr<Carried> next =
        buildLoop(k, k.add(k.mul(thread, lanes), from), end, round * count,
                  carried, [&](Value first, ValueRange carried) {
                    SmallVector<Digit> columns;
                    for (int64_t i = 0; i < count; ++i)
                      columns.push_back(part.vectorAt(k.add(first, i * round)));
                    return body(columns, carried);
                  });
    if (failed(next))
      return failure();
    carried = *next;
    from = k.getConstant(end).value_or(from);
    return success();
  };
  // Several chunks are on their way at once in whole rounds.
  int64_t rounds = (span.to - from) / round, rest = rounds % kUnrolled;
  int64_t whole = from + rounds * round;
  if (failed(walk(k.constant(whole - rest * round), kUnrolled)) ||
      failed(walk(k.constant(whole), rest)) || failed(walk(span.end, 1)))
    return failure();
  return carried;
}

FailureOr<Carried> RowKernel::buildEdges(
    const LinePart &part, Carried carried,
    function_ref<FailureOr<Carried>(ArrayRef<Digit>, ValueRange)> body) {
  // They count to the first lanes. The others are neutral, whatever a new
  // largest element makes of the first.
  Carried own = carried;
  for (Value &value : own)
    if (isa<VectorType>(value.getType()))
      value = vector::ExtractOp::create(k.here(), k.loc(), value, 0);
  // At most one for a thread: a loop is a condition that has results.
  Digit edge = part.getEdge();
  FailureOr<Carried> next =
      buildLoop(k, threadOfRow(), part.getEdges(), threads * blocks.count, own,
                [&](Value, ValueRange carried) { return body(edge, carried); });
  if (failed(next))
    return failure();
  for (auto [value, sum] : llvm::zip(carried, *next))
    value =
        isa<VectorType>(value.getType())
            ? Value(vector::InsertOp::create(k.here(), k.loc(), sum, value, 0))
            : sum;
  return carried;
}

SmallVector<RowKernel::Span> RowKernel::heldSpans(const LinePart &part,
                                                  bool inGroups) {
  // All of the part, or its first elements.
  int64_t most = held->getElements(), least = std::min(most, part.getLeast());
  Value end =
      held->isWhole() ? part.getLength() : k.min(part.getLength(), most);
  if (!inGroups)
    return {{0, least, end}};
  int64_t step = kUnrolled * threads * part.getLanes();
  int64_t groups = std::clamp<int64_t>(least / step, 1, kCopyGroups);
  int64_t size = least / step / groups * step;
  SmallVector<Span> spans;
  for (int64_t group = 1; group < groups; ++group)
    spans.push_back(
        {(group - 1) * size, group * size, k.constant(group * size)});
  spans.push_back({(groups - 1) * size, least, end});
  return spans;
}

LogicalResult RowKernel::copySpan(const Digit &row, const LinePart &part,
                                  const Span &span, bool all) {
  auto copy = [&](ArrayRef<Digit> columns, ValueRange) -> FailureOr<Carried> {
    held->copy(row, columns, part.getBegin(), all);
    return Carried();
  };
  return success(succeeded(buildSpan(part, span, {}, copy)));
}

LogicalResult RowKernel::startCopies(const LinePart &part, bool all) {
  for (const Span &span : heldSpans(part, /*inGroups=*/true)) {
    if (failed(copySpan(row, part, span, all)))
      return failure();
    gpu.endCopies();
  }
  return success();
}

FailureOr<Carried> RowKernel::buildHeld(
    const LinePart &part, Carried carried,
    function_ref<FailureOr<Carried>(ArrayRef<Digit>, ValueRange)> body) {
  auto meet = [&](ArrayRef<Digit> columns,
                  ValueRange carried) -> FailureOr<Carried> {
    if (failed(held->meet(row, columns, part.getBegin())))
      return failure();
    return body(columns, carried);
  };
  // The first elements are met while the last are on their way.
  bool waits = walked > 1 ? held->isFirstPass() : copiesInPass();
  bool asksForNext = walked > 1 && held->isLastPass();
  SmallVector<Span> spans = heldSpans(part, waits || asksForNext);
  std::optional<LinePart> nextPart;
  Digit nextRow{rows, k.add(row.value, 1)};
  if (asksForNext)
    nextPart.emplace(k, nextRow, held->getExtent(), part.getLanes(), blocks,
                     threadOfRow());
  for (auto [index, span] : llvm::enumerate(spans)) {
    if (waits)
      gpu.waitForCopies(spans.size() - 1 - index);
    FailureOr<Carried> next = buildSpan(part, span, carried, meet);
    if (failed(next))
      return failure();
    carried = *next;
    if (!asksForNext)
      continue;
    // A thread replaces what it alone has read. Every row has its groups of
    // copies, if empty ones.
    Span behind = heldSpans(*nextPart, /*inGroups=*/true)[index];
    if (failed(buildIf(k, hasNext, [&]() {
          return copySpan(nextRow, *nextPart, behind, /*all=*/true);
        })))
      return failure();
    gpu.endCopies();
  }
  return carried;
}

FailureOr<Carried> RowKernel::buildLongLine(
    int64_t extent, Carried carried,
    function_ref<FailureOr<Carried>(ArrayRef<Digit>, ValueRange)> body) {
  const LinePart &part = partOf(extent);
  auto build = [&](FailureOr<Carried> next) {
    if (succeeded(next))
      carried = *next;
    return LogicalResult(next);
  };
  auto buildEdgesOf = [&]() {
    return part.getEdges() ? build(buildEdges(part, carried, body)) : success();
  };
  auto buildRest = [&](int64_t from) {
    Span span{from, std::max(from, part.getLeast()), part.getLength()};
    return build(buildSpan(part, span, carried, body));
  };
  if (!held || extent != held->getExtent()) {
    if (failed(buildEdgesOf()) || failed(buildRest(0)))
      return failure();
    return carried;
  }
  bool again = held->startPass(), hasRest = !held->isWhole();
  // On their way with the others.
  if (part.getEdges() && failed(held->read(row, part.getEdge())))
    return failure();
  if (copiesInPass() && failed(startCopies(part, /*all=*/false)))
    return failure();
  if (failed(buildEdgesOf()))
    return failure();
  if (hasRest && again && failed(buildRest(held->getElements())))
    return failure();
  if (failed(build(buildHeld(part, carried, body))))
    return failure();
  if (hasRest && !again && failed(buildRest(held->getElements())))
    return failure();
  return carried;
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
  // Blocks that share a row share all that is read or reduced of it.
  bool isOnlyLine = true;
  for (auto &level : reductions.levels) {
    for (train::ReduceOp op : level) {
      isOnlyLine &= ReductionLevels::reducedOf(op) == extent;
      sums += llvm::divideCeil(
          accumulatorType(elementOf(op.getInput())).getIntOrFloatBitWidth(), 8);
    }
  }
  for (auto &[length, results] : lineResults())
    isOnlyLine &= length == extent;
  int64_t mostBlocks = isOnlyLine ? gpu.chip.clusterBlocks : 1;
  held.emplace(gpu, rows, extent, lanesOfLong(extent), passesOver(extent), sums,
               mostBlocks);
  if (held->getElements()) {
    threads = held->getThreads();
    blocks.count = held->getBlocks();
    held->allocate();
    while (blocks.count > 1 && held->isCopied() && rows % (2 * walked) == 0 &&
           rows / (2 * walked) * blocks.count >=
               kWalkedBlocks * gpu.chip.manyRows)
      walked *= 2;
  } else {
    held.reset();
  }
}
