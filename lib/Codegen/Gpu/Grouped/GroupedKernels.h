//===- GroupedKernels.h - products of experts on GPUs -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two kernels compute `prec_sched.grouped_gemm`. That of warpgroups
// (GroupedWarpgroups.cpp) is for Hopper's matrix units. The plain one
// (GroupedPlain.cpp) multiplies in f32 and takes what the other does not: f32,
// rows that are not in pieces of 16 bytes, other chips.
//
// Arguments: tensor maps of lhs and rhs if the kernel reads those (boxes of 64
// rows by 128 bytes, 128-byte swizzle, zeros outside; dimensions are columns,
// rows, matrices and one more of 1), then pointers to lhs, rhs, ends, the
// result and, of scaled operands, both inverse scales.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_GROUPED_GROUPEDKERNELS_H
#define PREC_LIB_CODEGEN_GPU_GROUPED_GROUPEDKERNELS_H

#include "Codegen/Gpu/GpuKernels.h"
#include "Codegen/Gpu/Grouped/GroupedProduct.h"

namespace prec {

struct GroupedArguments {
  Value leftMap, rightMap; ///< if there are maps
  Value left, right, ends, result;
  Value leftScales, rightScales; ///< if there are scales
};

/// Whether the kernel of warpgroups serves.
bool hasWarpgroupKernel(const GroupedProduct &product, StringRef chip);

/// Builds the kernel function in `module`.
GpuLaunch buildGroupedWarpgroups(const GroupedProduct &product, StringRef name,
                                 ModuleOp module, Location loc);
GpuLaunch buildGroupedPlain(const GroupedProduct &product, StringRef name,
                            ModuleOp module, Location loc);

/// An empty kernel function, before whose end `builder` then stands, and its
/// arguments.
mlir::LLVM::LLVMFuncOp createGroupedFunction(const GroupedProduct &product,
                                             StringRef name, OpBuilder &builder,
                                             Location loc, bool hasMaps,
                                             GroupedArguments &arguments);

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_GROUPED_GROUPEDKERNELS_H
