//===- WriteTags.h - decisions as attributes --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_WRITETAGS_H
#define PREC_LIB_ASSIGN_WRITETAGS_H

#include "Assign/Decided.h"
#include "Assign/Recipe/IdleOptions.h"
#include "prec/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"

namespace prec {

/// Replaces all tags of a function by its decisions.
void writeTags(DecidedFunction &decided);

/// Says on the module what it was decided under; `scales` are those of all its
/// functions.
void writeModuleAttributes(ModuleOp module, const Recipe &recipe,
                           const Target &target, const ScaleUse &scales);

} // namespace prec

#endif // PREC_LIB_ASSIGN_WRITETAGS_H
