//===- GpuScatterAdd.cpp - scatter-add kernels on NVIDIA GPUs -------------===//
#include "DispatchShape.h"
#include "FloatConversion.h"
#include "GpuKernels.h"
#include "Loops.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::prec;

namespace {
constexpr int64_t kWarps = 16;
constexpr int64_t kThreads = kWarps * kWarp;
constexpr int64_t kHeldElements = 32; ///< of a row, by one thread
constexpr int64_t kUnrolled = 4;      ///< ids that a thread reads at once
constexpr int64_t kRound = kThreads * kUnrolled; ///< positions
/// Of updates, that a thread asks for before it adds the first: each alone
/// would have to wait for the memory.
constexpr int64_t kBytesAhead = 256;
constexpr int64_t kMostAhead = 4;

/// A block for each position and strip of columns. That of the first position
/// of an id adds the updates of all positions with this id; the others do
/// nothing. Frequent ids have thousands of updates: every warp adds those of
/// its share of the positions in their order, then the warps' sums are added in
/// theirs.
class ScatterAddKernel {
public:
  ScatterAddKernel(GpuKernel &gpu, train::ScatterAddOp op)
      : gpu(gpu), k(gpu.kernel()), op(op),
        table(cast<RankedTensorType>(op.getInit().getType())),
        positions(elementsOf(op.getIds())), tableRows(table.getDimSize(0)) {}
  FailureOr<GpuLaunch> build();

private:
  Value idAt(Value position) {
    return gpu.emitter.emit(op.getIds(), Digit{positions, position});
  }
  Value vote(NVVM::VoteSyncKind kind, Type type, Value predicate) {
    return NVVM::VoteSyncOp::create(k.here(), k.loc(), type, gpu.i32(-1),
                                    predicate, kind);
  }
  Value anyInWarp(Value predicate) {
    return vote(NVVM::VoteSyncKind::any, k.here().getI1Type(), predicate);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(k.here(), k.loc(), predicate, lhs, rhs);
  }
  Value both(Value lhs, Value rhs) {
    return arith::AndIOp::create(k.here(), k.loc(), lhs, rhs);
  }

  /// Whether a position from `from` on, before `to` and `position`, has the id,
  /// of those that the threads of a warp look at.
  FailureOr<Value> hasInRange(int64_t from, Value to, Value position, Value id);
  /// Whether an earlier position has the id, in every thread.
  FailureOr<Value> hasEarlier(Value position, Value id);
  LogicalResult accumulate(Value position, Value id);
  /// Which of the positions from `base` on, one for each lane, have the id.
  FailureOr<Value> findMatches(Value base, Value id);
  /// Adds the updates at `base` + the bits of `mask`, in ascending order.
  FailureOr<Carried> addMatches(Value base, Value mask, ValueRange sums);
  /// Adds the first of them; the mask of what is left, and the sums.
  FailureOr<Carried> addSome(Value base, Value mask, ValueRange sums);
  /// Of an update, the thread's columns as they are summed.
  FailureOr<Carried> emitUpdate(Value position);
  int64_t updatesAtOnce();
  /// Adds the sum of all warps' sums to the table's row.
  LogicalResult meet(Digit row, ValueRange sums);

  GpuKernel &gpu;
  KernelBuilder &k;
  train::ScatterAddOp op;
  RankedTensorType table;
  int64_t positions, tableRows;
  Value thread, warp, lane;
  SmallVector<Digit> columns; ///< chunks of this thread
  SmallVector<Value> inside;  ///< null where no thread is outside
};
} // namespace

FailureOr<Value> ScatterAddKernel::hasInRange(int64_t from, Value to,
                                              Value position, Value id) {
  Value no =
      arith::ConstantIntOp::create(k.here(), k.loc(), k.here().getI1Type(), 0);
  auto body = [&](Value at, ValueRange carried) -> FailureOr<Carried> {
    Value found = carried[0];
    for (int64_t i = 0; i < kUnrolled; ++i) {
      Value other = k.add(at, i * kThreads);
      Value value = idAt(k.min(other, positions - 1));
      if (!value)
        return failure();
      Value matches = both(compare(arith::CmpIPredicate::slt, other, position),
                           compare(arith::CmpIPredicate::eq, value, id));
      found = arith::OrIOp::create(k.here(), k.loc(), found, matches);
    }
    return Carried{found};
  };
  FailureOr<Carried> found =
      buildLoop(k, k.add(thread, from), to, kRound, no, body);
  if (failed(found))
    return failure();
  return anyInWarp((*found)[0]);
}

