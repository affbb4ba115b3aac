//===- WriteTags.h - decisions as attributes --------------------*- C++ -*-===//
#ifndef PREC_LIB_ASSIGN_WRITETAGS_H
#define PREC_LIB_ASSIGN_WRITETAGS_H

#include "Decided.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::prec {

/// Replaces all tags of a function by its decisions.
void writeTags(DecidedFunction &decided);

/// Says on the module what it was decided under.
void writeModuleAttributes(ModuleOp module, const Recipe &recipe,
                           const Target &target);

} // namespace mlir::prec

#endif // PREC_LIB_ASSIGN_WRITETAGS_H
