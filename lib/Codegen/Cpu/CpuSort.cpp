//===- CpuSort.cpp - kernels that sort ids on the CPU ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts token ids, keeping equal ids in the order of their positions: a
// counting sort for each range of 4096 ids, so that threads can share the
// ranges without talking to each other. For a range, one pass over all
// positions counts its ids and the ids below it; running sums say where each id
// begins; a second pass writes ids and positions there. Time is 2 * positions *
// vocabulary / 4096. Example: ids 3 1 3 0 give row 0: 0 1 3 3, and row 1, their
// positions: 3 1 0 2.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Cpu/CpuKernels.h"
#include "Codegen/DispatchShape.h"
#include "Codegen/Emitter/Loops.h"

using namespace mlir;
using namespace prec;

/// Ids of a range, which are counted in 16 KiB of the stack.
static constexpr int64_t kRange = 4096;

namespace {
/// A counting sort of each range of ids on its own, so that threads can share
/// the ranges: its ids are counted, and those below it, behind which its own
/// begin; then each position goes where those before it of its id end.
class SortKernel {
public:
  SortKernel(CpuKernel &cpu, train::SortIdsOp op)
      : cpu(cpu), k(cpu.kernel()), op(op), positions(elementsOf(op.getIds())),
        i32(k.here()->getI32Type()) {}
  FailureOr<int64_t> build();

private:
  Expr expr(Value value) { return {k.moveHere(), k.loc(), value}; }
  Value integer(int64_t value) {
    return arith::ConstantIntOp::create(k.here(), k.loc(), i32, value);
  }
  Value pointerTo(Value index) {
    return LLVM::GEPOp::create(k.here(), k.loc(), counts.getType(), i32, counts,
                               ValueRange{index});
  }
  Value load(Value index) {
    return LLVM::LoadOp::create(k.here(), k.loc(), i32, pointerTo(index),
                                /*alignment=*/4);
  }
  void store(Value value, Value index) {
    LLVM::StoreOp::create(k.here(), k.loc(), value, pointerTo(index),
                          /*alignment=*/4);
  }
  /// `body` with the offset of `id` in the range, if it has one.
  LogicalResult ifInRange(Value id, Value low,
                          function_ref<LogicalResult(Value offset)> body);
  LogicalResult sortRange(Value range);

  CpuKernel &cpu;
  KernelBuilder &k;
  train::SortIdsOp op;
  int64_t positions;
  Type i32;
  Value counts; ///< of the ids of a range
};
} // namespace

LogicalResult SortKernel::ifInRange(Value id, Value low,
                                    function_ref<LogicalResult(Value)> body) {
  Value offset = expr(id) - expr(low);
  Value isIn = arith::CmpIOp::create(
      k.here(), k.loc(), arith::CmpIPredicate::ult, offset, integer(kRange));
  return buildIf(k, isIn,
                 [&]() { return body(expr(offset).convert(k.indexType)); });
}

LogicalResult SortKernel::sortRange(Value range) {
  Value low = expr(k.mul(range, kRange)).convert(i32);
  Value first = k.constant(0), last = k.constant(positions);
  auto idAt = [&](Value position) {
    return cpu.emitter.emitId(op, Digit{positions, position});
  };
  auto clear = [&](Value offset) {
    store(integer(0), offset);
    return success();
  };
  auto count = [&](Value position, ValueRange carried) -> FailureOr<Carried> {
    Value id = idAt(position);
    if (!id)
      return failure();
    Value isLower = expr(id) < expr(low);
    Value lower = expr(carried[0]) + expr(isLower).convert(i32);
    if (failed(ifInRange(id, low, [&](Value offset) {
          store(expr(load(offset)) + expr(integer(1)), offset);
          return success();
        })))
      return failure();
    return Carried{lower};
  };
  auto turnIntoStart = [&](Value offset, ValueRange carried) {
    Value own = load(offset);
    store(carried[0], offset);
    return FailureOr<Carried>(Carried{expr(carried[0]) + expr(own)});
  };
  auto place = [&](Value position) -> LogicalResult {
    Value id = idAt(position);
    if (!id)
      return failure();
    return ifInRange(id, low, [&](Value offset) -> LogicalResult {
      Value at = load(offset);
      store(expr(at) + expr(integer(1)), offset);
      Digit slot{positions, expr(at).convert(k.indexType)};
      if (failed(cpu.emitter.store(0, {Digit{2, k.constant(0)}, slot}, id)))
        return failure();
      return cpu.emitter.store(0, {Digit{2, k.constant(1)}, slot},
                               expr(position).convert(i32));
    });
  };
  Value end = k.constant(kRange);
  if (failed(buildLoop(k, first, end, 1, clear)))
    return failure();
  FailureOr<Carried> lower = buildLoop(k, first, last, 1, integer(0), count);
  if (failed(lower) ||
      failed(buildLoop(k, first, end, 1, *lower, turnIntoStart)))
    return failure();
  return buildLoop(k, first, last, 1, place);
}

FailureOr<int64_t> SortKernel::build() {
  counts = LLVM::AllocaOp::create(k.here(), k.loc(),
                                  LLVM::LLVMPointerType::get(i32.getContext()),
                                  i32, k.constant(kRange), /*alignment=*/64);
  if (failed(buildLoop(k, cpu.begin, cpu.end, 1,
                       [&](Value range) { return sortRange(range); })))
    return failure();
  return int64_t(llvm::divideCeil(op.getBound(), kRange));
}

FailureOr<int64_t> prec::buildCpuSort(CpuKernel &cpu) {
  FailureOr<train::SortIdsOp> op = sortIdsOf(cpu.dispatch());
  if (failed(op))
    return failure();
  return SortKernel(cpu, *op).build();
}