FailureOr<Value> ScatterAddKernel::hasEarlier(Value position, Value id) {
  Type i32 = k.here().getI32Type();
  Value flags = gpu.allocateShared(i32, kWarps);
  auto tell = [&](Value isFound) {
    gpu.storeShared(
        flags, arith::ExtUIOp::create(k.here(), k.loc(), i32, isFound), warp);
    gpu.barrier();
  };
  auto anyInBlock = [&]() {
    Value flag = gpu.loadShared(flags, i32, k.rem(lane, kWarps));
    return anyInWarp(compare(arith::CmpIPredicate::ne, flag, gpu.i32(0)));
  };
  // Frequent ids are met soon: most blocks need not look any further.
  FailureOr<Value> soon = hasInRange(0, k.min(position, kRound), position, id);
  if (failed(soon))
    return failure();
  tell(*soon);
  if (positions <= kRound)
    return anyInBlock();
  Value yes =
      arith::ConstantIntOp::create(k.here(), k.loc(), k.here().getI1Type(), 1);
  Value isLeft = arith::XOrIOp::create(k.here(), k.loc(), anyInBlock(), yes);
  auto lookFurther = [&]() -> LogicalResult {
    FailureOr<Value> later = hasInRange(kRound, position, position, id);
    if (failed(later))
      return failure();
    // All have read what is told anew.
    gpu.barrier();
    tell(*later);
    return success();
  };
  if (failed(buildIf(k, isLeft, lookFurther)))
    return failure();
  return anyInBlock();
}

FailureOr<Value> ScatterAddKernel::findMatches(Value base, Value id) {
  Value at = k.add(base, lane);
  Value other = idAt(k.min(at, positions - 1));
  if (!other)
    return failure();
  Value matches = both(k.lessThan(at, positions),
                       compare(arith::CmpIPredicate::eq, other, id));
  return vote(NVVM::VoteSyncKind::ballot, k.here().getI32Type(), matches);
}

FailureOr<Carried> ScatterAddKernel::emitUpdate(Value position) {
  Digit from{positions, position};
  Type element =
      cast<RankedTensorType>(op.getUpdates().getType()).getElementType();
  Carried update;
  for (const Digit &column : columns) {
    Value value = gpu.emitter.emit(op.getUpdates(), {from, column});
    if (!value)
      return failure();
    update.push_back(toAccumulator(k.here(), k.loc(),
                                   gpu.emitter.spread(value, column), element,
                                   k.target));
  }
  return update;
}

int64_t ScatterAddKernel::updatesAtOnce() {
  Type element =
      cast<RankedTensorType>(op.getUpdates().getType()).getElementType();
  int64_t bytes = int64_t(columns.size()) * columns.front().lanes *
                  element.getIntOrFloatBitWidth() / 8;
  return std::clamp<int64_t>(kBytesAhead / bytes, 1, kMostAhead);
}

FailureOr<Carried> ScatterAddKernel::addMatches(Value base, Value mask,
                                                ValueRange sums) {
  SmallVector<Value> carried = {mask};
  llvm::append_range(carried, sums);
  SmallVector<Location> locs(carried.size(), k.loc());
  auto loop =
      scf::WhileOp::create(k.here(), k.loc(), TypeRange(carried), carried);
  OpBuilder b(k.here().getContext());
  Block *before =
      b.createBlock(&loop.getBefore(), {}, loop.getResultTypes(), locs);
  Value zero = arith::ConstantIntOp::create(b, k.loc(), mask.getType(), 0);
  Value more = arith::CmpIOp::create(b, k.loc(), arith::CmpIPredicate::ne,
                                     before->getArgument(0), zero);
  scf::ConditionOp::create(b, k.loc(), more, before->getArguments());

  Block *after =
      b.createBlock(&loop.getAfter(), {}, loop.getResultTypes(), locs);
  k.push(after);
  FailureOr<Carried> next =
      addSome(base, after->getArgument(0), after->getArguments().drop_front());
  if (succeeded(next))
    scf::YieldOp::create(k.here(), k.loc(), *next);
  k.pop();
  if (failed(next))
    return failure();
  return Carried(loop.getResults().drop_front());
}

FailureOr<Carried> ScatterAddKernel::addSome(Value base, Value mask,
                                             ValueRange sums) {
  Expr bits(k.here(), k.loc(), mask);
  Expr first = bits.make<math::CountTrailingZerosOp>(Value(bits));
  struct Update {
    Carried values;
    Value isMissing; ///< null of the first
  };
  SmallVector<Update> updates;
  for (int64_t i = 0; i < updatesAtOnce(); ++i) {
    Expr none = bits == bits.integer(0);
    Expr bit = bits.make<math::CountTrailingZerosOp>(Value(bits));
    // What is not there is the first again, and not added.
    Expr own = i ? none.select(first, bit) : first;
    FailureOr<Carried> values =
        emitUpdate(k.add(base, own.convert(k.indexType)));
    if (failed(values))
      return failure();
    updates.push_back({*values, i ? Value(none) : Value()});
    bits = bits & (bits - bits.integer(1));
  }
  Carried next = {bits};
  next.append(sums.begin(), sums.end());
  for (const Update &update : updates)
    for (auto [sum, value] : llvm::zip(llvm::drop_begin(next), update.values)) {
      Value added = arith::AddFOp::create(k.here(), k.loc(), sum, value);
      if (update.isMissing)
        added = arith::SelectOp::create(k.here(), k.loc(), update.isMissing,
                                        sum, added);
      sum = added;
    }
  return next;
}

