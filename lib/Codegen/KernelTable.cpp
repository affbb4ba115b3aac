//===- KernelTable.cpp - one kernel for equal dispatches ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/KernelTable.h"

#include "prec/Codegen/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace prec;

/// Everything that a dispatch's kernel depends on, as text.
static std::string signatureOf(sched::DispatchOp dispatch) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << sched::stringifyFamily(dispatch.getFamily());
  for (int64_t input : dispatch.getInplace())
    os << ' ' << input;
  if (std::optional<uint64_t> order = dispatch.getOrder())
    os << " by " << *order;
  for (Type type : dispatch->getOperandTypes())
    os << ' ' << type;
  for (Type type : dispatch->getResultTypes())
    os << ' ' << type;
  llvm::DenseMap<Value, unsigned> numbers;
  auto number = [&](Value value) {
    return numbers.try_emplace(value, numbers.size()).first->second;
  };
  for (BlockArgument argument : dispatch.getBody().getArguments())
    number(argument);
  for (Operation &op : dispatch.getBody().front()) {
    os << '\n' << op.getName() << '(';
    llvm::interleaveComma(op.getOperands(), os,
                          [&](Value operand) { os << number(operand); });
    os << ')' << op.getPropertiesAsAttribute()
       << op.getDiscardableAttrDictionary();
    for (Value result : op.getResults())
      os << ' ' << number(result) << ':' << result.getType();
  }
  return text;
}

SmallVector<KernelGroup> prec::groupDispatches(ModuleOp module) {
  SmallVector<KernelGroup> groups;
  llvm::StringMap<unsigned> indices;
  llvm::StringSet<> names;
  module.walk([&](sched::DispatchOp dispatch) {
    auto [it, inserted] =
        indices.try_emplace(signatureOf(dispatch), groups.size());
    if (inserted) {
      // A prefix, so that no name is one of the C library's.
      std::string base = "prec_" + dispatch.getSym().str();
      for (char &c : base)
        if (!llvm::isAlnum(c))
          c = '_';
      std::string name = base;
      for (unsigned i = 1; !names.insert(name).second; ++i)
        name = base + "_" + std::to_string(i);
      groups.push_back({name, {}});
    }
    groups[it->second].dispatches.push_back(dispatch);
  });
  return groups;
}

/// Kernels are equal if their text is, without their names: that of the
/// function, and of the constants and shared memory that begin with it. The
/// text says types, arguments and launch bounds, but no locations.
std::string EqualKernels::keepOne(StringRef name) {
  Block::OpListType &all = kernels.getBody()->getOperations();
  auto begin = last ? std::next(Block::iterator(last)) : all.begin();
  std::string text;
  llvm::raw_string_ostream os(text);
  auto flags =
      OpPrintingFlags().assumeVerified().useLocalScope().printGenericOpForm();
  for (Operation &op : llvm::make_range(begin, all.end()))
    op.print(os, flags);
  llvm::SHA256 hash;
  for (StringRef rest = text; !rest.empty();) {
    auto [part, behind] = rest.split(name);
    hash.update(part);
    // A separator that no text has.
    hash.update(StringRef("\0", 1));
    rest = behind;
  }
  auto [it, isNew] =
      names.try_emplace(llvm::toStringRef(hash.final()), name.str());
  if (isNew)
    last = &all.back();
  else
    all.erase(begin, all.end());
  return it->second;
}

void prec::buildLoweringPipeline(OpPassManager &pm) {
  pm.addPass(createOrderFormulas());
  // Each function by itself, on the context's threads.
  OpPassManager &each = pm.nest<LLVM::LLVMFuncOp>();
  each.addPass(createSCFToControlFlowPass());
  each.addPass(createConvertVectorToLLVMPass());
  each.addPass(createConvertMathToLLVMPass());
  each.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}
