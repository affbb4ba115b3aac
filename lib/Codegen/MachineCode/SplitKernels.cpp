//===- SplitKernels.cpp - a module for each kernel ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/MachineCode/SplitKernels.h"

#include "prec/Version.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SHA256.h"

#include <atomic>

using namespace mlir;
using namespace prec;

SmallVector<LLVM::LLVMFuncOp> prec::listKernels(gpu::GPUModuleOp kernels) {
  SmallVector<LLVM::LLVMFuncOp> found;
  for (auto function : kernels.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr("nvvm.kernel"))
      found.push_back(function);
  return found;
}

SmallVector<LLVM::LLVMFuncOp> prec::listKernels(ModuleOp kernels) {
  SmallVector<LLVM::LLVMFuncOp> found;
  for (auto function : kernels.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal() &&
        function.getLinkage() == LLVM::Linkage::External)
      found.push_back(function);
  return found;
}

OwningOpRef<Operation *> prec::extractKernel(Operation *kernels,
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
  OwningOpRef<Operation *> part = kernels->cloneWithoutRegions();
  OpBuilder builder =
      OpBuilder::atBlockEnd(&part.get()->getRegion(0).emplaceBlock());
  for (Operation &op : kernels->getRegion(0).front())
    if (named.contains(&op))
      builder.clone(op);
  return part;
}

/// To be raised where the same code and options become other machine code: what
/// a cache has is the old one.
static constexpr StringLiteral kRevision = "1";

std::string prec::hashCode(StringRef description, StringRef text) {
  llvm::SHA256 hash;
  hash.update(llvm::join_items('\n', "prec " PREC_VERSION, kRevision,
                               "LLVM " LLVM_VERSION_STRING, description, ""));
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::string prec::hashKernel(StringRef description,
                             const llvm::Module &module) {
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream os(bitcode);
  llvm::WriteBitcodeToFile(module, os);
  return hashCode(description, os.str());
}

llvm::Error
prec::runCostliestFirst(MLIRContext *context, ArrayRef<int64_t> costs,
                        llvm::function_ref<llvm::Error(size_t index)> compile) {
  // A long one that comes last would leave the other threads idle.
  SmallVector<std::pair<int64_t, size_t>> order;
  for (auto [index, cost] : llvm::enumerate(costs))
    order.emplace_back(-cost, index);
  llvm::sort(order);
  std::vector<std::string> errors(costs.size());
  std::atomic<size_t> firstFailed = costs.size();
  parallelForEach(context, order, [&](auto entry) {
    size_t index = entry.second;
    if (index > firstFailed)
      return;
    llvm::Error error = compile(index);
    if (!error)
      return;
    errors[index] = llvm::toString(std::move(error));
    size_t first = firstFailed;
    while (index < first && !firstFailed.compare_exchange_weak(first, index))
      ;
  });
  if (firstFailed < costs.size())
    return llvm::createStringError(errors[firstFailed]);
  return llvm::Error::success();
}

LogicalResult
prec::compileEach(Operation *kernels, ArrayRef<LLVM::LLVMFuncOp> list,
                  llvm::function_ref<llvm::Error(size_t index)> compile) {
  SmallVector<int64_t> costs;
  for (LLVM::LLVMFuncOp kernel : list) {
    int64_t size = 0;
    kernel->walk([&](Operation *) { ++size; });
    costs.push_back(size);
  }
  if (llvm::Error error =
          runCostliestFirst(kernels->getContext(), costs, compile))
    return kernels->emitError(llvm::toString(std::move(error)));
  return success();
}
