//===- MachineFiles.h - files of targets/ in the binary ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_TARGETS_MACHINEFILES_H
#define PREC_LIB_TARGETS_MACHINEFILES_H

#include "llvm/ADT/StringRef.h"

namespace prec::targets {

/// The text of targets/NAME.json; empty if CMakeLists.txt does not name it.
llvm::StringRef findMachineFile(llvm::StringRef name);

} // namespace prec::targets

#endif // PREC_LIB_TARGETS_MACHINEFILES_H
