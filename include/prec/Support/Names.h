//===- Names.h - names that files share with tags ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Policies and numerics name formats, scalings and the like as tags do, but
// their readers need no MLIR. A test keeps these lists equal to the
// enumerations of the prec dialect.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_SUPPORT_NAMES_H
#define PREC_SUPPORT_NAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace prec {

llvm::ArrayRef<llvm::StringRef> getFormatNames();
llvm::ArrayRef<llvm::StringRef> getScalingNames();
llvm::ArrayRef<llvm::StringRef> getAccumulatorNames();
/// fprop, dgrad, wgrad.
llvm::ArrayRef<llvm::StringRef> getDirectionNames();
/// forward, recompute, backward, optimizer.
llvm::ArrayRef<llvm::StringRef> getPhaseNames();

} // namespace prec

#endif // PREC_SUPPORT_NAMES_H
