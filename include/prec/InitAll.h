//===- InitAll.h - registration for tools and embedders ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_INITALL_H
#define PREC_INITALL_H

#include "prec/Support/LLVM.h"

namespace prec {

/// Adds prec's dialects, the upstream dialects its graphs use, the external
/// models of PrecisionOpInterface and DecomposeOpInterface, the inliner of func
/// and the translations to LLVM's IR that code generation needs. Targets are
/// attached apart (attachAllTargets of RegisterAllTargets.h), because another
/// compiler may have others.
void registerAllDialects(DialectRegistry &registry);

/// Registers prec's passes with MLIR's registry, by which pipelines are parsed.
void registerAllPasses();

/// Registers the phases there: prec-raise, prec-assign, prec-materialize,
/// prec-schedule and prec-codegen, and prec-to-linalg. What each does, and its
/// options, is in docs/Hosts.md.
void registerAllPipelines();

} // namespace prec

#endif // PREC_INITALL_H
