//===- CpuKernels.h - kernel families on the CPU ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_CPU_CPUKERNELS_H
#define PREC_LIB_CODEGEN_CPU_CPUKERNELS_H

#include "prec/Support/LLVM.h"

#include "Codegen/Emitter/PointEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace prec {

/// How a kernel is cut up; chosen by trying.
struct CpuPlan {
  int64_t lanes = 16;
  /// Elementwise: elements of the inner loop; 0: all are one line.
  int64_t inner = 0;
};

/// What a family builds from, in the body of a kernel.
struct CpuKernel {
  PointEmitter &emitter;
  CpuPlan plan;
  Value begin, end;

  KernelBuilder &kernel() { return emitter.getKernel(); }
  sched::DispatchOp dispatch() { return emitter.getDispatch(); }
  /// Positions of a line of `extent` elements from `lower` to `upper`: vectors
  /// first, then what is left element by element.
  LogicalResult line(int64_t extent, Value lower, Value upper,
                     function_ref<LogicalResult(Digit)> body);
};

/// Each builds the loops and returns the extent.
FailureOr<int64_t> buildCpuElementwise(CpuKernel &kernel);
FailureOr<int64_t> buildCpuRow(CpuKernel &kernel);
FailureOr<int64_t> buildCpuColumn(CpuKernel &kernel);
FailureOr<int64_t> buildCpuTranspose(CpuKernel &kernel);
FailureOr<int64_t> buildCpuScatterAdd(CpuKernel &kernel);
FailureOr<int64_t> buildCpuSort(CpuKernel &kernel);

/// Builds the kernel function of a dispatch in `module` and returns the extent
/// it is called on.
FailureOr<int64_t> buildCpuKernel(sched::DispatchOp dispatch, StringRef name,
                                  ModuleOp module);

} // namespace prec

#endif // PREC_LIB_CODEGEN_CPU_CPUKERNELS_H
