//===- CpuScatterAdd.cpp - scatter-add kernels on the CPU -----------------===//
#include "CpuKernels.h"
#include "DispatchShape.h"
#include "Loops.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::prec;

/// Columns whose sums are held at once: 16 KiB of the stack.
static constexpr int64_t kHeldColumns = 4096;

namespace {
/// The first position of an id adds the updates of all positions with this id,
/// in ascending order; the others do nothing.
class ScatterAddKernel {
public:
  ScatterAddKernel(CpuKernel &cpu, train::ScatterAddOp op)
      : cpu(cpu), k(cpu.kernel()), op(op),
        table(cast<RankedTensorType>(op.getInit().getType())),
        positions(elementsOf(op.getIds())), tableRows(table.getDimSize(0)),
        columns(table.getNumElements() / tableRows),
        held(std::min(columns, kHeldColumns)),
        group(std::min<int64_t>(cpu.plan.lanes,
                                llvm::bit_floor(uint64_t(positions)))) {}
  FailureOr<int64_t> build();

private:
  /// Zero at positions with the id, of as many as there are lanes.
  Value differences(Value first, Value id, int64_t lanes);
  /// Whether any of `differences` is zero.
  Value anyZero(Value differences);
  /// Whether no position before `position` has the id.
  FailureOr<Value> isFirst(Value position, Value id);
  LogicalResult addRow(Value position, Value id);
  /// Columns `first` to `last`, no more than are held.
  LogicalResult addColumns(Value position, Value id, Value first, Value last);

  Value loadSum(Digit column, Value first) {
    return cpu.emitter.loadFrom(sums, k.here().getF32Type(),
                                heldColumn(column, first));
  }
  void storeSum(Value sum, Digit column, Value first) {
    Value to = LLVM::GEPOp::create(k.here(), k.loc(), sums.getType(),
                                   k.here().getF32Type(), sums,
                                   ValueRange{heldColumn(column, first).value});
    LLVM::StoreOp::create(k.here(), k.loc(), sum, to, /*alignment=*/4);
  }
  Digit heldColumn(Digit column, Value first) {
    return {held, k.subtract(column.value, first), column.lanes};
  }

  CpuKernel &cpu;
  KernelBuilder &k;
  train::ScatterAddOp op;
  RankedTensorType table;
  int64_t positions, tableRows, columns, held;
  int64_t group; ///< positions whose ids are compared at once
  Value sums;    ///< of the columns that are held, f32
};
} // namespace

Value ScatterAddKernel::differences(Value first, Value id, int64_t lanes) {
  Digit at{positions, first, lanes, lanes};
  Value ids = cpu.emitter.emit(op.getIds(), at);
  if (!ids)
    return {};
  return arith::XOrIOp::create(k.here(), k.loc(), cpu.emitter.spread(ids, at),
                               cpu.emitter.spread(id, at));
}

Value ScatterAddKernel::anyZero(Value differences) {
  if (isa<VectorType>(differences.getType()))
    differences = vector::ReductionOp::create(
        k.here(), k.loc(), vector::CombiningKind::MINUI, differences);
  return Expr(k.here(), k.loc(), differences) ==
         Expr(k.here(), k.loc(), differences).integer(0);
}

FailureOr<Value> ScatterAddKernel::isFirst(Value position, Value id) {
  auto anyIn = [&](Value from, Value to, int64_t lanes) -> FailureOr<Value> {
    Value ids = cpu.emitter.spread(id, Digit{positions, from, lanes});
    FailureOr<Carried> least = buildLoop(
        k, from, to, lanes, Value(Expr(k.here(), k.loc(), ids).integer(-1)),
        [&](Value first, ValueRange carried) -> FailureOr<Carried> {
          Value next = differences(first, id, lanes);
          if (!next)
            return failure();
          return Carried{
              arith::MinUIOp::create(k.here(), k.loc(), carried[0], next)};
        });
    if (failed(least))
      return failure();
    return anyZero((*least)[0]);
  };
  Value whole = k.subtract(position, k.rem(position, group));
  FailureOr<Value> soon = anyIn(k.constant(0), whole, group);
  FailureOr<Value> late = anyIn(whole, position, 1);
  if (failed(soon) || failed(late))
    return failure();
  Value found = arith::OrIOp::create(k.here(), k.loc(), *soon, *late);
  Value yes =
      arith::ConstantIntOp::create(k.here(), k.loc(), found.getType(), 1);
  return Value(arith::XOrIOp::create(k.here(), k.loc(), found, yes));
}

