//===- JoinNames.h - one name for several tensors ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_WEIGHTS_JOINNAMES_H
#define PREC_LIB_MATERIALIZE_WEIGHTS_JOINNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace prec {

/// What dotted names have in common once, and between it what they do not,
/// joined by `+`: `a.q+k.weight` of `a.q.weight` and `a.k.weight`.
std::string joinNames(llvm::ArrayRef<llvm::StringRef> names);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_WEIGHTS_JOINNAMES_H
