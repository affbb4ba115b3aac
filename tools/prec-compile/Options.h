//===- Options.h - the command line of prec-compile -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_COMPILE_OPTIONS_H
#define PREC_COMPILE_OPTIONS_H

#include "prec/Pipelines/Compile.h"
#include "prec/Support/LLVM.h"

namespace prec {

struct CommandLine {
  std::string input;
  unsigned threads = 0; ///< that compile; 0: as many as the machine has
  CompileOptions options;
};

/// Ends the process over an option that is unknown, as LLVM's tools do. Fails
/// with a message on options that contradict each other.
FailureOr<CommandLine> parseCommandLine(int argc, char **argv);

} // namespace prec

#endif // PREC_COMPILE_OPTIONS_H
