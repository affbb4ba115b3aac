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

#include <functional>
#include <string>
#include <vector>

namespace prec {

struct StepModuleParts {
  std::string manifest;                  ///< JSON
  std::vector<std::string> objects;      ///< ELF objects that are linked
  std::vector<std::string> tableKernels; ///< its symbols, in query table order
  std::string images;                    ///< bytes that the manifest locates
  std::string constants;                 ///< bytes of segment constants
};

/// Links ELF objects, given as their bytes, into the bytes of a shared object,
/// as `ld.lld -shared --no-undefined-version -z noexecstack -z relro` does. An
/// error says in one line why not.
using LinkFunction = std::function<llvm::Expected<std::string>(
    llvm::ArrayRef<llvm::StringRef> objects)>;

/// One that calls a program, as ld.lld, in a private folder for temporary
/// files.
LinkFunction linkByProgram(std::string linker);

/// The bytes of the step module; a file of them is the module.
llvm::Expected<std::string> makeStepModule(const StepModuleParts &parts,
                                           const LinkFunction &link);
/// Writes these bytes beside `path`, syncs and renames the file.
llvm::Error writeStepModule(llvm::StringRef path, llvm::StringRef bytes);

/// Links the parts into a shared object at `path`: written beside it, synced
/// and renamed, so that an older file survives every failure. `linker` is the
/// path of a program that links when it is called as ld.lld.
llvm::Error writeStepModule(llvm::StringRef path, const StepModuleParts &parts,
                            llvm::StringRef linker);

/// Finds ld.lld: beside the LLVM that prec was built with, then on PATH.
llvm::Expected<std::string> findLinker();

} // namespace prec

#endif // PREC_EMIT_STEPMODULE_H
