//===- OutputPaths.h - what is written is nothing that is read --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_OUTPUTPATHS_H
#define PREC_RUN_OUTPUTPATHS_H

#include "Options.h"

#include "Status.h"

namespace prec::run {

/// Refuses options by which a file would be written over one that is read, or
/// over another that is written.
rt::Status checkOutputPaths(const Options &options);

} // namespace prec::run

#endif // PREC_RUN_OUTPUTPATHS_H
