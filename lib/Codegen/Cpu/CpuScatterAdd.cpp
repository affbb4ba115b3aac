//===- CpuScatterAdd.cpp - scatter-add kernels on the CPU -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds update rows to the rows of a table that ids name. The ids come sorted,
// with their positions. An index of the kernel is a slot of the sorted ids:
// where a new id begins, all updates of that id are added, and at other slots
// nothing happens. So each table row is written by one thread, and the updates
// are added in ascending order of positions, whatever the number of threads.
// Sums are FP32 in a buffer on the stack, `kHeldColumns` at a time; then they
// are rounded and added to the row. Time is that of reading each update once.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Cpu/CpuKernels.h"
#include "Codegen/DispatchShape.h"
#include "Codegen/Emitter/Loops.h"

using namespace mlir;
using namespace prec;

/// Columns whose sums are held at once: 16 KiB of the stack.
static constexpr int64_t kHeldColumns = 4096;

namespace {
/// The first of the sorted ids of a row adds the updates of all of them, in
/// ascending order of positions; the others do nothing.
class ScatterAddKernel {
public:
  ScatterAddKernel(CpuKernel &cpu, train::ScatterAddOp op)
      : cpu(cpu), k(cpu.kernel()), op(op),
        table(cast<RankedTensorType>(op.getInit().getType())),
        positions(elementsOf(op.getIds())), tableRows(table.getDimSize(0)),
        columns(table.getNumElements() / tableRows),
        held(std::clamp<int64_t>(columns, 2, kHeldColumns)) {}
  FailureOr<int64_t> build();

private:
  Expr expr(Value value) { return {k.moveHere(), k.loc(), value}; }
  /// Of the sorted ids (row 0) or their positions (row 1).
  Value sortedAt(int64_t row, Value slot) {
    return cpu.emitter.emit(
        op.getSorted(), {Digit{2, k.constant(row)}, Digit{positions, slot}});
  }
  LogicalResult addRow(Value slot, Value id);
  /// Columns `first` to `last`, no more than are held.
  LogicalResult addColumns(Value slot, Value id, Value first, Value last);

  Value loadSum(Digit column, Value first) {
    return cpu.emitter.loadFrom(sums, k.here()->getF32Type(),
                                heldColumn(column, first));
  }
  void storeSum(Value sum, Digit column, Value first) {
    Value to = LLVM::GEPOp::create(k.here(), k.loc(), sums.getType(),
                                   k.here()->getF32Type(), sums,
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
  int64_t positions, tableRows, columns;
  /// Two where there is one column: a load whose place never changes would move
  /// in front of the stores.
  int64_t held;
  Value sums; ///< of the columns that are held, f32
};
} // namespace

LogicalResult ScatterAddKernel::addColumns(Value slot, Value id, Value first,
                                           Value last) {
  PointEmitter &emitter = cpu.emitter;
  auto clear = [&](Digit column) -> LogicalResult {
    Type type = k.here()->getF32Type();
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
  auto addNext = [&](ValueRange carried, Value &more) -> FailureOr<Carried> {
    Value position = sortedAt(1, carried[0]);
    if (!position)
      return failure();
    Digit from{positions, expr(position).convert(k.indexType)};
    if (failed(cpu.line(columns, first, last,
                        [&](Digit column) { return addUpdate(from, column); })))
      return failure();
    Value next = k.add(carried[0], 1);
    Value isSame = expr(sortedAt(0, k.min(next, positions - 1))) == expr(id);
    more = expr(k.lessThan(next, positions)) & expr(isSame);
    return Carried{next};
  };
  Value row = expr(id).convert(k.indexType);
  auto finish = [&](Digit column) {
    Position target{Digit{tableRows, row}, column};
    Value before = emitter.loadFrom(emitter.getResultPointer(0),
                                    table.getElementType(), target);
    return emitter.store(0, target,
                         addToRow(k.here(), k.loc(), before,
                                  loadSum(column, first),
                                  table.getElementType(), k.target));
  };
  if (failed(cpu.line(columns, first, last, clear)) ||
      failed(buildDoWhile(k, slot, addNext)))
    return failure();
  return cpu.line(columns, first, last, finish);
}

LogicalResult ScatterAddKernel::addRow(Value slot, Value id) {
  return buildLoop(
      k, k.constant(0), k.constant(columns), held, [&](Value first) {
        return addColumns(slot, id, first, k.min(k.add(first, held), columns));
      });
}

FailureOr<int64_t> ScatterAddKernel::build() {
  Type f32 = k.here()->getF32Type();
  sums = LLVM::AllocaOp::create(k.here(), k.loc(),
                                LLVM::LLVMPointerType::get(f32.getContext()),
                                f32, k.constant(held), /*alignment=*/64);
  auto body = [&](Value slot) -> LogicalResult {
    Value id = sortedAt(0, slot),
          before = sortedAt(0, k.subtractFloor(slot, 1));
    if (!id || !before)
      return failure();
    Value differs = arith::CmpIOp::create(k.here(), k.loc(),
                                          arith::CmpIPredicate::ne, id, before);
    Value isFirst = expr(k.lessThan(slot, 1)) | expr(differs);
    return buildIf(k, isFirst, [&]() { return addRow(slot, id); });
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
