//===- SplitKernels.cpp - a module for each kernel ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/MachineCode/SplitKernels.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace prec;

SmallVector<LLVM::LLVMFuncOp> prec::listKernels(gpu::GPUModuleOp kernels) {
  SmallVector<LLVM::LLVMFuncOp> found;
  for (auto function : kernels.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr("nvvm.kernel"))
      found.push_back(function);
  return found;
}

OwningOpRef<gpu::GPUModuleOp> prec::extractKernel(gpu::GPUModuleOp kernels,
                                                  LLVM::LLVMFuncOp kernel) {
  llvm::SmallPtrSet<Operation *, 8> named{kernel};
  SmallVector<Operation *> unread{kernel};
  while (!unread.empty()) {
    std::optional<SymbolTable::UseRange> uses =
        SymbolTable::getSymbolUses(unread.pop_back_val());
    if (!uses)
      continue;
    for (const SymbolTable::SymbolUse &use : *uses)
      if (Operation *symbol = SymbolTable::lookupSymbolIn(
              kernels, use.getSymbolRef().getRootReference());
          symbol && named.insert(symbol).second)
        unread.push_back(symbol);
  }
  OwningOpRef<gpu::GPUModuleOp> part =
      cast<gpu::GPUModuleOp>(kernels->cloneWithoutRegions());
  OpBuilder builder =
      OpBuilder::atBlockEnd(&part->getBodyRegion().emplaceBlock());
  for (Operation &op : *kernels.getBody())
    if (named.contains(&op))
      builder.clone(op);
  return part;
}
