//===- Nearest.h - the name that a mistyped one was meant to be -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_SUPPORT_NEAREST_H
#define PREC_SUPPORT_NEAREST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace prec {

/// "; the nearest is 'name'" for the end of a message, of the name among
/// `names` that `text` is probably meant to be: the one with the fewest changes
/// of characters, if these are no more than a third of the longer text. Empty
/// if there is none.
std::string describeNearest(llvm::StringRef text,
                            llvm::ArrayRef<llvm::StringRef> names);

} // namespace prec

#endif // PREC_SUPPORT_NEAREST_H
