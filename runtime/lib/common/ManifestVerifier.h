//===- ManifestVerifier.h - what a manifest promises ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_MANIFESTVERIFIER_H
#define PREC_RT_COMMON_MANIFESTVERIFIER_H

#include "Manifest.h"

namespace prec::rt {

/// Checks that windows lie in their segments, that bindings are disjoint and
/// of the dtype of their role, and that every command's operands have the
/// sizes its operation needs. Indices must already be in range.
Status verify(const Manifest &manifest);

} // namespace prec::rt

#endif // PREC_RT_COMMON_MANIFESTVERIFIER_H
