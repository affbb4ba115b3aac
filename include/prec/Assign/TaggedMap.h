//===- TaggedMap.h - the precision map of a tagged graph --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_ASSIGN_TAGGEDMAP_H
#define PREC_ASSIGN_TAGGEDMAP_H

#include "prec/Explain/PrecisionMap.h"
#include "prec/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"

namespace prec {

/// Whether --assign-precision, or anybody, has tagged any of it.
bool isTagged(ModuleOp module);

/// The map of a module that --assign-precision has tagged, with what was beaten
/// if `prec.decisions` tells, else of formats and rules. Fails, with an error
/// at the module, without tags and with decisions that are broken or disagree.
FailureOr<PrecisionMap> collectTaggedMap(ModuleOp module);

} // namespace prec

#endif // PREC_ASSIGN_TAGGEDMAP_H
