//===- LongLines.cpp - lines that no registers hold -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Gpu/LongLines.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace prec;

static constexpr int64_t kUnrolled = 4;   ///< chunks read at once
static constexpr int64_t kCopyGroups = 4; ///< that are waited for one by one
/// Clusters start slowly: where so many blocks for each of many rows are left,
/// one walks over several rows, and the next one is under way while results of
/// one are stored.
static constexpr int64_t kWalkedBlocks = 8;

const LinePart &LongLines::partOf(int64_t extent) {
  auto it = parts.find(extent);
  if (it == parts.end())
    it = parts
             .try_emplace(extent, k, frame.row, extent,
                          frame.lanesOfLong(extent), frame.blocks,
                          frame.threadOfRow())
             .first;
  return it->second;
}

FailureOr<Carried> LongLines::buildSpan(const LinePart &part, const Span &span,
                                        Carried carried, Body body) {
  int64_t lanes = part.getLanes(), round = frame.threads * lanes,
          from = span.from;
  auto walk = [&](Value end, int64_t count) {
    if (k.getConstant(end) == from)
      return success();
    FailureOr<Carried> next =
        buildLoop(k, k.add(k.mul(frame.thread, lanes), from), end,
                  round * count, carried, [&](Value first, ValueRange carried) {
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

FailureOr<Carried> LongLines::buildEdges(const LinePart &part, Carried carried,
                                         Body body) {
  // They count to the first lanes. The others are neutral, whatever a new
  // largest element makes of the first.
  Carried own = carried;
  for (Value &value : own)
    if (isa<VectorType>(value.getType()))
      value = vector::ExtractOp::create(k.here(), k.loc(), value, 0);
  // At most one for a thread: a loop is a condition that has results.
  Digit edge = part.getEdge();
  FailureOr<Carried> next =
      buildLoop(k, frame.threadOfRow(), part.getEdges(),
                frame.threads * frame.blocks.count, own,
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

SmallVector<LongLines::Span> LongLines::heldSpans(const LinePart &part,
                                                  bool inGroups) {
  // All of the part, or its first elements.
  int64_t most = held->getElements(), least = std::min(most, part.getLeast());
  Value end =
      held->isWhole() ? part.getLength() : k.min(part.getLength(), most);
  if (!inGroups)
    return {{0, least, end}};
  int64_t step = kUnrolled * frame.threads * part.getLanes();
  int64_t groups = std::clamp<int64_t>(least / step, 1, kCopyGroups);
  int64_t size = least / step / groups * step;
  SmallVector<Span> spans;
  for (int64_t group = 1; group < groups; ++group)
    spans.push_back(
        {(group - 1) * size, group * size, k.constant(group * size)});
  spans.push_back({(groups - 1) * size, least, end});
  return spans;
}

LogicalResult LongLines::copySpan(const Digit &row, const LinePart &part,
                                  const Span &span, bool all) {
  auto copy = [&](ArrayRef<Digit> columns, ValueRange) -> FailureOr<Carried> {
    held->copy(row, columns, part.getBegin(), all);
    return Carried();
  };
  return success(succeeded(buildSpan(part, span, {}, copy)));
}

LogicalResult LongLines::startCopies(const LinePart &part, bool all) {
  for (const Span &span : heldSpans(part, /*inGroups=*/true)) {
    if (failed(copySpan(frame.row, part, span, all)))
      return failure();
    gpu.endCopies();
  }
  return success();
}

FailureOr<Carried> LongLines::buildHeld(const LinePart &part, Carried carried,
                                        Body body) {
  auto meet = [&](ArrayRef<Digit> columns,
                  ValueRange carried) -> FailureOr<Carried> {
    if (failed(held->meet(frame.row, columns, part.getBegin())))
      return failure();
    return body(columns, carried);
  };
  // The first elements are met while the last are on their way.
  bool waits = isAhead ? held->isFirstPass() : copiesInPass();
  bool asksForNext = isAhead && held->isLastPass();
  SmallVector<Span> spans = heldSpans(part, waits || asksForNext);
  std::optional<LinePart> nextPart;
  Digit nextRow{frame.rows, k.add(frame.row.value, 1)};
  if (asksForNext)
    nextPart.emplace(k, nextRow, held->getExtent(), part.getLanes(),
                     frame.blocks, frame.threadOfRow());
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

FailureOr<Carried> LongLines::build(int64_t extent, Carried carried,
                                    Body body) {
  const LinePart &part = partOf(extent);
  auto take = [&](FailureOr<Carried> next) {
    if (succeeded(next))
      carried = *next;
    return LogicalResult(next);
  };
  auto buildEdgesOf = [&]() {
    return part.getEdges() ? take(buildEdges(part, carried, body)) : success();
  };
  auto buildRest = [&](int64_t from) {
    Span span{from, std::max(from, part.getLeast()), part.getLength()};
    return take(buildSpan(part, span, carried, body));
  };
  if (!held || extent != held->getExtent()) {
    if (failed(buildEdgesOf()) || failed(buildRest(0)))
      return failure();
    return carried;
  }
  bool again = held->startPass(), hasRest = !held->isWhole();
  // On their way with the others.
  if (part.getEdges() && failed(held->read(frame.row, part.getEdge())))
    return failure();
  if (copiesInPass() && failed(startCopies(part, /*all=*/false)))
    return failure();
  if (failed(buildEdgesOf()))
    return failure();
  if (hasRest && again && failed(buildRest(held->getElements())))
    return failure();
  if (failed(take(buildHeld(part, carried, body))))
    return failure();
  if (hasRest && !again && failed(buildRest(held->getElements())))
    return failure();
  return carried;
}

LogicalResult
LongLines::walkRows(Value first,
                    function_ref<LogicalResult(Value index)> buildRow) {
  frame.row = {frame.rows, first};
  if (isAhead && failed(startCopies(partOf(held->getExtent()), /*all=*/true)))
    return failure();
  if (frame.cluster)
    frame.cluster->start();
  return buildLoop(k, k.constant(0), k.constant(walked), 1, [&](Value index) {
    parts.clear();
    frame.row = {frame.rows, k.add(first, index)};
    hasNext = k.lessThan(index, walked - 1);
    frame.team.turn = k.rem(index, 2);
    return buildRow(index);
  });
}

LogicalResult
LongLines::buildBehind(int64_t extent,
                       function_ref<LogicalResult(const Digit &)> body) {
  parts.clear();
  const LinePart &part = partOf(extent);
  auto each = [&](ArrayRef<Digit> columns, ValueRange) -> FailureOr<Carried> {
    for (const Digit &column : columns)
      if (failed(body(column)))
        return failure();
    return Carried();
  };
  Span span{0, part.getLeast(), part.getLength()};
  return success(succeeded(buildSpan(part, span, {}, each)));
}

void LongLines::hold(int64_t extent, ArrayRef<SmallVector<Value>> passes,
                     int64_t warpShared, int64_t mostBlocks, int64_t sums,
                     int64_t rowsOfGroup) {
  walked = rowsOfGroup;
  held.emplace(gpu, frame.rows, extent, frame.lanesOfLong(extent), passes,
               warpShared, mostBlocks, sums);
  if (held->getElements()) {
    frame.threads = held->getThreads();
    frame.blocks.count = held->getBlocks();
    held->allocate();
    while (!sums && frame.blocks.count > 1 && held->isCopied() &&
           frame.rows % (2 * walked) == 0 &&
           frame.rows / (2 * walked) * frame.blocks.count >=
               kWalkedBlocks * gpu.chip.manyRows)
      walked *= 2;
    isAhead = walked > 1 && held->isCopied();
  } else {
    held.reset();
  }
}
