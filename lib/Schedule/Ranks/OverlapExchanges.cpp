//===- OverlapExchanges.cpp - exchanges beside other commands -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step is one line of commands, and an exchange between ranks in it would
// keep the machine waiting. This pass lets exchanges run beside the commands
// behind them, on a second line, the *branch*, which has exchanges alone and
// runs them one after the other in one order on all ranks.
//
// It walks a function in its order with two clocks, of the line and of the
// branch, which the cost model advances. Exchanges are collected in a *bucket*
// until it has enough bytes or somebody reads one of its results. Then they all
// begin together: as soon as the last one's input is there and the branch has
// ended what came before. An `await` of a bucket stands in front of the first
// command that reads one of its results, or earlier, where the clocks say that
// its exchanges have ended: behind it the bytes of their inputs are free again.
// Should they not have ended by then, the line waits, and computes the same.
//
// Example, of two gradients of 40 MiB and buckets of 64 MiB:
//
//   %g1 = gemm                        %g1 = gemm
//   %a1 = exchange %g1                %x2 = gemm
//   %x2 = gemm                        %g2 = gemm
//   %g2 = gemm                   ->   %a1 = exchange %g1 {bucket = 0}
//   %a2 = exchange %g2                %a2 = exchange %g2 {bucket = 0}
//   2 ms of backward                  2 ms of backward
//   %n = dispatch (%a1, %a2)          await 0
//                                     %n = dispatch (%a1, %a2)
//
// A command of the optimizer that reads what is not there yet waits while those
// behind it go on, such as the transpose of a gathered weight while the next
// weight is updated. What commands compute stays as it is, so no bit depends on
// any of this.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Memory/Lifetimes.h"
#include "Schedule/Ranks/CommandCost.h"
#include "Schedule/Ranks/CommandOrder.h"

#include "prec/Dialect/Prec/Entry.h"
#include "prec/Schedule/Passes.h"
#include "prec/Support/PassRemark.h"
#include "prec/Target/Target.h"
#include "prec/Target/TargetRegistry.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace prec {
#define GEN_PASS_DEF_OVERLAPEXCHANGES
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;
using sched::ExchangeOp;

/// An await stands where its bucket has ended for a quarter of its time: costs
/// are estimates, and waiting costs more than bytes that are free later.
static constexpr int64_t kMargin = 4;
/// Commands that are looked at for one that need not wait any more.
static constexpr size_t kMostResumed = 64;

namespace {

/// Exchanges that begin together.
struct Bucket {
  SmallVector<ExchangeOp> exchanges;
  int64_t received = 0;
  bool hasBegun = false;
  int64_t cost = 0, end = 0; ///< once it has begun
};

class Overlapper {
public:
  Overlapper(func::FuncOp function, const ScheduleModel &machine,
             int64_t mostBytes)
      : function(function), machine(machine), mostBytes(mostBytes),
        builder(function.getContext()) {}

  void run();

  unsigned countBuckets() const { return buckets.size(); }
  /// Of all exchanges, and what of it the line waits for.
  int64_t getCost() const { return cost; }
  int64_t getExposed() const { return exposed; }

private:
  void visit(Operation *op);
  void settle(Operation *op);
  void resume();
  void settleFirst();
  bool mustWait(Operation *op);
  bool readsWaiting(Operation *op) const;
  void addExchange(ExchangeOp op);
  void begin();
  void beginEarly();
  void awaitUpTo(unsigned number);
  void awaitEnded();
  void awaitOperands(Operation *op);

  func::FuncOp function;
  const ScheduleModel &machine;
  int64_t mostBytes;
  OpBuilder builder;

  std::vector<Bucket> buckets;
  DenseMap<Value, unsigned> bucketOf; ///< of results, by storage root
  unsigned awaited = 0;               ///< the first buckets
  /// In the order of the function.
  SmallVector<Operation *> waiting;
  llvm::SmallPtrSet<Operation *, 16> isWaiting;
  SmallVector<Operation *> order;
  int64_t now = 0, branch = 0, cost = 0, exposed = 0;
};

} // namespace

void Overlapper::begin() {
  Bucket &bucket = buckets.back();
  bucket.hasBegun = true;
  bucket.cost = estimateExchanges(machine, bucket.received);
  bucket.end = std::max(now, branch) + bucket.cost;
  branch = bucket.end;
  cost += bucket.cost;
  auto number = builder.getI64IntegerAttr(int64_t(buckets.size()) - 1);
  for (ExchangeOp exchange : bucket.exchanges) {
    exchange.setBucketAttr(number);
    order.push_back(exchange);
  }
}

/// The branch ends its exchanges in their order.
void Overlapper::awaitUpTo(unsigned number) {
  for (; awaited <= number; ++awaited) {
    Bucket &bucket = buckets[awaited];
    SmallVector<Value> values;
    for (ExchangeOp exchange : bucket.exchanges)
      llvm::append_values(values, exchange.getInput(), exchange.getResult());
    ExchangeOp last = bucket.exchanges.back();
    builder.setInsertionPointAfter(last);
    auto await = sched::AwaitOp::create(builder, last.getLoc(), awaited, values,
                                        IntegerAttr(), ArrayAttr());
    await->setAttr(train::kPhase, last->getAttr(train::kPhase));
    order.push_back(await);
    exposed += std::max<int64_t>(bucket.end - now, 0);
    now = std::max(now, bucket.end);
  }
}

void Overlapper::awaitEnded() {
  while (awaited < buckets.size() && buckets[awaited].hasBegun &&
         buckets[awaited].end + buckets[awaited].cost / kMargin <= now)
    awaitUpTo(awaited);
}

