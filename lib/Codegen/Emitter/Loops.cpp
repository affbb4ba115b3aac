//===- Loops.cpp - loops as scopes ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Emitter/Loops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace prec;

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

FailureOr<Carried>
prec::buildDoWhile(KernelBuilder &kernel, ValueRange carried,
                   function_ref<FailureOr<Carried>(ValueRange, Value &)> body) {
  SmallVector<Location> locs(carried.size(), kernel.loc());
  auto loop = scf::WhileOp::create(kernel.here(), kernel.loc(),
                                   TypeRange(carried), carried);
  OpBuilder b(loop.getContext());
  Block *before =
      b.createBlock(&loop.getBefore(), {}, loop.getResultTypes(), locs);
  Block *after =
      b.createBlock(&loop.getAfter(), {}, loop.getResultTypes(), locs);
  scf::YieldOp::create(b, kernel.loc(), after->getArguments());
  kernel.push(before);
  Value more;
  FailureOr<Carried> next = body(before->getArguments(), more);
  if (succeeded(next))
    scf::ConditionOp::create(kernel.here(), kernel.loc(), more, *next);
  kernel.pop();
  if (failed(next))
    return failure();
  return Carried(loop.getResults());
}

void prec::buildIfAlways(KernelBuilder &kernel, Value condition,
                         function_ref<void()> body) {
  auto op = scf::IfOp::create(kernel.here(), kernel.loc(), condition,
                              /*withElseRegion=*/false);
  kernel.push(op.thenBlock());
  body();
  kernel.pop();
}

LogicalResult prec::buildIf(KernelBuilder &kernel, Value condition,
                            function_ref<LogicalResult()> body) {
  LogicalResult result = success();
  buildIfAlways(kernel, condition, [&]() { result = body(); });
  return result;
}
