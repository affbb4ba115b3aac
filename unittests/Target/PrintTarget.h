//===- PrintTarget.h - a target of somebody else's --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_UNITTESTS_TARGET_PRINTTARGET_H
#define PREC_UNITTESTS_TARGET_PRINTTARGET_H

#include "prec/Target/TargetRegistry.h"

namespace prec::test {

/// Adds the target `print`, which multiplies in FP32 only and whose images are
/// the text of its kernels.
llvm::Error registerPrintTarget(TargetRegistry &registry);

} // namespace prec::test

#endif // PREC_UNITTESTS_TARGET_PRINTTARGET_H
