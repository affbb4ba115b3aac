//===- BenchRun.h - measures a bench module ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_BENCHRUN_H
#define PREC_RUN_BENCHRUN_H

#include "Options.h"

namespace prec::run {

/// Measures every command of a module that was compiled with --bench, and
/// writes `options.bench`, a report that prec-bench merges.
rt::Status runBench(const Options &options);

} // namespace prec::run

#endif // PREC_RUN_BENCHRUN_H
