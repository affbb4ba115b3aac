//===- SplitKernels.h - a module for each kernel ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_MACHINECODE_SPLITKERNELS_H
#define PREC_LIB_CODEGEN_MACHINECODE_SPLITKERNELS_H

#include "prec/Support/LLVM.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace prec {

/// The kernels of a module, in their order.
SmallVector<mlir::LLVM::LLVMFuncOp> listKernels(mlir::gpu::GPUModuleOp kernels);

/// A module like `kernels` of one kernel and all that it names: functions,
/// constants and shared memory, of which each kernel has its own. May be called
/// by several threads at once.
OwningOpRef<mlir::gpu::GPUModuleOp>
extractKernel(mlir::gpu::GPUModuleOp kernels, mlir::LLVM::LLVMFuncOp kernel);

} // namespace prec

#endif // PREC_LIB_CODEGEN_MACHINECODE_SPLITKERNELS_H
