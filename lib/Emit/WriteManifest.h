//===- WriteManifest.h - a manifest as JSON ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_EMIT_WRITEMANIFEST_H
#define PREC_LIB_EMIT_WRITEMANIFEST_H

#include "prec-rt/manifest.h"

namespace prec {

/// The JSON text that the runtime reads as `manifest`.
std::string writeManifest(const rt::ManifestFields &manifest,
                          rt::KernelCalls calls);

} // namespace prec

#endif // PREC_LIB_EMIT_WRITEMANIFEST_H
