//===- Fold.h - a map with equal layers folded ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_EXPLAIN_FOLD_H
#define PREC_LIB_EXPLAIN_FOLD_H

#include "prec/Explain/PrecisionMap.h"

namespace prec {

/// One or two maps as the JSON that Page/decode.js reads: strings, tags,
/// choices and rows (operations and arguments) once each; templates, lists of
/// rows that a layer consists of; and by function its layers and other modules,
/// a run of equal layers as one.
std::string foldMaps(llvm::ArrayRef<PrecisionMap> maps);

} // namespace prec

#endif // PREC_LIB_EXPLAIN_FOLD_H
