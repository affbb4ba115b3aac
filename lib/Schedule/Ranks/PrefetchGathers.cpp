//===- PrefetchGathers.cpp - weights on their way before they are read ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where ranks hold shards of what layers read (ZeRO stage 3), a whole weight is
// gathered in front of its first reader, which would wait for all of it. What
// is gathered is known since the step began, so the gather, with what makes its
// input, is moved in front of commands that take as long as it does.
//
// Gathers run one after the other, so they are planned from the last to the
// first, on the clock that the cost model advances: each ends where its reader
// stands or where the next gather begins, whichever is earlier, and begins its
// cost, and that of filling a bucket, before. None is moved behind where it
// stands, and none so far that more than a few buckets have been gathered and
// not read: bytes that wait are what stage 3 is to save.
//
// Example: a layer computes for 300 us and its weights travel for 200. Then the
// gather of the next layer's weights stands behind a third of this layer's
// commands.
//
// Time is linear in the commands.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Memory/Lifetimes.h"
#include "Schedule/Ranks/CommandCost.h"
#include "Schedule/Ranks/CommandOrder.h"

#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Schedule/Passes.h"
#include "prec/Target/TargetRegistry.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace prec {
#define GEN_PASS_DEF_PREFETCHGATHERS
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;
using sched::ExchangeOp;

/// Buckets that may have been gathered and not read.
static constexpr int64_t kMostBuckets = 3;

namespace {

class Prefetcher {
public:
  Prefetcher(func::FuncOp function, const ScheduleModel &machine,
             int64_t bucketBytes)
      : function(function), machine(machine), bucketBytes(bucketBytes),
        commands(getSchedOperations(function)) {}

  void run();

private:
  struct Gather {
    ExchangeOp op;
    size_t place, reader;
    int64_t received;
  };

  void findEarly();
  void findGathers();
  /// By gather: in front of which command it goes.
  SmallVector<size_t> plan() const;
  void emit(Operation *op);

  func::FuncOp function;
  const ScheduleModel &machine;
  int64_t bucketBytes;
  SmallVector<Operation *> commands;
  /// When each command begins on the line, exchanges taking no time.
  SmallVector<int64_t> begins;
  /// Commands that read nothing of the batch.
  llvm::SmallPtrSet<Operation *, 32> early;
  SmallVector<Gather> gathers;
  SmallVector<Operation *> order;
  llvm::SmallPtrSet<Operation *, 32> emitted;
};

} // namespace

void Prefetcher::findEarly() {
  auto isOfBatch = [&](Value value) {
    if (Operation *op = value.getDefiningOp())
      return !early.contains(op);
    auto role = function.getArgAttrOfType<train::RoleAttr>(
        cast<BlockArgument>(value).getArgNumber(), train::kRole);
    return !role || role.getValue() == train::Role::Batch;
  };
  int64_t now = 0;
  for (Operation *op : commands) {
    begins.push_back(now);
    if (!isa<ExchangeOp>(op))
      now += estimateCommand(machine, op);
    bool reads = false;
    forEachSource(op, [&](Value source) { reads |= isOfBatch(source); });
    if (!reads)
      early.insert(op);
  }
}

void Prefetcher::findGathers() {
  DenseMap<Operation *, size_t> readers;
  for (auto [i, op] : llvm::enumerate(commands))
    forEachSource(op, [&, i = i](Value source) {
      if (Operation *maker = source.getDefiningOp())
        readers.try_emplace(maker, i);
    });
  for (auto [i, op] : llvm::enumerate(commands)) {
    auto exchange = dyn_cast<ExchangeOp>(op);
    if (!exchange || exchange.getKind() != train::ExchangeKind::AllGather ||
        train::getPhase(op) == train::Phase::Optimizer || !early.contains(op))
      continue;
    auto reader = readers.find(op);
    if (reader != readers.end())
      gathers.push_back(
          {exchange, i, reader->second, getReceivedBytes(exchange)});
  }
}

SmallVector<size_t> Prefetcher::plan() const {
  // The first place where not too much waits to be read.
  SmallVector<size_t> least(gathers.size(), 0);
  int64_t inFlight = 0;
  for (size_t k = 0, first = 0; k < gathers.size(); ++k) {
    inFlight += gathers[k].received;
    for (; first < k && inFlight > kMostBuckets * bucketBytes; ++first)
      inFlight -= gathers[first].received;
    least[k] = first ? gathers[first - 1].reader : 0;
  }
  const int64_t filling = estimateExchanges(machine, bucketBytes);
  SmallVector<size_t> places(gathers.size());
  std::optional<int64_t> next;
  for (size_t k = gathers.size(); k-- > 0;) {
    const Gather &gather = gathers[k];
    int64_t end = begins[gather.reader];
    if (next)
      end = std::min(end, *next);
    next = end - estimateExchanges(machine, gather.received);
    const auto *behind = llvm::upper_bound(begins, *next - filling);
    size_t place = behind == begins.begin() ? 0 : behind - begins.begin() - 1;
    places[k] = std::min(std::max(place, least[k]), gather.place);
  }
  return places;
}

/// What it reads first: all of it is as early.
void Prefetcher::emit(Operation *op) {
  if (!emitted.insert(op).second)
    return;
  forEachSource(op, [&](Value source) {
    if (Operation *maker = source.getDefiningOp())
      emit(maker);
  });
  order.push_back(op);
}

void Prefetcher::run() {
  findEarly();
  findGathers();
  SmallVector<size_t> places = plan();
  if (llvm::all_of(llvm::zip_equal(gathers, places), [](auto pair) {
        return std::get<0>(pair).place == std::get<1>(pair);
      }))
    return;
  DenseMap<size_t, SmallVector<ExchangeOp>> at;
  for (auto [gather, place] : llvm::zip_equal(gathers, places))
    at[place].push_back(gather.op);
  for (auto [i, op] : llvm::enumerate(commands)) {
    for (ExchangeOp gather : at.lookup(i))
      emit(gather);
    emit(op);
  }
  placeCommands(function, order);
}

namespace {

struct PrefetchGathers
    : public prec::impl::PrefetchGathersBase<PrefetchGathers> {
  using PrefetchGathersBase::PrefetchGathersBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!isCompiledGraph(function) || function.getOps<ExchangeOp>().empty())
      return;
    FailureOr<ScheduleModel> model =
        loadScheduleModel(function.getLoc(), target, machine);
    if (failed(model))
      return signalPassFailure();
    Prefetcher(function, *model, bucketBytes).run();
  }
};

} // namespace