LogicalResult ScatterAddKernel::addColumns(Value position, Value id,
                                           Value first, Value last) {
  PointEmitter &emitter = cpu.emitter;
  auto clear = [&](Digit column) -> LogicalResult {
    Type type = k.here().getF32Type();
    if (column.lanes > 1)
      type = VectorType::get(column.lanes, type);
    storeSum(neutralElement(k.here(), k.loc(), train::ReduceKind::Sum, type),
             column, first);
    return success();
  };
  auto addUpdate = [&](Digit from, Digit column) -> LogicalResult {
    Value update = emitter.emit(op.getUpdates(), {from, column});
    if (!update)
      return failure();
    update = toAccumulator(
        k.here(), k.loc(), emitter.spread(update, column),
        cast<RankedTensorType>(op.getUpdates().getType()).getElementType(),
        k.target);
    Value sum = loadSum(column, first);
    storeSum(arith::AddFOp::create(k.here(), k.loc(), sum, update), column,
             first);
    return success();
  };
  auto addMatch = [&](Value other) -> LogicalResult {
    Value difference = differences(other, id, 1);
    if (!difference)
      return failure();
    return buildIf(k, anyZero(difference), [&]() {
      return cpu.line(columns, first, last, [&](Digit column) {
        return addUpdate(Digit{positions, other}, column);
      });
    });
  };
  auto addGroup = [&](Value from) -> LogicalResult {
    Value several = differences(from, id, group);
    if (!several)
      return failure();
    return buildIf(k, anyZero(several), [&]() {
      return buildLoop(k, from, k.add(from, group), 1, addMatch);
    });
  };
  Value row = Expr(k.here(), k.loc(), id).convert(k.indexType);
  auto finish = [&](Digit column) {
    Position target{Digit{tableRows, row}, column};
    Value before = emitter.loadFrom(emitter.getResultPointer(0),
                                    table.getElementType(), target);
    return emitter.store(0, target,
                         addToRow(k.here(), k.loc(), before,
                                  loadSum(column, first),
                                  table.getElementType(), k.target));
  };
  // Those of its group that are before this position have other ids.
  Value start = k.subtract(position, k.rem(position, group));
  Value end = k.constant(positions - positions % group);
  if (failed(cpu.line(columns, first, last, clear)) ||
      failed(buildLoop(k, start, end, group, addGroup)) ||
      failed(buildLoop(k, end, k.constant(positions), 1, addMatch)))
    return failure();
  return cpu.line(columns, first, last, finish);
}

LogicalResult ScatterAddKernel::addRow(Value position, Value id) {
  return buildLoop(k, k.constant(0), k.constant(columns), held,
                   [&](Value first) {
                     return addColumns(position, id, first,
                                       k.min(k.add(first, held), columns));
                   });
}

FailureOr<int64_t> ScatterAddKernel::build() {
  Type f32 = k.here().getF32Type();
  sums = LLVM::AllocaOp::create(k.here(), k.loc(),
                                LLVM::LLVMPointerType::get(f32.getContext()),
                                f32, k.constant(held), /*alignment=*/64);
  auto body = [&](Value position) -> LogicalResult {
    Value id = cpu.emitter.emit(op.getIds(), Digit{positions, position});
    if (!id)
      return failure();
    FailureOr<Value> first = isFirst(position, id);
    if (failed(first))
      return failure();
    return buildIf(k, *first, [&]() { return addRow(position, id); });
  };
  if (failed(buildLoop(k, cpu.begin, cpu.end, 1, body)))
    return failure();
  return positions;
}

FailureOr<int64_t> prec::buildCpuScatterAdd(CpuKernel &cpu) {
  FailureOr<train::ScatterAddOp> op = scatterAddOf(cpu.dispatch());
  if (failed(op))
    return failure();
  return ScatterAddKernel(cpu, *op).build();
}
