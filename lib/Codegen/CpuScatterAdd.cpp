//===- CpuScatterAdd.cpp - scatter-add kernels on the CPU -----------------===//
#include "CpuKernels.h"
#include "DispatchShape.h"
#include "Loops.h"

using namespace mlir;
using namespace mlir::prec;

FailureOr<int64_t> prec::buildCpuScatterAdd(CpuKernel &cpu) {
  KernelBuilder &k = cpu.kernel();
  PointEmitter &emitter = cpu.emitter;
  FailureOr<train::ScatterAddOp> op = scatterAddOf(cpu.dispatch());
  if (failed(op))
    return failure();
  auto table = cast<RankedTensorType>(op->getInit().getType());
  int64_t tableRows = table.getDimSize(0);
  int64_t columns = table.getNumElements() / tableRows;
  int64_t positions = elementsOf(op->getIds());
  int64_t width = std::min<int64_t>(4 * cpu.plan.lanes, columns);

  Value lower = k.mul(cpu.begin, width);
  Value upper = k.min(k.mul(cpu.end, width), columns);
  auto body = [&](Value index) -> LogicalResult {
    Digit position{positions, index};
    Value id = emitter.emit(op->getIds(), position);
    if (!id)
      return failure();
    Expr row = Expr(k.at(k.depthOf(id)), k.loc(), id).convert(k.indexType);
    return cpu.line(columns, lower, upper, [&](Digit column) -> LogicalResult {
      Position target{Digit{tableRows, row}, column};
      Value update = emitter.emit(op->getUpdates(), {position, column});
      if (!update)
        return failure();
      update = toAccumulator(
          k.here(), k.loc(), emitter.spread(update, target),
          cast<RankedTensorType>(op->getUpdates().getType()).getElementType(),
          k.target);
      Value sum = emitter.loadFrom(emitter.getResultPointer(0),
                                   table.getElementType(), target);
      sum = arith::AddFOp::create(k.here(), k.loc(), sum, update);
      return emitter.store(0, target, sum);
    });
  };
  if (failed(buildLoop(k, k.constant(0), k.constant(positions), 1, body)))
    return failure();
  return llvm::divideCeil(columns, width);
}
