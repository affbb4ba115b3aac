//===- CommandName.h - what commands are called -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_SCHEDULE_COMMANDNAME_H
#define PREC_SCHEDULE_COMMANDNAME_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/Operation.h"

namespace prec {

/// Path of the module that an operation comes from; empty if it has none.
StringRef getModulePath(Operation *op);

/// The name of an operation of `prec_sched` in profiles and reports: of a
/// dispatch its own, of others their module, kind and id,
/// "model.layers.0.mlp/gemm.12".
std::string getCommandName(Operation *op);

} // namespace prec

#endif // PREC_SCHEDULE_COMMANDNAME_H
