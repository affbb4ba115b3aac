//===- MachineFiles.cpp - files of targets/ in the binary -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets/MachineFiles.h"

using namespace prec;
using llvm::StringRef;

namespace {
struct MachineFile {
  StringRef name, text;
};
} // namespace

static constexpr MachineFile kMachines[] = {
#include "prec/Targets/MachineFiles.inc"
};

StringRef targets::findMachineFile(StringRef name) {
  for (const MachineFile &file : kMachines)
    if (file.name == name)
      return file.text;
  return {};
}
