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
constexpr int64_t kWarps = 4;
constexpr int64_t kHeldElements = 32; ///< of a row, by one thread
constexpr int64_t kUnrolled = 4;      ///< rounds of ids read at once

/// A warp for each position and strip of columns. The first position of an id
/// adds the updates of all later ones, in their order; the others do nothing.
class ScatterAddKernel {
public:
  ScatterAddKernel(GpuKernel &gpu, train::ScatterAddOp op)
      : gpu(gpu), k(gpu.kernel()), op(op) {}
  FailureOr<GpuLaunch> build();

private:
  Value idAt(Value position) {
    return gpu.emitter.emit(op.getIds(), Digit{positions, position});
  }
  Value vote(NVVM::VoteSyncKind kind, Type type, Value predicate) {
    return NVVM::VoteSyncOp::create(k.here(), k.loc(), type, gpu.i32(-1),
                                    predicate, kind);
  }
  Value isId(Value other, Value id) {
    return arith::CmpIOp::create(k.here(), k.loc(), arith::CmpIPredicate::eq,
                                 other, id);
  }
  Value either(Value lhs, Value rhs) {
    return arith::OrIOp::create(k.here(), k.loc(), lhs, rhs);
  }

  /// Whether an earlier position has the id, in every lane.
  FailureOr<Value> hasEarlier(Value position, Value id);
  LogicalResult accumulate(Value position, Value id);
  /// Adds the updates at `base` + the bits of `mask`, in ascending order.
  FailureOr<Carried> addMatches(Value base, Value mask, ValueRange sums);

  GpuKernel &gpu;
  KernelBuilder &k;
  train::ScatterAddOp op;
  RankedTensorType table;
  int64_t positions = 0, tableRows = 0;
  Value lane, strip;
  SmallVector<Digit> columns; ///< chunks of this thread
  SmallVector<Value> inside;  ///< null where no thread is outside
};
} // namespace

FailureOr<Value> ScatterAddKernel::hasEarlier(Value position, Value id) {
  Value no =
      arith::ConstantIntOp::create(k.here(), k.loc(), k.here().getI1Type(), 0);
  auto body = [&](Value at, ValueRange carried) -> FailureOr<Carried> {
    Value found = carried[0];
    for (int64_t i = 0; i < kUnrolled; ++i) {
      Value other = k.add(at, i * kWarp);
      Value before = arith::CmpIOp::create(
          k.here(), k.loc(), arith::CmpIPredicate::slt, other, position);
      Value value = idAt(k.min(other, positions - 1));
      if (!value)
        return failure();
      found = either(found, arith::AndIOp::create(k.here(), k.loc(), before,
                                                  isId(value, id)));
    }
    return Carried{found};
  };
  FailureOr<Carried> found =
      buildLoop(k, lane, position, kWarp * kUnrolled, no, body);
  if (failed(found))
    return failure();
  return vote(NVVM::VoteSyncKind::any, k.here().getI1Type(), (*found)[0]);
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
  Expr bits(k.here(), k.loc(), after->getArgument(0));
  Expr bit = bits.make<math::CountTrailingZerosOp>(Value(bits));
  Digit from{positions, k.add(base, bit.convert(k.indexType))};
  SmallVector<Value> next = {bits & (bits - bits.integer(1))};
  Type element =
      cast<RankedTensorType>(op.getUpdates().getType()).getElementType();
  for (auto [index, column] : llvm::enumerate(columns)) {
    Value update = gpu.emitter.emit(op.getUpdates(), {from, column});
    if (!update)
      break;
    update =
        toAccumulator(k.here(), k.loc(), gpu.emitter.spread(update, column),
                      element, k.target);
    next.push_back(arith::AddFOp::create(
        k.here(), k.loc(), after->getArgument(index + 1), update));
  }
  bool complete = next.size() == carried.size();
  if (complete)
    scf::YieldOp::create(k.here(), k.loc(), next);
  k.pop();
  if (!complete)
    return failure();
  return Carried(loop.getResults().drop_front());
}

