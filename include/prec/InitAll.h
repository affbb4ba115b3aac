//===- InitAll.h - registration for tools and embedders ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_INITALL_H
#define PREC_INITALL_H

#include "prec/Support/LLVM.h"

namespace prec {

/// Adds prec's dialects, the upstream dialects its graphs use, and the external
/// models of PrecisionOpInterface and DecomposeOpInterface. Targets are
/// attached apart (TargetRegistry.h).
void registerAllDialects(DialectRegistry &registry);

/// Registers prec's passes and pipelines.
void registerAllPasses();

} // namespace prec

#endif // PREC_INITALL_H
