//===- CallKernels.h - kernels of the user's own ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_EMIT_CALLKERNELS_H
#define PREC_EMIT_CALLKERNELS_H

#include "prec/Dialect/Sched/Sched.h"
#include "prec/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace prec {

/// The kernel that computes a call on a chip: one that was compiled for it, or
/// else PTX. Without one, and where a value is of another type than the kernel
/// reads, it is an error at the call.
FailureOr<train::KernelAttr> findCallKernel(sched::CallOp call, StringRef chip);

/// The images of the kernels of all calls of a module, each once. Kernels of
/// one symbol and different code are an error.
FailureOr<std::vector<KernelImage>> collectCallImages(ModuleOp module,
                                                      StringRef chip);

} // namespace prec

#endif // PREC_EMIT_CALLKERNELS_H
