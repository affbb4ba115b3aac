//===- MustSucceed.h - results that cannot be failures ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_SUPPORT_MUSTSUCCEED_H
#define PREC_SUPPORT_MUSTSUCCEED_H

#include "prec/Support/LLVM.h"

#include "llvm/Support/ErrorHandling.h"

namespace prec {

/// For calls that cannot fail where they stand, which `why` says: ends the
/// program, in every build, if one does.
inline void mustSucceed(LogicalResult result, const char *why) {
  if (failed(result))
    llvm::report_fatal_error(why);
}

} // namespace prec

#endif // PREC_SUPPORT_MUSTSUCCEED_H
