//===- Files.h - reading and writing whole files ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_SUPPORT_FILES_H
#define PREC_SUPPORT_FILES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace prec {

/// The bytes of a file; "-" is the standard input. The error reads
/// "cannot read 'NAME': reason".
llvm::Expected<std::string> readFile(llvm::StringRef fileName);

/// Writes beside the file, flushes it to the disk and renames, so that the file
/// is the old one or the whole new one whenever the machine stops. "-" is the
/// standard output; a device or a pipe is written as it is. The error reads
/// "cannot write 'NAME': reason".
llvm::Error
writeFileAtomically(llvm::StringRef fileName,
                    llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace prec

#endif // PREC_SUPPORT_FILES_H
