//===- LinalgLoops.cpp - loops of linalg as operations on tensors ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation is computed in its iteration space (LinalgEvaluator.cpp), and a
// loop that reduces becomes a reduction of what the payload adds, or takes the
// largest or smallest of.
//
// Where an operand is read at places that two loops give together (a window),
// that a loop gives by a division, or along its diagonal, one of the loops is
// written out: the rest
// is computed for each of its steps, and what these give is combined, or is
// concatenated where the loop is no reduction. So are all loops that reduce by
// something else than a sum or an extremum: each step computes what the payload
// says of what there is so far.
//
//===----------------------------------------------------------------------===//
#include "Import/Linalg/LinalgConverter.h"
#include "Import/Linalg/LinalgPayload.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace prec;
using linalg::LinalgOp;

namespace {

using Fixed = DenseMap<unsigned, int64_t>;
using Results = SmallVector<Value>;

class LoopConverter {
public:
  LoopConverter(LinalgOp linalg, LinalgConverter &c)
      : linalg(linalg), c(c), ranges(linalg.getStaticLoopRanges()),
        kinds(linalg.getIteratorTypesArray()) {}

  FailureOr<Results> convert();

private:
  bool isReduction(unsigned loop) const {
    return kinds[loop] == utils::IteratorType::reduction;
  }
  void findWindows();
  void findCombinations();
  LogicalResult checkPlaces();

  FailureOr<Results> compute(unsigned written, const Fixed &fixed);
  FailureOr<Results> reduce(const Fixed &fixed);
  FailureOr<Results> repeat(const Fixed &fixed);
  /// Calls `step` for all values of the reducing loops that are written out.
  LogicalResult forEachPlace(const Fixed &fixed,
                             function_ref<LogicalResult(const Fixed &)> step);

  LinalgOp linalg;
  LinalgConverter &c;
  SmallVector<int64_t> ranges;
  SmallVector<utils::IteratorType> kinds;
  llvm::SetVector<unsigned> writtenOut;
  /// Of each result, if all of them have one.
  SmallVector<Combination> combinations;
  bool reduces = false;
};

} // namespace

/// Of the loops that give a place together all but the longest are written out,
/// first those that reduce.
void LoopConverter::findWindows() {
  for (OpOperand &operand : linalg->getOpOperands()) {
    if (!linalg.payloadUsesValueFromOperand(&operand) ||
        linalg.isDpsInit(&operand))
      continue;
    Loops seen;
    for (AffineExpr expr :
         linalg.getMatchingIndexingMap(&operand).getResults()) {
      Loops together;
      for (unsigned loop = 0; loop < ranges.size(); ++loop)
        if (expr.isFunctionOfDim(loop))
          together.push_back(loop);
      // A diagonal.
      for (unsigned loop : together)
        if (llvm::is_contained(seen, loop))
          writtenOut.insert(loop);
      seen.append(together);
      if (getLinearIndex(expr, ranges.size()) && !together.empty()) {
        auto kept = llvm::max_element(together, [&](unsigned a, unsigned b) {
          return std::pair(!isReduction(a), ranges[a]) <
                 std::pair(!isReduction(b), ranges[b]);
        });
        together.erase(kept);
      }
      writtenOut.insert_range(together);
    }
  }
}

void LoopConverter::findCombinations() {
  Operation *yield = linalg.getBlock()->getTerminator();
  for (auto [init, yielded] :
       llvm::zip_equal(linalg.getDpsInitsMutable(), yield->getOperands())) {
    auto found =
        findCombination(yielded, linalg.getMatchingBlockArgument(&init));
    if (!found) {
      combinations.clear();
      break;
    }
    combinations.push_back(*found);
  }
  if (combinations.empty())
    for (unsigned loop = 0; loop < ranges.size(); ++loop)
      if (isReduction(loop))
        writtenOut.insert(loop);
}

LogicalResult LoopConverter::checkPlaces() {
  double places = 1;
  for (unsigned loop : writtenOut)
    places *= double(ranges[loop]);
  // linalg_c5
  if (places > double(kMostPlaces))
    return c.getOp()->emitOpError("windows, and reductions other than sums and "
                                  "extrema, must have at most ")
           << kMostPlaces << " places to be converted, but got "
           << int64_t(places);
  return success();
}

