//===- SplitKernels.h - a module for each kernel ----------------*- C++ -*-===//
#ifndef PREC_LIB_CODEGEN_SPLITKERNELS_H
#define PREC_LIB_CODEGEN_SPLITKERNELS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::prec {

/// The kernels of a module, in their order.
SmallVector<LLVM::LLVMFuncOp> listKernels(gpu::GPUModuleOp kernels);

/// A module like `kernels` of one kernel and all that it names: functions,
/// constants and shared memory, of which each kernel has its own. May be called
/// by several threads at once.
OwningOpRef<gpu::GPUModuleOp> extractKernel(gpu::GPUModuleOp kernels,
                                            LLVM::LLVMFuncOp kernel);

} // namespace mlir::prec

#endif // PREC_LIB_CODEGEN_SPLITKERNELS_H