LogicalResult ScatterAddKernel::meet(Digit row, ValueRange sums) {
  int64_t lanes = columns.front().lanes;
  Value sharedSums = gpu.allocateShared(getElementTypeOrSelf(sums[0].getType()),
                                        kThreads * lanes);
  for (auto [index, sum] : llvm::enumerate(sums)) {
    if (index)
      gpu.barrier();
    gpu.storeShared(sharedSums, sum, k.mul(thread, lanes));
    gpu.barrier();
    auto add = [&, index = index, type = sum.getType()]() -> LogicalResult {
      Position target = {row, columns[index]};
      Value total;
      for (int64_t other = 0; other < kWarps; ++other) {
        Value slot = k.mul(k.add(lane, other * kWarp), lanes);
        Value sum = gpu.loadShared(sharedSums, type, slot);
        total =
            total ? arith::AddFOp::create(k.here(), k.loc(), total, sum) : sum;
      }
      Type element = table.getElementType();
      Value before = gpu.emitter.loadFrom(gpu.emitter.getResultPointer(0),
                                          element, target);
      total = addToRow(k.here(), k.loc(), before, total, element, k.target);
      auto store = [&]() { return gpu.emitter.store(0, target, total); };
      return inside[index] ? buildIf(k, inside[index], store) : store();
    };
    Value isMine = compare(arith::CmpIPredicate::eq, warp,
                           k.constant(int64_t(index) % kWarps));
    if (failed(buildIf(k, isMine, add)))
      return failure();
  }
  return success();
}

LogicalResult ScatterAddKernel::accumulate(Value position, Value id) {
  Type type = accumulatorType(table.getElementType());
  if (int64_t lanes = columns.front().lanes; lanes > 1)
    type = VectorType::get(lanes, type);
  Carried sums(columns.size(),
               neutralElement(k.here(), k.loc(), train::ReduceKind::Sum, type));
  // 32 positions at a time; those with this id one after the other.
  auto body = [&](Value base, ValueRange carried) -> FailureOr<Carried> {
    SmallVector<Value> bases, masks;
    for (int64_t i = 0; i < kUnrolled; ++i) {
      bases.push_back(k.add(base, i * kThreads));
      FailureOr<Value> mask = findMatches(bases.back(), id);
      if (failed(mask))
        return failure();
      masks.push_back(*mask);
    }
    FailureOr<Carried> sums = Carried(carried);
    for (auto [base, mask] : llvm::zip(bases, masks)) {
      sums = addMatches(base, mask, *sums);
      if (failed(sums))
        return failure();
    }
    return sums;
  };
  FailureOr<Carried> total =
      buildLoop(k, k.add(position, k.mul(warp, kWarp)), k.constant(positions),
                kRound, sums, body);
  if (failed(total))
    return failure();
  Expr row = Expr(k.here(), k.loc(), id).convert(k.indexType);
  return meet(Digit{tableRows, row}, *total);
}

FailureOr<GpuLaunch> ScatterAddKernel::build() {
  int64_t extent = table.getNumElements() / tableRows;
  int64_t lanes = gpu.lanesFor(extent);
  // A block searches the ids once for as many columns as its warps can hold.
  int64_t chunks = std::min<int64_t>(kHeldElements / lanes,
                                     llvm::divideCeil(extent, kWarp * lanes));
  int64_t width = kWarp * lanes * chunks;
  int64_t strips = llvm::divideCeil(extent, width);

  thread = gpu.threadId();
  warp = k.div(thread, kWarp);
  lane = k.rem(thread, kWarp);
  for (int64_t i = 0; i < chunks; ++i) {
    Value first = k.add(k.mul(k.rem(gpu.blockId(), strips), width),
                        k.add(k.mul(lane, lanes), i * kWarp * lanes));
    Value guard;
    if (extent % width) {
      guard = k.lessThan(first, extent);
      first = k.min(first, extent - lanes);
    }
    columns.push_back({extent, first, lanes, lanes});
    inside.push_back(guard);
  }
  Value position = k.div(gpu.blockId(), strips), id = idAt(position);
  if (!id)
    return failure();
  FailureOr<Value> earlier = hasEarlier(position, id);
  if (failed(earlier))
    return failure();
  Value yes =
      arith::ConstantIntOp::create(k.here(), k.loc(), earlier->getType(), 1);
  Value isFirst = arith::XOrIOp::create(k.here(), k.loc(), *earlier, yes);
  if (failed(buildIf(k, isFirst, [&]() { return accumulate(position, id); })))
    return failure();
  return GpuLaunch{positions * strips, {kThreads, 1, 1}};
}

FailureOr<GpuLaunch> prec::buildGpuScatterAdd(GpuKernel &gpu) {
  FailureOr<train::ScatterAddOp> op = scatterAddOf(gpu.dispatch());
  if (failed(op))
    return failure();
  return ScatterAddKernel(gpu, *op).build();
}
