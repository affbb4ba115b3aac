//===- GroupedKernel.h - what a grouped product carries ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes that code generation for a GPU adds to `prec_sched.grouped_gemm`.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_DIALECT_SCHED_GROUPEDKERNEL_H
#define PREC_DIALECT_SCHED_GROUPEDKERNEL_H

#include "llvm/ADT/StringRef.h"

namespace prec {

/// Symbol of the kernel, and its `#prec_sched.launch`.
inline constexpr llvm::StringLiteral kGroupedKernel = "prec_sched.kernel",
                                     kGroupedLaunch = "prec_sched.launch";
/// Where the kernel takes tensor maps of both operands in front of pointers.
inline constexpr llvm::StringLiteral kGroupedReadsMaps =
    "prec_sched.reads_maps";

} // namespace prec

#endif // PREC_DIALECT_SCHED_GROUPEDKERNEL_H
