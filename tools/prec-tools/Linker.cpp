//===- Linker.cpp - ld.lld ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Linker.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/InitLLVM.h"

LLD_HAS_DRIVER(elf)

int prec::linkElf(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  llvm::SmallVector<const char *> words(argv, argv + argc);
  bool linked = lld::elf::link(words, llvm::outs(), llvm::errs(),
                               /*exitEarly=*/true, /*disableOutput=*/false);
  return linked ? 0 : 1;
}
