//===- CpuKernels.cpp - kernel functions for the CPU ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frame of all kernels on the CPU. A kernel is a function of its buffers
// and of a range of indices, `begin` to `end`; the runtime divides the range
// among threads. What an index means is the family's choice (a row, a strip of
// columns, a vector); each computes the same bits, however the range is
// divided. Vectors are found by trying: first 16 lanes over all elements as one
// line. If a dimension ends inside a vector, the kernel is built again with
// loops over that dimension, and if lanes still have to be taken apart, with
// half as many lanes. Elements that fill no vector are computed one by one
// behind the others.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Cpu/CpuKernels.h"

#include "Codegen/DispatchShape.h"
#include "Codegen/Emitter/Loops.h"

using namespace mlir;
using namespace prec;

LogicalResult CpuKernel::line(int64_t extent, Value lower, Value upper,
                              function_ref<LogicalResult(Digit)> body) {
  KernelBuilder &k = kernel();
  int64_t lanes =
      std::min<int64_t>(plan.lanes, llvm::bit_floor(uint64_t(extent)));
  Value middle = upper;
  if (extent % lanes) {
    // `lower` is a multiple of the lanes, `upper` is one too or is the end.
    Value over = k.rem(upper, lanes);
    middle = arith::SubIOp::create(k.here(), k.loc(), upper, over);
  }
  if (failed(buildLoop(k, lower, middle, lanes, [&](Value index) {
        return body({extent, index, lanes, lanes});
      })))
    return failure();
  if (extent % lanes == 0)
    return success();
  return buildLoop(k, middle, upper, 1,
                   [&](Value index) { return body({extent, index, 1, 1}); });
}

FailureOr<int64_t> prec::buildCpuElementwise(CpuKernel &cpu) {
  KernelBuilder &k = cpu.kernel();
  sched::DispatchOp dispatch = cpu.dispatch();
  FailureOr<int64_t> walked = walkedElementsOf(dispatch);
  if (failed(walked))
    return failure();
  int64_t elements = *walked;
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, dispatch.getNumResults()));
  if (cpu.plan.inner == 0) {
    int64_t lanes = cpu.plan.lanes;
    Value lower = k.mul(cpu.begin, lanes);
    Value upper = k.min(k.mul(cpu.end, lanes), elements);
    if (failed(cpu.line(elements, lower, upper, [&](Digit column) {
          return cpu.emitter.emitResults(all, column);
        })))
      return failure();
    return llvm::divideCeil(elements, lanes);
  }
  int64_t inner = cpu.plan.inner, rows = elements / inner;
  if (failed(buildLoop(k, cpu.begin, cpu.end, 1, [&](Value row) {
        return cpu.line(
            inner, k.constant(0), k.constant(inner), [&](Digit column) {
              return cpu.emitter.emitResults(all, {Digit{rows, row}, column});
            });
      })))
    return failure();
  return rows;
}

static FailureOr<int64_t> buildFamily(CpuKernel &kernel) {
  switch (kernel.dispatch().getFamily()) {
  case sched::Family::Elementwise:
    return buildCpuElementwise(kernel);
  case sched::Family::Row:
    return buildCpuRow(kernel);
  case sched::Family::Column:
    return buildCpuColumn(kernel);
  case sched::Family::Transpose:
    return buildCpuTranspose(kernel);
  case sched::Family::ScatterAdd:
    return buildCpuScatterAdd(kernel);
  case sched::Family::Sort:
    return buildCpuSort(kernel);
  }
  llvm_unreachable("covered switch");
}

FailureOr<int64_t> prec::buildCpuKernel(sched::DispatchOp dispatch,
                                        StringRef name, ModuleOp module) {
  if (failed(checkTensors(dispatch)))
    return failure();
  MLIRContext *context = module.getContext();
  Location loc = dispatch.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto i64 = IntegerType::get(context, 64);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, i64, i64});

  for (CpuPlan plan;;) {
    // A try, which is kept if no other plan would be better.
    OwningOpRef<ModuleOp> scratch = ModuleOp::create(loc);
    auto builder = OpBuilder::atBlockEnd(scratch->getBody());
    auto function = LLVM::LLVMFuncOp::create(builder, loc, name, type);
    Block *entry = function.addEntryBlock(builder);
    auto b = OpBuilder::atBlockEnd(entry);
    SmallVector<Value> buffers;
    unsigned inputs = dispatch.getInputs().size();
    for (unsigned i = 0; i < inputs + dispatch.getNumResults(); ++i) {
      Value slot =
          LLVM::GEPOp::create(b, loc, pointer, pointer, entry->getArgument(0),
                              ArrayRef<LLVM::GEPArg>{int32_t(i)});
      buffers.push_back(LLVM::LoadOp::create(b, loc, pointer, slot));
    }
    KernelBuilder kernel(*scratch, name, KernelTarget::Cpu, i64);
    kernel.setLoc(loc);
    kernel.push(entry);
    PointEmitter emitter(kernel, dispatch, ArrayRef(buffers).take_front(inputs),
                         ArrayRef(buffers).drop_front(inputs));
    CpuKernel cpu{emitter, plan, entry->getArgument(1), entry->getArgument(2)};
    FailureOr<int64_t> extent = buildFamily(cpu);
    if (failed(extent))
      return failure();
    LLVM::ReturnOp::create(kernel.here(), loc, ValueRange());
    // Lines of a piece within another may be no part of the whole.
    if (dispatch.getFamily() == sched::Family::Elementwise && plan.inner == 0 &&
        kernel.smallestLaneSplit &&
        *walkedElementsOf(dispatch) % kernel.smallestLaneSplit == 0) {
      plan.inner = kernel.smallestLaneSplit;
      continue;
    }
    if (emitter.hasBrokenLanes() && plan.lanes > 1) {
      plan = {plan.lanes / 2, 0};
      continue;
    }
    module.getBody()->getOperations().splice(
        module.getBody()->end(), scratch->getBody()->getOperations());
    return extent;
  }
}
