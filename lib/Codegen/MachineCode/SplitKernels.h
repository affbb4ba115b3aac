//===- SplitKernels.h - a module for each kernel ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_MACHINECODE_SPLITKERNELS_H
#define PREC_LIB_CODEGEN_MACHINECODE_SPLITKERNELS_H

#include "prec/Support/LLVM.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace prec {

/// The kernels of a module for a GPU or a CPU, in their order.
SmallVector<mlir::LLVM::LLVMFuncOp> listKernels(mlir::gpu::GPUModuleOp kernels);
SmallVector<mlir::LLVM::LLVMFuncOp> listKernels(mlir::ModuleOp kernels);

/// A module like `kernels` (for a GPU or a CPU) of one kernel and all that it
/// names: functions, constants and shared memory, of which each kernel has its
/// own. May be called by several threads at once.
OwningOpRef<mlir::Operation *> extractKernel(mlir::Operation *kernels,
                                             mlir::LLVM::LLVMFuncOp kernel);

/// A hash, in hex, of a kernel's LLVM IR and of all else that decides its
/// machine code: the versions of prec and LLVM, and the options that
/// `description` says.
std::string hashKernel(llvm::StringRef description, const llvm::Module &module);
/// The same of kernels whose code is `text`.
std::string hashCode(llvm::StringRef description, llvm::StringRef text);

/// Calls `compile` for each index of `costs` on the context's threads, what
/// costs most first. The lowest index that fails gives the error, whatever runs
/// first.
llvm::Error
runCostliestFirst(mlir::MLIRContext *context, ArrayRef<int64_t> costs,
                  llvm::function_ref<llvm::Error(size_t index)> compile);

/// Calls `compile` for the index of each kernel in this way.
LogicalResult
compileEach(mlir::Operation *kernels, ArrayRef<mlir::LLVM::LLVMFuncOp> list,
            llvm::function_ref<llvm::Error(size_t index)> compile);

} // namespace prec

#endif // PREC_LIB_CODEGEN_MACHINECODE_SPLITKERNELS_H
