//===- Optimize.h - LLVM's optimizer and code generator ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_MACHINECODE_OPTIMIZE_H
#define PREC_LIB_CODEGEN_MACHINECODE_OPTIMIZE_H

#include "prec/Support/LLVM.h"

#include "mlir/Support/LLVM.h"
#include "llvm/Target/TargetMachine.h"

namespace prec {

/// Optimizes `module` for `machine` and appends the code to `output`.
LogicalResult optimizeAndEmit(llvm::Module &module,
                              llvm::TargetMachine &machine, unsigned level,
                              llvm::CodeGenFileType type, std::string &output);

} // namespace prec

#endif // PREC_LIB_CODEGEN_MACHINECODE_OPTIMIZE_H
