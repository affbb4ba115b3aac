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

/// A warp for each position and strip of columns. The first position of an id
/// adds the updates of all later ones, in their order; the others do nothing.
FailureOr<GpuLaunch> prec::buildGpuScatterAdd(GpuKernel &gpu) {
  constexpr int64_t kWarps = 4;
  KernelBuilder &k = gpu.kernel();
  PointEmitter &emitter = gpu.emitter;
  FailureOr<train::ScatterAddOp> op = scatterAddOf(gpu.dispatch());
  if (failed(op))
    return failure();
  auto table = cast<RankedTensorType>(op->getInit().getType());
  Type updateElement =
      cast<RankedTensorType>(op->getUpdates().getType()).getElementType();
  int64_t tableRows = table.getDimSize(0);
  int64_t columns = table.getNumElements() / tableRows;
  int64_t positions = elementsOf(op->getIds());
  int64_t lanes = gpu.lanesFor(columns), width = kWarp * lanes;
  int64_t strips = llvm::divideCeil(columns, width);
  int64_t items = positions * strips;

  Value thread = gpu.threadId();
  Value lane = k.rem(thread, kWarp);
  Value item = k.add(k.mul(gpu.blockId(), kWarps), k.div(thread, kWarp));
  auto idAt = [&](Value position) {
    return emitter.emit(op->getIds(), Digit{positions, position});
  };
  auto vote = [&](NVVM::VoteSyncKind kind, Type type,
                  Value predicate) -> Value {
    return NVVM::VoteSyncOp::create(k.here(), k.loc(), type, gpu.i32(-1),
                                    predicate, kind);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value lhs,
                     Value rhs) -> Value {
    return arith::CmpIOp::create(k.here(), k.loc(), predicate, lhs, rhs);
  };
  Type i1 = k.here().getI1Type(), i32 = k.here().getI32Type();

  auto accumulate = [&](Value position, Value id) -> LogicalResult {
    Value first = k.add(k.mul(k.rem(item, strips), width), k.mul(lane, lanes));
    Value inside;
    if (columns % width) {
      inside = k.lessThan(first, columns);
      first = k.min(first, columns - lanes);
    }
    Digit column{columns, first, lanes, lanes};
    Expr row = Expr(k.here(), k.loc(), id).convert(k.indexType);
    Position target{Digit{tableRows, row}, column};
    Value sum = emitter.loadFrom(emitter.getResultPointer(0),
                                 table.getElementType(), target);
    // 32 positions at a time; those with this id one after the other.
    FailureOr<Carried> sums = buildLoop(
        k, position, k.constant(positions), kWarp, sum,
        [&](Value base, ValueRange carried) -> FailureOr<Carried> {
          Value at = k.add(base, lane);
          Value other = idAt(k.min(at, positions - 1));
          if (!other)
            return failure();
          Value matches = arith::AndIOp::create(
              k.here(), k.loc(), k.lessThan(at, positions),
              compare(arith::CmpIPredicate::eq, other, id));
          Value mask = vote(NVVM::VoteSyncKind::ballot, i32, matches);
          auto loop = scf::WhileOp::create(k.here(), k.loc(),
                                           TypeRange{i32, carried[0].getType()},
                                           ValueRange{mask, carried[0]});
          OpBuilder b(k.here().getContext());
          Block *before = b.createBlock(
              &loop.getBefore(), {}, loop.getResultTypes(), {k.loc(), k.loc()});
          Value zero = arith::ConstantIntOp::create(b, k.loc(), i32, 0);
          Value more =
              arith::CmpIOp::create(b, k.loc(), arith::CmpIPredicate::ne,
                                    before->getArgument(0), zero);
          scf::ConditionOp::create(b, k.loc(), more, before->getArguments());
          Block *after = b.createBlock(
              &loop.getAfter(), {}, loop.getResultTypes(), {k.loc(), k.loc()});
          k.push(after);
          Value bits = after->getArgument(0);
          Expr bit(k.here(), k.loc(),
                   math::CountTrailingZerosOp::create(k.here(), k.loc(), bits));
          Value from = k.add(base, bit.convert(k.indexType));
          Value update =
              emitter.emit(op->getUpdates(), {Digit{positions, from}, column});
          if (update) {
            update =
                toAccumulator(k.here(), k.loc(), emitter.spread(update, column),
                              updateElement, k.target);
            Value next = arith::AddFOp::create(k.here(), k.loc(),
                                               after->getArgument(1), update);
            Expr rest(k.here(), k.loc(), bits);
            rest = rest & (rest - rest.integer(1));
            scf::YieldOp::create(k.here(), k.loc(), ValueRange{rest, next});
          }
          k.pop();
          if (!update)
            return failure();
          return Carried{loop.getResult(1)};
        });
    if (failed(sums))
      return failure();
    auto store = [&]() { return emitter.store(0, target, (*sums)[0]); };
    return inside ? buildIf(k, inside, store) : store();
  };

  auto body = [&]() -> LogicalResult {
    Value position = k.div(item, strips);
    Value id = idAt(position);
    if (!id)
      return failure();
    Value no = arith::ConstantIntOp::create(k.here(), k.loc(), i1, 0);
    FailureOr<Carried> earlier =
        buildLoop(k, lane, position, kWarp, no,
                  [&](Value at, ValueRange carried) -> FailureOr<Carried> {
                    Value other = idAt(at);
                    if (!other)
                      return failure();
                    return Carried{arith::OrIOp::create(
                        k.here(), k.loc(), carried[0],
                        compare(arith::CmpIPredicate::eq, other, id))};
                  });
    if (failed(earlier))
      return failure();
    Value any = vote(NVVM::VoteSyncKind::any, i1, (*earlier)[0]);
    Value isFirst = arith::XOrIOp::create(
        k.here(), k.loc(), any,
        arith::ConstantIntOp::create(k.here(), k.loc(), i1, 1));
    return buildIf(k, isFirst, [&]() { return accumulate(position, id); });
  };
  if (failed(items % kWarps == 0 ? body()
                                 : buildIf(k, k.lessThan(item, items), body)))
    return failure();
  return GpuLaunch{int64_t(llvm::divideCeil(items, kWarps)),
                   {kWarps * kWarp, 1, 1}};
}