LogicalResult
LoopConverter::forEachPlace(const Fixed &fixed,
                            function_ref<LogicalResult(const Fixed &)> step) {
  Loops loops;
  int64_t places = 1;
  for (unsigned loop : writtenOut)
    if (isReduction(loop)) {
      loops.push_back(loop);
      places *= ranges[loop];
    }
  // In the order in which the loops run.
  llvm::sort(loops);
  for (int64_t place = 0; place < places; ++place) {
    Fixed at(fixed);
    int64_t rest = place;
    for (unsigned loop : llvm::reverse(loops)) {
      at[loop] = rest % ranges[loop];
      rest /= ranges[loop];
    }
    if (failed(step(at)))
      return failure();
  }
  return success();
}

/// Sums and extrema.
FailureOr<Results> LoopConverter::reduce(const Fixed &fixed) {
  Results results(combinations.size());
  LogicalResult done = forEachPlace(fixed, [&](const Fixed &at) {
    PayloadEvaluator evaluator(c, linalg, at);
    SmallVector<int64_t> dims, shape;
    for (auto [dim, loop] : llvm::enumerate(evaluator.getLoops()))
      if (isReduction(loop))
        dims.push_back(dim);
      else
        shape.push_back(ranges[loop]);
    for (auto [result, of] : llvm::zip_equal(results, combinations)) {
      FailureOr<Value> value = evaluator.evaluate(of.added);
      if (failed(value))
        return failure();
      if (!dims.empty())
        value = c.create<train::ReduceOp>(linalgTypeOf(*value).clone(shape),
                                          of.kind, *value, dims);
      result = result ? c.createLike(of.combiner, {result, *value}) : *value;
    }
    return success();
  });
  if (failed(done))
    return failure();
  return results;
}

/// What the payload says of what there is so far, place by place.
FailureOr<Results> LoopConverter::repeat(const Fixed &fixed) {
  Results soFar;
  Operation *yield = linalg.getBlock()->getTerminator();
  LogicalResult done = forEachPlace(fixed, [&](const Fixed &at) {
    PayloadEvaluator evaluator(c, linalg, at);
    for (auto [init, value] : llvm::zip(linalg.getDpsInitsMutable(), soFar))
      evaluator.bind(linalg.getMatchingBlockArgument(&init), value);
    Results next;
    for (Value yielded : yield->getOperands()) {
      FailureOr<Value> value = evaluator.evaluate(yielded);
      if (failed(value))
        return failure();
      next.push_back(*value);
    }
    soFar = next;
    return success();
  });
  if (failed(done))
    return failure();
  return soFar;
}

/// `written` of the loops that are written out have a value, or reduce.
FailureOr<Results> LoopConverter::compute(unsigned written,
                                          const Fixed &fixed) {
  if (written == writtenOut.size())
    return combinations.empty() ? repeat(fixed) : reduce(fixed);
  unsigned loop = writtenOut[written];
  if (isReduction(loop))
    return compute(written + 1, fixed);
  int64_t dim = 0;
  for (unsigned before = 0; before < loop; ++before)
    dim += !isReduction(before) && !fixed.contains(before);
  SmallVector<Results> parts(linalg.getNumDpsInits());
  for (int64_t step = 0; step < ranges[loop]; ++step) {
    Fixed at(fixed);
    at[loop] = step;
    FailureOr<Results> results = compute(written + 1, at);
    if (failed(results))
      return failure();
    for (auto [part, result] : llvm::zip_equal(parts, *results))
      part.push_back(c.addDim(result, dim));
  }
  Results joined;
  for (const Results &part : parts)
    joined.push_back(c.concat(dim, part));
  return joined;
}

FailureOr<Results> LoopConverter::convert() {
  // Loops that run for no place change nothing.
  if (llvm::is_contained(ranges, 0))
    return Results(linalg.getDpsInits());
  Loops kept;
  for (unsigned loop = 0; loop < ranges.size(); ++loop)
    if (isReduction(loop))
      reduces = true;
    else
      kept.push_back(loop);
  findWindows();
  if (reduces)
    findCombinations();
  if (failed(checkPlaces()))
    return failure();
  FailureOr<Results> computed = compute(0, Fixed());
  if (failed(computed))
    return failure();
  Results results;
  for (auto [index, init, found] :
       llvm::enumerate(linalg.getDpsInitsMutable(), *computed)) {
    FailureOr<Value> value = c.fromSpace(found, kept, init, linalg);
    if (failed(value))
      return failure();
    if (!combinations.empty() &&
        !startsFrom(init.get(), combinations[index].neutral))
      value = c.createLike(combinations[index].combiner, {*value, init.get()});
    results.push_back(*value);
  }
  return results;
}

FailureOr<Results> LinalgConverter::convertLoops(LinalgOp linalg) {
  return LoopConverter(linalg, *this).convert();
}
