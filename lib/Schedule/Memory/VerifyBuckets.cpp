//===- VerifyBuckets.cpp - exchanges that run beside others ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exchange of a bucket may run at any time from where it stands to the await
// of its bucket. The check of placements runs the program on memory that knows
// only who owns which bytes, one command after the other. It is right for
// exchanges that end later where their await reads all that they read and make,
// as then none of these bytes have another owner before, and where nobody reads
// a result before. That is what is checked here, in one walk.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Memory/VerifyBuckets.h"

#include "Schedule/Memory/Lifetimes.h"

using namespace mlir;
using namespace prec;

namespace {

class BucketChecker {
public:
  explicit BucketChecker(func::FuncOp function) : function(function) {}

  LogicalResult run();

private:
  LogicalResult checkReads(Operation *op);
  LogicalResult add(sched::ExchangeOp op);
  LogicalResult await(sched::AwaitOp op);

  func::FuncOp function;
  /// What a bucket's await must read, in order; buckets by their numbers.
  SmallVector<SmallVector<Value>> buckets;
  SmallVector<bool> awaited;
  /// By storage root of results.
  DenseMap<Value, int64_t> bucketOf;
  Operation *previous = nullptr;
};

} // namespace

LogicalResult BucketChecker::checkReads(Operation *op) {
  for (Value operand : op->getOperands())
    for (Value piece : getPieces(getStorageRoot(operand))) {
      auto found = bucketOf.find(piece);
      // c18
      if (found != bucketOf.end() && !awaited[found->second])
        return op->emitOpError("an exchange's result must be read behind the "
                               "await of its bucket, but got one of bucket ")
               << found->second << " before";
    }
  return success();
}

LogicalResult BucketChecker::add(sched::ExchangeOp op) {
  int64_t number = *op.getBucket();
  auto before = dyn_cast_if_present<sched::ExchangeOp>(previous);
  bool continues = before && before.getBucket() == number;
  if (!continues && number == int64_t(buckets.size())) {
    buckets.emplace_back();
    awaited.push_back(false);
    continues = true;
  }
  // c16
  if (!continues)
    return op.emitOpError("exchanges of a bucket must stand one behind the "
                          "other, and buckets count from 0 on, but got bucket ")
           << number << " where " << buckets.size() << " is next";
  bucketOf[op.getResult()] = number;
  llvm::append_values(buckets[number], op.getInput(), op.getResult());
  return success();
}

LogicalResult BucketChecker::await(sched::AwaitOp op) {
  int64_t number = op.getBucket();
  bool isKnown = number >= 0 && number < int64_t(buckets.size());
  // c17
  if (!isKnown || awaited[number] ||
      op.getValues() != ValueRange(buckets[number]))
    return op.emitOpError(
               "an await must read what the exchanges of a bucket in "
               "front of it read and make, once, but got ")
           << (!isKnown          ? "no such bucket"
               : awaited[number] ? "it twice"
                                 : "other values")
           << " for bucket " << number;
  awaited[number] = true;
  return success();
}

LogicalResult BucketChecker::run() {
  for (Operation *op : getSchedOperations(function)) {
    if (auto awaits = dyn_cast<sched::AwaitOp>(op)) {
      if (failed(await(awaits)))
        return failure();
    } else if (failed(checkReads(op))) {
      return failure();
    }
    auto exchange = dyn_cast<sched::ExchangeOp>(op);
    if (exchange && exchange.getBucket() && failed(add(exchange)))
      return failure();
    previous = op;
  }
  if (failed(checkReads(function.front().getTerminator())))
    return failure();
  for (auto [number, isAwaited] : llvm::enumerate(awaited))
    // c17
    if (!isAwaited)
      return function.emitOpError(
                 "each bucket must be awaited once, but got no "
                 "await of bucket ")
             << number;
  return success();
}

LogicalResult prec::checkBuckets(func::FuncOp function) {
  return BucketChecker(function).run();
}
