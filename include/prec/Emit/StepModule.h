//===- StepModule.h - the ELF file of a step module -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/ModuleFormat.md describes what is written.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_EMIT_STEPMODULE_H
#define PREC_EMIT_STEPMODULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace prec {

struct StepModuleParts {
  std::string manifest; ///< JSON
  std::string object;   ///< ELF object that is linked; empty: none
  std::vector<std::string> tableKernels; ///< its symbols, in query table order
  std::string images;                    ///< bytes that the manifest locates
  std::string constants;                 ///< bytes of segment constants
};

/// Links the parts into a shared object at `path`: written beside it, synced
/// and renamed, so that an older file survives every failure. `linker` is the
/// path of a program that links when it is called as ld.lld.
llvm::Error writeStepModule(llvm::StringRef path, const StepModuleParts &parts,
                            llvm::StringRef linker);

/// Finds ld.lld: beside the LLVM that prec was built with, then on PATH.
llvm::Expected<std::string> findLinker();

} // namespace prec

#endif // PREC_EMIT_STEPMODULE_H