LogicalResult ScatterAddKernel::accumulate(Value position, Value id) {
  Expr row = Expr(k.here(), k.loc(), id).convert(k.indexType);
  Digit target{tableRows, row};
  Carried sums;
  for (const Digit &column : columns)
    sums.push_back(gpu.emitter.loadFrom(gpu.emitter.getResultPointer(0),
                                        table.getElementType(),
                                        {target, column}));
  // 32 positions at a time; those with this id one after the other.
  FailureOr<Carried> total = buildLoop(
      k, position, k.constant(positions), kWarp, sums,
      [&](Value base, ValueRange carried) -> FailureOr<Carried> {
        Value at = k.add(base, lane);
        Value other = idAt(k.min(at, positions - 1));
        if (!other)
          return failure();
        Value matches = arith::AndIOp::create(
            k.here(), k.loc(), k.lessThan(at, positions), isId(other, id));
        Value mask =
            vote(NVVM::VoteSyncKind::ballot, k.here().getI32Type(), matches);
        return addMatches(base, mask, carried);
      });
  if (failed(total))
    return failure();
  for (auto [column, guard, sum] : llvm::zip(columns, inside, *total)) {
    auto store = [&, &column = column, &sum = sum]() {
      return gpu.emitter.store(0, {target, column}, sum);
    };
    if (failed(guard ? buildIf(k, guard, store) : store()))
      return failure();
  }
  return success();
}

FailureOr<GpuLaunch> ScatterAddKernel::build() {
  table = cast<RankedTensorType>(op.getInit().getType());
  tableRows = table.getDimSize(0);
  positions = elementsOf(op.getIds());
  int64_t extent = table.getNumElements() / tableRows;
  int64_t lanes = gpu.lanesFor(extent);
  // A warp searches the ids once for as many columns as it can hold.
  int64_t chunks = std::min<int64_t>(kHeldElements / lanes,
                                     llvm::divideCeil(extent, kWarp * lanes));
  int64_t width = kWarp * lanes * chunks;
  int64_t strips = llvm::divideCeil(extent, width), items = positions * strips;

  Value thread = gpu.threadId();
  lane = k.rem(thread, kWarp);
  Value item = k.add(k.mul(gpu.blockId(), kWarps), k.div(thread, kWarp));
  auto body = [&]() -> LogicalResult {
    for (int64_t i = 0; i < chunks; ++i) {
      Value first = k.add(k.mul(k.rem(item, strips), width),
                          k.add(k.mul(lane, lanes), i * kWarp * lanes));
      Value guard;
      if (extent % width) {
        guard = k.lessThan(first, extent);
        first = k.min(first, extent - lanes);
      }
      columns.push_back({extent, first, lanes, lanes});
      inside.push_back(guard);
    }
    Value position = k.div(item, strips), id = idAt(position);
    if (!id)
      return failure();
    FailureOr<Value> earlier = hasEarlier(position, id);
    if (failed(earlier))
      return failure();
    Value yes =
        arith::ConstantIntOp::create(k.here(), k.loc(), earlier->getType(), 1);
    Value isFirst = arith::XOrIOp::create(k.here(), k.loc(), *earlier, yes);
    return buildIf(k, isFirst, [&]() { return accumulate(position, id); });
  };
  // A whole warp is inside or outside.
  if (failed(items % kWarps == 0 ? body()
                                 : buildIf(k, k.lessThan(item, items), body)))
    return failure();
  return GpuLaunch{int64_t(llvm::divideCeil(items, kWarps)),
                   {kWarps * kWarp, 1, 1}};
}

FailureOr<GpuLaunch> prec::buildGpuScatterAdd(GpuKernel &gpu) {
  FailureOr<train::ScatterAddOp> op = scatterAddOf(gpu.dispatch());
  if (failed(op))
    return failure();
  return ScatterAddKernel(gpu, *op).build();
}