void Overlapper::awaitOperands(Operation *op) {
  std::optional<unsigned> last;
  for (Value operand : op->getOperands())
    for (Value piece : getPieces(getStorageRoot(operand)))
      if (auto found = bucketOf.find(piece); found != bucketOf.end())
        last = std::max(last.value_or(0), found->second);
  if (!last || *last < awaited)
    return;
  if (!buckets[*last].hasBegun)
    begin();
  awaitUpTo(*last);
}

void Overlapper::addExchange(ExchangeOp op) {
  // A bucket is of one kind, which libraries do together.
  if (!buckets.empty() && !buckets.back().hasBegun &&
      buckets.back().exchanges.front().getKind() != op.getKind())
    begin();
  if (buckets.empty() || buckets.back().hasBegun)
    buckets.emplace_back();
  Bucket &bucket = buckets.back();
  bucket.exchanges.push_back(op);
  bucket.received += getReceivedBytes(op);
  bucketOf[op.getResult()] = buckets.size() - 1;
  if (bucket.received >= mostBytes)
    begin();
}

/// A bucket that has some bytes does not wait for more where the branch is
/// idle.
void Overlapper::beginEarly() {
  if (!buckets.empty() && !buckets.back().hasBegun && branch <= now &&
      buckets.back().received >= mostBytes / kMargin)
    begin();
}

bool Overlapper::readsWaiting(Operation *op) const {
  bool reads = false;
  forEachSource(op, [&](Value source) {
    reads |= isWaiting.contains(source.getDefiningOp());
  });
  return reads;
}

/// Whether what it reads is not there yet. Only what the optimizer does waits
/// while others go on: values of forward and backward would live longer.
bool Overlapper::mustWait(Operation *op) {
  if (train::getPhase(op) != train::Phase::Optimizer)
    return false;
  bool mustWait = readsWaiting(op);
  forEachSource(op, [&](Value source) {
    auto found = bucketOf.find(source);
    if (found == bucketOf.end() || found->second < awaited)
      return;
    // Somebody waits for it, and nobody else uses the branch.
    if (!buckets[found->second].hasBegun && branch <= now)
      begin();
    const Bucket &bucket = buckets[found->second];
    mustWait |= !bucket.hasBegun || bucket.end + bucket.cost / kMargin > now;
  });
  return mustWait;
}

void Overlapper::settle(Operation *op) {
  awaitOperands(op);
  auto exchange = dyn_cast<ExchangeOp>(op);
  if (exchange && exchange.getKind() != train::ExchangeKind::OwnSlice) {
    addExchange(exchange);
  } else {
    awaitEnded();
    order.push_back(op);
    now += estimateCommand(machine, op);
  }
  beginEarly();
}

void Overlapper::settleFirst() {
  Operation *op = waiting.front();
  waiting.erase(waiting.begin());
  isWaiting.erase(op);
  settle(op);
}

/// Settles what need not wait any more.
void Overlapper::resume() {
  for (size_t i = 0; i < std::min(waiting.size(), kMostResumed);) {
    Operation *op = waiting[i];
    if (mustWait(op)) {
      ++i;
      continue;
    }
    waiting.erase(waiting.begin() + i);
    isWaiting.erase(op);
    settle(op);
    i = 0;
  }
}

void Overlapper::visit(Operation *op) {
  if (mustWait(op)) {
    waiting.push_back(op);
    isWaiting.insert(op);
    return;
  }
  while (readsWaiting(op))
    settleFirst();
  settle(op);
  resume();
}

void Overlapper::run() {
  SmallVector<Operation *> commands = getSchedOperations(function);
  for (Operation *op : commands)
    visit(op);
  while (!waiting.empty()) {
    settleFirst();
    resume();
  }
  if (!buckets.empty()) {
    if (!buckets.back().hasBegun)
      begin();
    awaitUpTo(buckets.size() - 1);
  }
  if (buckets.empty())
    return;
  placeCommands(function, order);
}

namespace {

struct OverlapExchanges
    : public prec::impl::OverlapExchangesBase<OverlapExchanges> {
  using OverlapExchangesBase::OverlapExchangesBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!isCompiledGraph(function) || function.getOps<ExchangeOp>().empty())
      return;
    FailureOr<ScheduleModel> model =
        loadScheduleModel(function.getLoc(), target, machine);
    if (failed(model))
      return signalPassFailure();
    // overlap_exchanges_c1
    for (auto exchange : function.getOps<ExchangeOp>())
      if (exchange.getBucket()) {
        exchange.emitOpError("exchanges must be put in buckets once, but got "
                             "one that is in a bucket");
        return signalPassFailure();
      }
    Overlapper overlapper(function, *model, bucketBytes);
    overlapper.run();
    if (getEntry(function) == Entry::Step)
      report(overlapper);
  }

private:
  void report(const Overlapper &overlapper);
};

} // namespace

void OverlapExchanges::report(const Overlapper &overlapper) {
  const Target *of = findTarget(getOperation().getLoc(), "target", target);
  llvm::Expected<MachineModel> model = of->loadMachine(machine);
  if (!model) {
    llvm::consumeError(model.takeError());
    return;
  }
  auto print = [&](int64_t bytes) {
    return std::to_string(static_cast<int64_t>(static_cast<double>(bytes) /
                                               model->bytesPerSecond * 1e6)) +
           " us";
  };
  emitPassRemark(
      getOperation().getLoc(), {"prec-overlap-exchanges", "Overlap", true},
      "exchanges of a step begin in " + Twine(overlapper.countBuckets()) +
          " buckets; by the machine file they take " +
          print(overlapper.getCost()) +
          ", of which other commands "
          "wait for " +
          print(overlapper.getExposed()));
}
