//===- KernelTable.h - one kernel for equal dispatches ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_KERNELTABLE_H
#define PREC_LIB_CODEGEN_KERNELTABLE_H

#include "prec/Dialect/Sched/Sched.h"
#include "prec/Support/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"

namespace prec {

/// Dispatches of a module, grouped by what their kernel depends on: the body,
/// the types, the family and what is in place. A model of 32 layers compiles
/// one.
struct KernelGroup {
  std::string name;
  SmallVector<sched::DispatchOp> dispatches;
};
SmallVector<KernelGroup> groupDispatches(ModuleOp module);

/// Keeps one of kernels that came out equal. Those of different groups often
/// do, since a size may decide only how many blocks run: the optimizer of
/// parameters of different lengths is one kernel.
class EqualKernels {
public:
  explicit EqualKernels(ModuleOp kernels) : kernels(kernels) {}

  /// To be called once the kernel `name`, and what else its name begins, were
  /// appended to the kernels. Returns the name to call: that of an equal kernel
  /// where there is one, which replaces the new one.
  std::string keepOne(StringRef name);

private:
  ModuleOp kernels;
  mlir::Operation *last = nullptr;
  llvm::StringMap<std::string> names;
};

/// Passes from what families build to the llvm dialect.
void buildLoweringPipeline(OpPassManager &pm);

} // namespace prec

#endif // PREC_LIB_CODEGEN_KERNELTABLE_H
