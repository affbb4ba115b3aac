//===- Loops.cpp - loops as scopes ----------------------------------------===//
#include "Loops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::prec;

FailureOr<Carried>
prec::buildLoop(KernelBuilder &kernel, Value lower, Value upper, int64_t step,
                ValueRange carried,
                function_ref<FailureOr<Carried>(Value, ValueRange)> body) {
  Value stepValue = kernel.constant(step);
  auto loop = scf::ForOp::create(kernel.here(), kernel.loc(), lower, upper,
                                 stepValue, carried);
  Block *block = loop.getBody();
  if (!block->empty())
    block->back().erase();
  kernel.push(block);
  FailureOr<Carried> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (succeeded(next))
    scf::YieldOp::create(kernel.here(), kernel.loc(), *next);
  kernel.pop();
  if (failed(next))
    return failure();
  return Carried(loop.getResults());
}

LogicalResult prec::buildLoop(KernelBuilder &kernel, Value lower, Value upper,
                              int64_t step,
                              function_ref<LogicalResult(Value)> body) {
  return success(
      succeeded(buildLoop(kernel, lower, upper, step, {},
                          [&](Value index, ValueRange) -> FailureOr<Carried> {
                            if (failed(body(index)))
                              return failure();
                            return Carried();
                          })));
}

LogicalResult prec::buildIf(KernelBuilder &kernel, Value condition,
                            function_ref<LogicalResult()> body) {
  auto op = scf::IfOp::create(kernel.here(), kernel.loc(), condition,
                              /*withElseRegion=*/false);
  kernel.push(op.thenBlock());
  LogicalResult result = body();
  kernel.pop();
  return result;
}
