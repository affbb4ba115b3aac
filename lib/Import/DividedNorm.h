//===- DividedNorm.h - norms of what ranks have slices of -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_IMPORT_DIVIDEDNORM_H
#define PREC_LIB_IMPORT_DIVIDEDNORM_H

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

namespace prec {

/// Makes the norm of tensors of which ranks along `axis` have slices, where
/// `isSplit` says so, one of the norms of all ranks' slices and of the rest.
void addUpNorm(train::GlobalNormOp norm, StringRef axis, int64_t ranks,
               llvm::function_ref<bool(Value)> isSplit);

} // namespace prec

#endif // PREC_LIB_IMPORT_DIVIDEDNORM_H
